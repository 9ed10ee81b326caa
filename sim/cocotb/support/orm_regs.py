# SPDX-License-Identifier: Apache-2.0
# Generated from interfaces/registers. Do not edit: run python interfaces/generate.py
# fmt: off
# ruff: noqa
"""Registers: `Fw` is the firmware's window, `Bar0` the NVMe controller registers. Fields have their bit position."""

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True)
class RegField:
    """A field: bits lsb + width - 1 .. lsb of its register."""

    lsb: int
    width: int
    reset: int = 0

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.lsb

    def get(self, word: int) -> int:
        """The field's value in a register word."""
        return (word & self.mask) >> self.lsb

    def put(self, value: int) -> int:
        """A word with `value` in this field and zero elsewhere."""
        if value < 0 or value >> self.width:
            raise ValueError(f"{value} does not fit {self.width} bits")
        return value << self.lsb


class Fw:
    """OpenRemap firmware window: AXI4-Lite, 32-bit, 64 KiB.

    Registers are addresses; an array's is that of its first element.
    """

    ID = 0x000  # Identification.
    ID_MAGIC = RegField(0, 32, 0x504D524F)  # r: ASCII ORMP, little endian
    VERSION = 0x004  # Version of this register map. Firmware refuses any other version.
    VERSION_VERSION = RegField(0, 32, 0x9)  # r: 9
    CAP_FLASH = 0x008  # Flash geometry.
    CAP_FLASH_CHANNELS = RegField(0, 8, 0x0)  # r: NAND channels
    CAP_FLASH_DIES_PER_CHANNEL = RegField(8, 8, 0x0)  # r: dies per channel
    CAP_FLASH_PAGES_PER_BLOCK = RegField(16, 16, 0x0)  # r: flash pages per block
    CAP_SUPERBLOCKS = 0x00C  # Superblocks that the mapping can address.
    CAP_SUPERBLOCKS_COUNT = RegField(0, 32, 0x0)  # r: number
    CAP_SLOTS_PER_SB = 0x010  # Slots per superblock.
    CAP_SLOTS_PER_SB_COUNT = RegField(0, 32, 0x0)  # r: number
    CAP_LPNS = 0x014  # LPNs that the L2P table has room for.
    CAP_LPNS_COUNT = RegField(0, 32, 0x0)  # r: number
    CAP_QUEUES = 0x018  # Queues.
    CAP_QUEUES_IO_PAIRS = RegField(0, 16, 0x0)  # r: I/O queue pairs
    CAP_QUEUES_ENTRIES = RegField(16, 16, 0x0)  # r: largest number of entries of a queue
    CAP_SEGMENTS = 0x01C  # Remap table.
    CAP_SEGMENTS_SEGMENTS = RegField(0, 16, 0x0)  # r: segments
    CAP_SEGMENTS_PER_CHAIN = RegField(16, 16, 0x0)  # r: largest number of segments of a chain
    CAP_LIMITS = 0x020  # Limits.
    CAP_LIMITS_SHARERS = RegField(0, 8, 0x0)  # r: largest number of sharers of a slot
    CAP_LIMITS_MDTS_PAGES = RegField(8, 8, 0x0)  # r: largest transfer, pages
    CAP_LIMITS_JOURNAL_RECORDS = RegField(16, 16, 0x0)  # r: records of the journal ring
    CAP_SEG_RESERVE = 0x024  # Segments of the remap table: how many only GC may take, and their size.
    CAP_SEG_RESERVE_COUNT = RegField(0, 16, 0x0)  # r: segments
    CAP_SEG_RESERVE_SEG_BYTES = RegField(16, 16, 0x0)  # r: bytes per segment
    CAP_PLACEMENT = 0x028  # Data placement.
    CAP_PLACEMENT_HANDLES = RegField(0, 8, 0x0)  # r: placement handles: host streams that the allocator keeps apart
    CAP_DESTAGE = 0x02C  # Destaging of chains to flash.
    CAP_DESTAGE_SLOTS = RegField(0, 8, 0x0)  # r: largest number of flash slots of a destaged chain, a power of two; 0: no destaging
    DRAM_L2P = 0x030  # Byte address or size in DRAM or NVRAM.
    DRAM_L2P_VALUE = RegField(0, 32, 0x0)  # r: bytes
    DRAM_REF = 0x034  # Byte address or size in DRAM or NVRAM.
    DRAM_REF_VALUE = RegField(0, 32, 0x0)  # r: bytes
    DRAM_FW = 0x038  # Byte address or size in DRAM or NVRAM.
    DRAM_FW_VALUE = RegField(0, 32, 0x0)  # r: bytes
    DRAM_BYTES = 0x03C  # Byte address or size in DRAM or NVRAM.
    DRAM_BYTES_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_HEADER = 0x040  # Byte address or size in DRAM or NVRAM.
    NV_HEADER_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_COMMIT = 0x044  # Byte address or size in DRAM or NVRAM.
    NV_COMMIT_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_CHECKPOINT = 0x048  # Byte address or size in DRAM or NVRAM.
    NV_CHECKPOINT_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_COUNTERS = 0x04C  # Byte address or size in DRAM or NVRAM.
    NV_COUNTERS_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_BLOCKS = 0x050  # Byte address or size in DRAM or NVRAM.
    NV_BLOCKS_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_JOURNAL = 0x054  # Byte address or size in DRAM or NVRAM.
    NV_JOURNAL_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_BITMAP = 0x058  # Byte address or size in DRAM or NVRAM.
    NV_BITMAP_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_BITMAP_BYTES = 0x05C  # Byte address or size in DRAM or NVRAM.
    NV_BITMAP_BYTES_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_SEGMENTS = 0x060  # Byte address or size in DRAM or NVRAM.
    NV_SEGMENTS_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_BYTES = 0x064  # Byte address or size in DRAM or NVRAM.
    NV_BYTES_VALUE = RegField(0, 32, 0x0)  # r: bytes
    CAP_DESTAGE_LPN = 0x068  # First LPN of destaged chains; they use all LPNs from here to CAP_LPNS. Slot k of set s (1 or 2) of superblock b is at CAP_DESTAGE_LPN + (2 b + s - 1) * CAP_DESTAGE.slots + k. Every namespace ends before this LPN.
    CAP_DESTAGE_LPN_VALUE = RegField(0, 32, 0x0)  # r: LPN
    CAP_COPY = 0x06C  # What one Copy command may name (Identify Namespace MSRC; MSSRL and MCL).
    CAP_COPY_RANGES = RegField(0, 16, 0x0)  # r: source ranges
    CAP_COPY_PAGES = RegField(16, 16, 0x0)  # r: pages, of one range and in all
    CAP_BUFFERS = 0x070  # Page buffers of firmware (NAND_BUFFER).
    CAP_BUFFERS_COUNT = RegField(0, 16, 0x0)  # r: buffers of one slot each; a multiple of the slots of a flash page
    CAP_SUMMARY = 0x074  # Summaries of full superblocks (SlotRecord, SummaryTrailer).
    CAP_SUMMARY_SLOTS = RegField(0, 16, 0x0)  # r: last slots of a superblock, whole flash pages, which the allocator never hands out: firmware programs the summary there; 0: no summaries
    CAP_SUMMARY_LOGS = RegField(16, 8, 0x0)  # r: slot logs: number of superblocks that can be logged at a time
    DRAM_LOG = 0x078  # Slot logs in DRAM. Log n begins at DRAM_LOG + n * CAP_SUMMARY.slots * 4096 and has 16 bytes for each slot offset.
    DRAM_LOG_VALUE = RegField(0, 32, 0x0)  # r: bytes
    NV_TRIM_POINTERS = 0x07C  # Byte address or size in DRAM or NVRAM.
    NV_TRIM_POINTERS_VALUE = RegField(0, 32, 0x0)  # r: bytes
    IRQ_STATUS = 0x080  # Interrupt sources. A bit is a level or, where `woclr`, an event that stays until 1 is written.
    IRQ_STATUS_CMD_AVAIL = RegField(0, 1, 0x0)  # r: level: a command waits in the mailbox
    IRQ_STATUS_CC_CHANGED = RegField(1, 1, 0x0)  # rw1c: CC was written
    IRQ_STATUS_DMA_DONE = RegField(2, 1, 0x0)  # rw1c: DMA_STATUS has a new outcome
    IRQ_STATUS_REMAP_DONE = RegField(3, 1, 0x0)  # rw1c: REMAP_STATUS has a new outcome
    IRQ_STATUS_GC_DONE = RegField(4, 1, 0x0)  # rw1c: GC_STATUS or GC_QUEUE has changed: an outcome waits, or another collection may be started
    IRQ_STATUS_NAND_DONE = RegField(5, 1, 0x0)  # r: level: NAND_STATUS holds a result
    IRQ_STATUS_FREE_LOW = RegField(6, 1, 0x0)  # r: level: free superblocks below FREE_LOW
    IRQ_STATUS_JOURNAL_HIGH = RegField(7, 1, 0x0)  # r: level: the journal holds more than JOURNAL_HIGH records
    IRQ_STATUS_BAD_DOORBELL = RegField(8, 1, 0x0)  # rw1c: a value that its queue does not allow was written to a doorbell
    IRQ_STATUS_HOST_ERROR = RegField(9, 1, 0x0)  # rw1c: host memory refused a queue access: controller fatal
    IRQ_STATUS_FENCE_DONE = RegField(10, 1, 0x0)  # rw1c: the fence has ended
    IRQ_STATUS_ABSENT_DOORBELL = RegField(11, 1, 0x0)  # rw1c: the doorbell of a queue that does not exist was written
    IRQ_STATUS_SEG_LOW = RegField(12, 1, 0x0)  # rw1c: a Copy that hardware carried out left fewer free segments than SEG_LOW
    IRQ_STATUS_PROGRAM_FAILED = RegField(13, 1, 0x0)  # rw1c: a program failed: SB_STATE.failed says in which superblocks
    IRQ_STATUS_WEAK_READ = RegField(14, 1, 0x0)  # rw1c: a marginal read, near the ECC limit or after a read retry: SB_STATE.weak says in which superblocks
    IRQ_STATUS_LOG_DUE = RegField(15, 1, 0x0)  # r: level: LOG_STATUS shows a log
    IRQ_STATUS_MEMORY_ERROR = RegField(16, 1, 0x0)  # r: level: MEMORY_ERROR shows an error
    IRQ_ENABLE = 0x084  # Which bits of IRQ_STATUS raise the firmware interrupt.
    IRQ_ENABLE_MASK = RegField(0, 17, 0x0)  # rw: mask
    NVME_CC = 0x100  # Controller Configuration as the host wrote it, except that EN reads 0 while an enabling is held back: after a disabling or a function reset, until firmware has read this register and NVME_CSTS.rdy is 0.
    NVME_CC_VALUE = RegField(0, 32, 0x0)  # r: CC
    NVME_CSTS = 0x104  # Controller Status as the host will read it.
    NVME_CSTS_RDY = RegField(0, 1, 0x0)  # rw: CSTS.RDY. The host reads 1 only while CC.EN is 1, or until firmware clears this bit. It reads 0 here, in cfs and in shst after a function reset, and for an enabling that it took back before rdy was 1, until all three have been 0
    NVME_CSTS_CFS = RegField(1, 1, 0x0)  # rw: CSTS.CFS
    NVME_CSTS_SHST = RegField(2, 2, 0x0)  # rw: CSTS.SHST
    NVME_CSTS_DEAD = RegField(4, 1, 0x0)  # rw: 1: start-up failed. CSTS.CFS then reads as 1, even after a function reset, as it does with MEMORY_ERROR.valid
    NVME_NSZE = 0x108  # Logical pages of the namespace; the router checks LBAs against it.
    NVME_NSZE_VALUE = RegField(0, 32, 0x0)  # rw: NSZE
    NVME_STATE = 0x10C  # Namespace state.
    NVME_STATE_NS_READY = RegField(0, 1, 0x0)  # rw: 0: I/O commands end with Namespace Not Ready
    NVME_STATE_FORMATTING = RegField(1, 1, 0x0)  # rw: 1: while ns_ready is 0 they end with Format in Progress instead
    NVME_STATE_WRITE_PROTECTED = RegField(2, 1, 0x0)  # rw: 1: Write, Write Zeroes, Copy and Dataset Management end with Namespace is Write Protected
    NVME_STATE_IO_QUIET = RegField(8, 1, 0x0)  # r: 1: no I/O command is inside the controller, no completion waits, no fetch is under way
    QUEUE_ID = 0x110  # Queue to define or delete.
    QUEUE_ID_QID = RegField(0, 8, 0x0)  # rw: queue number
    QUEUE_ID_CQID = RegField(8, 8, 0x0)  # rw: SQ: the completion queue that it completes into
    QUEUE_ID_VECTOR = RegField(16, 8, 0x0)  # rw: CQ: MSI-X vector
    QUEUE_ID_IEN = RegField(24, 1, 0x0)  # rw: CQ: interrupts enabled
    QUEUE_BASE_LO = 0x114  # Host address, low half.
    QUEUE_BASE_LO_VALUE = RegField(0, 32, 0x0)  # rw: bits 31:0
    QUEUE_BASE_HI = 0x118  # Host address, high half.
    QUEUE_BASE_HI_VALUE = RegField(0, 32, 0x0)  # rw: bits 63:32
    QUEUE_ENTRIES = 0x11C  # Entries of the queue.
    QUEUE_ENTRIES_VALUE = RegField(0, 16, 0x0)  # rw: number, not zero-based
    QUEUE_GO = 0x120  # Writing acts.
    QUEUE_GO_SQ = RegField(0, 1, 0x0)  # w: 1: define (enable=1) or stop (enable=0) the submission queue. A stopped queue is not fetched from; commands inside still complete
    QUEUE_GO_CQ = RegField(1, 1, 0x0)  # w: 1: define or delete the completion queue
    QUEUE_GO_ENABLE = RegField(2, 1, 0x0)  # w: 1: define, 0: delete
    QUEUE_INSIDE = 0x124  # Commands of the submission queue in QUEUE_ID that are inside the controller: fetched, and neither completed nor dropped. Define a queue only while this is 0.
    QUEUE_INSIDE_VALUE = RegField(0, 16, 0x0)  # r: commands
    ADMIN_HELD = 0x128  # Admin commands that firmware holds until an event (Asynchronous Event Request). They reserve no entry of the admin completion queue. All other commands do, so their completions never wait.
    ADMIN_HELD_COUNT = RegField(0, 8, 0x0)  # rw: commands, at most QUEUE_INSIDE of queue 0
    ADMIN_HELD_ROOM = RegField(31, 1, 0x0)  # r: 1: the admin completion queue has a free entry for each admin command inside that is not held
    INT_COALESCING = 0x12C  # Interrupt coalescing of the I/O completion queues (Set Features 08h). 0 in either field: no coalescing. A write raises all interrupts that wait.
    INT_COALESCING_THRESHOLD = RegField(0, 8, 0x0)  # rw: completion entries, 0's based
    INT_COALESCING_TIME = RegField(8, 8, 0x0)  # rw: units of 100 us
    INT_VECTOR = 0x130  # Writing sets whether a vector is coalesced (Set Features 09h).
    INT_VECTOR_VECTOR = RegField(0, 8, 0x0)  # w: MSI-X vector
    INT_VECTOR_DIRECT = RegField(8, 1, 0x0)  # w: 1: not coalesced
    MBOX_STATUS = 0x200  # Head of the command FIFO.
    MBOX_STATUS_QID = RegField(0, 8, 0x0)  # r: submission queue it came from
    MBOX_STATUS_VALID = RegField(31, 1, 0x0)  # r: 1: a command waits
    MBOX_POP = 0x204  # Writing 1 drops the head of the command FIFO.
    MBOX_POP_POP = RegField(0, 1, 0x0)  # w: pop
    CPL_DW0 = 0x208  # Command completion: DW0.
    CPL_DW0_VALUE = RegField(0, 32, 0x0)  # rw: DW0
    CPL_POST = 0x20C  # Command completion: writing posts it.
    CPL_POST_CID = RegField(0, 16, 0x0)  # w: command identifier
    CPL_POST_STATUS = RegField(16, 15, 0x0)  # w: CQE status field: {DNR, M, CRD, SCT, SC}
    CPL_QUEUE = 0x210  # Command completion: destination.
    CPL_QUEUE_QID = RegField(0, 8, 0x0)  # rw: submission queue of the command
    CPL_QUEUE_READY = RegField(31, 1, 0x0)  # r: 1: CPL_POST can be written
    MBOX_SQE = 0x240  # Dwords of the command at the head of the FIFO.
    MBOX_SQE_COUNT = 16
    MBOX_SQE_STRIDE = 4
    MBOX_SQE_VALUE = RegField(0, 32, 0x0)  # r: dword
    DMA_PRP1_LO = 0x300  # PRP entry 1, low.
    DMA_PRP1_LO_VALUE = RegField(0, 32, 0x0)  # rw: bits 31:0
    DMA_PRP1_HI = 0x304  # PRP entry 1, high.
    DMA_PRP1_HI_VALUE = RegField(0, 32, 0x0)  # rw: bits 63:32
    DMA_PRP2_LO = 0x308  # PRP entry 2, low.
    DMA_PRP2_LO_VALUE = RegField(0, 32, 0x0)  # rw: bits 31:0
    DMA_PRP2_HI = 0x30C  # PRP entry 2, high.
    DMA_PRP2_HI_VALUE = RegField(0, 32, 0x0)  # rw: bits 63:32
    DMA_DRAM = 0x310  # DRAM address.
    DMA_DRAM_VALUE = RegField(0, 32, 0x0)  # rw: multiple of 16
    DMA_GO = 0x314  # Writing starts the operation.
    DMA_GO_BYTES = RegField(0, 24, 0x0)  # w: bytes, at most the MDTS; a multiple of 4 to the host, of 16 from the host
    DMA_GO_BUFFER = RegField(30, 1, 0x0)  # w: 1: the peer is the page buffer in NAND_BUFFER instead of the host; 4096 bytes
    DMA_GO_TO_HOST = RegField(31, 1, 0x0)  # w: 1: from DRAM to the host or buffer; 0: the other way
    DMA_STATUS = 0x318  # Outcome.
    DMA_STATUS_STATUS = RegField(0, 15, 0x0)  # r: NVMe status; 0: good
    DMA_STATUS_BUSY = RegField(31, 1, 0x0)  # r: 1: under way
    REMAP_LIST = 0x340  # DRAM address of the range list.
    REMAP_LIST_VALUE = RegField(0, 32, 0x0)  # rw: multiple of 32
    REMAP_GO = 0x344  # Writing starts the operation.
    REMAP_GO_RANGES = RegField(0, 16, 0x0)  # w: ranges
    REMAP_GO_MOVE = RegField(16, 1, 0x0)  # w: 1: MOVE, sources become unmapped
    REMAP_GO_COPY = RegField(17, 1, 0x0)  # w: 1: Copy, an unmapped source unmaps its target
    REMAP_STATUS = 0x348  # Outcome.
    REMAP_STATUS_RESULT = RegField(0, 4, 0x0)  # r: result
    REMAP_STATUS_RANGE = RegField(8, 16, 0x0)  # r: range that failed
    REMAP_STATUS_BUSY = RegField(31, 1, 0x0)  # r: 1: under way
    REMAP_PAGES = 0x34C  # LPNs whose mapping the last command changed.
    REMAP_PAGES_VALUE = RegField(0, 32, 0x0)  # r: pages
    REMAP_SEQ_LO = 0x350  # Every mapping event of a remap command or Copy with a smaller sequence number than this one has taken effect. It is the number of the next event; while the remap engine is busy, the number that was next when its command began. Low half; reading latches the high half.
    REMAP_SEQ_LO_VALUE = RegField(0, 32, 0x0)  # r: bits 31:0
    REMAP_SEQ_HI = 0x354  # High half of REMAP_SEQ_LO.
    REMAP_SEQ_HI_VALUE = RegField(0, 16, 0x0)  # r: bits 47:32
    GC_GO = 0x380  # Writing starts the collection of a superblock, or the compaction or destaging of its chain in the remap table.
    GC_GO_SB = RegField(0, 16, 0x0)  # w: superblock
    GC_GO_CHAIN = RegField(16, 1, 0x0)  # w: 1: compact its chain, the data stays where it is
    GC_GO_DESTAGE = RegField(17, 1, 0x0)  # w: with chain: destage it, its live entries go to flash
    GC_GO_RETIRE = RegField(18, 1, 0x0)  # w: without chain: after its erase the superblock is bad and does not go to the free list
    GC_STATUS = 0x384  # The oldest outcome that GC_POP has not dropped. Outcomes come in the order of the starts.
    GC_STATUS_MOVED = RegField(0, 16, 0x0)  # r: slots moved
    GC_STATUS_FULL = RegField(28, 1, 0x0)  # r: 1: stopped for lack of free remap table segments; slots moved so far stay moved, a chain is unchanged
    GC_STATUS_REFUSED = RegField(29, 1, 0x0)  # r: 1: nothing happened: the victim was neither closed nor bad, or the chain has nothing to give back
    GC_STATUS_OK = RegField(30, 1, 0x0)  # r: 0: the victim stays: full, refused, or a read, program or erase failed
    GC_STATUS_VALID = RegField(31, 1, 0x0)  # r: 1: an outcome is shown
    GC_DETAIL = 0x388  # Further figures of the outcome.
    GC_DETAIL_SHARED = RegField(0, 16, 0x0)  # r: moved slots that had several sharers
    GC_DETAIL_SEGMENTS = RegField(16, 16, 0x0)  # r: remap table segments that a compaction or destaging gave back
    GC_QUEUE = 0x38C  # The superblock whose outcome GC_STATUS shows.
    GC_QUEUE_SB = RegField(0, 16, 0x0)  # r: superblock
    GC_QUEUE_CHAIN = RegField(16, 1, 0x0)  # r: 1: outcome of a compaction or destaging
    GC_QUEUE_ROOM = RegField(31, 1, 0x0)  # r: 1: GC_GO may be written: fewer than two outcomes are due, and the last start has finished moving
    SB_SELECT = 0x390  # Superblock that the SB_* registers show or set.
    SB_SELECT_SB = RegField(0, 16, 0x0)  # rw: superblock
    SB_STATE = 0x394  # State of the selected superblock; writing sets it together with SB_GEN (start-up only).
    SB_STATE_VALID = RegField(0, 16, 0x0)  # rw: VALID: slots with at least one sharer
    SB_STATE_STATE = RegField(16, 2, 0x0)  # rw: state
    SB_STATE_FAILED = RegField(18, 1, 0x0)  # r: 1: a program in it has failed since its erase, or since this register was written
    SB_STATE_WEAK = RegField(19, 1, 0x0)  # r: 1: marginal: since its erase, or since this register was written, a read of it was near the ECC limit or needed a read retry
    SB_GEN = 0x398  # Generation of the selected superblock. Written before SB_STATE.
    SB_GEN_VALUE = RegField(0, 32, 0x0)  # rw: generation
    SB_CHAIN = 0x39C  # Chain of the selected superblock in the remap table.
    SB_CHAIN_SEGMENTS = RegField(0, 16, 0x0)  # r: segments
    SB_CHAIN_EPOCH = RegField(16, 16, 0x0)  # rw: epoch: compactions since the erase. Written before SB_STATE (start-up only)
    ALLOC_FREE = 0x3A0  # Start-up, and while nothing is written: writing puts a superblock on the free list.
    ALLOC_FREE_SB = RegField(0, 16, 0x0)  # w: superblock
    ALLOC_FREE_CLEAR = RegField(31, 1, 0x0)  # w: 1: no superblock; the list becomes empty
    ALLOC_RESTORE = 0x3A4  # Start-up: writing makes a stream go on in a half-filled superblock.
    ALLOC_RESTORE_SB = RegField(0, 13, 0x0)  # w: superblock
    ALLOC_RESTORE_NEXT = RegField(13, 15, 0x0)  # w: next slot offset
    ALLOC_RESTORE_STREAM = RegField(28, 4, 0x0)  # w: stream, as in OobRecord
    ALLOC_RESERVE = 0x3A8  # Free superblocks that the host streams leave to GC.
    ALLOC_RESERVE_VALUE = RegField(0, 16, 0x2)  # rw: superblocks
    ALLOC_COUNT = 0x3AC  # Superblocks on the free list.
    ALLOC_COUNT_VALUE = RegField(0, 16, 0x0)  # r: superblocks
    FREE_LOW = 0x3B0  # IRQ free_low is raised below this.
    FREE_LOW_VALUE = RegField(0, 16, 0x0)  # rw: superblocks
    ALLOC_HANDLES = 0x3B4  # Placement handles that Write commands may name. A command that names another handle, or none, uses handle 0.
    ALLOC_HANDLES_COUNT = RegField(0, 8, 0x1)  # rw: handles, 1 to CAP_PLACEMENT.handles
    ALLOC_STREAM = 0x3B8  # Stream that ALLOC_OPEN shows.
    ALLOC_STREAM_STREAM = RegField(0, 4, 0x0)  # rw: stream, as in OobRecord
    ALLOC_OPEN = 0x3BC  # Superblock that the selected stream fills.
    ALLOC_OPEN_SB = RegField(0, 13, 0x0)  # r: superblock
    ALLOC_OPEN_NEXT = RegField(13, 15, 0x0)  # r: next slot offset
    ALLOC_OPEN_FULL = RegField(30, 1, 0x0)  # r: 1: no more slots are handed out; the host's next write closes it
    ALLOC_OPEN_OPEN = RegField(31, 1, 0x0)  # r: 0: the stream has no open superblock
    ALLOC_CLOSE = 0x3C0  # Writing ends the filling of the superblock that the stream of a placement handle has open, if any.
    ALLOC_CLOSE_HANDLE = RegField(0, 3, 0x0)  # w: placement handle
    GC_POP = 0x3C4  # Writing 1 drops the outcome that GC_STATUS shows.
    GC_POP_POP = RegField(0, 1, 0x0)  # w: pop
    SB_DESTAGED = 0x3C8  # Destaged part of the selected superblock's chain. Writing sets it (start-up only, after the chain was loaded).
    SB_DESTAGED_SET = RegField(0, 2, 0x0)  # rw: set of slots, as in BlockRecord; 0: no part of the chain is destaged
    SB_DESTAGED_SLOTS = RegField(8, 8, 0x0)  # rw: slots in use
    SB_DESTAGED_SEGMENTS = RegField(16, 16, 0x0)  # rw: segments that its entries would fill; these count toward the length of the chain
    LOG_STATUS = 0x3CC  # A complete slot log. Its superblock was closed when all slots but the last CAP_SUMMARY.slots had been handed out, all programs in it have landed, none has failed, and DRAM has all records. It is shown until it is released. Of several, the one with the lowest number is shown.
    LOG_STATUS_SB = RegField(0, 16, 0x0)  # r: superblock
    LOG_STATUS_LOG = RegField(16, 4, 0x0)  # r: number of the log
    LOG_STATUS_STREAM = RegField(20, 8, 0x0)  # r: stream of the superblock's last slot, as in OobRecord
    LOG_STATUS_VALID = RegField(31, 1, 0x0)  # r: 1: an outcome is shown
    LOG_RELEASE = 0x3D0  # Writing releases a log that LOG_STATUS has shown, for use by another superblock.
    LOG_RELEASE_LOG = RegField(0, 4, 0x0)  # w: number of the log
    SEQ_LO = 0x400  # Sequence counter, low half; reading latches the high half. Writing: held until SEQ_HI is written.
    SEQ_LO_VALUE = RegField(0, 32, 0x0)  # rw: bits 31:0
    SEQ_HI = 0x404  # Sequence counter, high half. Writing loads both.
    SEQ_HI_VALUE = RegField(0, 16, 0x0)  # rw: bits 47:32
    JOURNAL_STATE = 0x408  # Journal ring.
    JOURNAL_STATE_HEAD = RegField(0, 16, 0x0)  # r: index of the next record
    JOURNAL_STATE_USED = RegField(16, 16, 0x0)  # r: records in use
    JOURNAL_TAIL = 0x40C  # Records before this index are covered by the checkpoint and may be overwritten.
    JOURNAL_TAIL_VALUE = RegField(0, 16, 0x0)  # w: index
    JOURNAL_LOAD = 0x410  # Start-up: writing makes the ring empty; it continues at this index.
    JOURNAL_LOAD_VALUE = RegField(0, 16, 0x0)  # w: index
    JOURNAL_HIGH = 0x414  # IRQ journal_high is raised above this.
    JOURNAL_HIGH_VALUE = RegField(0, 16, 0xFFFF)  # rw: records
    FENCE = 0x418  # Writing starts a fence. Interrupt fence_done comes when all host programs issued before are durable.
    FENCE_GO = RegField(0, 1, 0x0)  # w: go
    FENCE_BUSY = RegField(31, 1, 0x0)  # r: 1: under way
    CHAIN_SB = 0x420  # Start-up: chain to load; CHAIN_GO loads it.
    CHAIN_SB_SB = RegField(0, 16, 0x0)  # rw: superblock
    CHAIN_SB_COUNT = RegField(16, 16, 0x0)  # rw: segments in the chain
    CHAIN_GO = 0x424  # Start-up: writing loads the chain named in CHAIN_SB.
    CHAIN_GO_TAIL = RegField(0, 16, 0x0)  # w: newest segment
    CHAIN_GO_FILL = RegField(16, 16, 0x0)  # w: entries used in it
    CHAIN_LINK = 0x428  # Start-up: writing links a segment to its predecessor in the chain.
    CHAIN_LINK_SEG = RegField(0, 16, 0x0)  # w: segment
    CHAIN_LINK_PREV = RegField(16, 16, 0x0)  # w: predecessor
    SEG_FREE = 0x42C  # Start-up: writing puts a segment on the free list.
    SEG_FREE_SEG = RegField(0, 16, 0x0)  # w: segment
    SEG_COUNT = 0x430  # Segments on the free list.
    SEG_COUNT_VALUE = RegField(0, 16, 0x0)  # r: segments
    SEG_LOW = 0x434  # IRQ seg_low is raised below this.
    SEG_LOW_VALUE = RegField(0, 16, 0x0)  # rw: segments
    SEG_LEAST = 0x438  # Smallest length of the free list of segments since this register was last written. Writing restarts it.
    SEG_LEAST_VALUE = RegField(0, 16, 0x0)  # rw: segments; FFFFh: never written
    MEMORY_ERROR = 0x440  # The first error that DRAM or NVRAM has answered to the controller since power-on. The controller has stopped: it begins no further access to a memory or to the host, and CSTS.CFS reads as 1 until power goes. Whoever waits for the access, or for a later one of that bus, waits for ever.
    MEMORY_ERROR_USER = RegField(0, 4, 0x0)  # r: whose access it was: the caches of the mapping, the list of a remap command, DMA_GO, a slot log, the journal, the remap table
    MEMORY_ERROR_NVRAM = RegField(4, 1, 0x0)  # r: 1: NVRAM, 0: DRAM
    MEMORY_ERROR_WRITE = RegField(5, 1, 0x0)  # r: 1: a write, 0: a read
    MEMORY_ERROR_RESPONSE = RegField(8, 2, 0x0)  # r: response of AXI: 2 SLVERR, 3 DECERR
    MEMORY_ERROR_VALID = RegField(31, 1, 0x0)  # r: 1: there was an error
    MEMORY_ERROR_AT = 0x444  # Where it was: the first byte of the burst, within the memory.
    MEMORY_ERROR_AT_VALUE = RegField(0, 32, 0x0)  # r: address
    NAND_GO = 0x480  # Writing starts an operation. `read` reads a slot into the buffer in NAND_BUFFER. `probe` reads its spare area only. `program` programs the flash page that begins with the slot, from that buffer and those behind it, with spare areas of zeroes. `erase` erases the slot's block. A buffer serves one operation at a time.
    NAND_GO_SLOT = RegField(0, 30, 0x0)  # w: slot
    NAND_GO_OP = RegField(30, 2, 0x0)  # w: operation
    NAND_STATUS = 0x484  # Outcome. One operation per die may be under way.
    NAND_STATUS_SLOT = RegField(0, 28, 0x0)  # r: slot of the result
    NAND_STATUS_STATUS = RegField(28, 2, 0x0)  # r: status
    NAND_STATUS_READY = RegField(30, 1, 0x0)  # r: 1: NAND_GO can be written
    NAND_STATUS_VALID = RegField(31, 1, 0x0)  # r: 1: a result is shown
    NAND_POP = 0x488  # Writing 1 drops the result that NAND_STATUS shows.
    NAND_POP_POP = RegField(0, 1, 0x0)  # w: pop
    NAND_AT = 0x48C  # The 16 bytes of the first buffer that NAND_DATA shows. Writing fetches them.
    NAND_AT_AT = RegField(0, 8, 0x0)  # w: offset in the slot, in 16 bytes
    NAND_AT_READY = RegField(31, 1, 0x0)  # r: 1: NAND_DATA shows them
    NAND_DATA = 0x490  # The 16 bytes of NAND_AT.
    NAND_DATA_COUNT = 4
    NAND_DATA_STRIDE = 4
    NAND_DATA_VALUE = RegField(0, 32, 0x0)  # r: dword
    NAND_OOB = 0x4A0  # Spare area of the result (OobRecord).
    NAND_OOB_COUNT = 8
    NAND_OOB_STRIDE = 4
    NAND_OOB_VALUE = RegField(0, 32, 0x0)  # r: dword
    NAND_BUFFER = 0x4C0  # Buffer of the next read or program (NAND_GO) or transfer (DMA_GO).
    NAND_BUFFER_INDEX = RegField(0, 16, 0x0)  # rw: buffer number, below CAP_BUFFERS
    COUNTER_SELECT = 0x500  # Counter that COUNTER_LO and COUNTER_HI show (see the list of counters).
    COUNTER_SELECT_INDEX = RegField(0, 6, 0x0)  # rw: index
    COUNTER_SELECT_CLEAR = RegField(31, 1, 0x0)  # w: 1: set all counters to zero
    COUNTER_LO = 0x504  # Counter, low half; reading latches the high half.
    COUNTER_LO_VALUE = RegField(0, 32, 0x0)  # r: bits 31:0
    COUNTER_HI = 0x508  # Counter, high half.
    COUNTER_HI_VALUE = RegField(0, 16, 0x0)  # r: bits 47:32


