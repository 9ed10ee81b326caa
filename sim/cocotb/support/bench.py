# SPDX-License-Identifier: Apache-2.0
"""Test bench of one hardware unit: clock, reset, and agents that move with the clock.

A cycle has four steps: agents `drive()` the inputs while the clock is low, all signals settle, agents `sample()` what
the flip-flops are about to see, the clock rises. So drivers and monitors never race with the edge, on any simulator,
and a seed reproduces a run bit by bit.

    bench = Bench(dut)
    cmd = Source(bench, "io_cmd", gaps=0.3)           # Decoupled input, idle in 30 % of the cycles
    out = Sink(bench, "io_out", stalls=0.5)           # Decoupled output, not ready in 50 % of the cycles
    await bench.start()
    cmd.send(lpn=7)
    assert (await out.get())["slot"] == 3
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import cocotb
from cocotb.triggers import Event, Timer

HALF_PERIOD_NS = 5
DEFAULT_TIMEOUT = 20_000  # cycles; a test that waits longer fails


class Agent(Protocol):
    """A driver or monitor that takes part in every clock cycle."""

    def drive(self) -> None:
        """Sets inputs of the unit for this cycle."""

    def sample(self) -> None:
        """Reads the settled signals just before the clock edge."""


class Input:
    """An input of the unit. Setting it to its present value is free.

    Agents set their inputs every cycle, and a write to the simulator takes longer than all else that they do.
    """

    __slots__ = ("_handle", "_value")

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._value: int | None = None  # unknown: the previous case may have set it

    def set(self, value: int) -> None:
        if value != self._value:
            self._value = value
            self._handle.value = value


class Bench:
    """Clock, reset, agents and the random source of one test case."""

    # Inputs that `write` has set. Cases share a simulation, so they are reset for the next case.
    _written: ClassVar[set[str]] = set()

    def __init__(self, dut: Any, seed: int | None = None) -> None:
        self.dut = dut
        self.seed = cocotb.RANDOM_SEED if seed is None else seed  # cocotb prints it
        self.rng = random.Random(self.seed)
        self.cycle = 0
        self.agents: list[Agent] = []
        self._signals = {handle._name: handle for handle in dut}
        self._inputs: dict[str, Input] = {}
        self._tick = Event()
        for name in self._written & self._signals.keys():
            self._signals[name].value = 0
        self._written.clear()

    def add(self, agent: Agent) -> None:
        self.agents.append(agent)

    def signal(self, name: str) -> Any:
        """The port `name`."""
        return self._signals[name]

    def input(self, name: str) -> Input:
        """The input `name`; all agents that drive it share one object."""
        found = self._inputs.get(name)
        if found is None:
            found = self._inputs[name] = Input(self._signals[name])
        return found

    def has(self, name: str) -> bool:
        """Whether the port exists. A port of zero width, or one that nothing uses, is not in the Verilog."""
        return name in self._signals

    def fields(self, prefix: str) -> dict[str, Any]:
        """Ports `prefix` and `prefix_*`, by the rest of their names. The port `prefix` itself has the empty name."""
        found = {name[len(prefix) + 1 :]: h for name, h in self._signals.items() if name.startswith(prefix + "_")}
        if prefix in self._signals:
            found[""] = self._signals[prefix]
        return found

    def read(self, name: str) -> int:
        """Value of an output (of the last settled moment)."""
        return to_int(self._signals[name])

    def write(self, name: str, value: int) -> None:
        """Sets an input."""
        self._written.add(name)
        self.input(name).set(value)

    async def start(self, reset_cycles: int = 4) -> None:
        """Resets the unit and starts the clock. An input that no agent drives is 0 until `write` sets it."""
        for agent in self.agents:
            agent.drive()
        self.dut.reset.value = 1
        self.dut.clock.value = 0
        for _ in range(reset_cycles):
            await Timer(HALF_PERIOD_NS, unit="ns")
            self.dut.clock.value = 1
            await Timer(HALF_PERIOD_NS, unit="ns")
            self.dut.clock.value = 0
        self.dut.reset.value = 0
        cocotb.start_soon(self._run())
        await self.clock(1)

    async def _run(self) -> None:
        while True:
            for agent in self.agents:
                agent.drive()
            await Timer(HALF_PERIOD_NS, unit="ns")
            for agent in self.agents:
                agent.sample()
            self.dut.clock.value = 1
            self.cycle += 1
            await Timer(HALF_PERIOD_NS, unit="ns")
            self.dut.clock.value = 0
            self._tick.set()
            self._tick.clear()
            # Coroutines that wait for the tick run before the inputs of the next cycle are driven.
            await Timer(1, unit="step")

    async def clock(self, cycles: int = 1) -> None:
        """Waits `cycles` cycles."""
        for _ in range(cycles):
            await self._tick.wait()

    async def until(self, condition: Callable[[], bool], what: str = "", timeout: int = DEFAULT_TIMEOUT) -> None:
        """Waits until `condition()` holds; fails after `timeout` cycles."""
        for _ in range(timeout):
            if condition():
                return
            await self.clock()
        raise AssertionError(f"waited {timeout} cycles for {what or 'a condition'} (seed {self.seed})")


def to_int(handle: Any) -> int:
    """Value of a port as an unsigned integer."""
    # Not handle.value: it builds an array of nine-valued logic, which dominates the time of tests of wide buses.
    return int(handle._handle.get_signal_val_binstr(), 2)
