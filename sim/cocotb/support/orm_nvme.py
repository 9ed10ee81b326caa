# SPDX-License-Identifier: Apache-2.0
# Generated from interfaces/formats/nvme.yaml. Do not edit: run python interfaces/generate.py
# fmt: off
# ruff: noqa
"""NVMe codes and data structures in use."""

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar


class AdminOpcode(IntEnum):
    DELETE_IO_SQ = 0x0  # Delete I/O Submission Queue
    CREATE_IO_SQ = 0x1  # Create I/O Submission Queue
    GET_LOG_PAGE = 0x2  # Get Log Page
    DELETE_IO_CQ = 0x4  # Delete I/O Completion Queue
    CREATE_IO_CQ = 0x5  # Create I/O Completion Queue
    IDENTIFY = 0x6  # Identify
    ABORT = 0x8  # Abort
    SET_FEATURES = 0x9  # Set Features
    GET_FEATURES = 0xA  # Get Features
    ASYNC_EVENT = 0xC  # Asynchronous Event Request
    KEEP_ALIVE = 0x18  # Keep Alive
    FORMAT_NVM = 0x80  # Format NVM


class IoOpcode(IntEnum):
    FLUSH = 0x0  # Flush
    WRITE = 0x1  # Write
    READ = 0x2  # Read
    WRITE_ZEROES = 0x8  # Write Zeroes
    DATASET_MANAGEMENT = 0x9  # Dataset Management
    IO_MGMT_RECEIVE = 0x12  # I/O Management Receive
    COPY = 0x19  # Copy
    IO_MGMT_SEND = 0x1D  # I/O Management Send


class Status(IntEnum):
    SUCCESS = 0x0  # Successful Completion
    INVALID_OPCODE = 0x1  # Invalid Command Opcode
    INVALID_FIELD = 0x2  # Invalid Field in Command
    CID_CONFLICT = 0x3  # Command ID Conflict
    DATA_TRANSFER_ERROR = 0x4  # Data Transfer Error
    INTERNAL_ERROR = 0x6  # Internal Error
    ABORT_REQUESTED = 0x7  # Command Abort Requested
    ABORT_SQ_DELETION = 0x8  # Command Aborted due to SQ Deletion
    INVALID_NAMESPACE = 0xB  # Invalid Namespace or Format
    SEQUENCE_ERROR = 0xC  # Command Sequence Error
    INVALID_PRP_OFFSET = 0x13  # PRP Offset Invalid
    WRITE_PROTECTED = 0x20  # Namespace is Write Protected
    LBA_OUT_OF_RANGE = 0x80  # LBA Out of Range
    CAPACITY_EXCEEDED = 0x81  # Capacity Exceeded
    NAMESPACE_NOT_READY = 0x82  # Namespace Not Ready
    FORMAT_IN_PROGRESS = 0x84  # Format in Progress
    CQ_INVALID = 0x100  # Completion Queue Invalid
    QID_INVALID = 0x101  # Invalid Queue Identifier
    QUEUE_SIZE_INVALID = 0x102  # Invalid Queue Size
    ABORT_LIMIT = 0x103  # Abort Command Limit Exceeded
    AER_LIMIT = 0x105  # Asynchronous Event Request Limit Exceeded
    VECTOR_INVALID = 0x108  # Invalid Interrupt Vector
    LOG_PAGE_INVALID = 0x109  # Invalid Log Page
    FORMAT_INVALID = 0x10A  # Invalid Format
    QUEUE_DELETION_INVALID = 0x10C  # Invalid Queue Deletion
    FEATURE_NOT_SAVEABLE = 0x10D  # Feature Identifier Not Saveable
    FEATURE_NOT_CHANGEABLE = 0x10E  # Feature Not Changeable
    FEATURE_NOT_NAMESPACED = 0x10F  # Feature Not Namespace Specific
    CONFLICTING_ATTRIBUTES = 0x180  # Conflicting Attributes
    WRITE_TO_READ_ONLY = 0x182  # Attempted Write to Read Only Range
    COPY_SIZE_LIMIT = 0x183  # Command Size Limit Exceeded
    WRITE_FAULT = 0x280  # Write Fault
    UNRECOVERED_READ = 0x281  # Unrecovered Read Error
    UNWRITTEN_BLOCK = 0x287  # Deallocated or Unwritten Logical Block


class StatusFlag(IntEnum):
    MORE = 0x2000  # M: more in the Error Information log
    DO_NOT_RETRY = 0x4000  # DNR


class StatusType(IntEnum):
    GENERIC = 0x0  # Generic Command Status
    SPECIFIC = 0x1  # Command Specific Status
    MEDIA = 0x2  # Media and Data Integrity Errors
    VENDOR = 0x7  # Vendor Specific


class Feature(IntEnum):
    ARBITRATION = 0x1  # Arbitration
    POWER_MANAGEMENT = 0x2  # Power Management
    TEMPERATURE = 0x4  # Temperature Threshold
    ERROR_RECOVERY = 0x5  # Error Recovery
    WRITE_CACHE = 0x6  # Volatile Write Cache
    NUMBER_OF_QUEUES = 0x7  # Number of Queues
    INTERRUPT_COALESCING = 0x8  # Interrupt Coalescing
    INTERRUPT_VECTOR = 0x9  # Interrupt Vector Configuration
    WRITE_ATOMICITY = 0xA  # Write Atomicity Normal
    ASYNC_EVENT_CONFIG = 0xB  # Asynchronous Event Configuration
    KEEP_ALIVE = 0xF  # Keep Alive Timer
    HOST_BEHAVIOR = 0x16  # Host Behavior Support
    PLACEMENT = 0x1D  # Flexible Data Placement (base specification 2.1)
    PLACEMENT_EVENTS = 0x1E  # Flexible Data Placement Events


class FeatureSelect(IntEnum):
    CURRENT = 0x0  # current value
    DEFAULT = 0x1  # default value
    SAVED = 0x2  # saved value
    CAPABILITIES = 0x3  # supported capabilities


class LogPage(IntEnum):
    ERROR_INFORMATION = 0x1  # Error Information
    SMART = 0x2  # SMART / Health Information
    FIRMWARE_SLOT = 0x3  # Firmware Slot Information
    CHANGED_NAMESPACES = 0x4  # Changed Namespace List
    COMMANDS_SUPPORTED = 0x5  # Commands Supported and Effects
    ENDURANCE_GROUP = 0x9  # Endurance Group Information
    PLACEMENT_CONFIGURATIONS = 0x20  # FDP Configurations (base specification 2.1)
    PLACEMENT_USAGE = 0x21  # Reclaim Unit Handle Usage
    PLACEMENT_STATISTICS = 0x22  # FDP Statistics
    PLACEMENT_EVENTS = 0x23  # FDP Events


class Cns(IntEnum):
    NAMESPACE = 0x0  # Identify Namespace
    CONTROLLER = 0x1  # Identify Controller
    ACTIVE_NAMESPACES = 0x2  # Active Namespace ID list
    DESCRIPTORS = 0x3  # Namespace Identification Descriptor list
    SET_NAMESPACE = 0x5  # I/O Command Set specific Identify Namespace
    SET_CONTROLLER = 0x6  # I/O Command Set specific Identify Controller
    CONTROLLERS = 0x13  # Controller list


