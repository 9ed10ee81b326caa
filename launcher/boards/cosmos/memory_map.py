# SPDX-License-Identifier: Apache-2.0
"""The memory map that the firmware has on a Zynq: interfaces/registers/zynq.yaml."""

from __future__ import annotations

from functools import cache

from interfaces.ormgen import zynq
from launcher.env.paths import ROOT

FILE = ROOT / "interfaces" / "registers" / "zynq.yaml"


@cache
def load() -> zynq.Zynq:
    return zynq.load(FILE)


def region(name: str) -> zynq.Region:
    """A region, or a part of one. Raises KeyError."""
    return {region.name: region for region in load().regions}[name]


def interrupt(name: str) -> int:
    """An input of the interrupt controller. Raises KeyError."""
    return {interrupt.name: interrupt.value for interrupt in load().interrupts}[name]


def rate(name: str) -> int:
    """A rate in Hz. Raises KeyError."""
    return {rate.name: rate.value for rate in load().rates}[name]
