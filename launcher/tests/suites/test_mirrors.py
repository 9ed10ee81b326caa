# SPDX-License-Identifier: Apache-2.0
"""Tests mirror sources: A/B.c is tested by tests/A/B_test.cc, and B.py by test_B.py, unless mirrors.toml names another.

A source with a `main` is a program, which is tested by the runs of it in CTest or in the launcher. Headers without a
source are data, templates and interfaces; they are tested where they are used.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path, PurePosixPath

import pytest

from launcher.env.paths import ROOT

LIST = Path(__file__).with_name("mirrors.toml")
# Folder with sources -> folder with their tests.
NATIVE = {
    "firmware/src": "firmware/tests",
    "firmware/ports": "firmware/tests/ports",
    "sim": "sim/tests",
    "verify": "verify/tests",
    "host-driver/src": "host-driver/tests",
    "host-driver/cli": "host-driver/tests/cli",
    "leveldb-host/src": "leveldb-host/tests",
    **{
        f"leveldb-host/{part}": f"leveldb-host/{part}/tests"
        for part in ("pagefs", "linuxfs", "dropin", "bench", "crash", "soak", "ioreplay")
    },
    "rocksdb-host": "rocksdb-host/tests",
}
PYTHON = {"launcher": "launcher/tests", "interfaces/ormgen": "interfaces/tests"}
_PROGRAM = re.compile(r"^int main\(", re.M)


def mirrors(root: Path = ROOT) -> dict[str, str]:
    """Each source, without its extension, and the test that mirrors it, which need not be there."""
    found: dict[str, str] = {}
    for folder, tests in NATIVE.items():
        for path in sorted((root / folder).rglob("*")):
            part = path.relative_to(root / folder)
            if path.suffix not in {".c", ".cc"} or "tests" in part.parts or part.parts[0] in {"cocotb", "gen"}:
                continue
            if not _PROGRAM.search(path.read_text()):
                found[f"{folder}/{part.with_suffix('').as_posix()}"] = (
                    f"{tests}/{part.with_suffix('').as_posix()}_test.cc"
                )
    for folder, tests in PYTHON.items():
        for path in sorted((root / folder).rglob("*.py")):
            part = path.relative_to(root / folder)
            if part.parts[0] != "tests" and path.name != "__init__.py":
                found[f"{folder}/{part.with_suffix('').as_posix()}"] = (
                    f"{tests}/{part.parent.as_posix()}/test_{part.name}"
                )
    return {source: str(PurePosixPath(test)) for source, test in found.items()}


def judge(expected: dict[str, str], listed: dict[str, str], present: set[str]) -> list[str]:
    """What is wrong: `listed` has the sources that may do without, and the test that covers each."""
    wrong = [
        f"{source} has neither {test} nor a reason"
        for source, test in expected.items()
        if test not in present and source not in listed
    ]
    for source, by in listed.items():
        if source not in expected:
            wrong.append(f"{source}: is no source")
        elif expected[source] in present:
            wrong.append(f"{source}: has a test of its name, and needs no reason")
        if by not in present:
            wrong.append(f"{source}: covered by {by}, which is not there")
    return wrong


def read_list(text: str) -> dict[str, str]:
    """Source -> covering test. Each entry has a reason, and no source is listed twice."""
    listed: dict[str, str] = {}
    for entry in tomllib.loads(text)["covered"]:
        if set(entry) != {"by", "why", "units"} or not entry["why"] or not entry["units"]:
            raise ValueError(f"an entry needs by, why and units: {entry}")
        for source in entry["units"]:
            if source in listed:
                raise ValueError(f"{source} is listed twice")
            listed[source] = entry["by"]
    return listed


def test_every_source_has_its_test_or_a_reason() -> None:
    expected = mirrors()
    assert len(expected) > 200  # or the search found nothing to judge
    present = {test for test in {*expected.values(), *read_list(LIST.read_text()).values()} if (ROOT / test).is_file()}
    assert judge(expected, read_list(LIST.read_text()), present) == []


def test_what_is_missing_and_what_is_not_needed_is_told() -> None:
    expected = {"a/x": "a/tests/x_test.cc", "a/y": "a/tests/y_test.cc"}
    assert judge(expected, {}, {"a/tests/x_test.cc"}) == ["a/y has neither a/tests/y_test.cc nor a reason"]
    assert judge(expected, {"a/y": "a/tests/x_test.cc"}, {"a/tests/x_test.cc"}) == []
    assert judge(expected, {"a/y": "a/tests/x_test.cc"}, set(expected.values())) == [
        "a/y: has a test of its name, and needs no reason"
    ]
    both = {"a/y": "a/tests/z_test.cc", "a/z": "a/tests/x_test.cc"}
    assert judge(expected, both, {"a/tests/x_test.cc"}) == [
        "a/y: covered by a/tests/z_test.cc, which is not there",
        "a/z: is no source",
    ]


def test_a_folder_is_searched(tmp_path: Path) -> None:
    for name, text in {
        "sim/models/image.cc": "",
        "sim/models/image.h": "",
        "sim/tests/models/image_test.cc": "",
        "sim/vfio/server.cc": "int main(int argc, char **argv) {\n",
        "host-driver/cli/cli.c": "",
        "launcher/env/build.py": "",
        "launcher/tests/env/test_build.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert mirrors(tmp_path) == {
        "sim/models/image": "sim/tests/models/image_test.cc",
        "host-driver/cli/cli": "host-driver/tests/cli/cli_test.cc",
        "launcher/env/build": "launcher/tests/env/test_build.py",
    }


def test_an_entry_without_a_reason_or_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="needs by, why and units"):
        read_list('[[covered]]\nby = "a"\nwhy = ""\nunits = ["b"]\n')
    with pytest.raises(ValueError, match="b is listed twice"):
        read_list('[[covered]]\nby = "a"\nwhy = "so"\nunits = ["b", "b"]\n')
