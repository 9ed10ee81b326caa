# SPDX-License-Identifier: Apache-2.0
"""Tests of JointReset: no side clears its pointers while the other looks at them, whatever is reset and when."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from launcher.suites.cocotb_unit import DEFAULT_SEED, CocotbUnit
from sim.cocotb.support.clocks import RATIOS, Domain, Ratio, start

SETTLED = 200  # cycles of the slower clock within which both sides are up


class Side:
    """Watches one side. `up` and `clear` are the values at its last edge."""

    def __init__(self, domain: Domain, name: str) -> None:
        self.domain = domain
        self.name = name
        self.other: Side
        self.cleared = False  # since the last reset of either side
        self.fresh = False  # this side has been reset, and has not cleared its pointers since

    def at(self, what: str) -> bool:
        return bool(self.domain.read(f"io_{self.name}_{what}"))

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        up, clear = self.at("up"), self.at("clear")
        assert not (up and clear), f"{self.name}: up while its pointers are cleared"
        assert not (up and self.other.at("clear")), f"{self.name}: looks at pointers that are being cleared"
        assert not (clear and self.other.at("up")), f"{self.name}: clears pointers that the other side looks at"
        assert not (up and self.fresh), f"{self.name}: up after a reset, without having cleared its pointers"
        self.cleared |= clear
        self.fresh = self.domain.in_reset or (self.fresh and not clear)


def sides(a: Domain, b: Domain) -> tuple[Side, Side]:
    first, second = Side(a, "from"), Side(b, "to")
    first.other, second.other = second, first
    a.add(first)
    b.add(second)
    return first, second


async def both_are_up(first: Side, second: Side) -> None:
    slower = max((first.domain, second.domain), key=lambda domain: domain.period)
    await slower.until(lambda: first.at("up") and second.at("up"), "both sides to be up", SETTLED)


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def each_reset_clears_both_sides(dut: Any, ratio: Ratio) -> None:
    a, b = ratio.domains(dut)
    first, second = sides(a, b)
    await start(a, b)
    for which in (a, b, a, b):
        for cycles in (1, 7, 50):
            await both_are_up(first, second)
            await which.clock(which.rng.randint(1, 20))
            first.cleared = second.cleared = False
            await which.reset(cycles)
            await both_are_up_again(first, second)
            assert first.cleared and second.cleared


async def both_are_up_again(first: Side, second: Side) -> None:
    """The side that was not reset may be up for a while before it learns of the reset."""
    slower = max((first.domain, second.domain), key=lambda domain: domain.period)
    await slower.until(
        lambda: first.cleared and second.cleared and first.at("up") and second.at("up"), "both sides again", SETTLED
    )


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def resets_come_at_any_time(dut: Any, ratio: Ratio) -> None:
    """Many of them before the sides are up, of either side; Side checks each edge."""
    a, b = ratio.domains(dut)
    first, second = sides(a, b)
    await start(a, b)
    for _ in range(120):
        for _ in range(a.rng.randint(1, 4)):
            which = a.rng.choice((a, b))
            await a.rng.choice((a, b)).clock(a.rng.randint(1, 14))
            await which.reset(a.rng.choice((1, 1, 2, 3, 12)))
        first.cleared = second.cleared = False
        if a.rng.random() < 0.3:
            await both_are_up(first, second)
    await both_are_up(first, second)


@cocotb.test()
async def a_side_in_reset_keeps_both_down(dut: Any) -> None:
    a, b = RATIOS[0].domains(dut)
    first, second = sides(a, b)
    await start(a, b)
    for held in (a, b):
        await both_are_up(first, second)
        ends = cocotb.start_soon(held.reset(150))
        await a.clock(30)
        while not ends.done():
            assert not first.at("up") and not second.at("up")
            await a.clock()
    await both_are_up(first, second)


def _random_state() -> list[str]:
    """Registers without reset begin with any value: the constant gives each of them a bit."""
    seed = int(os.environ.get("OPENREMAP_SEED", DEFAULT_SEED))
    value = random.Random(seed).getrandbits(32)
    return ["-DRANDOMIZE_REG_INIT", f"-DRANDOM=32'd{value}"]


def test_joint_reset(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("JointReset", skew=True, build_args=_random_state())
