# SPDX-License-Identifier: Apache-2.0
"""launcher.firmware.self_test: the Zynq port's self-test passes in QEMU, and what it says is judged."""

from __future__ import annotations

import mmap
import re
import shutil
from pathlib import Path

import pytest

from launcher.env import setup
from launcher.env.paths import ROOT
from launcher.firmware import images, self_test

GOOD = ["pass a: one", "skip b: two", "pass c: three", "self-test: 2 passed, 0 failed, 1 skipped"]


def region(name: str) -> slice:
    """A region of the memory map."""
    header = (ROOT / "interfaces" / "gen" / "c" / "orm_zynq.h").read_text()
    base, size = (
        int(header.partition(f"#define ORM_ZYNQ_{name}_{what} 0x")[2].partition("u")[0], 16)
        for what in ("BASE", "SIZE")
    )
    return slice(base, base + size)


def test_the_self_test_passes_in_qemu_and_leaves_nvram_as_it_is(tmp_path: Path) -> None:
    images.build((images.ZYNQ,))
    ddr = tmp_path / "ddr"
    data = bytes(range(256)) * 256
    nvram, board = region("NVRAM"), region("BOARD")
    with open(ddr, "w+b") as file:
        file.truncate(self_test.MEMORY)  # sparse
        with mmap.mmap(file.fileno(), self_test.MEMORY) as memory:
            memory[nvram.start : nvram.start + len(data)] = data
            memory[nvram.stop - len(data) : nvram.stop] = data
            memory[board] = data[: board.stop - board.start]
            outcome = self_test.run(images.ZYNQ.elf(images.ZYNQ_SELF_TEST), memory=ddr)
            assert memory[nvram.start : nvram.start + len(data)] == data
            assert memory[nvram.stop - len(data) : nvram.stop] == data
            assert memory[board] == data[: board.stop - board.start]
    assert outcome.wrong == "", "\n".join(outcome.lines)
    # QEMU's machine has no level 2 cache; everything else is there.
    assert outcome.skipped == ["caches: level 2 is on"]
    groups = {name.partition(":")[0] for name in outcome.passed}
    assert groups == {"start", "vectors", "mmu", "caches", "timers", "interrupts", "watchdog", "uart", "library"}


def test_a_machine_without_the_image_does_not_pass() -> None:
    """The firmware itself says no such lines."""
    images.build((images.ZYNQ,))
    outcome = self_test.run(
        images.ZYNQ.elf(images.ZYNQ_FIRMWARE), until=re.compile(".*SocBoard record: there is none.*")
    )
    assert "did not come to its end" in outcome.wrong
    assert "SocBoard record: there is none" in outcome.lines[-1]


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        (GOOD, ""),
        (GOOD[:3], "did not come to its end; its last line: pass c: three"),
        ([], "did not come to its end"),
        ([*GOOD[:3], "FAIL d: four: not x == 1", "self-test: 2 passed, 1 failed, 1 skipped"], "failed: d: four"),
        ([*GOOD[:2], "self-test: 2 passed, 0 failed, 1 skipped"], "names 1 that passed"),
        (["self-test: 0 passed, 0 failed, 0 skipped"], "names 0 that passed"),
        (["FAIL: unexpected data abort", "self-test: 0 passed, 1 failed, 0 skipped"], "does not name"),
    ],
)
def test_lines_are_judged(lines: list[str], wrong: str) -> None:
    outcome = self_test.judge(lines)
    assert outcome.wrong.endswith(wrong) and bool(outcome.wrong) == bool(wrong)


def test_without_qemu_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(setup.SetupError, match=r"apt-get install .* qemu-system-arm$"):
        self_test.run(images.ZYNQ.elf(images.ZYNQ_SELF_TEST))