class RemapResult(IntEnum):
    OK = 0
    UNMAPPED = 1
    SHARER_LIMIT = 2
    NVRAM_FULL = 3
    ENGINE_ERROR = 4


class SbState(IntEnum):
    FREE = 0
    OPEN = 1
    CLOSED = 2
    BAD = 3


class MemoryUser(IntEnum):
    L2P = 0
    REFS = 1
    REMAP_LIST = 2
    FIRMWARE_DMA = 3
    SLOT_LOG = 4
    JOURNAL = 5
    REMAP_TABLE = 6


class FwNandOp(IntEnum):
    READ = 0
    PROBE = 1
    PROGRAM = 2
    ERASE = 3


class FwNandStatus(IntEnum):
    OK = 0
    FAILED = 1
    UNCORRECTABLE = 2
    ERASED = 3



class Bar0:
    """NVMe controller registers: BAR0, 16 KiB. 32-bit accesses; 64-bit registers are two of them.

    Registers are addresses; an array's is that of its first element.
    """

    CAP_LO = 0x000  # Controller Capabilities, low.
    CAP_LO_MQES = RegField(0, 16, 0x0)  # r: MQES, zero-based
    CAP_LO_CQR = RegField(16, 1, 0x1)  # r: CQR: queues must be contiguous
    CAP_LO_TO = RegField(24, 8, 0xFF)  # r: TO, in units of 500 ms: after a power cut a start may have to probe all of the flash
    CAP_HI = 0x004  # Controller Capabilities, high.
    CAP_HI_DSTRD = RegField(0, 4, 0x0)  # r: DSTRD
    CAP_HI_NSSRS = RegField(4, 1, 0x0)  # r: NSSRS
    CAP_HI_CSS = RegField(5, 8, 0x1)  # r: CSS: NVM command set
    CAP_HI_MPSMIN = RegField(16, 4, 0x0)  # r: MPSMIN: 4 KiB
    CAP_HI_MPSMAX = RegField(20, 4, 0x0)  # r: MPSMAX: 4 KiB
    VS = 0x008  # Version 1.4.0.
    VS_VALUE = RegField(0, 32, 0x10400)  # r: VS
    INTMS = 0x00C  # Interrupt Mask Set. For pin and MSI interrupts only; reads 0 with MSI-X.
    INTMS_VALUE = RegField(0, 32, 0x0)  # rw: IVMS
    INTMC = 0x010  # Interrupt Mask Clear.
    INTMC_VALUE = RegField(0, 32, 0x0)  # rw: IVMC
    CC = 0x014  # Controller Configuration.
    CC_EN = RegField(0, 1, 0x0)  # rw: EN
    CC_CSS = RegField(4, 3, 0x0)  # rw: CSS
    CC_MPS = RegField(7, 4, 0x0)  # rw: MPS
    CC_AMS = RegField(11, 3, 0x0)  # rw: AMS
    CC_SHN = RegField(14, 2, 0x0)  # rw: SHN
    CC_IOSQES = RegField(16, 4, 0x0)  # rw: IOSQES
    CC_IOCQES = RegField(20, 4, 0x0)  # rw: IOCQES
    CSTS = 0x01C  # Controller Status.
    CSTS_RDY = RegField(0, 1, 0x0)  # r: RDY
    CSTS_CFS = RegField(1, 1, 0x0)  # r: CFS
    CSTS_SHST = RegField(2, 2, 0x0)  # r: SHST
    AQA = 0x024  # Admin Queue Attributes.
    AQA_ASQS = RegField(0, 12, 0x0)  # rw: ASQS, zero-based
    AQA_ACQS = RegField(16, 12, 0x0)  # rw: ACQS, zero-based
    ASQ_LO = 0x028  # Admin Submission Queue base, low.
    ASQ_LO_VALUE = RegField(12, 20, 0x0)  # rw: bits 31:12
    ASQ_HI = 0x02C  # Admin Submission Queue base, high.
    ASQ_HI_VALUE = RegField(0, 32, 0x0)  # rw: bits 63:32
    ACQ_LO = 0x030  # Admin Completion Queue base, low.
    ACQ_LO_VALUE = RegField(12, 20, 0x0)  # rw: bits 31:12
    ACQ_HI = 0x034  # Admin Completion Queue base, high.
    ACQ_HI_VALUE = RegField(0, 32, 0x0)  # rw: bits 63:32
    DOORBELL = 0x1000  # Doorbells: submission queue tails (even) and completion queue heads (odd).
    DOORBELL_COUNT = 128
    DOORBELL_STRIDE = 4
    DOORBELL_VALUE = RegField(0, 16, 0x0)  # w: new tail or head



