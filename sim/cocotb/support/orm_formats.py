# SPDX-License-Identifier: Apache-2.0
# Generated from interfaces/formats/formats.yaml. Do not edit: run python interfaces/generate.py
# fmt: off
# ruff: noqa
"""OpenRemap's formats. Little-endian; pack() fills in the CRC, good() checks it."""

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

NV_INTENT_OFFSET = 0x0  # first GcIntent, in bytes from NV_COUNTERS; the others follow it
NV_INTENTS = 0x3  # places for GcIntent records: one for each victim that may be under way, the last for recovery
NV_FORMAT_OFFSET = 0x80  # FormatWord, in bytes from NV_COUNTERS
NV_CRASH_OFFSET = 0xA00  # CrashLog, in bytes from NV_COUNTERS, behind the second FwState
NV_BAD_OFFSET = 0xC00  # first BadWord, in bytes from NV_COUNTERS, behind the CrashLog; a format keeps these words
NV_STATE_OFFSET = 0x200  # first FwState, in bytes from NV_COUNTERS; the second follows it
SLOT_BYTES = 0x1000  # one logical page, one slot
UNMAPPED = 0xFFFFFFFF  # L2P entry of an LPN without data
FORMAT_VERSION = 0x9  # version of the on-media format; any other version is refused
NV_MAGIC = 0x50414D45524E504F  # ASCII OPNREMAP, first bytes of NVRAM
NV_FORMATTING = 0x544D524F464E504F  # ASCII OPNFORMT, in place of nv_magic from the first to the last write of a media initialisation
FORMAT_MARK = 0x21544D46  # ASCII FMT!, FormatWord.mark
CRASH_VERSION = 0x1  # CrashLog.version
CRASH_ASSERT = 0x1  # CrashLog.cause: an invariant of the firmware did not hold
CRASH_WATCHDOG = 0x2  # CrashLog.cause: a poll did not end in time
CRASH_FAULT = 0x3  # CrashLog.cause: the processor trapped; CrashLog.file names the trap, CrashLog.line is the program counter
CRASH_MEMORY = 0x4  # CrashLog.cause: DRAM or NVRAM answered the hardware with an error; CrashLog.file names the access, CrashLog.line is its address in that memory
REMOTE_FIRMWARE = 0x1  # RemoteMailbox.turn: the firmware goes on
REMOTE_CONTROLLER = 0x2  # RemoteMailbox.turn: the controller's side is asked
REMOTE_READ = 0x1  # RemoteMailbox.request: read register `address` into `value`
REMOTE_WRITE = 0x2  # RemoteMailbox.request: write `value` to register `address`
REMOTE_NV_READ = 0x3  # RemoteMailbox.request: read `length` bytes of NVRAM from `address` on into `data`
REMOTE_NV_WRITE = 0x4  # RemoteMailbox.request: write `length` bytes of `data` to NVRAM from `address` on, durable when it is answered
REMOTE_WAIT = 0x5  # RemoteMailbox.request: a poll has ended; answered when the next one is to begin
CRASH_COMMANDS = 0x8  # commands in a CrashLog
SNAPSHOT_SBS = 0x8  # largest number of superblocks of a snapshot of the mapping
SNAPSHOT_LPNS = 0x400  # L2P entries in a slot of a snapshot
READ_ONLY_LOST = 0x1  # RemapLog.read_only: NVRAM is lost; the mapping is known from flash alone
READ_ONLY_HEADER = 0x2  # RemapLog.read_only: NvHeader is damaged
READ_ONLY_POINTER = 0x3  # RemapLog.read_only: the commit or the checkpoint pointer is damaged
READ_ONLY_BLOCK = 0x4  # RemapLog.read_only: a BlockRecord is damaged
READ_ONLY_FORMAT = 0x5  # RemapLog.read_only: FormatWord is damaged
READ_ONLY_WORN = 0x6  # RemapLog.read_only: too many superblocks are bad, the namespace has no room for writes
TRIM_WORD_LPNS = 0x38  # LPNs per TrimWord: word n covers those from n * 56 on
TRIM_REGION_WORDS = 0x4  # TrimWords per region of the trim bitmap: region n has those from n * 4 on, and TrimPointer n
BAD_WORD_SBS = 0x30  # superblocks per BadWord: word n covers those from n * 48 on
SOC_BOARD_MARK = 0x21445242  # ASCII BRD!, SocBoard.mark
SOC_BOARD_VERSION = 0x1  # version of the SocBoard record; firmware refuses others
BOARD_NVRAM_VOLATILE = 0x1  # bit of SocBoard.flags: NVRAM loses its contents with the power
BOARD_FLASH_VOLATILE = 0x2  # bit of SocBoard.flags: so does what stands in for flash
BOARD_UNVERIFIED = 0x4  # bit of SocBoard.flags: the FPGA's design or the firmware was put on the board without a record that its tests passed
BOARD_FLAGS = 0x7  # all bits of SocBoard.flags
SUMMARY_MARK = 0x214D5553  # ASCII SUM!, SummaryTrailer.mark
STREAM_HOST = 0x0  # OOB stream: written by the host with placement handle 0
STREAM_GC = 0x1  # OOB stream: copied by GC
STREAM_HANDLE = 0x2  # OOB stream: a host write has stream_host + stream_handle * placement handle
REMAP_PAGES_MAX = 0x1000  # pages that one REMAP, REMAP VECTOR or Copy command may name in all
REMAP_RANGES_MAX = 0x80  # ranges in one REMAP VECTOR command: one 4 KiB list


def crc32c(data: bytes) -> int:
    """CRC-32C (Castagnoli, RFC 3720 appendix B.4): reflected, init and xorout all ones."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def crc8(data: bytes) -> int:
    """CRC-8, polynomial 0x07, init 0xFF, not reflected, no xorout."""
    crc = 0xFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = ((crc << 1) ^ (0x07 if crc & 0x80 else 0)) & 0xFF
    return crc


class VendorOpcodes(IntEnum):
    REMAP = 0x80  # one range in the command: cdw10/11 source LPN, cdw12/13 target LPN, cdw14 pages (not zero-based), cdw15 flags; no data
    REMAP_VECTOR = 0x81  # cdw10 number of ranges (not zero-based, 1..remap_ranges_max), cdw15 flags; data: RemapRange array


class VendorFlags(IntEnum):
    MOVE = 0x1  # sources become unmapped (default: they stay, SHARE)


class VendorStatus(IntEnum):
    REMAP_OVERLAP = 0x1  # a target range overlaps a source or another target
    REMAP_UNMAPPED = 0x2  # a source page holds no data
    REMAP_SHARER_LIMIT = 0x3  # a slot has the largest number of sharers
    REMAP_NVRAM_FULL = 0x4  # no room in the remap table or journal
    REMAP_ZERO_LENGTH = 0x5  # a range without pages, or no ranges


class VendorLogPages(IntEnum):
    REMAP_LOG = 0xCA  # RemapLog
    CRASH_LOG = 0xCB  # CrashLog
    OCP_SMART = 0xC0  # OCP SMART / Health Information Extended


@dataclass
class OobRecord:
    """Spare area of a programmed slot: whose data it holds. A slot without a good CRC is torn or foreign and does not count."""

    BYTES: ClassVar[int] = 32
    lpn: int = 0  # byte 0, 4 bytes: logical page whose data this is
    gen: int = 0  # byte 4, 4 bytes: generation of the superblock when it was programmed
    seq: int = 0  # byte 8, 6 bytes: sequence number of the mapping event that created the data; GC copies keep it
    stream: int = 0  # byte 14, 1 bytes: stream_host (+ stream_handle * placement handle) or stream_gc
    version: int = 0  # byte 15, 1 bytes: format_version
    slot: int = 0  # byte 16, 4 bytes: number of the slot that was programmed
    reserved: int = 0  # byte 20, 8 bytes: zero

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:28])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(32)
        out[0:4] = self.lpn.to_bytes(4, "little")
        out[4:8] = self.gen.to_bytes(4, "little")
        out[8:14] = self.seq.to_bytes(6, "little")
        out[14:15] = self.stream.to_bytes(1, "little")
        out[15:16] = self.version.to_bytes(1, "little")
        out[16:20] = self.slot.to_bytes(4, "little")
        out[20:28] = self.reserved.to_bytes(8, "little")
        out[28:] = self.crc_of(bytes(out)).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "OobRecord":
        """Reads the first 32 bytes; see good() for the CRC."""
        if len(data) < 32:
            raise ValueError("OobRecord has 32 bytes")
        return OobRecord(
            lpn=int.from_bytes(data[0:4], "little"),
            gen=int.from_bytes(data[4:8], "little"),
            seq=int.from_bytes(data[8:14], "little"),
            stream=int.from_bytes(data[14:15], "little"),
            version=int.from_bytes(data[15:16], "little"),
            slot=int.from_bytes(data[16:20], "little"),
            reserved=int.from_bytes(data[20:28], "little"),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[28:32], "little") == OobRecord.crc_of(data)


@dataclass
class RemapEntry:
    """A further sharer of a slot, in a segment of its superblock's chain. It counts when its CRC is good, its seq is not past the commit pointer and the slot is programmed with the same generation."""

    BYTES: ClassVar[int] = 16
    lpn: int = 0  # byte 0, 4 bytes: LPN of the sharer
    offset: int = 0  # byte 4, 2 bytes: slot within the superblock
    seq: int = 0  # byte 6, 6 bytes: sequence number of the mapping event; GC keeps it when it moves the slot

    @staticmethod
    def crc_of(data: bytes, sb: int, gen: int, epoch: int) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:12] + sb.to_bytes(2, "little") + gen.to_bytes(4, "little") + epoch.to_bytes(2, "little"))

    def pack(self, sb: int, gen: int, epoch: int) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:4] = self.lpn.to_bytes(4, "little")
        out[4:6] = self.offset.to_bytes(2, "little")
        out[6:12] = self.seq.to_bytes(6, "little")
        out[12:] = self.crc_of(bytes(out), sb, gen, epoch).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "RemapEntry":
        """Reads the first 16 bytes; see good() for the CRC."""
        if len(data) < 16:
            raise ValueError("RemapEntry has 16 bytes")
        return RemapEntry(
            lpn=int.from_bytes(data[0:4], "little"),
            offset=int.from_bytes(data[4:6], "little"),
            seq=int.from_bytes(data[6:12], "little"),
        )

    @staticmethod
    def good(data: bytes, sb: int, gen: int, epoch: int) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[12:16], "little") == RemapEntry.crc_of(data, sb, gen, epoch)


