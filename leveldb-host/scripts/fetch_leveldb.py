#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetch the pinned LevelDB source package, unpack it and apply our patches.

LevelDB is not part of this repository: `leveldb.lock` names the Debian source package and the SHA-256 of its upstream
tarball, and `patches/` holds the hooks. A Debian machine usually lists binary packages only, so the download uses a
private apt configuration whose source entries are derived from the machine's binary entries. The machine's
configuration is read, never written.

The unpacked tree is updated in place: a file whose content does not change keeps its time stamp, so that an edited
patch rebuilds only what it touches. The CMake build of leveldb-host calls this script.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
STAMP = ".openremap-stamp"


class FetchError(Exception):
    """Fetching failed; the message is one line that says what to do."""


def read_lock(path: Path) -> dict[str, str]:
    """Return the `key = value` lines of a lock file."""
    lock: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#", 1)[0].strip()
        if line:
            key, _, value = line.partition("=")
            lock[key.strip()] = value.strip()
    missing = {"package", "version", "orig_tarball", "orig_sha256"} - lock.keys()
    if missing:
        raise FetchError(f"{path}: missing {', '.join(sorted(missing))}")
    return lock


def sha256(path: Path) -> str:
    """Return the hex SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def source_entries(apt_dir: Path) -> tuple[str, str]:
    """Return the source entries for the machine's binary entries, as (one-line format, deb822 format)."""
    lists = [apt_dir / "sources.list"]
    parts = apt_dir / "sources.list.d"
    if parts.is_dir():
        lists += sorted(parts.glob("*.list")) + sorted(parts.glob("*.sources"))
    one_line: list[str] = []
    deb822: list[str] = []
    for path in lists:
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".sources":
            for stanza in re.split(r"\n\s*\n", text):
                lines = [line for line in stanza.splitlines() if not line.startswith("#")]
                body = "\n".join(lines)
                if re.search(r"(?im)^types:.*\bdeb\b", body) and not re.search(r"(?im)^enabled:\s*no\b", body):
                    deb822.append(re.sub(r"(?im)^types:.*$", "Types: deb-src", body).strip())
        else:
            for line in text.splitlines():
                if re.match(r"\s*deb\s", line):
                    one_line.append(re.sub(r"^\s*deb\s", "deb-src ", line))
    return "\n".join(one_line) + "\n", "\n\n".join(deb822) + "\n"


