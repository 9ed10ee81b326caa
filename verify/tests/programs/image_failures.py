#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""image_failures.py BIN [mounts]: what the programs in BIN say when the file system under an image fails.

Each ends with exit code 1 and one line that names the file and the reason, and loses nothing that it acknowledged.
With `mounts` it makes small file systems in a mount namespace of its own; exit code 77: this machine does not permit
that.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

FAILED, SKIPPED = 1, 77
NAMESPACE = ["unshare", "--mount", "--propagation", "private"]
PAGE = 4096
NOBODY = 65534  # a user without files
NO_SPACE = "No space left on device"


class Checker:
    """Runs programs and collects what is wrong."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs = programs
        self.folder = folder
        self.found: list[str] = []

    def run(
        self, program: str, *arguments: str, data: bytes = b"", limit: int | None = None, user: int | None = None
    ) -> tuple[int, str, bytes]:
        """Exit code, what it said but for progress, and its output. `limit`: bytes of the largest file. `user`: who
        runs it if this process is root."""

        def limited() -> None:
            if user is not None and os.geteuid() == 0:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        command = [str(self.programs / program), *arguments]
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=600, preexec_fn=limited, cwd=self.folder, check=False
        )
        lines = [line for line in done.stderr.decode().splitlines() if not line.startswith("progress ")]
        return done.returncode, "\n".join(lines), done.stdout

    def fails(self, file: str, reason: str, program: str, *arguments: str, **given: object) -> None:
        """Expects exit code 1 and one line with the program, the file and the reason."""
        code, said, _ = self.run(program, *arguments, **given)  # type: ignore[arg-type]
        if code != FAILED or "\n" in said or not said.startswith(program) or file not in said or reason not in said:
            self.found.append(
                f"{program} {' '.join(arguments)}: exit code {code}, '{said}'; wanted '{file}', '{reason}'"
            )

    def succeeds(self, program: str, *arguments: str, data: bytes = b"") -> bytes:
        code, said, output = self.run(program, *arguments, data=data)
        if code != 0:
            self.found.append(f"{program} {' '.join(arguments)}: exit code {code}, '{said}'")
        return output


def cli(folder: str, *arguments: str) -> tuple[str, ...]:
    return ("openremap-cli", "--device", "model", "--image", folder, *arguments)


def bench(folder: str, *arguments: str) -> tuple[str, ...]:
    return ("db_bench", "--device=model", "--mode=off", "--num=6000", f"--image-dir={folder}", *arguments)


def without_mounts(checker: Checker) -> None:
    """Limits of the process, and files that others change."""
    checker.fails("limited/flash.img", "File too large", *cli("limited", "identify"), limit=1 << 20)
    checker.succeeds(*cli("ssd", "write", "3", "--text", "hello"))
    # The device writes beyond the limit where its image has been longer for some time.
    checker.fails("ssd/flash.img", "File too large", *cli("ssd", "write", "5", "--text", "a"), limit=1 << 20)
    if b"hello" not in checker.succeeds(*cli("ssd", "read", "3")):
        checker.found.append("page 3 is lost")

    without_permission(checker)

    checker.succeeds(*cli("cut", "identify"))
    os.truncate(checker.folder / "cut/flash.img", 1 << 20)
    for command in (cli("cut", "identify"), ("pagefs", "--image", "cut", "check")):
        checker.fails("cut/flash.img", "truncated", *command)

    for change, reason in (
        (lambda file: os.truncate(file, 0), "was truncated while a device used it"),
        (os.unlink, "was removed while a device used it"),
    ):
        device_with_a_change(checker, change, reason)


def without_permission(checker: Checker) -> None:
    """Folders and files that belong to another user. Root may use them all, so its programs run as another user."""
    locked, kept = (checker.folder / name for name in ("locked", "kept"))
    checker.succeeds(*cli("kept", "identify"))
    locked.mkdir()
    (checker.folder / "sockets").mkdir()
    (checker.folder / "sockets").chmod(0o777)
    closed = [locked, *(kept / name for name in ("flash.img", "nvram.img"))]
    for path in closed:
        path.chmod(0)
    if os.geteuid() == 0:
        checker.folder.chmod(0o755)
        if checker.run("openremap-cli", "--version", user=NOBODY)[0] != 0:
            print("as another user: left out: nobody but root can start the programs")
            return
    denied = "Permission denied"
    for file, program in (
        ("locked/", cli("locked", "identify")),
        ("locked/ssd", cli("locked/ssd", "identify")),
        ("kept/flash.img", cli("kept", "identify")),
        ("locked/", bench("locked")),
        ("locked/ssd", bench("locked/ssd")),
        ("kept/flash.img", bench("kept")),
        ("locked/flash.img", bench("locked", "--check=1")),
        ("locked/", ("vfio_device", "--socket", "sockets/s", "--image", "locked")),
        ("kept/flash.img", ("vfio_device", "--socket", "sockets/s", "--image", "kept")),
        ("locked/", ("pagefs", "--image", "locked", "check")),
        ("locked/ssd", ("pagefs", "--image", "locked/ssd", "check")),
        ("kept/flash.img", ("pagefs", "--image", "kept", "check")),
        ("locked/db", ("db_bench", "--device=reflink:locked/db", "--num=100")),
        ("locked", ("db_bench", "--device=reflink:locked", "--num=100")),
    ):
        checker.fails(file, denied, *program, user=NOBODY)
    for path in closed:
        path.chmod(0o755)


def device_with_a_change(checker: Checker, change: Callable[[Path], None], reason: str) -> None:
    """A device whose image is changed by another program while it waits for its client."""
    with tempfile.TemporaryDirectory(dir=checker.folder) as name:
        command = [str(checker.programs / "vfio_device"), "--socket", "s", "--image", "ssd"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=name) as device:
            assert device.stdout is not None
            device.stdout.readline()
            change(Path(name) / "ssd/flash.img")
            device.terminate()
            _, said = device.communicate(timeout=600)
        last = said.splitlines()[-1:]
        if device.returncode != FAILED or last != [f"vfio_device: ssd/flash.img: {reason}"]:
            checker.found.append(f"vfio_device, image changed: exit code {device.returncode}, '{said}'")


def with_mounts(checker: Checker) -> None:
    """Small file systems, and one that is read-only."""
    full = checker.folder / "full"
    full.mkdir()
    with mounted("6m", full):
        checker.succeeds(*cli("full/ssd", "write", "100", "--fua"), data=b"a" * 4 * PAGE)
        checker.fails("full/ssd/flash.img", NO_SPACE, *cli("full/ssd", "write", "200"), data=os.urandom(8_000_000))
        remount("size=60m", full)
        kept = checker.succeeds(*cli("full/ssd", "read", "100", "--count", "4", "--output", "/dev/stdout"))
        if kept[: 4 * PAGE] != b"a" * 4 * PAGE:
            checker.found.append("what was written before the file system was full is lost")
        checker.succeeds(*cli("full/ssd", "write", "200"), data=os.urandom(1_000_000))

    for program in (bench("full/i"), bench("full/i", "--reserve-image=on")):
        with mounted("6m", full):
            checker.fails("full/i/flash.img", NO_SPACE, *program)

    with mounted("64k", full):
        checker.fails("full/v/", NO_SPACE, "vfio_device", "--socket", "s", "--image", "full/v")
        checker.fails("full/r/flash.img", "cannot reserve", *cli("full/r", "--reserve-image", "identify"))
        if list(full.glob("r/*")):
            checker.found.append("an image without room is left")

    with mounted("60m", full):
        checker.succeeds(*cli("full/ssd", "write", "3", "--text", "hello"))
        remount("ro", full)
        for folder in ("full/ssd", "full/new"):
            checker.fails(f"{folder}/flash.img", "Read-only file system", *cli(folder, "read", "3"))
        code, said, output = checker.run("pagefs", "--image", "full/ssd", "check")
        if "Read-only" in said or b"file system" not in output:
            checker.found.append(f"pagefs, which only reads: exit code {code}, '{said}', {output!r}")
        checker.fails("full/db", "Read-only file system", "db_bench", "--device=reflink:full", "--num=100")


@contextmanager
def mounted(size: str, folder: Path) -> Iterator[None]:
    """An empty file system of this size on the folder."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "small", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def remount(option: str, folder: Path) -> None:
    subprocess.run(["mount", "-o", f"remount,{option}", str(folder)], check=True)


def in_namespace(programs: str) -> int:
    """Runs this program again where it may mount. The mounts end with it."""
    prefix = [*NAMESPACE, *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    try:
        with tempfile.TemporaryDirectory() as place:
            trial = [*prefix, "mount", "-t", "tmpfs", "-o", "size=64k", "small", place]
            done = subprocess.run(trial, capture_output=True, text=True, check=False)
    except OSError as error:
        print(f"skipped: cannot run unshare: {error}")
        return SKIPPED
    if done.returncode != 0:
        print(f"skipped: this machine permits no mount of a small file system: {done.stderr.strip()}")
        return SKIPPED
    return subprocess.run([*prefix, sys.executable, __file__, programs, "inside"], check=False).returncode


def main(programs: str, part: str = "") -> int:
    if part == "mounts":
        return in_namespace(programs)
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(Path(programs).resolve(), Path(folder))
        (with_mounts if part == "inside" else without_mounts)(checker)
    for complaint in checker.found:
        print(complaint, file=sys.stderr)
    return 1 if checker.found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