@dataclass
class SegmentHeader:
    """First 16 bytes of each segment of the remap table: the chain that it belongs to, and its place there."""

    BYTES: ClassVar[int] = 16
    sb: int = 0  # byte 0, 2 bytes: superblock that owns the segment
    index: int = 0  # byte 2, 2 bytes: place in the chain, 0 is the oldest
    gen: int = 0  # byte 4, 4 bytes: generation of the superblock
    prev: int = 0  # byte 8, 2 bytes: predecessor in the chain; the segment's own number when index is 0
    epoch: int = 0  # byte 10, 2 bytes: epoch of the superblock's chain; a segment with another epoch is not part of the chain

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:12])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:2] = self.sb.to_bytes(2, "little")
        out[2:4] = self.index.to_bytes(2, "little")
        out[4:8] = self.gen.to_bytes(4, "little")
        out[8:10] = self.prev.to_bytes(2, "little")
        out[10:12] = self.epoch.to_bytes(2, "little")
        out[12:] = self.crc_of(bytes(out)).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "SegmentHeader":
        """Reads the first 16 bytes; see good() for the CRC."""
        if len(data) < 16:
            raise ValueError("SegmentHeader has 16 bytes")
        return SegmentHeader(
            sb=int.from_bytes(data[0:2], "little"),
            index=int.from_bytes(data[2:4], "little"),
            gen=int.from_bytes(data[4:8], "little"),
            prev=int.from_bytes(data[8:10], "little"),
            epoch=int.from_bytes(data[10:12], "little"),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[12:16], "little") == SegmentHeader.crc_of(data)


@dataclass
class DestageHeader:
    """First 16 bytes of a flash slot that holds destaged entries of a chain. RemapEntry records with the same superblock, generation and epoch follow. The slot's LPN (CAP_DESTAGE_LPN) tells superblock and set."""

    BYTES: ClassVar[int] = 16
    sb: int = 0  # byte 0, 2 bytes: superblock that owns the chain
    gen: int = 0  # byte 2, 4 bytes: generation of the superblock
    epoch: int = 0  # byte 6, 2 bytes: epoch that began when this part was destaged
    entries: int = 0  # byte 8, 2 bytes: entries in this slot
    index: int = 0  # byte 10, 1 bytes: place of the slot in the set
    slots: int = 0  # byte 11, 1 bytes: slots of the set

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:12])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:2] = self.sb.to_bytes(2, "little")
        out[2:6] = self.gen.to_bytes(4, "little")
        out[6:8] = self.epoch.to_bytes(2, "little")
        out[8:10] = self.entries.to_bytes(2, "little")
        out[10:11] = self.index.to_bytes(1, "little")
        out[11:12] = self.slots.to_bytes(1, "little")
        out[12:] = self.crc_of(bytes(out)).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "DestageHeader":
        """Reads the first 16 bytes; see good() for the CRC."""
        if len(data) < 16:
            raise ValueError("DestageHeader has 16 bytes")
        return DestageHeader(
            sb=int.from_bytes(data[0:2], "little"),
            gen=int.from_bytes(data[2:6], "little"),
            epoch=int.from_bytes(data[6:8], "little"),
            entries=int.from_bytes(data[8:10], "little"),
            index=int.from_bytes(data[10:11], "little"),
            slots=int.from_bytes(data[11:12], "little"),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[12:16], "little") == DestageHeader.crc_of(data)


@dataclass
class JournalRecord:
    """A trimmed range in the NVRAM ring. It counts when its CRC is good and its seq is past the checkpoint's and not past the commit pointer."""

    BYTES: ClassVar[int] = 16
    lpn: int = 0  # byte 0, 4 bytes: first LPN
    pages: int = 0  # byte 4, 2 bytes: LPNs in the range, at least 1
    seq: int = 0  # byte 6, 6 bytes: mapping event

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:12])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:4] = self.lpn.to_bytes(4, "little")
        out[4:6] = self.pages.to_bytes(2, "little")
        out[6:12] = self.seq.to_bytes(6, "little")
        out[12:] = self.crc_of(bytes(out)).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "JournalRecord":
        """Reads the first 16 bytes; see good() for the CRC."""
        if len(data) < 16:
            raise ValueError("JournalRecord has 16 bytes")
        return JournalRecord(
            lpn=int.from_bytes(data[0:4], "little"),
            pages=int.from_bytes(data[4:6], "little"),
            seq=int.from_bytes(data[6:12], "little"),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[12:16], "little") == JournalRecord.crc_of(data)


