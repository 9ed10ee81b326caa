# SPDX-License-Identifier: Apache-2.0
"""The host's side of a board without PCIe: the registers by which it starts the board, and its way to the bus."""

from __future__ import annotations

from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr import AutoCSR, CSRField, CSRStatus, CSRStorage
from migen import If, Module, Signal


class BoardControl(Module, AutoCSR):  # type: ignore[misc]
    """Registers through which the host starts the board, in the order of the fields of `control`.

    After power-on all is held: DRAM must be started first. `messages` has a bit for each MSI-X vector that the
    controller has sent since the host cleared it; a link without interrupts is polled.
    """

    def __init__(self, vectors: int) -> None:
        self._control = CSRStorage(
            description="Starts and stops the parts of the board.",
            fields=[
                CSRField("run", size=1, description="0 holds the controller in reset."),
                CSRField("cpu", size=1, description="0 holds the CPU in reset."),
                CSRField("forget", size=1, description="The flash in DRAM is lost; looked at when `run` rises."),
                CSRField("function_reset", size=1, pulse=True, description="Resets the PCIe function."),
            ],
        )
        self._messages = CSRStatus(vectors, description="MSI-X vectors that have been sent.")
        self._taken = CSRStorage(vectors, description="Ones clear bits of `messages`.")
        self._faults = CSRStatus(8, description="Accesses of the link that had no answer or an error; stays at 255.")
        self.run = Signal()
        self.cpu = Signal()
        self.forget = Signal()
        self.function_reset = Signal()
        self.message = Signal(max=max(vectors, 2))  # a vector that is sent, while `sent` is high
        self.sent = Signal()
        self.fault = Signal()  # a cycle for each access that went wrong

        fields = self._control.fields
        messages = self._messages.status
        faults = self._faults.status
        self.comb += [
            self.run.eq(fields.run),
            self.cpu.eq(fields.run & fields.cpu),
            self.forget.eq(fields.forget),
            self.function_reset.eq(fields.function_reset),
        ]
        for vector in range(vectors):
            self.sync += [
                If(self._taken.re & self._taken.storage[vector], messages[vector].eq(0)),
                If(self.sent & (self.message == vector), messages[vector].eq(1)),
            ]
        self.sync += If(self.fault & (faults != 2 ** len(faults) - 1), faults.eq(faults + 1))


class LinkPort(Module):  # type: ignore[misc]
    """Registers between the link's master, `inside`, and the bus: the link computes addresses and counts words in the
    cycle in which it asks. An access takes three cycles more.

    Each access ends, after `patience` cycles at the latest: a link that hangs could not be brought back from afar. An
    error ends it as an answer does. `fault` tells of both, for a cycle.
    """

    def __init__(self, inside: wishbone.Interface, patience: int) -> None:
        self.bus = bus = wishbone.Interface(data_width=32, adr_width=30)
        self.fault = Signal()
        left = Signal(max=patience)
        self.comb += bus.stb.eq(bus.cyc)
        self.sync += [
            inside.ack.eq(0),
            self.fault.eq(0),
            If(
                bus.cyc,
                left.eq(left - 1),
                If(
                    bus.ack | bus.err | (left == 0),
                    bus.cyc.eq(0),
                    inside.ack.eq(1),
                    inside.dat_r.eq(bus.dat_r),
                    self.fault.eq(~bus.ack),
                ),
            ).Elif(
                inside.cyc & inside.stb & ~inside.ack,
                bus.cyc.eq(1),
                left.eq(patience - 1),
                *(getattr(bus, name).eq(getattr(inside, name)) for name in ("we", "adr", "dat_w", "sel")),
            ),
        ]
