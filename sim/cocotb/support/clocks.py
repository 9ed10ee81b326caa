# SPDX-License-Identifier: Apache-2.0
"""Several clocks of one unit, which drift and jitter. Each is a Bench of its own, with its agents.

slow, fast = Domain(dut, "io_from", 30_000), Domain(dut, "io_to", 10_000)
source = Source(slow, "io_in")
sink = Sink(fast, "io_out")
await start(slow, fast)
await slow.reset(1)
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import Combine, Timer

from sim.cocotb.support.bench import Bench
from sim.cocotb.support.stream import Sink

JITTER = 0.1  # share of half a period
DRIFT = 0.02  # share of the period, up to which it wanders
_STEP = 0.001  # of it, in each cycle


class Domain(Bench):
    """The clock `prefix`_clock and its reset `prefix`_reset. `period`: in ps, on average. Without `own_reset` the unit
    makes the reset by itself."""

    def __init__(
        self,
        dut: Any,
        prefix: str,
        period: int,
        jitter: float = JITTER,
        drift: float = DRIFT,
        own_reset: bool = True,
    ) -> None:
        super().__init__(dut)
        self.rng = random.Random(f"{self.seed} {prefix}")
        self.period = period
        self.in_reset = True
        self._clock = self.signal(f"{prefix}_clock")
        self._reset = self.signal(f"{prefix}_reset") if own_reset else None
        self._jitter = jitter
        self._drift = drift
        self._wandered = 0.0
        self._live = False  # the unit has been reset, so its outputs have a meaning
        self._set_reset(True)
        self._clock.value = 0

    def _set_reset(self, value: bool) -> None:
        self.in_reset = value
        if self._reset is not None:
            self._reset.value = int(value)

    def _half(self) -> int:
        """The length of the next half of a period."""
        step = self.rng.uniform(-_STEP, _STEP)
        self._wandered = max(-self._drift, min(self._drift, self._wandered + step))
        share = 1 + self._wandered + self.rng.uniform(-self._jitter, self._jitter)
        return max(2, round(self.period * share / 2))

    async def _run(self) -> None:
        await Timer(self.rng.randint(1, self.period), unit="ps")  # the clocks begin at any time
        while True:
            for agent in self.agents:
                agent.drive()
            await Timer(self._half(), unit="ps")
            for agent in self.agents if self._live else ():
                agent.sample()
                if self.in_reset and isinstance(agent, Sink):
                    agent.forget()  # what this side offers goes with its reset
            self._clock.value = 1
            self.cycle += 1
            await Timer(self._half(), unit="ps")
            self._clock.value = 0
            self._tick.set()
            self._tick.clear()
            # Coroutines that wait for the tick run before the inputs of the next cycle are driven.
            await Timer(1, unit="step")

    async def reset(self, cycles: int = 4) -> None:
        """Resets this side alone, for some of its cycles. The reset is in step with its clock."""
        await self.clock()
        self._set_reset(True)
        await self.clock(cycles)
        self._set_reset(False)

    async def start(self, reset_cycles: int = 4) -> None:
        """Begins the clock, in reset."""
        await start(self, reset_cycles=reset_cycles)

    def begin(self) -> None:
        """Begins the clock. The reset stays."""
        for agent in self.agents:
            agent.drive()
        cocotb.start_soon(self._run())

    async def end_reset(self, after: int) -> None:
        await self.clock(after)
        self._live = True
        self._set_reset(False)


async def start(*domains: Domain, reset_cycles: int = 4) -> None:
    """Starts all clocks. Their resets end at different times, when each clock has had some cycles."""
    for domain in domains:
        domain.begin()
    await Combine(*(cocotb.start_soon(domain.clock(reset_cycles)) for domain in domains))
    await Combine(*(cocotb.start_soon(domain.end_reset(domain.rng.randint(1, 8))) for domain in domains))


@dataclass(frozen=True)
class Ratio:
    """Periods of two clocks in ps. Benches of crossings run with each of RATIOS."""

    name: str
    source: int
    target: int
    jitter: float = JITTER
    drift: float = DRIFT

    def domains(self, dut: Any, source: str = "from", target: str = "to") -> tuple[Domain, Domain]:
        return (
            Domain(dut, source, self.source, self.jitter, self.drift),
            Domain(dut, target, self.target, self.jitter, self.drift),
        )

    def __str__(self) -> str:
        return self.name


RATIOS = (
    Ratio("near_one", 10_000, 10_007),
    Ratio("equal", 10_000, 10_000, jitter=0.0, drift=0.0),
    Ratio("two_to_one", 5_000, 10_000),
    Ratio("one_to_three", 30_000, 10_000),
    Ratio("one_to_eleven", 4_000, 44_000),
)