@dataclass
class PointerWord:
    """8 bytes, so NVRAM writes it atomically. Commit pointer: journal records and remap entries up to seq count. Checkpoint pointer: what journal records up to seq say is in the trim bitmap."""

    BYTES: ClassVar[int] = 8
    seq: int = 0  # byte 0, 6 bytes: mapping event
    reserved: int = 0  # byte 6, 1 bytes: zero

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc8(data[:7])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(8)
        out[0:6] = self.seq.to_bytes(6, "little")
        out[6:7] = self.reserved.to_bytes(1, "little")
        out[7:] = self.crc_of(bytes(out)).to_bytes(1, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "PointerWord":
        """Reads the first 8 bytes; see good() for the CRC."""
        if len(data) < 8:
            raise ValueError("PointerWord has 8 bytes")
        return PointerWord(
            seq=int.from_bytes(data[0:6], "little"),
            reserved=int.from_bytes(data[6:7], "little"),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[7:8], "little") == PointerWord.crc_of(data)


@dataclass
class BlockRecord:
    """8 bytes per superblock, so NVRAM writes it atomically. After an erase it holds the generation of the next filling. After a compaction or destaging it holds the epoch of the new chain, which replaces the old one with this write, and the set of slots with the destaged part."""

    BYTES: ClassVar[int] = 8
    gen: int = 0  # byte 0, 4 bytes: generation
    epoch: int = 0  # byte 4, 2 bytes: compactions and destagings of its chain since the erase
    set: int = 0  # byte 6, 1 bytes: set of slots with the destaged part of the chain (CAP_DESTAGE_LPN), 1 or 2; 0: none

    @staticmethod
    def crc_of(data: bytes, sb: int) -> int:
        """The correct CRC of the packed record `data`."""
        return crc8(data[:7] + sb.to_bytes(2, "little"))

    def pack(self, sb: int) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(8)
        out[0:4] = self.gen.to_bytes(4, "little")
        out[4:6] = self.epoch.to_bytes(2, "little")
        out[6:7] = self.set.to_bytes(1, "little")
        out[7:] = self.crc_of(bytes(out), sb).to_bytes(1, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "BlockRecord":
        """Reads the first 8 bytes; see good() for the CRC."""
        if len(data) < 8:
            raise ValueError("BlockRecord has 8 bytes")
        return BlockRecord(
            gen=int.from_bytes(data[0:4], "little"),
            epoch=int.from_bytes(data[4:6], "little"),
            set=int.from_bytes(data[6:7], "little"),
        )

    @staticmethod
    def good(data: bytes, sb: int) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[7:8], "little") == BlockRecord.crc_of(data, sb)


@dataclass
class NvHeader:
    """First bytes of NVRAM, written when the media are initialised. Another version or geometry is refused."""

    BYTES: ClassVar[int] = 64
    magic: int = 0  # byte 0, 8 bytes: nv_magic
    version: int = 0  # byte 8, 4 bytes: format_version
    superblocks: int = 0  # byte 12, 4 bytes: superblocks in use
    slots_per_sb: int = 0  # byte 16, 4 bytes: slots of a superblock
    nsze: int = 0  # byte 20, 4 bytes: logical pages that the namespace offers
    segments: int = 0  # byte 24, 4 bytes: segments of the remap table
    journal_records: int = 0  # byte 28, 4 bytes: records of the journal ring
    format_count: int = 0  # byte 32, 4 bytes: times the device was formatted
    handles: int = 0  # byte 36, 1 bytes: placement handles that the namespace offers
    flags: int = 0  # byte 37, 1 bytes: zero
    bad: int = 0  # byte 38, 2 bytes: superblocks that were bad at that time
    flash: int = 0  # byte 40, 4 bytes: CAP_FLASH: channels, dies, pages of a block
    summary_slots: int = 0  # byte 44, 2 bytes: CAP_SUMMARY.slots
    reserved0: int = 0  # byte 46, 2 bytes: zero
    reserved1: int = 0  # byte 48, 8 bytes: zero
    reserved2: int = 0  # byte 56, 4 bytes: zero

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:60])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(64)
        out[0:8] = self.magic.to_bytes(8, "little")
        out[8:12] = self.version.to_bytes(4, "little")
        out[12:16] = self.superblocks.to_bytes(4, "little")
        out[16:20] = self.slots_per_sb.to_bytes(4, "little")
        out[20:24] = self.nsze.to_bytes(4, "little")
        out[24:28] = self.segments.to_bytes(4, "little")
        out[28:32] = self.journal_records.to_bytes(4, "little")
        out[32:36] = self.format_count.to_bytes(4, "little")
        out[36:37] = self.handles.to_bytes(1, "little")
        out[37:38] = self.flags.to_bytes(1, "little")
        out[38:40] = self.bad.to_bytes(2, "little")
        out[40:44] = self.flash.to_bytes(4, "little")
        out[44:46] = self.summary_slots.to_bytes(2, "little")
        out[46:48] = self.reserved0.to_bytes(2, "little")
        out[48:56] = self.reserved1.to_bytes(8, "little")
        out[56:60] = self.reserved2.to_bytes(4, "little")
        out[60:] = self.crc_of(bytes(out)).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "NvHeader":
        """Reads the first 64 bytes; see good() for the CRC."""
        if len(data) < 64:
            raise ValueError("NvHeader has 64 bytes")
        return NvHeader(
            magic=int.from_bytes(data[0:8], "little"),
            version=int.from_bytes(data[8:12], "little"),
            superblocks=int.from_bytes(data[12:16], "little"),
            slots_per_sb=int.from_bytes(data[16:20], "little"),
            nsze=int.from_bytes(data[20:24], "little"),
            segments=int.from_bytes(data[24:28], "little"),
            journal_records=int.from_bytes(data[28:32], "little"),
            format_count=int.from_bytes(data[32:36], "little"),
            handles=int.from_bytes(data[36:37], "little"),
            flags=int.from_bytes(data[37:38], "little"),
            bad=int.from_bytes(data[38:40], "little"),
            flash=int.from_bytes(data[40:44], "little"),
            summary_slots=int.from_bytes(data[44:46], "little"),
            reserved0=int.from_bytes(data[46:48], "little"),
            reserved1=int.from_bytes(data[48:56], "little"),
            reserved2=int.from_bytes(data[56:60], "little"),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[60:64], "little") == NvHeader.crc_of(data)


@dataclass
class GcIntent:
    """Firmware writes it before a superblock's erase can begin (GC, recovery). While `gen` is still the superblock's generation, the erase may have been cut short."""

    BYTES: ClassVar[int] = 16
    gen: int = 0  # byte 0, 4 bytes: generation before the erase
    sb: int = 0  # byte 4, 2 bytes: superblock
    good_slots: int = 0  # byte 6, 2 bytes: readable slots before the erase; if the erase did not begin, all of them still are
    order: int = 0  # byte 8, 4 bytes: of two collections under way the later one has the larger number, modulo 2^32; recovery writes 0, as did firmware before there was an order

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:12])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:4] = self.gen.to_bytes(4, "little")
        out[4:6] = self.sb.to_bytes(2, "little")
        out[6:8] = self.good_slots.to_bytes(2, "little")
        out[8:12] = self.order.to_bytes(4, "little")
        out[12:] = self.crc_of(bytes(out)).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "GcIntent":
        """Reads the first 16 bytes; see good() for the CRC."""
        if len(data) < 16:
            raise ValueError("GcIntent has 16 bytes")
        return GcIntent(
            gen=int.from_bytes(data[0:4], "little"),
            sb=int.from_bytes(data[4:6], "little"),
            good_slots=int.from_bytes(data[6:8], "little"),
            order=int.from_bytes(data[8:12], "little"),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[12:16], "little") == GcIntent.crc_of(data)