class AsyncEvent(IntEnum):
    BAD_DOORBELL_REGISTER = 0x10000  # error: write to the doorbell of a queue that does not exist
    BAD_DOORBELL_VALUE = 0x10100  # error: value out of range written to a doorbell
    SMART_RELIABILITY = 0x20001  # SMART: reliability of the NVM subsystem
    SMART_TEMPERATURE = 0x20101  # SMART: temperature at or past a threshold
    SMART_SPARE = 0x20201  # SMART: spare below its threshold
    NAMESPACE_CHANGED = 0x40002  # notice: Identify Namespace has changed


class Oaes(IntEnum):
    NAMESPACE_CHANGED = 0x100  # namespace attribute notices


class ControllerType(IntEnum):
    IO = 0x1  # I/O controller


class Ctratt(IntEnum):
    ENDURANCE_GROUPS = 0x10  # endurance groups
    PLACEMENT = 0x80000  # FDPS: Flexible Data Placement (base specification 2.1)


class Directive(IntEnum):
    NONE = 0x0  # no directive
    DATA_PLACEMENT = 0x2  # Data Placement: cdw13 31:16 is the placement identifier


class IoMgmt(IntEnum):
    NONE = 0x0  # no action
    RUH = 0x1  # Receive: Reclaim Unit Handle Status; Send: Reclaim Unit Handle Update


class Placement(IntEnum):
    ENABLED = 0x1  # FDPE


class PlacementAttribute(IntEnum):
    WRITE_CACHE = 0x10  # FDPVWC: works with the volatile write cache
    VALID = 0x80  # FDPCV: the configuration can be used


class RuhType(IntEnum):
    INITIALLY_ISOLATED = 0x1  # host writes are kept apart; data that GC moves may be mixed


class RuhAttribute(IntEnum):
    HOST_SPECIFIED = 0x1  # used by writes that name the handle


class Oacs(IntEnum):
    FORMAT = 0x2  # Format NVM


class Fna(IntEnum):
    FORMAT_ALL = 0x1  # a format applies to all namespaces
    ERASE_ALL = 0x2  # a user data erase applies to all namespaces


class Fpi(IntEnum):
    SUPPORTED = 0x80  # bits 6:0 are the percentage of the format that remains


class FormatSes(IntEnum):
    NONE = 0x0  # no secure erase
    USER_DATA = 0x1  # user data erase
    CRYPTOGRAPHIC = 0x2  # cryptographic erase


class Frmw(IntEnum):
    SLOT1_READ_ONLY = 0x1  # firmware slot 1 is read only
    SLOTS = 0x2  # unit of the number of firmware slots


class Lpa(IntEnum):
    EFFECTS_LOG = 0x2  # Commands Supported and Effects log
    EXTENDED_DATA = 0x4  # NUMDU and log page offset


class Oncs(IntEnum):
    DATASET_MANAGEMENT = 0x4  # Dataset Management
    WRITE_ZEROES = 0x8  # Write Zeroes
    SAVE_SELECT = 0x10  # Save in Set Features, Select in Get Features
    COPY = 0x100  # Copy


class Vwc(IntEnum):
    PRESENT = 0x1  # there is a volatile write cache
    FLUSH_ALL = 0x6  # Flush with NSID FFFFFFFFh flushes all namespaces


class Ocfs(IntEnum):
    FORMAT0 = 0x1  # Copy descriptor format 0
    FORMAT1 = 0x2  # Copy descriptor format 1


class Nsfeat(IntEnum):
    OPTIMAL_SIZES = 0x10  # NPWG, NPWA, NPDG, NPDA and NOWS are defined


class Nsattr(IntEnum):
    WRITE_PROTECTED = 0x1  # the namespace is write protected now


class Dlfeat(IntEnum):
    READS_ZEROES = 0x1  # a deallocated block reads as zeroes
    WRITE_ZEROES = 0x8  # Write Zeroes may deallocate (DEAC)


class Lbaf(IntEnum):
    DATA_SIZE = 0x10000  # unit of LBADS, the exponent of the block size


class Descriptor(IntEnum):
    EUI64 = 0x1  # EUI-64, 8 bytes
    NGUID = 0x2  # NGUID, 16 bytes


class QueueFlag(IntEnum):
    CONTIGUOUS = 0x1  # PC: physically contiguous
    INTERRUPTS = 0x2  # IEN: completion queue interrupts enabled


class LogFlag(IntEnum):
    RETAIN_EVENT = 0x8000  # RAE: the asynchronous event stays masked


class LogOffset(IntEnum):
    INDEX = 0x800000  # OT: the offset counts entries, not bytes


class FeatureFlag(IntEnum):
    SAVE = 0x80000000  # SV: save over a reset
    CHANGEABLE = 0x4  # the feature can be changed
    NAMESPACED = 0x2  # the feature belongs to a namespace


class ErrorRecovery(IntEnum):
    DULBE = 0x10000  # DULBE: reads of deallocated blocks are errors


class WriteCache(IntEnum):
    ENABLE = 0x1  # WCE


class InterruptVector(IntEnum):
    COALESCING_DISABLE = 0x10000  # CD


class Effect(IntEnum):
    SUPPORTED = 0x1  # CSUPP
    WRITES = 0x2  # LBCC: logical block contents change
    ALONE = 0x10000  # CSE 001b: no other command to the namespace at the same time


class CriticalWarning(IntEnum):
    SPARE = 0x1  # available spare is below its threshold
    TEMPERATURE = 0x2  # temperature is at or past a threshold
    RELIABILITY = 0x4  # reliability is degraded
    READ_ONLY = 0x8  # the media can only be read


class Shutdown(IntEnum):
    NORMAL = 0x1  # CC.SHN: normal shutdown
    ABRUPT = 0x2  # CC.SHN: abrupt shutdown
    OCCURRING = 0x1  # CSTS.SHST: being processed
    COMPLETE = 0x2  # CSTS.SHST: complete


