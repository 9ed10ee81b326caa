# SPDX-License-Identifier: Apache-2.0
"""The commands of `db_bench` on a board whose disk Linux drives: in one place for the documentation
(docs/boards/db_bench.md), for the guest that tries them, and for the comparison with another firmware."""

from __future__ import annotations

from launcher.bench.bench_description import Mode

DISK, NODE, CONTROL, FOLDER = "/dev/nvme0n1", "/dev/ng0n1", "/dev/nvme0", "/mnt"
MODES = (Mode.off, Mode.blend)
# Tables and journal of ext4 are written before the run and not beside it, where they would be counted. No discard: it
# is no command that every firmware knows, and the disk is new.
MKFS = ("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0")
# By board. An item is 16 + 984 bytes, so that four of them fill a page.
NUMBERS = {
    # 40 MB of puts in 128 MiB of flash, with db_bench's small levels
    "acorn": ("--num=40000", "--seed=1"),
    # 4 GB of puts with LevelDB's own sizes
    "cosmos": (
        *("--num=4294967", "--seed=1", "--write-buffer=4194304", "--max-file-size=2097152"),
        *("--level1-bytes=10485760", "--level-ratio=10"),
    ),
}
GUEST = ("--num=4000", "--seed=1")  # QEMU translates each instruction


def lines(numbers: tuple[str, ...]) -> list[str]:
    """The lines for a shell of root: on ext4, then on the raw namespace, in each mode on a new disk. The results are
    files in the folder where it runs."""
    new = f"nvme format {CONTROL} --namespace-id=1 --force"
    found = [f'numbers="{" ".join(numbers)}"']
    for mode in MODES:
        found += [
            new,
            f"{' '.join(MKFS)} {DISK}",
            f"mount -t ext4 {DISK} {FOLDER}",
            f"db_bench --device={FOLDER} --mode={mode} $numbers --json=ext4-{mode}.json",
            f"umount {FOLDER}",
        ]
    for mode in MODES:
        found += [new, f"db_bench --device={NODE} --mode={mode} $numbers --json=raw-{mode}.json"]
    return found


def counted_by_linux(folder: str, numbers: tuple[str, ...]) -> list[str]:
    """The arguments of `db_bench` for a disk of which nothing but reads and writes can be asked: the kernel counts what
    it sends."""
    return [f"--device=reflink:{folder}", f"--mode={Mode.off}", *numbers]


def guest_scripts() -> dict[str, str]:
    """The same commands as scripts for the guest (testing/guest/board-commands.sh): `lines`, and what `board check
    --baseline` does."""
    baseline = [
        f"{' '.join(MKFS)} {DISK}",
        f"mount -t ext4 {DISK} {FOLDER}",
        " ".join(["db_bench", *counted_by_linux(FOLDER, GUEST), "--json=baseline.json"]),
        f"umount {FOLDER}",
    ]
    return {
        "board-lines.sh": "".join(f"{line}\n" for line in lines(GUEST)),
        "board-baseline.sh": "".join(f"{line}\n" for line in baseline),
    }
