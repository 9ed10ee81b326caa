# SPDX-License-Identifier: Apache-2.0
"""The Chisel enumerations of the ports between units. hw/src defines each value."""

from __future__ import annotations

from enum import IntEnum

from sim.cocotb.support.params import code


class MapOp(IntEnum):
    """hw/src/map/MapUnit.scala."""

    LOOKUP = code("MapOp", "lookup")
    SET = code("MapOp", "set")
    UNMAP = code("MapOp", "unmap")
    RESERVE = code("MapOp", "reserve")
    RELEASE = code("MapOp", "release")
    LINK = code("MapOp", "link")
    CAS = code("MapOp", "cas")
    REFS = code("MapOp", "refs")
    SHARE = code("MapOp", "share")
    PEEK = code("MapOp", "peek")


class NandOp(IntEnum):
    """hw/src/nand/NandPort.scala: NandCommand.op on the port."""

    READ = code("NandOp", "read")
    PROBE = code("NandOp", "probe")
    TRANSFER = code("NandOp", "transfer")
    PROGRAM = code("NandOp", "program")
    ERASE = code("NandOp", "erase")


class RequestOp(IntEnum):
    """hw/src/nand/NandScheduler.scala, NandRequestOp: NandRequest.op and NandDone.op inside the controller."""

    READ = code("NandRequestOp", "read")
    PROBE = code("NandRequestOp", "probe")
    PROGRAM = code("NandRequestOp", "program")
    ERASE = code("NandRequestOp", "erase")


class NandClient(IntEnum):
    """hw/src/nand/NandScheduler.scala."""

    HOST_WRITE = code("NandClient", "hostWrite")
    HOST_READ = code("NandClient", "hostRead")
    GC = code("NandClient", "gc")
    FIRMWARE = code("NandClient", "firmware")


class NandStatus(IntEnum):
    """hw/src/nand/NandPort.scala."""

    OK = code("NandStatus", "ok")
    FAILED = code("NandStatus", "failed")
    UNCORRECTABLE = code("NandStatus", "uncorrectable")
    ERASED = code("NandStatus", "erased")


class FlashJobOp(IntEnum):
    """hw/src/board/FlashRecords.scala."""

    READ = code("FlashJobOp", "read")
    PROBE = code("FlashJobOp", "probe")
    ADMIT = code("FlashJobOp", "admit")
    TEAR = code("FlashJobOp", "tear")
    SEAL = code("FlashJobOp", "seal")
    OPEN = code("FlashJobOp", "open")
    CLOSE = code("FlashJobOp", "close")


class SbState(IntEnum):
    """hw/src/map/SuperblockTable.scala."""

    FREE = code("SbState", "free")
    OPEN = code("SbState", "open")
    CLOSED = code("SbState", "closed")
    BAD = code("SbState", "bad")


class JournalOp(IntEnum):
    """hw/src/remap/Journal.scala."""

    TRIM = code("JournalOp", "trim")
    COMMIT = code("JournalOp", "commit")
    BLOCK = code("JournalOp", "block")


class IoOp(IntEnum):
    """hw/src/nvme/NvmeCommand.scala."""

    READ = code("IoOp", "read")
    WRITE = code("IoOp", "write")
    FLUSH = code("IoOp", "flush")
    DEALLOCATE = code("IoOp", "deallocate")
    WRITE_ZEROES = code("IoOp", "writeZeroes")


class RemapResult(IntEnum):
    """hw/src/remap/RemapEngine.scala."""

    OK = code("RemapResult", "ok")
    UNMAPPED = code("RemapResult", "unmapped")
    SHARER_LIMIT = code("RemapResult", "sharerLimit")
    NVRAM_FULL = code("RemapResult", "nvramFull")
    INTERNAL = code("RemapResult", "internal")


class Tiger4Op(IntEnum):
    """hw/src/board/tiger/Tiger4Registers.scala."""

    RESET = code("Tiger4Op", "reset")
    FEATURES = code("Tiger4Op", "features")
    TRIGGER = code("Tiger4Op", "trigger")
    TRANSFER = code("Tiger4Op", "transfer")
    RAW = code("Tiger4Op", "raw")
    PROGRAM = code("Tiger4Op", "program")
    ERASE = code("Tiger4Op", "erase")
    STATUS = code("Tiger4Op", "status")