@dataclass
class SubmissionEntry:
    """Submission queue entry, figure 105."""

    BYTES: ClassVar[int] = 64
    opcode: int = 0  # byte 0, 1 bytes: opcode
    flags: int = 0  # byte 1, 1 bytes: FUSE 1:0, PSDT 7:6
    cid: int = 0  # byte 2, 2 bytes: command identifier
    nsid: int = 0  # byte 4, 4 bytes: namespace
    cdw2: int = 0  # byte 8, 4 bytes: command dword 2
    cdw3: int = 0  # byte 12, 4 bytes: command dword 3
    mptr: int = 0  # byte 16, 8 bytes: metadata pointer
    prp1: int = 0  # byte 24, 8 bytes: PRP entry 1
    prp2: int = 0  # byte 32, 8 bytes: PRP entry 2
    cdw10: int = 0  # byte 40, 4 bytes: command dword 10
    cdw11: int = 0  # byte 44, 4 bytes: command dword 11
    cdw12: int = 0  # byte 48, 4 bytes: command dword 12
    cdw13: int = 0  # byte 52, 4 bytes: command dword 13
    cdw14: int = 0  # byte 56, 4 bytes: command dword 14
    cdw15: int = 0  # byte 60, 4 bytes: command dword 15

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(64)
        out[0:1] = self.opcode.to_bytes(1, "little")
        out[1:2] = self.flags.to_bytes(1, "little")
        out[2:4] = self.cid.to_bytes(2, "little")
        out[4:8] = self.nsid.to_bytes(4, "little")
        out[8:12] = self.cdw2.to_bytes(4, "little")
        out[12:16] = self.cdw3.to_bytes(4, "little")
        out[16:24] = self.mptr.to_bytes(8, "little")
        out[24:32] = self.prp1.to_bytes(8, "little")
        out[32:40] = self.prp2.to_bytes(8, "little")
        out[40:44] = self.cdw10.to_bytes(4, "little")
        out[44:48] = self.cdw11.to_bytes(4, "little")
        out[48:52] = self.cdw12.to_bytes(4, "little")
        out[52:56] = self.cdw13.to_bytes(4, "little")
        out[56:60] = self.cdw14.to_bytes(4, "little")
        out[60:64] = self.cdw15.to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "SubmissionEntry":
        """Reads the first 64 bytes."""
        if len(data) < 64:
            raise ValueError("SubmissionEntry has 64 bytes")
        return SubmissionEntry(
            opcode=int.from_bytes(data[0:1], "little"),
            flags=int.from_bytes(data[1:2], "little"),
            cid=int.from_bytes(data[2:4], "little"),
            nsid=int.from_bytes(data[4:8], "little"),
            cdw2=int.from_bytes(data[8:12], "little"),
            cdw3=int.from_bytes(data[12:16], "little"),
            mptr=int.from_bytes(data[16:24], "little"),
            prp1=int.from_bytes(data[24:32], "little"),
            prp2=int.from_bytes(data[32:40], "little"),
            cdw10=int.from_bytes(data[40:44], "little"),
            cdw11=int.from_bytes(data[44:48], "little"),
            cdw12=int.from_bytes(data[48:52], "little"),
            cdw13=int.from_bytes(data[52:56], "little"),
            cdw14=int.from_bytes(data[56:60], "little"),
            cdw15=int.from_bytes(data[60:64], "little"),
        )