def run(command: list[str], cwd: Path, what: str) -> None:
    """Run a command without showing its output; on failure raise FetchError with the output's end."""
    result = subprocess.run(command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if result.returncode != 0:
        tail = " / ".join(result.stdout.strip().splitlines()[-3:])
        raise FetchError(f"{what} failed: {tail}")


def download(lock: dict[str, str], target: Path, apt_dir: Path) -> None:
    """Download the source package's upstream tarball to `target` and check it against the lock."""
    if shutil.which("apt-get") is None:
        raise FetchError(f"apt-get not found; copy {lock['orig_tarball']} to {target.parent} by hand")
    one_line, deb822 = source_entries(apt_dir)
    if not one_line.strip() and not deb822.strip():
        raise FetchError(f"{apt_dir}: no Debian package source is configured")
    print(f"leveldb: fetching source package {lock['package']} {lock['version']}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="openremap-apt-") as name:
        work = Path(name)
        work.chmod(0o755)  # apt's unprivileged download user must be able to enter
        for folder in ("lists/partial", "archives/partial", "parts", "out"):
            (work / folder).mkdir(parents=True)
        (work / "parts" / "sources.list").write_text(one_line, encoding="utf-8")
        (work / "parts" / "private.sources").write_text(deb822, encoding="utf-8")
        (work / "parts" / "sources.list").rename(work / "parts" / "private.list")
        options = [
            "-qq",
            "-o", "Dir::Etc::sourcelist=/dev/null",
            "-o", f"Dir::Etc::sourceparts={work / 'parts'}",
            "-o", f"Dir::State::lists={work / 'lists'}",
            "-o", f"Dir::Cache={work}",
            "-o", "APT::Sandbox::User=",
            "-o", "Acquire::Languages=none",
        ]  # fmt: skip
        run(["apt-get", *options, "update"], work, "apt-get update (source lists)")
        run(
            ["apt-get", *options, "--download-only", "source", lock["package"]],
            work / "out",
            f"apt-get source {lock['package']}",
        )
        tarball = work / "out" / lock["orig_tarball"]
        if not tarball.is_file():
            raise FetchError(
                f"the source package does not contain {lock['orig_tarball']}; the Debian release may be the wrong one"
            )
        check(tarball, lock)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        shutil.copyfile(tarball, partial)
        partial.replace(target)


def check(tarball: Path, lock: dict[str, str]) -> None:
    """Raise FetchError unless the tarball is the pinned one."""
    found = sha256(tarball)
    if found != lock["orig_sha256"]:
        raise FetchError(f"{tarball.name}: SHA-256 {found}, expected {lock['orig_sha256']}")


def unpack(tarball: Path, folder: Path) -> Path:
    """Unpack into `folder` and return the top folder of the tree."""
    with tarfile.open(tarball) as archive:
        for member in archive.getmembers():
            path = Path(member.name)
            if path.is_absolute() or ".." in path.parts or not (member.isfile() or member.isdir()):
                raise FetchError(f"{tarball.name}: unsafe archive member {member.name}")
        archive.extractall(folder)
    tops = [entry for entry in folder.iterdir() if entry.is_dir()]
    if len(tops) != 1:
        raise FetchError(f"{tarball.name}: expected one top folder")
    return tops[0]


def apply_patches(tree: Path, patches: list[Path]) -> None:
    """Apply the patches in order, without fuzz: a patch whose context has changed needs review."""
    if shutil.which("patch") is None:
        raise FetchError("program `patch` not found; install it with: apt-get install patch")
    for patch in patches:
        run(["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch", "-s", "-i", str(patch)], tree, patch.name)


def mirror(source: Path, target: Path) -> None:
    """Make `target` equal to `source`, touching only files that differ."""
    wanted = {path.relative_to(source) for path in source.rglob("*")}
    if target.is_dir():
        for path in sorted(target.rglob("*"), reverse=True):
            if path.relative_to(target) not in wanted and path.name != STAMP:
                path.rmdir() if path.is_dir() else path.unlink()
    target.mkdir(parents=True, exist_ok=True)
    for relative in sorted(wanted):
        new, old = source / relative, target / relative
        if new.is_dir():
            old.mkdir(parents=True, exist_ok=True)
        elif not old.is_file() or old.read_bytes() != new.read_bytes():
            shutil.copyfile(new, old)


def prepare(dest: Path, cache: Path, patched: bool, apt_dir: Path) -> None:
    """Bring `dest` up to date with the lock and the patches."""
    lock = read_lock(HERE / "leveldb.lock")
    patches = sorted((HERE / "patches").glob("[0-9]*.patch")) if patched else []
    stamp = "\n".join([lock["orig_sha256"], *(f"{p.name} {sha256(p)}" for p in patches)]) + "\n"
    if (dest / STAMP).is_file() and (dest / STAMP).read_text(encoding="utf-8") == stamp:
        return
    tarball = cache / lock["orig_tarball"]
    if tarball.is_file() and sha256(tarball) != lock["orig_sha256"]:
        tarball.unlink()  # the cached file is corrupt: fetch it again
    if not tarball.is_file():
        download(lock, tarball, apt_dir)
    check(tarball, lock)
    with tempfile.TemporaryDirectory(prefix="openremap-leveldb-") as name:
        tree = unpack(tarball, Path(name))
        apply_patches(tree, patches)
        (dest / STAMP).unlink(missing_ok=True)
        mirror(tree, dest)
    (dest / STAMP).write_text(stamp, encoding="utf-8")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("dest", type=Path, help="folder of the unpacked tree")
    parser.add_argument("--pristine", action="store_true", help="leave the patches out")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(os.environ.get("OPENREMAP_CACHE") or Path.home() / ".cache" / "openremap"),
        help="folder for the downloaded tarball (default: $OPENREMAP_CACHE or ~/.cache/openremap)",
    )
    parser.add_argument("--apt-dir", type=Path, default=Path("/etc/apt"), help="apt configuration to derive from")
    args = parser.parse_args()
    try:
        prepare(args.dest.resolve(), args.cache, not args.pristine, args.apt_dir)
    except (FetchError, OSError, tarfile.TarError) as error:
        print(f"fetch_leveldb: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
