# SPDX-License-Identifier: Apache-2.0
"""Models of devices of a JTAG chain (IEEE 1149.1): the state machine of their ports, and what their registers do.

Bits are bytes of 0 and 1, the first one first. A shift of many bits is one step, so that a bitstream takes seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# State -> the next one with TMS low, and with TMS high.
NEXT = {
    "reset": ("idle", "reset"),
    "idle": ("idle", "select dr"),
    "select dr": ("capture dr", "select ir"),
    "capture dr": ("shift dr", "exit1 dr"),
    "shift dr": ("shift dr", "exit1 dr"),
    "exit1 dr": ("pause dr", "update dr"),
    "pause dr": ("pause dr", "exit2 dr"),
    "exit2 dr": ("shift dr", "update dr"),
    "update dr": ("idle", "select dr"),
    "select ir": ("capture ir", "reset"),
    "capture ir": ("shift ir", "exit1 ir"),
    "shift ir": ("shift ir", "exit1 ir"),
    "exit1 ir": ("pause ir", "update ir"),
    "pause ir": ("pause ir", "exit2 ir"),
    "exit2 ir": ("shift ir", "update ir"),
    "update ir": ("idle", "select dr"),
}


def bits_of(value: int, count: int) -> bytes:
    """A number's bits, the lowest first."""
    return bytes(value >> i & 1 for i in range(count))


def number_of(bits: bytes) -> int:
    return sum(bit << i for i, bit in enumerate(bits))


@dataclass
class Tap:
    """A device that can say what it is, and bypass. Bits come in at the end of `register` and leave at its begin."""

    name: str
    ir_bits: int
    idcode: int
    idcode_instruction: int
    captured_ir: int = 1
    instruction: int = 0
    register: bytes = b""

    def __post_init__(self) -> None:
        self.reset()

    @property
    def bypass(self) -> int:
        return (1 << self.ir_bits) - 1

    def reset(self) -> None:
        self.instruction = self.idcode_instruction

    def capture_ir(self) -> None:
        self.register = bits_of(self.captured_ir, self.ir_bits)

    def capture_dr(self) -> None:
        is_code = self.instruction == self.idcode_instruction
        self.register = bits_of(self.idcode, 32) if is_code else self.data_register()

    def data_register(self) -> bytes:
        """What is captured for the present instruction; any that is not known bypasses."""
        return b"\0"

    def shift(self, bits: bytes) -> bytes:
        """Shifts bits in. Returns as many that come out."""
        joined = self.register + bits
        self.register = joined[len(bits) :]
        return joined[: len(bits)]

    def shift_dr(self, bits: bytes) -> bytes:
        return self.shift(bits)

    def update_ir(self) -> None:
        self.instruction = number_of(self.register)


@dataclass
class Fpga(Tap):
    """An FPGA of Xilinx's 7 series: JPROGRAM empties it, CFG_IN takes a bitstream, JSTART starts it (UG470)."""

    CFG_IN = 0x05
    JPROGRAM = 0x0B
    JSTART = 0x0C
    SYNC = bytes.fromhex("AA995566")

    received: bytearray = field(default_factory=bytearray)  # whole bytes of what came by CFG_IN, first bit in bit 7
    done: bool = False  # it runs
    _left: bytes = b""  # bits that are no whole byte yet

    def capture_ir(self) -> None:
        # Bit 5 is the pin DONE, bit 4 that the FPGA can be configured.
        self.register = bits_of(self.captured_ir | 1 << 4 | self.done << 5, self.ir_bits)

    def data_register(self) -> bytes:
        return bytes(32) if self.instruction == self.CFG_IN else b"\0"

    def shift_dr(self, bits: bytes) -> bytes:
        if self.instruction == self.CFG_IN:
            self._take(bits)
        return self.shift(bits)

    def _take(self, bits: bytes) -> None:
        waiting = self._left + bits
        whole = len(waiting) & ~7
        self._left = waiting[whole:]
        if whole:
            text = waiting[:whole].translate(_DIGITS)
            self.received += int(text, 2).to_bytes(whole // 8, "big")

    def update_ir(self) -> None:
        super().update_ir()
        if self.instruction == self.JPROGRAM:
            self.received.clear()
            self._left, self.done = b"", False
        elif self.instruction == self.JSTART:
            self.done = bool(self.configuration())

    def configuration(self) -> bytes:
        """What came from the synchronisation word on, at whatever bit that begins; empty if it never came."""
        raw = bytes(self.received) + _packed(self._left)
        for late in range(8):
            shifted = raw if late == 0 else _shifted(raw, late)
            at = shifted[:_PREAMBLE].find(self.SYNC)
            if at >= 0:
                return shifted[at:]
        return b""


_DIGITS = bytes([ord("0"), ord("1"), *range(2, 256)])
_PREAMBLE = 4096  # bytes in which the synchronisation word is looked for


def _packed(bits: bytes) -> bytes:
    """Bits that are no whole byte as one, filled up with zeroes."""
    return bytes([number_of(bits.ljust(8, b"\0")[::-1])]) if bits else b""


def _shifted(data: bytes, bits: int) -> bytes:
    """All bits earlier by some; the last ones are zero."""
    return (int.from_bytes(data, "big") << bits & ((1 << 8 * len(data)) - 1)).to_bytes(len(data), "big")


@dataclass
class Chain:
    """Devices from TDI to TDO, with the common TMS and TCK."""

    taps: list[Tap]
    state: str = "reset"
    clocks: int = 0
    tdo: int = 0

    def clock(self, tms: int, tdi: int) -> None:
        """A rising edge of TCK."""
        self.clocks += 1
        if self.state in ("shift dr", "shift ir"):
            self._shift(bytes([tdi]))
        self.state = NEXT[self.state][tms]
        match self.state:
            case "reset":
                for tap in self.taps:
                    tap.reset()
            case "capture dr":
                for tap in self.taps:
                    tap.capture_dr()
            case "capture ir":
                for tap in self.taps:
                    tap.capture_ir()
            case "update ir":
                for tap in self.taps:
                    tap.update_ir()
        if self.state in ("shift dr", "shift ir"):
            self.tdo = self.taps[-1].register[0]

    def shift_on(self, bits: bytes) -> None:
        """Rising edges with TMS low, in a state that shifts."""
        assert self.state in ("shift dr", "shift ir") and bits
        self.clocks += len(bits)
        self._shift(bits)
        self.tdo = self.taps[-1].register[0]

    def _shift(self, bits: bytes) -> None:
        for tap in self.taps:
            bits = tap.shift_dr(bits) if self.state == "shift dr" else tap.shift(bits)
