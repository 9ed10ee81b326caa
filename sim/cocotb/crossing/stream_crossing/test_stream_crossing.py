# SPDX-License-Identifier: Apache-2.0
"""Tests of StreamCrossing: both streams of a PCIe core, each in order, with clocks that drift, stalls and resets."""

from __future__ import annotations

from typing import Any

import cocotb

from launcher.suites.cocotb_unit import CocotbUnit
from sim.cocotb.support.clocks import RATIOS, Domain, Ratio, start
from sim.cocotb.support.stream import Sink, Source, Transaction

BITS = 64  # of the emitted unit
SETTLED = 80  # cycles of the slower clock


def receive(domain: Domain) -> Transaction:
    return {**transmit(domain), "user": domain.rng.getrandbits(22)}


def transmit(domain: Domain) -> Transaction:
    rng = domain.rng
    return {"data": rng.getrandbits(BITS), "keep": rng.getrandbits(BITS // 8), "last": rng.getrandbits(1)}


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS, stalls=[0.0, 0.6])
async def both_streams_come_through(dut: Any, ratio: Ratio, stalls: float) -> None:
    core, user = ratio.domains(dut)
    rx_in, rx_out = Source(core, "io_rxIn", stalls), Sink(user, "io_rxOut", stalls, stable=True)
    tx_in, tx_out = Source(user, "io_txIn", stalls), Sink(core, "io_txOut", stalls, stable=True)
    await start(core, user)
    received, sent = [receive(core) for _ in range(150)], [transmit(user) for _ in range(150)]
    for beat in received:
        rx_in.send(**beat)
    for beat in sent:
        tx_in.send(**beat)
    await user.until(lambda: len(rx_out.taken) == len(received), "all that is received")
    await core.until(lambda: len(tx_out.taken) == len(sent), "all that is sent")
    assert list(rx_out.taken) == received and list(tx_out.taken) == sent


@cocotb.test()
async def one_stream_may_stand_still(dut: Any) -> None:
    core, user = RATIOS[0].domains(dut)
    rx_in, rx_out = Source(core, "io_rxIn"), Sink(user, "io_rxOut", stable=True)
    tx_in, tx_out = Source(user, "io_txIn"), Sink(core, "io_txOut", stable=True)
    rx_out.hold = True
    await start(core, user)
    for _ in range(60):
        rx_in.send(**receive(core))
        tx_in.send(**transmit(user))
    await core.until(lambda: len(tx_out.taken) == 60, "the other one")
    assert rx_in.pending and not rx_out.taken
    rx_out.hold = False
    await user.until(lambda: len(rx_out.taken) == 60, "the one that stood still")


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def both_are_empty_after_a_reset_of_either_side(dut: Any, ratio: Ratio) -> None:
    core, user = ratio.domains(dut)
    slower = core if ratio.source > ratio.target else user
    rx_in, rx_out = Source(core, "io_rxIn"), Sink(user, "io_rxOut", 0.5, stable=True)
    tx_in, tx_out = Source(user, "io_txIn"), Sink(core, "io_txOut", 0.5, stable=True)
    await start(core, user)
    for i in range(8):
        for _ in range(60):
            rx_in.send(**receive(core))
            tx_in.send(**transmit(user))
        await slower.clock(core.rng.randint(1, 30))
        await (core, user)[i % 2].reset(core.rng.choice((1, 2, 30)))
        rx_in.clear()
        tx_in.clear()
        await slower.clock(SETTLED)
        rx_out.taken.clear()
        tx_out.taken.clear()
        received, sent = [receive(core) for _ in range(30)], [transmit(user) for _ in range(30)]
        for beat in received:
            rx_in.send(**beat)
        for beat in sent:
            tx_in.send(**beat)
        await slower.until(lambda: len(rx_out.taken) >= 30 and len(tx_out.taken) >= 30, "what came after the reset")
        assert list(rx_out.taken) == received and list(tx_out.taken) == sent


def test_stream_crossing(cocotb_unit: CocotbUnit) -> None:
    cocotb_unit("StreamCrossing", skew=True)