@dataclass
class FormatWord:
    """8 bytes, so NVRAM writes it atomically. Format NVM is under way: while this word is good the namespace counts as empty, and a start finishes the format."""

    BYTES: ClassVar[int] = 8
    mark: int = 0  # byte 0, 4 bytes: format_mark
    reserved: int = 0  # byte 4, 3 bytes: zero

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc8(data[:7])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(8)
        out[0:4] = self.mark.to_bytes(4, "little")
        out[4:7] = self.reserved.to_bytes(3, "little")
        out[7:] = self.crc_of(bytes(out)).to_bytes(1, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "FormatWord":
        """Reads the first 8 bytes; see good() for the CRC."""
        if len(data) < 8:
            raise ValueError("FormatWord has 8 bytes")
        return FormatWord(
            mark=int.from_bytes(data[0:4], "little"),
            reserved=int.from_bytes(data[4:7], "little"),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[7:8], "little") == FormatWord.crc_of(data)


@dataclass
class TrimWord:
    """8 bytes, so NVRAM writes it atomically: which of trim_word_lpns LPNs had no data at the checkpoint. Zeroes, as an initialisation leaves them, mean none."""

    BYTES: ClassVar[int] = 8
    trimmed: int = 0  # byte 0, 7 bytes: a bit per LPN; the lowest LPN is `word` * trim_word_lpns

    @staticmethod
    def crc_of(data: bytes, word: int) -> int:
        """The correct CRC of the packed record `data`."""
        return crc8(data[:7] + word.to_bytes(4, "little"))

    def pack(self, word: int) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(8)
        out[0:7] = self.trimmed.to_bytes(7, "little")
        out[7:] = self.crc_of(bytes(out), word).to_bytes(1, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "TrimWord":
        """Reads the first 8 bytes; see good() for the CRC."""
        if len(data) < 8:
            raise ValueError("TrimWord has 8 bytes")
        return TrimWord(
            trimmed=int.from_bytes(data[0:7], "little"),
        )

    @staticmethod
    def good(data: bytes, word: int) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[7:8], "little") == TrimWord.crc_of(data, word)


@dataclass
class TrimPointer:
    """8 bytes, so NVRAM writes it atomically. For each region of trim_region_words TrimWords: its LPNs whose bit is set in bitmap number `bitmap` had no data at seq. Events up to seq do not count for them. Zeroes, as an initialisation leaves them, mean that all events count."""

    BYTES: ClassVar[int] = 8
    seq: int = 0  # byte 0, 6 bytes: mapping event
    bitmap: int = 0  # byte 6, 1 bytes: 0 or 1

    @staticmethod
    def crc_of(data: bytes, region: int) -> int:
        """The correct CRC of the packed record `data`."""
        return crc8(data[:7] + region.to_bytes(4, "little"))

    def pack(self, region: int) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(8)
        out[0:6] = self.seq.to_bytes(6, "little")
        out[6:7] = self.bitmap.to_bytes(1, "little")
        out[7:] = self.crc_of(bytes(out), region).to_bytes(1, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "TrimPointer":
        """Reads the first 8 bytes; see good() for the CRC."""
        if len(data) < 8:
            raise ValueError("TrimPointer has 8 bytes")
        return TrimPointer(
            seq=int.from_bytes(data[0:6], "little"),
            bitmap=int.from_bytes(data[6:7], "little"),
        )

    @staticmethod
    def good(data: bytes, region: int) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[7:8], "little") == TrimPointer.crc_of(data, region)


@dataclass
class BadWord:
    """8 bytes, so NVRAM writes it atomically: which of bad_word_sbs superblocks are out of use for good."""

    BYTES: ClassVar[int] = 8
    bad: int = 0  # byte 0, 6 bytes: a bit per superblock; the lowest is `first`
    reserved: int = 0  # byte 6, 1 bytes: zero

    @staticmethod
    def crc_of(data: bytes, first: int) -> int:
        """The correct CRC of the packed record `data`."""
        return crc8(data[:7] + first.to_bytes(2, "little"))

    def pack(self, first: int) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(8)
        out[0:6] = self.bad.to_bytes(6, "little")
        out[6:7] = self.reserved.to_bytes(1, "little")
        out[7:] = self.crc_of(bytes(out), first).to_bytes(1, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "BadWord":
        """Reads the first 8 bytes; see good() for the CRC."""
        if len(data) < 8:
            raise ValueError("BadWord has 8 bytes")
        return BadWord(
            bad=int.from_bytes(data[0:6], "little"),
            reserved=int.from_bytes(data[6:7], "little"),
        )

    @staticmethod
    def good(data: bytes, first: int) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[7:8], "little") == BadWord.crc_of(data, first)


@dataclass
class FwState:
    """Figures that survive a power cycle. There are two copies, written in turn; the good one with the larger `save` counts."""

    BYTES: ClassVar[int] = 1024
    version: int = 0  # byte 0, 4 bytes: format_version
    clean: int = 0  # byte 4, 4 bytes: 1: written by a shutdown, nothing has changed since
    save: int = 0  # byte 8, 8 bytes: number of this save
    power_cycles: int = 0  # byte 16, 8 bytes: power cycles
    unsafe_shutdowns: int = 0  # byte 24, 8 bytes: power lost without shutdown
    device_ns: int = 0  # byte 32, 8 bytes: device time
    remap_commands: int = 0  # byte 40, 8 bytes: remap commands that took effect
    remap_refused_sharers: int = 0  # byte 48, 8 bytes: refused: sharer limit
    remap_refused_nvram: int = 0  # byte 56, 8 bytes: refused: no room
    remap_refused_other: int = 0  # byte 64, 8 bytes: refused: bounds, overlap, unmapped source, malformed
    trim_checkpoints: int = 0  # byte 72, 8 bytes: trim bitmap checkpoints written
    errors: int = 0  # byte 80, 8 bytes: error log entries ever made
    media_errors: int = 0  # byte 88, 8 bytes: failed NAND operations seen by firmware
    open_sbs: bytes = bytes(16)  # byte 96, 16 bytes: superblocks open at the shutdown, 16 bits each, or FFFFh
    reserved0: bytes = bytes(16)  # byte 112, 16 bytes: zero
    counters: bytes = bytes(512)  # byte 128, 512 bytes: hardware counters by index, 8 bytes each
    damaged_entries: int = 0  # byte 640, 8 bytes: remap entries found damaged at start-up
    damaged_segments: int = 0  # byte 648, 8 bytes: segments of the remap table found with a damaged header
    damaged_journal: int = 0  # byte 656, 8 bytes: damaged journal records that should have counted
    damaged_words: int = 0  # byte 664, 8 bytes: other records of NVRAM found damaged
    segments_most: int = 0  # byte 672, 4 bytes: largest number of segments of the remap table in use at a time
    reserved2: int = 0  # byte 676, 4 bytes: zero
    read_reclaims: int = 0  # byte 680, 8 bytes: superblocks collected by read reclaim: their reads were near the ECC limit or needed retries
    snapshot_sbs: bytes = bytes(16)  # byte 688, 16 bytes: superblocks of the snapshot of the mapping that belongs to `clean`, in order, 16 bits each, or FFFFh
    snapshot_slots: int = 0  # byte 704, 4 bytes: slots of the snapshot, from the beginning of the first superblock; 0: no snapshot
    snapshot_crc: int = 0  # byte 708, 4 bytes: CRC-32C over the generations of its superblocks, 32 bits each, and its slots
    snapshot_seq: int = 0  # byte 712, 8 bytes: sequence number of the next mapping event
    warning_ns: int = 0  # byte 720, 8 bytes: device time at or above WCTEMP and below CCTEMP
    critical_ns: int = 0  # byte 728, 8 bytes: device time at or above CCTEMP
    wear_moved_pages: int = 0  # byte 736, 8 bytes: slots that were valid in superblocks collected for wear levelling
    reserved1: bytes = bytes(276)  # byte 744, 276 bytes: zero

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:1020])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(1024)
        out[0:4] = self.version.to_bytes(4, "little")
        out[4:8] = self.clean.to_bytes(4, "little")
        out[8:16] = self.save.to_bytes(8, "little")
        out[16:24] = self.power_cycles.to_bytes(8, "little")
        out[24:32] = self.unsafe_shutdowns.to_bytes(8, "little")
        out[32:40] = self.device_ns.to_bytes(8, "little")
        out[40:48] = self.remap_commands.to_bytes(8, "little")
        out[48:56] = self.remap_refused_sharers.to_bytes(8, "little")
        out[56:64] = self.remap_refused_nvram.to_bytes(8, "little")
        out[64:72] = self.remap_refused_other.to_bytes(8, "little")
        out[72:80] = self.trim_checkpoints.to_bytes(8, "little")
        out[80:88] = self.errors.to_bytes(8, "little")
        out[88:96] = self.media_errors.to_bytes(8, "little")
        out[96:112] = self.open_sbs.ljust(16, b"\0")[:16]
        out[112:128] = self.reserved0.ljust(16, b"\0")[:16]
        out[128:640] = self.counters.ljust(512, b"\0")[:512]
        out[640:648] = self.damaged_entries.to_bytes(8, "little")
        out[648:656] = self.damaged_segments.to_bytes(8, "little")
        out[656:664] = self.damaged_journal.to_bytes(8, "little")
        out[664:672] = self.damaged_words.to_bytes(8, "little")
        out[672:676] = self.segments_most.to_bytes(4, "little")
        out[676:680] = self.reserved2.to_bytes(4, "little")
        out[680:688] = self.read_reclaims.to_bytes(8, "little")
        out[688:704] = self.snapshot_sbs.ljust(16, b"\0")[:16]
        out[704:708] = self.snapshot_slots.to_bytes(4, "little")
        out[708:712] = self.snapshot_crc.to_bytes(4, "little")
        out[712:720] = self.snapshot_seq.to_bytes(8, "little")
        out[720:728] = self.warning_ns.to_bytes(8, "little")
        out[728:736] = self.critical_ns.to_bytes(8, "little")
        out[736:744] = self.wear_moved_pages.to_bytes(8, "little")
        out[744:1020] = self.reserved1.ljust(276, b"\0")[:276]
        out[1020:] = self.crc_of(bytes(out)).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "FwState":
        """Reads the first 1024 bytes; see good() for the CRC."""
        if len(data) < 1024:
            raise ValueError("FwState has 1024 bytes")
        return FwState(
            version=int.from_bytes(data[0:4], "little"),
            clean=int.from_bytes(data[4:8], "little"),
            save=int.from_bytes(data[8:16], "little"),
            power_cycles=int.from_bytes(data[16:24], "little"),
            unsafe_shutdowns=int.from_bytes(data[24:32], "little"),
            device_ns=int.from_bytes(data[32:40], "little"),
            remap_commands=int.from_bytes(data[40:48], "little"),
            remap_refused_sharers=int.from_bytes(data[48:56], "little"),
            remap_refused_nvram=int.from_bytes(data[56:64], "little"),
            remap_refused_other=int.from_bytes(data[64:72], "little"),
            trim_checkpoints=int.from_bytes(data[72:80], "little"),
            errors=int.from_bytes(data[80:88], "little"),
            media_errors=int.from_bytes(data[88:96], "little"),
            open_sbs=bytes(data[96:112]),
            reserved0=bytes(data[112:128]),
            counters=bytes(data[128:640]),
            damaged_entries=int.from_bytes(data[640:648], "little"),
            damaged_segments=int.from_bytes(data[648:656], "little"),
            damaged_journal=int.from_bytes(data[656:664], "little"),
            damaged_words=int.from_bytes(data[664:672], "little"),
            segments_most=int.from_bytes(data[672:676], "little"),
            reserved2=int.from_bytes(data[676:680], "little"),
            read_reclaims=int.from_bytes(data[680:688], "little"),
            snapshot_sbs=bytes(data[688:704]),
            snapshot_slots=int.from_bytes(data[704:708], "little"),
            snapshot_crc=int.from_bytes(data[708:712], "little"),
            snapshot_seq=int.from_bytes(data[712:720], "little"),
            warning_ns=int.from_bytes(data[720:728], "little"),
            critical_ns=int.from_bytes(data[728:736], "little"),
            wear_moved_pages=int.from_bytes(data[736:744], "little"),
            reserved1=bytes(data[744:1020]),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[1020:1024], "little") == FwState.crc_of(data)