@dataclass
class CompletionEntry:
    """Completion queue entry, figure 122."""

    BYTES: ClassVar[int] = 16
    dw0: int = 0  # byte 0, 4 bytes: command specific
    dw1: int = 0  # byte 4, 4 bytes: reserved
    sqhd: int = 0  # byte 8, 2 bytes: SQ head pointer
    sqid: int = 0  # byte 10, 2 bytes: SQ identifier
    cid: int = 0  # byte 12, 2 bytes: command identifier
    status: int = 0  # byte 14, 2 bytes: phase in bit 0, status field in bits 15:1

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:4] = self.dw0.to_bytes(4, "little")
        out[4:8] = self.dw1.to_bytes(4, "little")
        out[8:10] = self.sqhd.to_bytes(2, "little")
        out[10:12] = self.sqid.to_bytes(2, "little")
        out[12:14] = self.cid.to_bytes(2, "little")
        out[14:16] = self.status.to_bytes(2, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "CompletionEntry":
        """Reads the first 16 bytes."""
        if len(data) < 16:
            raise ValueError("CompletionEntry has 16 bytes")
        return CompletionEntry(
            dw0=int.from_bytes(data[0:4], "little"),
            dw1=int.from_bytes(data[4:8], "little"),
            sqhd=int.from_bytes(data[8:10], "little"),
            sqid=int.from_bytes(data[10:12], "little"),
            cid=int.from_bytes(data[12:14], "little"),
            status=int.from_bytes(data[14:16], "little"),
        )


@dataclass
class DsmRange:
    """Dataset Management range, figure 362."""

    BYTES: ClassVar[int] = 16
    attributes: int = 0  # byte 0, 4 bytes: context attributes
    nlb: int = 0  # byte 4, 4 bytes: length in logical blocks
    slba: int = 0  # byte 8, 8 bytes: first logical block

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(16)
        out[0:4] = self.attributes.to_bytes(4, "little")
        out[4:8] = self.nlb.to_bytes(4, "little")
        out[8:16] = self.slba.to_bytes(8, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "DsmRange":
        """Reads the first 16 bytes."""
        if len(data) < 16:
            raise ValueError("DsmRange has 16 bytes")
        return DsmRange(
            attributes=int.from_bytes(data[0:4], "little"),
            nlb=int.from_bytes(data[4:8], "little"),
            slba=int.from_bytes(data[8:16], "little"),
        )


@dataclass
class CopyRange:
    """Copy source range, descriptor format 0."""

    BYTES: ClassVar[int] = 32
    slba: int = 0  # byte 8, 8 bytes: first logical block
    nlb: int = 0  # byte 16, 2 bytes: logical blocks, zero-based
    eilbrt: int = 0  # byte 24, 4 bytes: expected initial logical block reference tag
    elbat: int = 0  # byte 28, 2 bytes: expected application tag
    elbatm: int = 0  # byte 30, 2 bytes: expected application tag mask

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(32)
        out[8:16] = self.slba.to_bytes(8, "little")
        out[16:18] = self.nlb.to_bytes(2, "little")
        out[24:28] = self.eilbrt.to_bytes(4, "little")
        out[28:30] = self.elbat.to_bytes(2, "little")
        out[30:32] = self.elbatm.to_bytes(2, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "CopyRange":
        """Reads the first 32 bytes."""
        if len(data) < 32:
            raise ValueError("CopyRange has 32 bytes")
        return CopyRange(
            slba=int.from_bytes(data[8:16], "little"),
            nlb=int.from_bytes(data[16:18], "little"),
            eilbrt=int.from_bytes(data[24:28], "little"),
            elbat=int.from_bytes(data[28:30], "little"),
            elbatm=int.from_bytes(data[30:32], "little"),
        )


@dataclass
class CopyRange1:
    """Copy source range, descriptor format 1 (longer tags)."""

    BYTES: ClassVar[int] = 40
    slba: int = 0  # byte 8, 8 bytes: first logical block
    nlb: int = 0  # byte 16, 2 bytes: logical blocks, zero-based
    elbt: bytes = bytes(10)  # byte 26, 10 bytes: expected storage and initial reference tag
    elbat: int = 0  # byte 36, 2 bytes: expected application tag
    elbatm: int = 0  # byte 38, 2 bytes: expected application tag mask

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(40)
        out[8:16] = self.slba.to_bytes(8, "little")
        out[16:18] = self.nlb.to_bytes(2, "little")
        out[26:36] = self.elbt.ljust(10, b"\0")[:10]
        out[36:38] = self.elbat.to_bytes(2, "little")
        out[38:40] = self.elbatm.to_bytes(2, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "CopyRange1":
        """Reads the first 40 bytes."""
        if len(data) < 40:
            raise ValueError("CopyRange1 has 40 bytes")
        return CopyRange1(
            slba=int.from_bytes(data[8:16], "little"),
            nlb=int.from_bytes(data[16:18], "little"),
            elbt=bytes(data[26:36]),
            elbat=int.from_bytes(data[36:38], "little"),
            elbatm=int.from_bytes(data[38:40], "little"),
        )


@dataclass
class IdentifyController:
    """Identify Controller, figure 247."""

    BYTES: ClassVar[int] = 4096
    vid: int = 0  # byte 0, 2 bytes: PCI vendor
    ssvid: int = 0  # byte 2, 2 bytes: PCI subsystem vendor
    sn: bytes = bytes(20)  # byte 4, 20 bytes: serial number, ASCII, padded with spaces
    mn: bytes = bytes(40)  # byte 24, 40 bytes: model number
    fr: int = 0  # byte 64, 8 bytes: firmware revision
    rab: int = 0  # byte 72, 1 bytes: recommended arbitration burst
    ieee: int = 0  # byte 73, 3 bytes: OUI
    cmic: int = 0  # byte 76, 1 bytes: multi-path capabilities
    mdts: int = 0  # byte 77, 1 bytes: largest transfer, 2^n of 4 KiB
    cntlid: int = 0  # byte 78, 2 bytes: controller
    ver: int = 0  # byte 80, 4 bytes: version
    rtd3r: int = 0  # byte 84, 4 bytes: RTD3 resume latency
    rtd3e: int = 0  # byte 88, 4 bytes: RTD3 entry latency
    oaes: int = 0  # byte 92, 4 bytes: optional asynchronous events
    ctratt: int = 0  # byte 96, 4 bytes: attributes; bit 4 endurance groups
    cntrltype: int = 0  # byte 111, 1 bytes: 1: I/O controller
    oacs: int = 0  # byte 256, 2 bytes: optional admin commands
    acl: int = 0  # byte 258, 1 bytes: abort command limit, zero-based
    aerl: int = 0  # byte 259, 1 bytes: asynchronous event request limit, zero-based
    frmw: int = 0  # byte 260, 1 bytes: firmware updates: slots 3:1, slot 1 read only 0
    lpa: int = 0  # byte 261, 1 bytes: log page attributes: bit 1 effects log, bit 2 extended data
    elpe: int = 0  # byte 262, 1 bytes: error log entries, zero-based
    npss: int = 0  # byte 263, 1 bytes: power states, zero-based
    wctemp: int = 0  # byte 266, 2 bytes: warning temperature, K
    cctemp: int = 0  # byte 268, 2 bytes: critical temperature, K
    tnvmcap: bytes = bytes(16)  # byte 280, 16 bytes: capacity, bytes
    endgidmax: int = 0  # byte 340, 2 bytes: largest endurance group
    sqes: int = 0  # byte 512, 1 bytes: SQ entry size, 2^n: required 3:0, maximum 7:4
    cqes: int = 0  # byte 513, 1 bytes: CQ entry size
    maxcmd: int = 0  # byte 514, 2 bytes: outstanding commands
    nn: int = 0  # byte 516, 4 bytes: namespaces
    oncs: int = 0  # byte 520, 2 bytes: optional NVM commands: 2 DSM, 3 Write Zeroes, 4 Save and Select, 8 Copy
    fuses: int = 0  # byte 522, 2 bytes: fused operations
    fna: int = 0  # byte 524, 1 bytes: format attributes
    vwc: int = 0  # byte 525, 1 bytes: volatile write cache: bit 0 present, 2:1 Flush with NSID FFFFFFFFh
    awun: int = 0  # byte 526, 2 bytes: atomic write unit normal, zero-based
    awupf: int = 0  # byte 528, 2 bytes: atomic write unit power fail, zero-based
    ocfs: int = 0  # byte 534, 2 bytes: copy descriptor formats
    sgls: int = 0  # byte 536, 4 bytes: SGL support
    subnqn: bytes = bytes(256)  # byte 768, 256 bytes: NVM subsystem qualified name
    psd0_mp: int = 0  # byte 2048, 2 bytes: power state 0: maximum power, 0.01 W
    board: int = 0  # byte 3072, 1 bytes: vendor specific: board_* bits, as SocBoard.flags

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(4096)
        out[0:2] = self.vid.to_bytes(2, "little")
        out[2:4] = self.ssvid.to_bytes(2, "little")
        out[4:24] = self.sn.ljust(20, b"\0")[:20]
        out[24:64] = self.mn.ljust(40, b"\0")[:40]
        out[64:72] = self.fr.to_bytes(8, "little")
        out[72:73] = self.rab.to_bytes(1, "little")
        out[73:76] = self.ieee.to_bytes(3, "little")
        out[76:77] = self.cmic.to_bytes(1, "little")
        out[77:78] = self.mdts.to_bytes(1, "little")
        out[78:80] = self.cntlid.to_bytes(2, "little")
        out[80:84] = self.ver.to_bytes(4, "little")
        out[84:88] = self.rtd3r.to_bytes(4, "little")
        out[88:92] = self.rtd3e.to_bytes(4, "little")
        out[92:96] = self.oaes.to_bytes(4, "little")
        out[96:100] = self.ctratt.to_bytes(4, "little")
        out[111:112] = self.cntrltype.to_bytes(1, "little")
        out[256:258] = self.oacs.to_bytes(2, "little")
        out[258:259] = self.acl.to_bytes(1, "little")
        out[259:260] = self.aerl.to_bytes(1, "little")
        out[260:261] = self.frmw.to_bytes(1, "little")
        out[261:262] = self.lpa.to_bytes(1, "little")
        out[262:263] = self.elpe.to_bytes(1, "little")
        out[263:264] = self.npss.to_bytes(1, "little")
        out[266:268] = self.wctemp.to_bytes(2, "little")
        out[268:270] = self.cctemp.to_bytes(2, "little")
        out[280:296] = self.tnvmcap.ljust(16, b"\0")[:16]
        out[340:342] = self.endgidmax.to_bytes(2, "little")
        out[512:513] = self.sqes.to_bytes(1, "little")
        out[513:514] = self.cqes.to_bytes(1, "little")
        out[514:516] = self.maxcmd.to_bytes(2, "little")
        out[516:520] = self.nn.to_bytes(4, "little")
        out[520:522] = self.oncs.to_bytes(2, "little")
        out[522:524] = self.fuses.to_bytes(2, "little")
        out[524:525] = self.fna.to_bytes(1, "little")
        out[525:526] = self.vwc.to_bytes(1, "little")
        out[526:528] = self.awun.to_bytes(2, "little")
        out[528:530] = self.awupf.to_bytes(2, "little")
        out[534:536] = self.ocfs.to_bytes(2, "little")
        out[536:540] = self.sgls.to_bytes(4, "little")
        out[768:1024] = self.subnqn.ljust(256, b"\0")[:256]
        out[2048:2050] = self.psd0_mp.to_bytes(2, "little")
        out[3072:3073] = self.board.to_bytes(1, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "IdentifyController":
        """Reads the first 4096 bytes."""
        if len(data) < 4096:
            raise ValueError("IdentifyController has 4096 bytes")
        return IdentifyController(
            vid=int.from_bytes(data[0:2], "little"),
            ssvid=int.from_bytes(data[2:4], "little"),
            sn=bytes(data[4:24]),
            mn=bytes(data[24:64]),
            fr=int.from_bytes(data[64:72], "little"),
            rab=int.from_bytes(data[72:73], "little"),
            ieee=int.from_bytes(data[73:76], "little"),
            cmic=int.from_bytes(data[76:77], "little"),
            mdts=int.from_bytes(data[77:78], "little"),
            cntlid=int.from_bytes(data[78:80], "little"),
            ver=int.from_bytes(data[80:84], "little"),
            rtd3r=int.from_bytes(data[84:88], "little"),
            rtd3e=int.from_bytes(data[88:92], "little"),
            oaes=int.from_bytes(data[92:96], "little"),
            ctratt=int.from_bytes(data[96:100], "little"),
            cntrltype=int.from_bytes(data[111:112], "little"),
            oacs=int.from_bytes(data[256:258], "little"),
            acl=int.from_bytes(data[258:259], "little"),
            aerl=int.from_bytes(data[259:260], "little"),
            frmw=int.from_bytes(data[260:261], "little"),
            lpa=int.from_bytes(data[261:262], "little"),
            elpe=int.from_bytes(data[262:263], "little"),
            npss=int.from_bytes(data[263:264], "little"),
            wctemp=int.from_bytes(data[266:268], "little"),
            cctemp=int.from_bytes(data[268:270], "little"),
            tnvmcap=bytes(data[280:296]),
            endgidmax=int.from_bytes(data[340:342], "little"),
            sqes=int.from_bytes(data[512:513], "little"),
            cqes=int.from_bytes(data[513:514], "little"),
            maxcmd=int.from_bytes(data[514:516], "little"),
            nn=int.from_bytes(data[516:520], "little"),
            oncs=int.from_bytes(data[520:522], "little"),
            fuses=int.from_bytes(data[522:524], "little"),
            fna=int.from_bytes(data[524:525], "little"),
            vwc=int.from_bytes(data[525:526], "little"),
            awun=int.from_bytes(data[526:528], "little"),
            awupf=int.from_bytes(data[528:530], "little"),
            ocfs=int.from_bytes(data[534:536], "little"),
            sgls=int.from_bytes(data[536:540], "little"),
            subnqn=bytes(data[768:1024]),
            psd0_mp=int.from_bytes(data[2048:2050], "little"),
            board=int.from_bytes(data[3072:3073], "little"),
        )


@dataclass
class IdentifyNamespace:
    """Identify Namespace, figure 245, with the Copy limits of the NVM command set specification 1.0."""

    BYTES: ClassVar[int] = 4096
    nsze: int = 0  # byte 0, 8 bytes: size, logical blocks
    ncap: int = 0  # byte 8, 8 bytes: capacity
    nuse: int = 0  # byte 16, 8 bytes: blocks in use
    nsfeat: int = 0  # byte 24, 1 bytes: features: bit 0 thin, bit 4 the optimal sizes below
    nlbaf: int = 0  # byte 25, 1 bytes: LBA formats, zero-based
    flbas: int = 0  # byte 26, 1 bytes: formatted LBA size
    mc: int = 0  # byte 27, 1 bytes: metadata capabilities
    dpc: int = 0  # byte 28, 1 bytes: protection capabilities
    dps: int = 0  # byte 29, 1 bytes: protection settings
    nmic: int = 0  # byte 30, 1 bytes: multi-path
    fpi: int = 0  # byte 32, 1 bytes: format progress
    dlfeat: int = 0  # byte 33, 1 bytes: deallocated blocks: 2:0 1 reads zeroes, 3 Write Zeroes deallocates
    npwg: int = 0  # byte 64, 2 bytes: preferred write granularity, zero-based
    npwa: int = 0  # byte 66, 2 bytes: preferred write alignment
    npdg: int = 0  # byte 68, 2 bytes: preferred deallocate granularity
    npda: int = 0  # byte 70, 2 bytes: preferred deallocate alignment
    nows: int = 0  # byte 72, 2 bytes: optimal write size
    mssrl: int = 0  # byte 74, 2 bytes: Copy: blocks of one source range
    mcl: int = 0  # byte 76, 4 bytes: Copy: blocks of one command
    msrc: int = 0  # byte 80, 1 bytes: Copy: source ranges, zero-based
    nsattr: int = 0  # byte 99, 1 bytes: attributes: bit 0 write protected now
    endgid: int = 0  # byte 102, 2 bytes: endurance group
    nguid: bytes = bytes(16)  # byte 104, 16 bytes: namespace globally unique identifier, most significant byte first
    eui64: int = 0  # byte 120, 8 bytes: IEEE extended unique identifier, most significant byte first
    lbaf0: int = 0  # byte 128, 4 bytes: LBA format 0: data size 2^n in bits 23:16, relative performance 25:24

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(4096)
        out[0:8] = self.nsze.to_bytes(8, "little")
        out[8:16] = self.ncap.to_bytes(8, "little")
        out[16:24] = self.nuse.to_bytes(8, "little")
        out[24:25] = self.nsfeat.to_bytes(1, "little")
        out[25:26] = self.nlbaf.to_bytes(1, "little")
        out[26:27] = self.flbas.to_bytes(1, "little")
        out[27:28] = self.mc.to_bytes(1, "little")
        out[28:29] = self.dpc.to_bytes(1, "little")
        out[29:30] = self.dps.to_bytes(1, "little")
        out[30:31] = self.nmic.to_bytes(1, "little")
        out[32:33] = self.fpi.to_bytes(1, "little")
        out[33:34] = self.dlfeat.to_bytes(1, "little")
        out[64:66] = self.npwg.to_bytes(2, "little")
        out[66:68] = self.npwa.to_bytes(2, "little")
        out[68:70] = self.npdg.to_bytes(2, "little")
        out[70:72] = self.npda.to_bytes(2, "little")
        out[72:74] = self.nows.to_bytes(2, "little")
        out[74:76] = self.mssrl.to_bytes(2, "little")
        out[76:80] = self.mcl.to_bytes(4, "little")
        out[80:81] = self.msrc.to_bytes(1, "little")
        out[99:100] = self.nsattr.to_bytes(1, "little")
        out[102:104] = self.endgid.to_bytes(2, "little")
        out[104:120] = self.nguid.ljust(16, b"\0")[:16]
        out[120:128] = self.eui64.to_bytes(8, "little")
        out[128:132] = self.lbaf0.to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "IdentifyNamespace":
        """Reads the first 4096 bytes."""
        if len(data) < 4096:
            raise ValueError("IdentifyNamespace has 4096 bytes")
        return IdentifyNamespace(
            nsze=int.from_bytes(data[0:8], "little"),
            ncap=int.from_bytes(data[8:16], "little"),
            nuse=int.from_bytes(data[16:24], "little"),
            nsfeat=int.from_bytes(data[24:25], "little"),
            nlbaf=int.from_bytes(data[25:26], "little"),
            flbas=int.from_bytes(data[26:27], "little"),
            mc=int.from_bytes(data[27:28], "little"),
            dpc=int.from_bytes(data[28:29], "little"),
            dps=int.from_bytes(data[29:30], "little"),
            nmic=int.from_bytes(data[30:31], "little"),
            fpi=int.from_bytes(data[32:33], "little"),
            dlfeat=int.from_bytes(data[33:34], "little"),
            npwg=int.from_bytes(data[64:66], "little"),
            npwa=int.from_bytes(data[66:68], "little"),
            npdg=int.from_bytes(data[68:70], "little"),
            npda=int.from_bytes(data[70:72], "little"),
            nows=int.from_bytes(data[72:74], "little"),
            mssrl=int.from_bytes(data[74:76], "little"),
            mcl=int.from_bytes(data[76:80], "little"),
            msrc=int.from_bytes(data[80:81], "little"),
            nsattr=int.from_bytes(data[99:100], "little"),
            endgid=int.from_bytes(data[102:104], "little"),
            nguid=bytes(data[104:120]),
            eui64=int.from_bytes(data[120:128], "little"),
            lbaf0=int.from_bytes(data[128:132], "little"),
        )


@dataclass
class ErrorLogEntry:
    """Error Information log entry, figure 194."""

    BYTES: ClassVar[int] = 64
    error_count: int = 0  # byte 0, 8 bytes: number of this error, from 1; 0 is an unused entry
    sqid: int = 0  # byte 8, 2 bytes: submission queue; FFFFh: the error is of no command
    cid: int = 0  # byte 10, 2 bytes: command identifier; FFFFh: the error is of no command
    status: int = 0  # byte 12, 2 bytes: status field in bits 15:1
    location: int = 0  # byte 14, 2 bytes: parameter error location in the command: byte 7:0, bit 10:8; FFFFh: no field of it
    lba: int = 0  # byte 16, 8 bytes: first LBA with the error; all ones: no LBA is concerned
    nsid: int = 0  # byte 24, 4 bytes: namespace of the command; all ones: the error is of no command
    vs: int = 0  # byte 28, 1 bytes: vendor specific information available
    trtype: int = 0  # byte 29, 1 bytes: transport type
    csi: int = 0  # byte 32, 8 bytes: command specific

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(64)
        out[0:8] = self.error_count.to_bytes(8, "little")
        out[8:10] = self.sqid.to_bytes(2, "little")
        out[10:12] = self.cid.to_bytes(2, "little")
        out[12:14] = self.status.to_bytes(2, "little")
        out[14:16] = self.location.to_bytes(2, "little")
        out[16:24] = self.lba.to_bytes(8, "little")
        out[24:28] = self.nsid.to_bytes(4, "little")
        out[28:29] = self.vs.to_bytes(1, "little")
        out[29:30] = self.trtype.to_bytes(1, "little")
        out[32:40] = self.csi.to_bytes(8, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "ErrorLogEntry":
        """Reads the first 64 bytes."""
        if len(data) < 64:
            raise ValueError("ErrorLogEntry has 64 bytes")
        return ErrorLogEntry(
            error_count=int.from_bytes(data[0:8], "little"),
            sqid=int.from_bytes(data[8:10], "little"),
            cid=int.from_bytes(data[10:12], "little"),
            status=int.from_bytes(data[12:14], "little"),
            location=int.from_bytes(data[14:16], "little"),
            lba=int.from_bytes(data[16:24], "little"),
            nsid=int.from_bytes(data[24:28], "little"),
            vs=int.from_bytes(data[28:29], "little"),
            trtype=int.from_bytes(data[29:30], "little"),
            csi=int.from_bytes(data[32:40], "little"),
        )


@dataclass
class SmartLog:
    """SMART / Health Information, figure 195."""

    BYTES: ClassVar[int] = 512
    critical_warning: int = 0  # byte 0, 1 bytes: bits of critical_warning
    temperature: int = 0  # byte 1, 2 bytes: composite temperature, K
    available_spare: int = 0  # byte 3, 1 bytes: percent
    spare_threshold: int = 0  # byte 4, 1 bytes: percent
    percentage_used: int = 0  # byte 5, 1 bytes: percent of the endurance
    group_warning: int = 0  # byte 6, 1 bytes: bits of critical_warning that any endurance group has
    data_units_read: int = 0  # byte 32, 8 bytes: 512 000 bytes; low half of 16 bytes
    data_units_written: int = 0  # byte 48, 8 bytes: 512 000 bytes
    host_reads: int = 0  # byte 64, 8 bytes: commands
    host_writes: int = 0  # byte 80, 8 bytes: commands
    busy_minutes: int = 0  # byte 96, 8 bytes: minutes
    power_cycles: int = 0  # byte 112, 8 bytes: power cycles
    power_on_hours: int = 0  # byte 128, 8 bytes: hours
    unsafe_shutdowns: int = 0  # byte 144, 8 bytes: power lost without shutdown
    media_errors: int = 0  # byte 160, 8 bytes: unrecovered errors
    error_entries: int = 0  # byte 176, 8 bytes: error log entries over the device's life
    warning_minutes: int = 0  # byte 192, 4 bytes: minutes at or above WCTEMP and below CCTEMP
    critical_minutes: int = 0  # byte 196, 4 bytes: minutes at or above CCTEMP

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(512)
        out[0:1] = self.critical_warning.to_bytes(1, "little")
        out[1:3] = self.temperature.to_bytes(2, "little")
        out[3:4] = self.available_spare.to_bytes(1, "little")
        out[4:5] = self.spare_threshold.to_bytes(1, "little")
        out[5:6] = self.percentage_used.to_bytes(1, "little")
        out[6:7] = self.group_warning.to_bytes(1, "little")
        out[32:40] = self.data_units_read.to_bytes(8, "little")
        out[48:56] = self.data_units_written.to_bytes(8, "little")
        out[64:72] = self.host_reads.to_bytes(8, "little")
        out[80:88] = self.host_writes.to_bytes(8, "little")
        out[96:104] = self.busy_minutes.to_bytes(8, "little")
        out[112:120] = self.power_cycles.to_bytes(8, "little")
        out[128:136] = self.power_on_hours.to_bytes(8, "little")
        out[144:152] = self.unsafe_shutdowns.to_bytes(8, "little")
        out[160:168] = self.media_errors.to_bytes(8, "little")
        out[176:184] = self.error_entries.to_bytes(8, "little")
        out[192:196] = self.warning_minutes.to_bytes(4, "little")
        out[196:200] = self.critical_minutes.to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "SmartLog":
        """Reads the first 512 bytes."""
        if len(data) < 512:
            raise ValueError("SmartLog has 512 bytes")
        return SmartLog(
            critical_warning=int.from_bytes(data[0:1], "little"),
            temperature=int.from_bytes(data[1:3], "little"),
            available_spare=int.from_bytes(data[3:4], "little"),
            spare_threshold=int.from_bytes(data[4:5], "little"),
            percentage_used=int.from_bytes(data[5:6], "little"),
            group_warning=int.from_bytes(data[6:7], "little"),
            data_units_read=int.from_bytes(data[32:40], "little"),
            data_units_written=int.from_bytes(data[48:56], "little"),
            host_reads=int.from_bytes(data[64:72], "little"),
            host_writes=int.from_bytes(data[80:88], "little"),
            busy_minutes=int.from_bytes(data[96:104], "little"),
            power_cycles=int.from_bytes(data[112:120], "little"),
            power_on_hours=int.from_bytes(data[128:136], "little"),
            unsafe_shutdowns=int.from_bytes(data[144:152], "little"),
            media_errors=int.from_bytes(data[160:168], "little"),
            error_entries=int.from_bytes(data[176:184], "little"),
            warning_minutes=int.from_bytes(data[192:196], "little"),
            critical_minutes=int.from_bytes(data[196:200], "little"),
        )


@dataclass
class FirmwareSlotLog:
    """Firmware Slot Information, figure 198."""

    BYTES: ClassVar[int] = 512
    afi: int = 0  # byte 0, 1 bytes: active slot 2:0
    frs1: int = 0  # byte 8, 8 bytes: revision in slot 1

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(512)
        out[0:1] = self.afi.to_bytes(1, "little")
        out[8:16] = self.frs1.to_bytes(8, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "FirmwareSlotLog":
        """Reads the first 512 bytes."""
        if len(data) < 512:
            raise ValueError("FirmwareSlotLog has 512 bytes")
        return FirmwareSlotLog(
            afi=int.from_bytes(data[0:1], "little"),
            frs1=int.from_bytes(data[8:16], "little"),
        )


@dataclass
class EnduranceGroupLog:
    """Endurance Group Information, figure 204."""

    BYTES: ClassVar[int] = 512
    critical_warning: int = 0  # byte 0, 1 bytes: as in SMART
    available_spare: int = 0  # byte 3, 1 bytes: percent
    spare_threshold: int = 0  # byte 4, 1 bytes: percent
    percentage_used: int = 0  # byte 5, 1 bytes: percent
    endurance_estimate: int = 0  # byte 32, 8 bytes: 10^9 bytes
    data_units_read: int = 0  # byte 48, 8 bytes: 10^9 bytes
    data_units_written: int = 0  # byte 64, 8 bytes: 10^9 bytes
    media_units_written: int = 0  # byte 80, 8 bytes: 10^9 bytes
    host_reads: int = 0  # byte 96, 8 bytes: commands
    host_writes: int = 0  # byte 112, 8 bytes: commands
    media_errors: int = 0  # byte 128, 8 bytes: unrecovered errors
    error_entries: int = 0  # byte 144, 8 bytes: error log entries

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(512)
        out[0:1] = self.critical_warning.to_bytes(1, "little")
        out[3:4] = self.available_spare.to_bytes(1, "little")
        out[4:5] = self.spare_threshold.to_bytes(1, "little")
        out[5:6] = self.percentage_used.to_bytes(1, "little")
        out[32:40] = self.endurance_estimate.to_bytes(8, "little")
        out[48:56] = self.data_units_read.to_bytes(8, "little")
        out[64:72] = self.data_units_written.to_bytes(8, "little")
        out[80:88] = self.media_units_written.to_bytes(8, "little")
        out[96:104] = self.host_reads.to_bytes(8, "little")
        out[112:120] = self.host_writes.to_bytes(8, "little")
        out[128:136] = self.media_errors.to_bytes(8, "little")
        out[144:152] = self.error_entries.to_bytes(8, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "EnduranceGroupLog":
        """Reads the first 512 bytes."""
        if len(data) < 512:
            raise ValueError("EnduranceGroupLog has 512 bytes")
        return EnduranceGroupLog(
            critical_warning=int.from_bytes(data[0:1], "little"),
            available_spare=int.from_bytes(data[3:4], "little"),
            spare_threshold=int.from_bytes(data[4:5], "little"),
            percentage_used=int.from_bytes(data[5:6], "little"),
            endurance_estimate=int.from_bytes(data[32:40], "little"),
            data_units_read=int.from_bytes(data[48:56], "little"),
            data_units_written=int.from_bytes(data[64:72], "little"),
            media_units_written=int.from_bytes(data[80:88], "little"),
            host_reads=int.from_bytes(data[96:104], "little"),
            host_writes=int.from_bytes(data[112:120], "little"),
            media_errors=int.from_bytes(data[128:136], "little"),
            error_entries=int.from_bytes(data[144:152], "little"),
        )


@dataclass
class PlacementConfigurations:
    """FDP Configurations log with its one configuration, base specification 2.1, figure 278. Four bytes per reclaim unit handle follow: RUHT and three zero bytes."""

    BYTES: ClassVar[int] = 80
    configurations: int = 0  # byte 0, 2 bytes: NUMFDPC, zero-based
    version: int = 0  # byte 2, 1 bytes: 0
    size: int = 0  # byte 4, 4 bytes: bytes of the log
    descriptor: int = 0  # byte 16, 2 bytes: bytes of the descriptor, which begins here
    attributes: int = 0  # byte 18, 1 bytes: FDPA: reclaim group identifier bits 3:0, bits of placement_attribute
    vendor_size: int = 0  # byte 19, 1 bytes: 0
    groups: int = 0  # byte 20, 4 bytes: NRG: reclaim groups
    handles: int = 0  # byte 24, 2 bytes: NRUH: reclaim unit handles
    identifiers: int = 0  # byte 26, 2 bytes: MAXPIDS: placement identifiers, zero-based
    namespaces: int = 0  # byte 28, 4 bytes: NNSS: namespaces
    unit_bytes: int = 0  # byte 32, 8 bytes: RUNS: nominal size of a reclaim unit
    time_limit: int = 0  # byte 40, 4 bytes: ERUTL: 0, reclaim units stay open as long as there is power

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(80)
        out[0:2] = self.configurations.to_bytes(2, "little")
        out[2:3] = self.version.to_bytes(1, "little")
        out[4:8] = self.size.to_bytes(4, "little")
        out[16:18] = self.descriptor.to_bytes(2, "little")
        out[18:19] = self.attributes.to_bytes(1, "little")
        out[19:20] = self.vendor_size.to_bytes(1, "little")
        out[20:24] = self.groups.to_bytes(4, "little")
        out[24:26] = self.handles.to_bytes(2, "little")
        out[26:28] = self.identifiers.to_bytes(2, "little")
        out[28:32] = self.namespaces.to_bytes(4, "little")
        out[32:40] = self.unit_bytes.to_bytes(8, "little")
        out[40:44] = self.time_limit.to_bytes(4, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "PlacementConfigurations":
        """Reads the first 80 bytes."""
        if len(data) < 80:
            raise ValueError("PlacementConfigurations has 80 bytes")
        return PlacementConfigurations(
            configurations=int.from_bytes(data[0:2], "little"),
            version=int.from_bytes(data[2:3], "little"),
            size=int.from_bytes(data[4:8], "little"),
            descriptor=int.from_bytes(data[16:18], "little"),
            attributes=int.from_bytes(data[18:19], "little"),
            vendor_size=int.from_bytes(data[19:20], "little"),
            groups=int.from_bytes(data[20:24], "little"),
            handles=int.from_bytes(data[24:26], "little"),
            identifiers=int.from_bytes(data[26:28], "little"),
            namespaces=int.from_bytes(data[28:32], "little"),
            unit_bytes=int.from_bytes(data[32:40], "little"),
            time_limit=int.from_bytes(data[40:44], "little"),
        )


@dataclass
class PlacementStatistics:
    """FDP Statistics log, base specification 2.1."""

    BYTES: ClassVar[int] = 64
    host_written: int = 0  # byte 0, 8 bytes: HBMW: bytes written by the host; low half of 16 bytes
    media_written: int = 0  # byte 16, 8 bytes: MBMW: bytes written to the flash
    media_erased: int = 0  # byte 32, 8 bytes: MBE: bytes erased

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(64)
        out[0:8] = self.host_written.to_bytes(8, "little")
        out[16:24] = self.media_written.to_bytes(8, "little")
        out[32:40] = self.media_erased.to_bytes(8, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "PlacementStatistics":
        """Reads the first 64 bytes."""
        if len(data) < 64:
            raise ValueError("PlacementStatistics has 64 bytes")
        return PlacementStatistics(
            host_written=int.from_bytes(data[0:8], "little"),
            media_written=int.from_bytes(data[16:24], "little"),
            media_erased=int.from_bytes(data[32:40], "little"),
        )


@dataclass
class RuhStatus:
    """One descriptor of I/O Management Receive, Reclaim Unit Handle Status. 16 bytes precede the descriptors; the last two of these are the number of descriptors."""

    BYTES: ClassVar[int] = 32
    identifier: int = 0  # byte 0, 2 bytes: PID: placement identifier
    handle: int = 0  # byte 2, 2 bytes: RUHID: reclaim unit handle
    time_left: int = 0  # byte 4, 4 bytes: EARUTR: 0, not reported
    blocks_left: int = 0  # byte 8, 8 bytes: RUAMW: logical blocks that the reclaim unit still takes

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(32)
        out[0:2] = self.identifier.to_bytes(2, "little")
        out[2:4] = self.handle.to_bytes(2, "little")
        out[4:8] = self.time_left.to_bytes(4, "little")
        out[8:16] = self.blocks_left.to_bytes(8, "little")
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "RuhStatus":
        """Reads the first 32 bytes."""
        if len(data) < 32:
            raise ValueError("RuhStatus has 32 bytes")
        return RuhStatus(
            identifier=int.from_bytes(data[0:2], "little"),
            handle=int.from_bytes(data[2:4], "little"),
            time_left=int.from_bytes(data[4:8], "little"),
            blocks_left=int.from_bytes(data[8:16], "little"),
        )


@dataclass
class OcpSmartLog:
    """OCP SMART / Health Information Extended (C0h), OCP Datacenter NVMe SSD Specification 2.0, section 4.8.4."""

    BYTES: ClassVar[int] = 512
    media_written: int = 0  # byte 0, 8 bytes: physical media units written, bytes; low half of 16
    media_read: int = 0  # byte 16, 8 bytes: physical media units read, bytes
    bad_user_blocks: int = 0  # byte 32, 6 bytes: bad user NAND blocks, raw
    bad_user_normalized: int = 0  # byte 38, 2 bytes: percent of spare left
    bad_system_blocks: int = 0  # byte 40, 6 bytes: bad system NAND blocks, raw
    bad_system_normalized: int = 0  # byte 46, 2 bytes: percent of spare left
    xor_recovery: int = 0  # byte 48, 8 bytes: XOR recoveries
    uncorrectable_reads: int = 0  # byte 56, 8 bytes: uncorrectable read errors
    soft_ecc_errors: int = 0  # byte 64, 8 bytes: soft ECC errors
    e2e_detected: int = 0  # byte 72, 4 bytes: end-to-end errors detected
    e2e_corrected: int = 0  # byte 76, 4 bytes: end-to-end errors corrected
    system_data_used: int = 0  # byte 80, 1 bytes: percent
    refresh_count: int = 0  # byte 81, 7 bytes: blocks collected by read reclaim
    max_erase_count: int = 0  # byte 88, 4 bytes: user data erase count, largest
    min_erase_count: int = 0  # byte 92, 4 bytes: user data erase count, smallest
    incomplete_shutdowns: int = 0  # byte 112, 4 bytes: power lost without shutdown
    percent_free_blocks: int = 0  # byte 120, 1 bytes: percent of superblocks on the free list
    capacitor_health: int = 0  # byte 128, 2 bytes: FFFFh: none
    nvme_errata: int = 0  # byte 130, 1 bytes: errata version of the base specification
    unaligned_io: int = 0  # byte 136, 8 bytes: I/O not aligned to 4 KiB
    security_version: int = 0  # byte 144, 8 bytes: security version
    total_nuse: int = 0  # byte 152, 8 bytes: used logical blocks
    plp_start_count: int = 0  # byte 160, 8 bytes: power loss protection starts; low half of 16
    endurance_estimate: int = 0  # byte 176, 8 bytes: bytes; low half of 16
    avg_erase_count: int = 0  # byte 224, 8 bytes: user data erase count, average
    version: int = 0  # byte 494, 2 bytes: layout version
    guid: bytes = bytes(16)  # byte 496, 16 bytes: AFD514C97C6F4F9CA4F2BFEA2810AFC5h

    def pack(self) -> bytes:
        """The record as bytes. Raises OverflowError if a value is out of range."""
        out = bytearray(512)
        out[0:8] = self.media_written.to_bytes(8, "little")
        out[16:24] = self.media_read.to_bytes(8, "little")
        out[32:38] = self.bad_user_blocks.to_bytes(6, "little")
        out[38:40] = self.bad_user_normalized.to_bytes(2, "little")
        out[40:46] = self.bad_system_blocks.to_bytes(6, "little")
        out[46:48] = self.bad_system_normalized.to_bytes(2, "little")
        out[48:56] = self.xor_recovery.to_bytes(8, "little")
        out[56:64] = self.uncorrectable_reads.to_bytes(8, "little")
        out[64:72] = self.soft_ecc_errors.to_bytes(8, "little")
        out[72:76] = self.e2e_detected.to_bytes(4, "little")
        out[76:80] = self.e2e_corrected.to_bytes(4, "little")
        out[80:81] = self.system_data_used.to_bytes(1, "little")
        out[81:88] = self.refresh_count.to_bytes(7, "little")
        out[88:92] = self.max_erase_count.to_bytes(4, "little")
        out[92:96] = self.min_erase_count.to_bytes(4, "little")
        out[112:116] = self.incomplete_shutdowns.to_bytes(4, "little")
        out[120:121] = self.percent_free_blocks.to_bytes(1, "little")
        out[128:130] = self.capacitor_health.to_bytes(2, "little")
        out[130:131] = self.nvme_errata.to_bytes(1, "little")
        out[136:144] = self.unaligned_io.to_bytes(8, "little")
        out[144:152] = self.security_version.to_bytes(8, "little")
        out[152:160] = self.total_nuse.to_bytes(8, "little")
        out[160:168] = self.plp_start_count.to_bytes(8, "little")
        out[176:184] = self.endurance_estimate.to_bytes(8, "little")
        out[224:232] = self.avg_erase_count.to_bytes(8, "little")
        out[494:496] = self.version.to_bytes(2, "little")
        out[496:512] = self.guid.ljust(16, b"\0")[:16]
        return bytes(out)

    @staticmethod
    def unpack(data: bytes) -> "OcpSmartLog":
        """Reads the first 512 bytes."""
        if len(data) < 512:
            raise ValueError("OcpSmartLog has 512 bytes")
        return OcpSmartLog(
            media_written=int.from_bytes(data[0:8], "little"),
            media_read=int.from_bytes(data[16:24], "little"),
            bad_user_blocks=int.from_bytes(data[32:38], "little"),
            bad_user_normalized=int.from_bytes(data[38:40], "little"),
            bad_system_blocks=int.from_bytes(data[40:46], "little"),
            bad_system_normalized=int.from_bytes(data[46:48], "little"),
            xor_recovery=int.from_bytes(data[48:56], "little"),
            uncorrectable_reads=int.from_bytes(data[56:64], "little"),
            soft_ecc_errors=int.from_bytes(data[64:72], "little"),
            e2e_detected=int.from_bytes(data[72:76], "little"),
            e2e_corrected=int.from_bytes(data[76:80], "little"),
            system_data_used=int.from_bytes(data[80:81], "little"),
            refresh_count=int.from_bytes(data[81:88], "little"),
            max_erase_count=int.from_bytes(data[88:92], "little"),
            min_erase_count=int.from_bytes(data[92:96], "little"),
            incomplete_shutdowns=int.from_bytes(data[112:116], "little"),
            percent_free_blocks=int.from_bytes(data[120:121], "little"),
            capacitor_health=int.from_bytes(data[128:130], "little"),
            nvme_errata=int.from_bytes(data[130:131], "little"),
            unaligned_io=int.from_bytes(data[136:144], "little"),
            security_version=int.from_bytes(data[144:152], "little"),
            total_nuse=int.from_bytes(data[152:160], "little"),
            plp_start_count=int.from_bytes(data[160:168], "little"),
            endurance_estimate=int.from_bytes(data[176:184], "little"),
            avg_erase_count=int.from_bytes(data[224:232], "little"),
            version=int.from_bytes(data[494:496], "little"),
            guid=bytes(data[496:512]),
        )
