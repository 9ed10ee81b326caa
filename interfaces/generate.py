#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes every generated interface file, or checks (--check) that the committed ones are what would be written."""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from systemrdl.messages import RDLCompileError  # noqa: E402

from interfaces.ormgen.formats import FormatError  # noqa: E402
from interfaces.ormgen.render import Interfaces, render  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs")
    parser.add_argument("--root", type=Path, default=ROOT, help="repository to write into (default: this one)")
    args = parser.parse_args(argv)
    try:
        files = render(Interfaces.load(ROOT / "interfaces"))
    except (FormatError, RDLCompileError) as e:
        print(f"interfaces: {e}", file=sys.stderr)
        return 1
    stale = []
    for name, content in files.items():
        path = args.root / name
        if path.exists() and path.read_text() == content:
            continue
        stale.append(name)
        if not args.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
            print(f"wrote {name}")
    if args.check and stale:
        print("out of date: " + ", ".join(stale), file=sys.stderr)
        print("run: python interfaces/generate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