@dataclass
class SnapshotSb:
    """One superblock in a snapshot of the mapping. The first slots of a snapshot are these records, by superblock. Then comes a bit for each snapshot_lpns entries of L2P: 1 if any of them is mapped. The slots of L2P with such entries follow, in order."""

    BYTES: ClassVar[int] = 8
    good: int = 0  # byte 0, 2 bytes: of a closed superblock: slots with a spare area of its generation
    state: int = 0  # byte 2, 1 bytes: sb_state_e of SB_STATE
    reserved0: int = 0  # byte 3, 1 bytes: zero
    destaged_segments: int = 0  # byte 4, 2 bytes: segments that the entries of the chain's destaged part would fill
    destaged_slots: int = 0  # byte 6, 1 bytes: slots of the destaged part
    reserved1: int = 0  # byte 7, 1 bytes: zero

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(8)
        out[0:2] = self.good.to_bytes(2, "little")
        out[2:3] = self.state.to_bytes(1, "little")
        out[3:4] = self.reserved0.to_bytes(1, "little")
        out[4:6] = self.destaged_segments.to_bytes(2, "little")
        out[6:7] = self.destaged_slots.to_bytes(1, "little")
        out[7:8] = self.reserved1.to_bytes(1, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "SnapshotSb":
        """Reads the first 8 bytes."""
        if len(data) < 8:
            raise ValueError("SnapshotSb has 8 bytes")
        return SnapshotSb(
            good=int.from_bytes(data[0:2], "little"),
            state=int.from_bytes(data[2:3], "little"),
            reserved0=int.from_bytes(data[3:4], "little"),
            destaged_segments=int.from_bytes(data[4:6], "little"),
            destaged_slots=int.from_bytes(data[6:7], "little"),
            reserved1=int.from_bytes(data[7:8], "little"),
        )


@dataclass
class SlotRecord:
    """A programmed slot in the slot log in DRAM and in the summary in flash. The record's place is the slot's offset in the superblock. A record with another `gen` or `sb` does not count: its slot is padding, or part of the summary."""

    BYTES: ClassVar[int] = 16
    lpn: int = 0  # byte 0, 4 bytes: as in OobRecord
    gen: int = 0  # byte 4, 4 bytes: as in OobRecord
    seq: int = 0  # byte 8, 6 bytes: as in OobRecord
    sb: int = 0  # byte 14, 2 bytes: superblock

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:4] = self.lpn.to_bytes(4, "little")
        out[4:8] = self.gen.to_bytes(4, "little")
        out[8:14] = self.seq.to_bytes(6, "little")
        out[14:16] = self.sb.to_bytes(2, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "SlotRecord":
        """Reads the first 16 bytes."""
        if len(data) < 16:
            raise ValueError("SlotRecord has 16 bytes")
        return SlotRecord(
            lpn=int.from_bytes(data[0:4], "little"),
            gen=int.from_bytes(data[4:8], "little"),
            seq=int.from_bytes(data[8:14], "little"),
            sb=int.from_bytes(data[14:16], "little"),
        )


@dataclass
class SummaryTrailer:
    """Last 16 bytes of a superblock's summary. The summary begins with the SlotRecords of the slots before it, by offset. The bytes between those and the trailer are zero."""

    BYTES: ClassVar[int] = 16
    mark: int = 0  # byte 0, 4 bytes: summary_mark
    gen: int = 0  # byte 4, 4 bytes: generation of the superblock
    sb: int = 0  # byte 8, 2 bytes: superblock
    version: int = 0  # byte 10, 1 bytes: format_version
    stream: int = 0  # byte 11, 1 bytes: as in OobRecord

    @staticmethod
    def crc_of(data: bytes, before: int) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:12] + before.to_bytes(4, "little"))

    def pack(self, before: int) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:4] = self.mark.to_bytes(4, "little")
        out[4:8] = self.gen.to_bytes(4, "little")
        out[8:10] = self.sb.to_bytes(2, "little")
        out[10:11] = self.version.to_bytes(1, "little")
        out[11:12] = self.stream.to_bytes(1, "little")
        out[12:] = self.crc_of(bytes(out), before).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "SummaryTrailer":
        """Reads the first 16 bytes; see good() for the CRC."""
        if len(data) < 16:
            raise ValueError("SummaryTrailer has 16 bytes")
        return SummaryTrailer(
            mark=int.from_bytes(data[0:4], "little"),
            gen=int.from_bytes(data[4:8], "little"),
            sb=int.from_bytes(data[8:10], "little"),
            version=int.from_bytes(data[10:11], "little"),
            stream=int.from_bytes(data[11:12], "little"),
        )

    @staticmethod
    def good(data: bytes, before: int) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[12:16], "little") == SummaryTrailer.crc_of(data, before)


@dataclass
class CrashLog:
    """Why the firmware last stopped: an invariant did not hold, the watchdog found a poll that does not end, the processor trapped, or a memory failed. Also a vendor log page, bytes 511:0; zeroes: the firmware never stopped."""

    BYTES: ClassVar[int] = 512
    version: int = 0  # byte 0, 4 bytes: crash_version; a log with another version is not shown
    cause: int = 0  # byte 4, 1 bytes: crash_assert, crash_watchdog, crash_fault or crash_memory
    gc_flights: int = 0  # byte 5, 1 bytes: collections under way
    checkpoint: int = 0  # byte 6, 1 bytes: phase of the trim checkpoint; 0: none
    format: int = 0  # byte 7, 1 bytes: phase of a Format NVM; 0: none
    count: int = 0  # byte 8, 4 bytes: crashes so far, this one included
    line: int = 0  # byte 12, 4 bytes: line of the source file; 0 after a watchdog stop; program counter of a trap; address in the memory that failed
    file: bytes = bytes(32)  # byte 16, 32 bytes: name of the source file, of the trap or of the access, ASCII, padded with zeroes
    revision: int = 0  # byte 48, 8 bytes: firmware revision, ASCII
    step: bytes = bytes(32)  # byte 56, 32 bytes: start-up step, or `running`, ASCII, padded with zeroes
    uptime_ns: int = 0  # byte 88, 8 bytes: device time since power-on
    power_cycles: int = 0  # byte 96, 8 bytes: power cycles
    irq: int = 0  # byte 104, 4 bytes: IRQ_STATUS at the start of the last poll
    controller: int = 0  # byte 108, 1 bytes: bit 0: enabled; bit 1: shutting down or shut down
    reserved0: int = 0  # byte 109, 3 bytes: zero
    commands: bytes = bytes(128)  # byte 112, 128 bytes: CrashCommand records of the last commands, the newest first
    reserved1: bytes = bytes(268)  # byte 240, 268 bytes: zero

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:508])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(512)
        out[0:4] = self.version.to_bytes(4, "little")
        out[4:5] = self.cause.to_bytes(1, "little")
        out[5:6] = self.gc_flights.to_bytes(1, "little")
        out[6:7] = self.checkpoint.to_bytes(1, "little")
        out[7:8] = self.format.to_bytes(1, "little")
        out[8:12] = self.count.to_bytes(4, "little")
        out[12:16] = self.line.to_bytes(4, "little")
        out[16:48] = self.file.ljust(32, b"\0")[:32]
        out[48:56] = self.revision.to_bytes(8, "little")
        out[56:88] = self.step.ljust(32, b"\0")[:32]
        out[88:96] = self.uptime_ns.to_bytes(8, "little")
        out[96:104] = self.power_cycles.to_bytes(8, "little")
        out[104:108] = self.irq.to_bytes(4, "little")
        out[108:109] = self.controller.to_bytes(1, "little")
        out[109:112] = self.reserved0.to_bytes(3, "little")
        out[112:240] = self.commands.ljust(128, b"\0")[:128]
        out[240:508] = self.reserved1.ljust(268, b"\0")[:268]
        out[508:] = self.crc_of(bytes(out)).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "CrashLog":
        """Reads the first 512 bytes; see good() for the CRC."""
        if len(data) < 512:
            raise ValueError("CrashLog has 512 bytes")
        return CrashLog(
            version=int.from_bytes(data[0:4], "little"),
            cause=int.from_bytes(data[4:5], "little"),
            gc_flights=int.from_bytes(data[5:6], "little"),
            checkpoint=int.from_bytes(data[6:7], "little"),
            format=int.from_bytes(data[7:8], "little"),
            count=int.from_bytes(data[8:12], "little"),
            line=int.from_bytes(data[12:16], "little"),
            file=bytes(data[16:48]),
            revision=int.from_bytes(data[48:56], "little"),
            step=bytes(data[56:88]),
            uptime_ns=int.from_bytes(data[88:96], "little"),
            power_cycles=int.from_bytes(data[96:104], "little"),
            irq=int.from_bytes(data[104:108], "little"),
            controller=int.from_bytes(data[108:109], "little"),
            reserved0=int.from_bytes(data[109:112], "little"),
            commands=bytes(data[112:240]),
            reserved1=bytes(data[240:508]),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[508:512], "little") == CrashLog.crc_of(data)