class Counter(IntEnum):
    """COUNTER_SELECT.index"""

    HOST_READ_PAGES = 0  # pages sent to the host
    HOST_WRITE_PAGES = 1  # pages received from the host
    HOST_TRIM_PAGES = 2  # pages deallocated
    REMAP_PAGES = 3  # targets linked
    NAND_PROGRAM_HOST = 4  # slots programmed with host data
    NAND_PROGRAM_GC = 5  # slots programmed by GC
    NAND_READ_HOST = 6  # slots read for the host
    NAND_READ_GC = 7  # slots read by GC
    NAND_READ_FW = 8  # slots probed or read by firmware
    NAND_ERASE = 9  # die blocks erased
    GC_VICTIMS = 10  # superblocks collected
    GC_MOVED_PAGES = 11  # slots moved by GC
    GC_MOVED_SHARED = 12  # moved slots that had more than one sharer
    GC_LOST_RACES = 13  # sharers that the host changed while GC moved their slot
    REMAP_ENTRIES = 14  # entries appended to the remap table
    SEGMENTS_FREED = 15  # segments returned to the free list
    BAD_ENTRIES = 16  # entries that failed their CRC on a walk
    CHAIN_COMPACTIONS = 17  # chains compacted
    STALE_DROPPED = 18  # stale entries that compactions left out
    MAP_LOOKUPS = 19  # L2P look-ups
    MAP_UPDATES = 20  # L2P updates
    STALL_WRITE_BUFFER = 21  # cycles without a free write buffer
    STALL_ALLOC = 22  # cycles without a free slot
    STALL_MAP_LOCK = 23  # cycles waiting for mapLock
    STALL_SHARE_LOCK = 24  # cycles waiting for shareLock
    STALL_FENCE = 25  # cycles waiting for host programs
    STALL_JOURNAL = 26  # cycles with a full journal ring
    HOST_READ_COMMANDS = 27  # Read commands that passed their checks
    HOST_WRITE_COMMANDS = 28  # Write commands that passed their checks
    READ_ERRORS = 29  # Read commands that ended with Unrecovered Read Error
    WRITE_ERRORS = 30  # Write and Flush commands that ended with Write Fault
    NAND_PROGRAM_PAD = 31  # padding: slots programmed without data, to complete a flash page of several slots
    NAND_PROGRAM_META = 32  # slots programmed with destaged chains, or by firmware
    CHAINS_DESTAGED = 33  # chains destaged
    ENTRIES_DESTAGED = 34  # entries written to flash by destaging
    L2P_HITS = 35  # accesses to L2P whose line was in the cache or being fetched
    L2P_MISSES = 36  # lines of L2P fetched from DRAM
    REMAP_SHARERS_2 = 37  # sources of remaps that got their second sharer
    REMAP_SHARERS_4 = 38  # sources of remaps that got their third or fourth sharer
    REMAP_SHARERS_8 = 39  # sources of remaps that got their fifth to eighth sharer
    REMAP_SHARERS_MORE = 40  # sources of remaps that got their ninth or a later sharer
    REMAPS_BY_HARDWARE = 41  # REMAP, REMAP VECTOR and Copy commands that took effect without firmware
    REMAPS_HANDED_OVER = 42  # REMAP, REMAP VECTOR and Copy commands that hardware began and handed to firmware
    COPY_REFUSED = 43  # Copy commands refused without firmware: what the command's own fields tell
    NAND_PROGRAM_FAILS = 44  # slots whose program failed
    HOST_SAVED_PAGES = 45  # host pages whose program failed and that were programmed again elsewhere
    NAND_READ_RETRIES = 46  # reads and probes repeated at another read-retry level
