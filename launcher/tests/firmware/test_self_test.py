# SPDX-License-Identifier: Apache-2.0
"""launcher.firmware.self_test: the Zynq port's self-test passes in QEMU, and what it says is judged."""

from __future__ import annotations

import re
import shutil

import pytest

from launcher.env import setup
from launcher.firmware import images, self_test

GOOD = ["pass a: one", "skip b: two", "pass c: three", "self-test: 2 passed, 0 failed, 1 skipped"]


def test_the_self_test_passes_in_qemu() -> None:
    images.build((images.ZYNQ,))
    outcome = self_test.run(images.ZYNQ.elf(images.ZYNQ_SELF_TEST))
    assert outcome.wrong == "", "\n".join(outcome.lines)
    # QEMU's machine has no level 2 cache; everything else is there.
    assert outcome.skipped == ["caches: level 2 is on"]
    groups = {name.partition(":")[0] for name in outcome.passed}
    assert groups == {"vectors", "mmu", "caches", "timers", "interrupts", "watchdog", "uart", "library"}


def test_a_machine_without_the_image_does_not_pass() -> None:
    """The firmware itself says no such lines."""
    images.build((images.ZYNQ,))
    outcome = self_test.run(images.ZYNQ.elf(images.ZYNQ_FIRMWARE), until=re.compile(".*no SocBoard record.*"))
    assert "did not come to its end" in outcome.wrong
    assert "no SocBoard record" in outcome.lines[-1]


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