@dataclass
class SocBoard:
    """What firmware on a CPU of its own is told of its device (struct platform), at an address that its port names: in the SoC region `board` of the memory map. The simulation writes it there; on a board it lies behind the image in SPI flash."""

    BYTES: ClassVar[int] = 64
    mark: int = 0  # byte 0, 4 bytes: soc_board_mark
    superblocks: int = 0  # byte 4, 4 bytes: superblocks in use of a new device; 0: all
    over_provision_pct: int = 0  # byte 8, 4 bytes: percent of the usable slots that its namespace does not offer; 0: default
    placement_handles: int = 0  # byte 12, 4 bytes: of its namespace; 0: as many as do not make it smaller
    remap_segments: int = 0  # byte 16, 4 bytes: of its remap table; 0: all
    eui64: int = 0  # byte 20, 8 bytes: EUI-64 of the namespace as a number: its first byte is the most significant
    serial: bytes = bytes(20)  # byte 28, 20 bytes: serial number, ASCII, padded with zeroes
    mailbox: int = 0  # byte 48, 4 bytes: address of a RemoteMailbox, through which the firmware then reaches the controller; 0: the controller is on the CPU's bus
    timer_hz: int = 0  # byte 52, 4 bytes: rate of a Zynq's timers in Hz; 0: as in zynq.yaml. The SoC does not look at it
    log_level: int = 0  # byte 56, 1 bytes: which lines its console gets, platform_log_level: 0 errors, 1 also what it does, 2 also each step of a start
    version: int = 0  # byte 57, 1 bytes: soc_board_version; neither it nor the mark ever moves
    flags: int = 0  # byte 58, 1 bytes: what its owner must know of the device, which tells it: board_* bits
    reserved0: int = 0  # byte 59, 1 bytes: zero

    @staticmethod
    def crc_of(data: bytes) -> int:
        """The correct CRC of the packed record `data`."""
        return crc32c(data[:60])

    def pack(self) -> bytes:
        """The record as bytes with its CRC. Raises OverflowError if a value is out of range."""
        out = bytearray(64)
        out[0:4] = self.mark.to_bytes(4, "little")
        out[4:8] = self.superblocks.to_bytes(4, "little")
        out[8:12] = self.over_provision_pct.to_bytes(4, "little")
        out[12:16] = self.placement_handles.to_bytes(4, "little")
        out[16:20] = self.remap_segments.to_bytes(4, "little")
        out[20:28] = self.eui64.to_bytes(8, "little")
        out[28:48] = self.serial.ljust(20, b"\0")[:20]
        out[48:52] = self.mailbox.to_bytes(4, "little")
        out[52:56] = self.timer_hz.to_bytes(4, "little")
        out[56:57] = self.log_level.to_bytes(1, "little")
        out[57:58] = self.version.to_bytes(1, "little")
        out[58:59] = self.flags.to_bytes(1, "little")
        out[59:60] = self.reserved0.to_bytes(1, "little")
        out[60:] = self.crc_of(bytes(out)).to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "SocBoard":
        """Reads the first 64 bytes; see good() for the CRC."""
        if len(data) < 64:
            raise ValueError("SocBoard has 64 bytes")
        return SocBoard(
            mark=int.from_bytes(data[0:4], "little"),
            superblocks=int.from_bytes(data[4:8], "little"),
            over_provision_pct=int.from_bytes(data[8:12], "little"),
            placement_handles=int.from_bytes(data[12:16], "little"),
            remap_segments=int.from_bytes(data[16:20], "little"),
            eui64=int.from_bytes(data[20:28], "little"),
            serial=bytes(data[28:48]),
            mailbox=int.from_bytes(data[48:52], "little"),
            timer_hz=int.from_bytes(data[52:56], "little"),
            log_level=int.from_bytes(data[56:57], "little"),
            version=int.from_bytes(data[57:58], "little"),
            flags=int.from_bytes(data[58:59], "little"),
            reserved0=int.from_bytes(data[59:60], "little"),
        )

    @staticmethod
    def good(data: bytes) -> bool:
        """Whether the packed record has the correct CRC."""
        return int.from_bytes(data[60:64], "little") == SocBoard.crc_of(data)


@dataclass
class RemoteMailbox:
    """Memory that firmware on a CPU elsewhere shares with its controller (SocBoard.mailbox): one request at a time. Whose turn it is may write; `turn` is written last."""

    BYTES: ClassVar[int] = 4352
    turn: int = 0  # byte 0, 4 bytes: remote_firmware or remote_controller; 0: the firmware has not begun
    interface: int = 0  # byte 4, 4 bytes: of the first request: ORM_INTERFACE_DIGEST of the image. These two never move, so that a controller of another version can say so
    request: int = 0  # byte 8, 4 bytes: remote_read to remote_wait
    address: int = 0  # byte 12, 4 bytes: register or NVRAM address
    value: int = 0  # byte 16, 4 bytes: of a register
    length: int = 0  # byte 20, 4 bytes: bytes of NVRAM: a multiple of 8, at most the size of `data`. Of the answer to remote_nv_read: as many as there are
    wait_ns: int = 0  # byte 24, 8 bytes: with remote_wait: time after which to poll again without an interrupt; all ones: there is nothing to do
    time_ns: int = 0  # byte 32, 8 bytes: of each answer: device time since power-on
    kelvin: int = 0  # byte 40, 4 bytes: of each answer: temperature
    bite: int = 0  # byte 44, 4 bytes: of an answer within a poll: 1: the time of the poll is up, and what was asked has not been done; the watchdog bites
    phase: int = 0  # byte 48, 4 bytes: with remote_wait: enum fw_phase of firmware.h
    reserved0: int = 0  # byte 52, 4 bytes: zero
    nv_read: int = 0  # byte 56, 8 bytes: with remote_wait: bytes of NVRAM that the firmware has read; it may ask for more than it reads
    step: bytes = bytes(64)  # byte 64, 64 bytes: with remote_wait: fw_describe(), ASCII, padded with zeroes
    reserved1: bytes = bytes(128)  # byte 128, 128 bytes: zero
    data: bytes = bytes(4096)  # byte 256, 4096 bytes: bytes of NVRAM

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(4352)
        out[0:4] = self.turn.to_bytes(4, "little")
        out[4:8] = self.interface.to_bytes(4, "little")
        out[8:12] = self.request.to_bytes(4, "little")
        out[12:16] = self.address.to_bytes(4, "little")
        out[16:20] = self.value.to_bytes(4, "little")
        out[20:24] = self.length.to_bytes(4, "little")
        out[24:32] = self.wait_ns.to_bytes(8, "little")
        out[32:40] = self.time_ns.to_bytes(8, "little")
        out[40:44] = self.kelvin.to_bytes(4, "little")
        out[44:48] = self.bite.to_bytes(4, "little")
        out[48:52] = self.phase.to_bytes(4, "little")
        out[52:56] = self.reserved0.to_bytes(4, "little")
        out[56:64] = self.nv_read.to_bytes(8, "little")
        out[64:128] = self.step.ljust(64, b"\0")[:64]
        out[128:256] = self.reserved1.ljust(128, b"\0")[:128]
        out[256:4352] = self.data.ljust(4096, b"\0")[:4096]
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "RemoteMailbox":
        """Reads the first 4352 bytes."""
        if len(data) < 4352:
            raise ValueError("RemoteMailbox has 4352 bytes")
        return RemoteMailbox(
            turn=int.from_bytes(data[0:4], "little"),
            interface=int.from_bytes(data[4:8], "little"),
            request=int.from_bytes(data[8:12], "little"),
            address=int.from_bytes(data[12:16], "little"),
            value=int.from_bytes(data[16:20], "little"),
            length=int.from_bytes(data[20:24], "little"),
            wait_ns=int.from_bytes(data[24:32], "little"),
            time_ns=int.from_bytes(data[32:40], "little"),
            kelvin=int.from_bytes(data[40:44], "little"),
            bite=int.from_bytes(data[44:48], "little"),
            phase=int.from_bytes(data[48:52], "little"),
            reserved0=int.from_bytes(data[52:56], "little"),
            nv_read=int.from_bytes(data[56:64], "little"),
            step=bytes(data[64:128]),
            reserved1=bytes(data[128:256]),
            data=bytes(data[256:4352]),
        )


