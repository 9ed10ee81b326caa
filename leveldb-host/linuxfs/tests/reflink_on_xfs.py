# SPDX-License-Identifier: Apache-2.0
"""The reflink layer on a real XFS: an image in a temporary folder, mounted in its own mount namespace.

In every mode the test fills a database, mounts the file system again and reads every key back. Then it shuts the file
system down in the middle of a fill, as a power cut would. All synced data must survive. The same follows on an XFS
without reflinks. The test is skipped on machines that do not allow mounts.
"""

from __future__ import annotations

import fcntl
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.env import leveldb_packages
from launcher.env.unpacked_packages import Packages
from launcher.guest import xfs_image
from launcher.guest.xfs_image import mounted
from launcher.suites import single_test
from launcher.suites.single_test import Skipped, require

INSIDE = "--inside"  # the mount namespace
SECONDS = 1800  # time-out of a program
IMAGE_BYTES = 512 << 20
PUTS = 4000
SYNC_EVERY = 100
CUT_AFTER = 2500  # puts that are synced
GOING_DOWN = 0x8004587D  # XFS_IOC_GOINGDOWN
WITHOUT_LOG = struct.pack("I", 2)  # what the journal has in memory is lost


def arguments(folder: Path, mode: Mode, *more: str) -> list[str]:
    return [f"--device=reflink:{folder}", f"--mode={mode}", f"--num={PUTS}", f"--sync-every={SYNC_EVERY}", *more]


def bench(program: str, folder: Path, mode: Mode, *more: str) -> Any:
    command = [program, *arguments(folder, mode, *more)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    require(done.returncode == 0, f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def fill(program: str, image: Path, folder: Path, mode: Mode) -> Any:
    """A fill, read back by db_bench itself, and once more after the file system has been mounted anew."""
    with mounted(image, folder):
        run = bench(program, folder, mode)
    with mounted(image, folder):
        found = bench(program, folder, mode, f"--check={PUTS}")
        subprocess.run(["rm", "-r", str(folder / "db")], check=True)
    require(found["least_puts"] == PUTS and found["mismatches"] == 0, f"{mode}: after a remount: {found}")
    require(run["keys_verified"] == run["keys_expected"] > 0, f"{mode}: {run['keys_verified']} keys verified")
    counted = run["geometry"]["counted"]
    require(counted.startswith("block device 7:"), f"{mode}: counted at {counted}, and not at the loop device")
    require(run["host_bytes"] > run["user_bytes"] > 0, f"{mode}: {run['host_bytes']} bytes written")
    return run


def cut(program: str, image: Path, folder: Path, mode: Mode) -> None:
    """A fill that ends in a power cut: what was synced is there."""
    synced = 0
    with mounted(image, folder):
        command = [program, *arguments(folder, mode)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
            assert running.stderr is not None
            for line in running.stderr:
                words = line.split()
                if words[:1] == ["synced"]:
                    synced = int(words[1])
                if synced >= CUT_AFTER:
                    descriptor = os.open(folder, os.O_RDONLY)
                    fcntl.ioctl(descriptor, GOING_DOWN, WITHOUT_LOG)
                    os.close(descriptor)
                    break
            running.kill()
    require(synced >= CUT_AFTER, f"{mode}: the fill ended after {synced} puts")
    with mounted(image, folder):
        found = bench(program, folder, mode, f"--check={synced}")
        subprocess.run(["rm", "-r", str(folder / "db")], check=True)
    require(found["mismatches"] == 0 and found["most_puts"] >= synced, f"{mode}: {synced} puts were synced: {found}")


def everything(program: str, packages: Packages, scratch: Path) -> None:
    folder = scratch / "mounted"
    folder.mkdir()
    image = scratch / "xfs"
    xfs_image.make(packages, image, IMAGE_BYTES)
    runs = {mode: fill(program, image, folder, mode) for mode in Mode}
    for mode, run in runs.items():
        print(f"{mode}: {run['host_bytes']} bytes written, {run['file_bytes']} of them into files; "
              f"{run['remapped_pages']} pages shared by {run['remap_commands']} calls")  # fmt: skip
        require((run["remapped_pages"] > 0) == (mode is not Mode.off), f"{mode}: {run['remapped_pages']} pages shared")
        require(run["remap_fallbacks"] == 0, f"{mode}: {run['remap_fallbacks']} pages refused")
        more = f"{mode}: more bytes into files than with off"
        require(mode is Mode.off or run["file_bytes"] < runs[Mode.off]["file_bytes"], more)
    for mode in Mode:
        cut(program, image, folder, mode)
    leveldb_packages.make_xfs(packages, image, "-f", "-m", "reflink=0")
    for mode in (Mode.off, Mode.retain, Mode.blend):
        run = fill(program, image, folder, mode)
        require(run["remapped_pages"] == 0, f"{mode}: pages shared without reflinks")


def main() -> None:
    """Command line: db_bench."""
    program = sys.argv[-1]
    try:
        if INSIDE not in sys.argv:
            xfs_image.require_namespace()
            namespace = xfs_image.NAMESPACE
            os.execvp(namespace[0], [*namespace, sys.executable, *sys.argv[:-1], INSIDE, program])
        packages = leveldb_packages.ensure()
        with tempfile.TemporaryDirectory(prefix="openremap-xfs-") as name:
            everything(program, packages, Path(name))
    except xfs_image.CannotMount as why:
        raise Skipped(str(why)) from why


if __name__ == "__main__":
    sys.exit(single_test.run("reflink_on_xfs", main))