@dataclass
class CrashCommand:
    """A command that firmware had taken. All zeroes: none."""

    BYTES: ClassVar[int] = 16
    opcode: int = 0  # byte 0, 1 bytes: opcode
    qid: int = 0  # byte 1, 1 bytes: submission queue
    cid: int = 0  # byte 2, 2 bytes: command identifier
    nsid: int = 0  # byte 4, 4 bytes: namespace
    cdw10: int = 0  # byte 8, 4 bytes: command dword 10
    cdw11: int = 0  # byte 12, 4 bytes: command dword 11

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:1] = self.opcode.to_bytes(1, "little")
        out[1:2] = self.qid.to_bytes(1, "little")
        out[2:4] = self.cid.to_bytes(2, "little")
        out[4:8] = self.nsid.to_bytes(4, "little")
        out[8:12] = self.cdw10.to_bytes(4, "little")
        out[12:16] = self.cdw11.to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "CrashCommand":
        """Reads the first 16 bytes."""
        if len(data) < 16:
            raise ValueError("CrashCommand has 16 bytes")
        return CrashCommand(
            opcode=int.from_bytes(data[0:1], "little"),
            qid=int.from_bytes(data[1:2], "little"),
            cid=int.from_bytes(data[2:4], "little"),
            nsid=int.from_bytes(data[4:8], "little"),
            cdw10=int.from_bytes(data[8:12], "little"),
            cdw11=int.from_bytes(data[12:16], "little"),
        )


@dataclass
class RemapRange:
    """One range of a remap. The data of REMAP VECTOR is an array of these, and so is the list that firmware gives to the remap engine."""

    BYTES: ClassVar[int] = 32
    src: int = 0  # byte 0, 8 bytes: first source LPN
    dst: int = 0  # byte 8, 8 bytes: first target LPN
    nlb: int = 0  # byte 16, 4 bytes: pages, at least 1 (not zero-based)
    reserved0: int = 0  # byte 20, 4 bytes: zero
    reserved1: int = 0  # byte 24, 8 bytes: zero

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(32)
        out[0:8] = self.src.to_bytes(8, "little")
        out[8:16] = self.dst.to_bytes(8, "little")
        out[16:20] = self.nlb.to_bytes(4, "little")
        out[20:24] = self.reserved0.to_bytes(4, "little")
        out[24:32] = self.reserved1.to_bytes(8, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "RemapRange":
        """Reads the first 32 bytes."""
        if len(data) < 32:
            raise ValueError("RemapRange has 32 bytes")
        return RemapRange(
            src=int.from_bytes(data[0:8], "little"),
            dst=int.from_bytes(data[8:16], "little"),
            nlb=int.from_bytes(data[16:20], "little"),
            reserved0=int.from_bytes(data[20:24], "little"),
            reserved1=int.from_bytes(data[24:32], "little"),
        )


@dataclass
class RemapLog:
    """Vendor log page: remap and GC figures since the media were initialised, bytes 511:0."""

    BYTES: ClassVar[int] = 512
    version: int = 0  # byte 0, 4 bytes: layout version, 1
    superblocks_free: int = 0  # byte 4, 4 bytes: superblocks on the free list
    segments_free: int = 0  # byte 8, 4 bytes: segments on the free list
    segments_total: int = 0  # byte 12, 4 bytes: segments of the remap table
    host_read_pages: int = 0  # byte 16, 8 bytes: pages read by the host
    host_write_pages: int = 0  # byte 24, 8 bytes: pages written by the host
    host_trim_pages: int = 0  # byte 32, 8 bytes: pages deallocated
    remap_pages: int = 0  # byte 40, 8 bytes: pages remapped (targets linked)
    remap_commands: int = 0  # byte 48, 8 bytes: remap commands that took effect, Copy included
    remap_refused_sharers: int = 0  # byte 56, 8 bytes: refused: sharer limit
    remap_refused_nvram: int = 0  # byte 64, 8 bytes: refused: no room in the remap table or journal
    remap_refused_other: int = 0  # byte 72, 8 bytes: refused: bounds, overlap, unmapped source, malformed
    nand_program_host: int = 0  # byte 80, 8 bytes: slots programmed with host data
    nand_program_gc: int = 0  # byte 88, 8 bytes: slots programmed by GC
    nand_program_meta: int = 0  # byte 96, 8 bytes: slots programmed with metadata: destaged chains, summaries, snapshots
    nand_read_host: int = 0  # byte 104, 8 bytes: slots read for the host
    nand_read_gc: int = 0  # byte 112, 8 bytes: slots read by GC
    nand_read_meta: int = 0  # byte 120, 8 bytes: slots read at start-up
    nand_erase: int = 0  # byte 128, 8 bytes: die blocks erased
    gc_victims: int = 0  # byte 136, 8 bytes: superblocks collected
    gc_moved_pages: int = 0  # byte 144, 8 bytes: slots moved by GC
    gc_moved_shared: int = 0  # byte 152, 8 bytes: moved slots that had more than one sharer
    gc_lost_races: int = 0  # byte 160, 8 bytes: sharers that the host changed while GC moved their slot
    remap_entries: int = 0  # byte 168, 8 bytes: entries appended to the remap table
    segments_freed: int = 0  # byte 176, 8 bytes: segments returned to the free list
    bad_entries: int = 0  # byte 184, 8 bytes: entries that failed their CRC on a walk
    stall_write_buffer: int = 0  # byte 192, 8 bytes: cycles: no free write buffer
    stall_alloc: int = 0  # byte 200, 8 bytes: cycles: no free slot
    stall_map_lock: int = 0  # byte 208, 8 bytes: cycles: waiting for mapLock
    stall_share_lock: int = 0  # byte 216, 8 bytes: cycles: waiting for shareLock
    stall_fence: int = 0  # byte 224, 8 bytes: cycles: waiting for host programs
    stall_journal: int = 0  # byte 232, 8 bytes: cycles: journal ring full
    map_lookups: int = 0  # byte 240, 8 bytes: L2P look-ups
    map_updates: int = 0  # byte 248, 8 bytes: L2P updates
    device_ns: int = 0  # byte 256, 8 bytes: device time, ns
    trim_checkpoints: int = 0  # byte 264, 8 bytes: trim bitmap checkpoints written
    journal_used: int = 0  # byte 272, 4 bytes: records in the journal ring
    sharer_limit: int = 0  # byte 276, 4 bytes: largest number of sharers a slot can have
    chain_compactions: int = 0  # byte 280, 8 bytes: chains of the remap table compacted
    stale_dropped: int = 0  # byte 288, 8 bytes: stale entries that compactions left out
    nand_program_pad: int = 0  # byte 296, 8 bytes: padding: slots programmed without data, to complete a flash page of several slots
    chains_destaged: int = 0  # byte 304, 8 bytes: chains of the remap table destaged to flash
    entries_destaged: int = 0  # byte 312, 8 bytes: entries written to flash by destaging
    crashes: int = 0  # byte 320, 4 bytes: times that the firmware stopped on an internal error (CrashLog)
    read_only: int = 0  # byte 324, 4 bytes: why the device is read only: read_only_*; 0: it is not
    damaged_entries: int = 0  # byte 328, 8 bytes: remap entries found damaged at start-up
    damaged_segments: int = 0  # byte 336, 8 bytes: segments of the remap table found with a damaged header
    damaged_journal: int = 0  # byte 344, 8 bytes: damaged journal records that should have counted
    damaged_words: int = 0  # byte 352, 8 bytes: other records of NVRAM found damaged
    l2p_hits: int = 0  # byte 360, 8 bytes: accesses to L2P whose line was in the cache or being fetched
    l2p_misses: int = 0  # byte 368, 8 bytes: lines of L2P fetched from DRAM
    remap_sharers_2: int = 0  # byte 376, 8 bytes: sources of remaps that got their second sharer (counted at the reservation, so refused remaps count too)
    remap_sharers_4: int = 0  # byte 384, 8 bytes: sources of remaps that got their third or fourth sharer
    remap_sharers_8: int = 0  # byte 392, 8 bytes: sources of remaps that got their fifth to eighth sharer
    remap_sharers_more: int = 0  # byte 400, 8 bytes: sources of remaps that got their ninth or a later sharer
    segments_most: int = 0  # byte 408, 4 bytes: largest number of segments of the remap table in use at a time
    superblock_slots: int = 0  # byte 412, 4 bytes: slots per superblock without its summary; on average gc_moved_pages / (gc_victims x this) of a victim was valid
    nand_program_fails: int = 0  # byte 416, 8 bytes: slots whose program failed
    host_saved_pages: int = 0  # byte 424, 8 bytes: host pages whose program failed and that were programmed again elsewhere
    nand_read_retries: int = 0  # byte 432, 8 bytes: reads and probes repeated at another read-retry level
    read_reclaims: int = 0  # byte 440, 8 bytes: superblocks collected by read reclaim: their reads were near the ECC limit or needed retries
    wear_moved_pages: int = 0  # byte 448, 8 bytes: slots that were valid in superblocks collected for wear levelling: of those that GC moved, the ones that were not moved for room
    board: int = 0  # byte 456, 4 bytes: SocBoard.flags: board_* bits
    reserved: bytes = bytes(52)  # byte 460, 52 bytes: zero

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(512)
        out[0:4] = self.version.to_bytes(4, "little")
        out[4:8] = self.superblocks_free.to_bytes(4, "little")
        out[8:12] = self.segments_free.to_bytes(4, "little")
        out[12:16] = self.segments_total.to_bytes(4, "little")
        out[16:24] = self.host_read_pages.to_bytes(8, "little")
        out[24:32] = self.host_write_pages.to_bytes(8, "little")
        out[32:40] = self.host_trim_pages.to_bytes(8, "little")
        out[40:48] = self.remap_pages.to_bytes(8, "little")
        out[48:56] = self.remap_commands.to_bytes(8, "little")
        out[56:64] = self.remap_refused_sharers.to_bytes(8, "little")
        out[64:72] = self.remap_refused_nvram.to_bytes(8, "little")
        out[72:80] = self.remap_refused_other.to_bytes(8, "little")
        out[80:88] = self.nand_program_host.to_bytes(8, "little")
        out[88:96] = self.nand_program_gc.to_bytes(8, "little")
        out[96:104] = self.nand_program_meta.to_bytes(8, "little")
        out[104:112] = self.nand_read_host.to_bytes(8, "little")
        out[112:120] = self.nand_read_gc.to_bytes(8, "little")
        out[120:128] = self.nand_read_meta.to_bytes(8, "little")
        out[128:136] = self.nand_erase.to_bytes(8, "little")
        out[136:144] = self.gc_victims.to_bytes(8, "little")
        out[144:152] = self.gc_moved_pages.to_bytes(8, "little")
        out[152:160] = self.gc_moved_shared.to_bytes(8, "little")
        out[160:168] = self.gc_lost_races.to_bytes(8, "little")
        out[168:176] = self.remap_entries.to_bytes(8, "little")
        out[176:184] = self.segments_freed.to_bytes(8, "little")
        out[184:192] = self.bad_entries.to_bytes(8, "little")
        out[192:200] = self.stall_write_buffer.to_bytes(8, "little")
        out[200:208] = self.stall_alloc.to_bytes(8, "little")
        out[208:216] = self.stall_map_lock.to_bytes(8, "little")
        out[216:224] = self.stall_share_lock.to_bytes(8, "little")
        out[224:232] = self.stall_fence.to_bytes(8, "little")
        out[232:240] = self.stall_journal.to_bytes(8, "little")
        out[240:248] = self.map_lookups.to_bytes(8, "little")
        out[248:256] = self.map_updates.to_bytes(8, "little")
        out[256:264] = self.device_ns.to_bytes(8, "little")
        out[264:272] = self.trim_checkpoints.to_bytes(8, "little")
        out[272:276] = self.journal_used.to_bytes(4, "little")
        out[276:280] = self.sharer_limit.to_bytes(4, "little")
        out[280:288] = self.chain_compactions.to_bytes(8, "little")
        out[288:296] = self.stale_dropped.to_bytes(8, "little")
        out[296:304] = self.nand_program_pad.to_bytes(8, "little")
        out[304:312] = self.chains_destaged.to_bytes(8, "little")
        out[312:320] = self.entries_destaged.to_bytes(8, "little")
        out[320:324] = self.crashes.to_bytes(4, "little")
        out[324:328] = self.read_only.to_bytes(4, "little")
        out[328:336] = self.damaged_entries.to_bytes(8, "little")
        out[336:344] = self.damaged_segments.to_bytes(8, "little")
        out[344:352] = self.damaged_journal.to_bytes(8, "little")
        out[352:360] = self.damaged_words.to_bytes(8, "little")
        out[360:368] = self.l2p_hits.to_bytes(8, "little")
        out[368:376] = self.l2p_misses.to_bytes(8, "little")
        out[376:384] = self.remap_sharers_2.to_bytes(8, "little")
        out[384:392] = self.remap_sharers_4.to_bytes(8, "little")
        out[392:400] = self.remap_sharers_8.to_bytes(8, "little")
        out[400:408] = self.remap_sharers_more.to_bytes(8, "little")
        out[408:412] = self.segments_most.to_bytes(4, "little")
        out[412:416] = self.superblock_slots.to_bytes(4, "little")
        out[416:424] = self.nand_program_fails.to_bytes(8, "little")
        out[424:432] = self.host_saved_pages.to_bytes(8, "little")
        out[432:440] = self.nand_read_retries.to_bytes(8, "little")
        out[440:448] = self.read_reclaims.to_bytes(8, "little")
        out[448:456] = self.wear_moved_pages.to_bytes(8, "little")
        out[456:460] = self.board.to_bytes(4, "little")
        out[460:512] = self.reserved.ljust(52, b"\0")[:52]
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "RemapLog":
        """Reads the first 512 bytes."""
        if len(data) < 512:
            raise ValueError("RemapLog has 512 bytes")
        return RemapLog(
            version=int.from_bytes(data[0:4], "little"),
            superblocks_free=int.from_bytes(data[4:8], "little"),
            segments_free=int.from_bytes(data[8:12], "little"),
            segments_total=int.from_bytes(data[12:16], "little"),
            host_read_pages=int.from_bytes(data[16:24], "little"),
            host_write_pages=int.from_bytes(data[24:32], "little"),
            host_trim_pages=int.from_bytes(data[32:40], "little"),
            remap_pages=int.from_bytes(data[40:48], "little"),
            remap_commands=int.from_bytes(data[48:56], "little"),
            remap_refused_sharers=int.from_bytes(data[56:64], "little"),
            remap_refused_nvram=int.from_bytes(data[64:72], "little"),
            remap_refused_other=int.from_bytes(data[72:80], "little"),
            nand_program_host=int.from_bytes(data[80:88], "little"),
            nand_program_gc=int.from_bytes(data[88:96], "little"),
            nand_program_meta=int.from_bytes(data[96:104], "little"),
            nand_read_host=int.from_bytes(data[104:112], "little"),
            nand_read_gc=int.from_bytes(data[112:120], "little"),
            nand_read_meta=int.from_bytes(data[120:128], "little"),
            nand_erase=int.from_bytes(data[128:136], "little"),
            gc_victims=int.from_bytes(data[136:144], "little"),
            gc_moved_pages=int.from_bytes(data[144:152], "little"),
            gc_moved_shared=int.from_bytes(data[152:160], "little"),
            gc_lost_races=int.from_bytes(data[160:168], "little"),
            remap_entries=int.from_bytes(data[168:176], "little"),
            segments_freed=int.from_bytes(data[176:184], "little"),
            bad_entries=int.from_bytes(data[184:192], "little"),
            stall_write_buffer=int.from_bytes(data[192:200], "little"),
            stall_alloc=int.from_bytes(data[200:208], "little"),
            stall_map_lock=int.from_bytes(data[208:216], "little"),
            stall_share_lock=int.from_bytes(data[216:224], "little"),
            stall_fence=int.from_bytes(data[224:232], "little"),
            stall_journal=int.from_bytes(data[232:240], "little"),
            map_lookups=int.from_bytes(data[240:248], "little"),
            map_updates=int.from_bytes(data[248:256], "little"),
            device_ns=int.from_bytes(data[256:264], "little"),
            trim_checkpoints=int.from_bytes(data[264:272], "little"),
            journal_used=int.from_bytes(data[272:276], "little"),
            sharer_limit=int.from_bytes(data[276:280], "little"),
            chain_compactions=int.from_bytes(data[280:288], "little"),
            stale_dropped=int.from_bytes(data[288:296], "little"),
            nand_program_pad=int.from_bytes(data[296:304], "little"),
            chains_destaged=int.from_bytes(data[304:312], "little"),
            entries_destaged=int.from_bytes(data[312:320], "little"),
            crashes=int.from_bytes(data[320:324], "little"),
            read_only=int.from_bytes(data[324:328], "little"),
            damaged_entries=int.from_bytes(data[328:336], "little"),
            damaged_segments=int.from_bytes(data[336:344], "little"),
            damaged_journal=int.from_bytes(data[344:352], "little"),
            damaged_words=int.from_bytes(data[352:360], "little"),
            l2p_hits=int.from_bytes(data[360:368], "little"),
            l2p_misses=int.from_bytes(data[368:376], "little"),
            remap_sharers_2=int.from_bytes(data[376:384], "little"),
            remap_sharers_4=int.from_bytes(data[384:392], "little"),
            remap_sharers_8=int.from_bytes(data[392:400], "little"),
            remap_sharers_more=int.from_bytes(data[400:408], "little"),
            segments_most=int.from_bytes(data[408:412], "little"),
            superblock_slots=int.from_bytes(data[412:416], "little"),
            nand_program_fails=int.from_bytes(data[416:424], "little"),
            host_saved_pages=int.from_bytes(data[424:432], "little"),
            nand_read_retries=int.from_bytes(data[432:440], "little"),
            read_reclaims=int.from_bytes(data[440:448], "little"),
            wear_moved_pages=int.from_bytes(data[448:456], "little"),
            board=int.from_bytes(data[456:460], "little"),
            reserved=bytes(data[460:512]),
        )
