// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/registers/openremap.rdl and counters.yaml. Do not edit: run python interfaces/generate.py
// format: off
package openremap

/** OpenRemap firmware window: AXI4-Lite, 32-bit, 64 KiB. */
object FwRegMap {
  /** Counters in order of COUNTER_SELECT.index; the names are those of CounterEvents. */
  val counters: Seq[String] = Seq(
    "hostReadPages",
    "hostWritePages",
    "hostTrimPages",
    "remapPages",
    "nandProgramHost",
    "nandProgramGc",
    "nandReadHost",
    "nandReadGc",
    "nandReadFw",
    "nandErase",
    "gcVictims",
    "gcMovedPages",
    "gcMovedShared",
    "gcLostRaces",
    "remapEntries",
    "segmentsFreed",
    "badEntries",
    "chainCompactions",
    "staleDropped",
    "mapLookups",
    "mapUpdates",
    "stallWriteBuffer",
    "stallAlloc",
    "stallMapLock",
    "stallShareLock",
    "stallFence",
    "stallJournal",
    "hostReadCommands",
    "hostWriteCommands",
    "readErrors",
    "writeErrors",
    "nandProgramPad",
    "nandProgramMeta",
    "chainsDestaged",
    "entriesDestaged",
    "l2pHits",
    "l2pMisses",
    "remapSharers2",
    "remapSharers4",
    "remapSharers8",
    "remapSharersMore",
    "remapsByHardware",
    "remapsHandedOver",
    "copyRefused",
    "nandProgramFails",
    "hostSavedPages",
    "nandReadRetries"
  )

  object RemapResultValue {
    val ok = 0
    val unmapped = 1
    val sharerLimit = 2
    val nvramFull = 3
    val engineError = 4
  }

  object SbStateValue {
    val free = 0
    val open = 1
    val closed = 2
    val bad = 3
  }

  object MemoryUserValue {
    val l2p = 0
    val refs = 1
    val remapList = 2
    val firmwareDma = 3
    val slotLog = 4
    val journal = 5
    val remapTable = 6
  }

  object FwNandOpValue {
    val read = 0
    val probe = 1
    val program = 2
    val erase = 3
  }

  object FwNandStatusValue {
    val ok = 0
    val failed = 1
    val uncorrectable = 2
    val erased = 3
  }

  /** Identification. */
  object Id {
    val reg = RegInfo("ID", 0x000, count = 1, stride = 4, reset = BigInt(1347244623L))
    /** r: ASCII ORMP, little endian */
    val magic = RegField(0, 32, reset = BigInt(1347244623L))
  }
  /** Version of this register map. Firmware refuses any other version. */
  object Version {
    val reg = RegInfo("VERSION", 0x004, count = 1, stride = 4, reset = BigInt(9L))
    /** r: 9 */
    val version = RegField(0, 32, reset = BigInt(9L))
  }
  /** Flash geometry. */
  object CapFlash {
    val reg = RegInfo("CAP_FLASH", 0x008, count = 1, stride = 4, reset = BigInt(0L))
    /** r: NAND channels */
    val channels = RegField(0, 8, reset = BigInt(0L))
    /** r: dies per channel */
    val diesPerChannel = RegField(8, 8, reset = BigInt(0L))
    /** r: flash pages per block */
    val pagesPerBlock = RegField(16, 16, reset = BigInt(0L))
  }
  /** Superblocks that the mapping can address. */
  object CapSuperblocks {
    val reg = RegInfo("CAP_SUPERBLOCKS", 0x00C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: number */
    val count = RegField(0, 32, reset = BigInt(0L))
  }
  /** Slots per superblock. */
  object CapSlotsPerSb {
    val reg = RegInfo("CAP_SLOTS_PER_SB", 0x010, count = 1, stride = 4, reset = BigInt(0L))
    /** r: number */
    val count = RegField(0, 32, reset = BigInt(0L))
  }
  /** LPNs that the L2P table has room for. */
  object CapLpns {
    val reg = RegInfo("CAP_LPNS", 0x014, count = 1, stride = 4, reset = BigInt(0L))
    /** r: number */
    val count = RegField(0, 32, reset = BigInt(0L))
  }
  /** Queues. */
  object CapQueues {
    val reg = RegInfo("CAP_QUEUES", 0x018, count = 1, stride = 4, reset = BigInt(0L))
    /** r: I/O queue pairs */
    val ioPairs = RegField(0, 16, reset = BigInt(0L))
    /** r: largest number of entries of a queue */
    val entries = RegField(16, 16, reset = BigInt(0L))
  }
  /** Remap table. */
  object CapSegments {
    val reg = RegInfo("CAP_SEGMENTS", 0x01C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: segments */
    val segments = RegField(0, 16, reset = BigInt(0L))
    /** r: largest number of segments of a chain */
    val perChain = RegField(16, 16, reset = BigInt(0L))
  }
  /** Limits. */
  object CapLimits {
    val reg = RegInfo("CAP_LIMITS", 0x020, count = 1, stride = 4, reset = BigInt(0L))
    /** r: largest number of sharers of a slot */
    val sharers = RegField(0, 8, reset = BigInt(0L))
    /** r: largest transfer, pages */
    val mdtsPages = RegField(8, 8, reset = BigInt(0L))
    /** r: records of the journal ring */
    val journalRecords = RegField(16, 16, reset = BigInt(0L))
  }
  /** Segments of the remap table: how many only GC may take, and their size. */
  object CapSegReserve {
    val reg = RegInfo("CAP_SEG_RESERVE", 0x024, count = 1, stride = 4, reset = BigInt(0L))
    /** r: segments */
    val count = RegField(0, 16, reset = BigInt(0L))
    /** r: bytes per segment */
    val segBytes = RegField(16, 16, reset = BigInt(0L))
  }
  /** Data placement. */
  object CapPlacement {
    val reg = RegInfo("CAP_PLACEMENT", 0x028, count = 1, stride = 4, reset = BigInt(0L))
    /** r: placement handles: host streams that the allocator keeps apart */
    val handles = RegField(0, 8, reset = BigInt(0L))
  }
  /** Destaging of chains to flash. */
  object CapDestage {
    val reg = RegInfo("CAP_DESTAGE", 0x02C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: largest number of flash slots of a destaged chain, a power of two; 0: no destaging */
    val slots = RegField(0, 8, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object DramL2p {
    val reg = RegInfo("DRAM_L2P", 0x030, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object DramRef {
    val reg = RegInfo("DRAM_REF", 0x034, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object DramFw {
    val reg = RegInfo("DRAM_FW", 0x038, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object DramBytes {
    val reg = RegInfo("DRAM_BYTES", 0x03C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvHeader {
    val reg = RegInfo("NV_HEADER", 0x040, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvCommit {
    val reg = RegInfo("NV_COMMIT", 0x044, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvCheckpoint {
    val reg = RegInfo("NV_CHECKPOINT", 0x048, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvCounters {
    val reg = RegInfo("NV_COUNTERS", 0x04C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvBlocks {
    val reg = RegInfo("NV_BLOCKS", 0x050, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvJournal {
    val reg = RegInfo("NV_JOURNAL", 0x054, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvBitmap {
    val reg = RegInfo("NV_BITMAP", 0x058, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvBitmapBytes {
    val reg = RegInfo("NV_BITMAP_BYTES", 0x05C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvSegments {
    val reg = RegInfo("NV_SEGMENTS", 0x060, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvBytes {
    val reg = RegInfo("NV_BYTES", 0x064, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** First LPN of destaged chains; they use all LPNs from here to CAP_LPNS. Slot k of set s (1 or 2) of superblock b is at CAP_DESTAGE_LPN + (2 b + s - 1) * CAP_DESTAGE.slots + k. Every namespace ends before this LPN. */
  object CapDestageLpn {
    val reg = RegInfo("CAP_DESTAGE_LPN", 0x068, count = 1, stride = 4, reset = BigInt(0L))
    /** r: LPN */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** What one Copy command may name (Identify Namespace MSRC; MSSRL and MCL). */
  object CapCopy {
    val reg = RegInfo("CAP_COPY", 0x06C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: source ranges */
    val ranges = RegField(0, 16, reset = BigInt(0L))
    /** r: pages, of one range and in all */
    val pages = RegField(16, 16, reset = BigInt(0L))
  }
  /** Page buffers of firmware (NAND_BUFFER). */
  object CapBuffers {
    val reg = RegInfo("CAP_BUFFERS", 0x070, count = 1, stride = 4, reset = BigInt(0L))
    /** r: buffers of one slot each; a multiple of the slots of a flash page */
    val count = RegField(0, 16, reset = BigInt(0L))
  }
  /** Summaries of full superblocks (SlotRecord, SummaryTrailer). */
  object CapSummary {
    val reg = RegInfo("CAP_SUMMARY", 0x074, count = 1, stride = 4, reset = BigInt(0L))
    /** r: last slots of a superblock, whole flash pages, which the allocator never hands out: firmware programs the summary there; 0: no summaries */
    val slots = RegField(0, 16, reset = BigInt(0L))
    /** r: slot logs: number of superblocks that can be logged at a time */
    val logs = RegField(16, 8, reset = BigInt(0L))
  }
  /** Slot logs in DRAM. Log n begins at DRAM_LOG + n * CAP_SUMMARY.slots * 4096 and has 16 bytes for each slot offset. */
  object DramLog {
    val reg = RegInfo("DRAM_LOG", 0x078, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Byte address or size in DRAM or NVRAM. */
  object NvTrimPointers {
    val reg = RegInfo("NV_TRIM_POINTERS", 0x07C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bytes */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Interrupt sources. A bit is a level or, where `woclr`, an event that stays until 1 is written. */
  object IrqStatus {
    val reg = RegInfo("IRQ_STATUS", 0x080, count = 1, stride = 4, reset = BigInt(0L))
    /** r: level: a command waits in the mailbox */
    val cmdAvail = RegField(0, 1, reset = BigInt(0L))
    /** rw1c: CC was written */
    val ccChanged = RegField(1, 1, reset = BigInt(0L))
    /** rw1c: DMA_STATUS has a new outcome */
    val dmaDone = RegField(2, 1, reset = BigInt(0L))
    /** rw1c: REMAP_STATUS has a new outcome */
    val remapDone = RegField(3, 1, reset = BigInt(0L))
    /** rw1c: GC_STATUS or GC_QUEUE has changed: an outcome waits, or another collection may be started */
    val gcDone = RegField(4, 1, reset = BigInt(0L))
    /** r: level: NAND_STATUS holds a result */
    val nandDone = RegField(5, 1, reset = BigInt(0L))
    /** r: level: free superblocks below FREE_LOW */
    val freeLow = RegField(6, 1, reset = BigInt(0L))
    /** r: level: the journal holds more than JOURNAL_HIGH records */
    val journalHigh = RegField(7, 1, reset = BigInt(0L))
    /** rw1c: a value that its queue does not allow was written to a doorbell */
    val badDoorbell = RegField(8, 1, reset = BigInt(0L))
    /** rw1c: host memory refused a queue access: controller fatal */
    val hostError = RegField(9, 1, reset = BigInt(0L))
    /** rw1c: the fence has ended */
    val fenceDone = RegField(10, 1, reset = BigInt(0L))
    /** rw1c: the doorbell of a queue that does not exist was written */
    val absentDoorbell = RegField(11, 1, reset = BigInt(0L))
    /** rw1c: a Copy that hardware carried out left fewer free segments than SEG_LOW */
    val segLow = RegField(12, 1, reset = BigInt(0L))
    /** rw1c: a program failed: SB_STATE.failed says in which superblocks */
    val programFailed = RegField(13, 1, reset = BigInt(0L))
    /** rw1c: a marginal read, near the ECC limit or after a read retry: SB_STATE.weak says in which superblocks */
    val weakRead = RegField(14, 1, reset = BigInt(0L))
    /** r: level: LOG_STATUS shows a log */
    val logDue = RegField(15, 1, reset = BigInt(0L))
    /** r: level: MEMORY_ERROR shows an error */
    val memoryError = RegField(16, 1, reset = BigInt(0L))
  }
  /** Which bits of IRQ_STATUS raise the firmware interrupt. */
  object IrqEnable {
    val reg = RegInfo("IRQ_ENABLE", 0x084, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: mask */
    val mask = RegField(0, 17, reset = BigInt(0L))
  }
  /** Controller Configuration as the host wrote it, except that EN reads 0 while an enabling is held back: after a disabling or a function reset, until firmware has read this register and NVME_CSTS.rdy is 0. */
  object NvmeCc {
    val reg = RegInfo("NVME_CC", 0x100, count = 1, stride = 4, reset = BigInt(0L))
    /** r: CC */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Controller Status as the host will read it. */
  object NvmeCsts {
    val reg = RegInfo("NVME_CSTS", 0x104, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: CSTS.RDY. The host reads 1 only while CC.EN is 1, or until firmware clears this bit. It reads 0 here, in cfs and in shst after a function reset, and for an enabling that it took back before rdy was 1, until all three have been 0 */
    val rdy = RegField(0, 1, reset = BigInt(0L))
    /** rw: CSTS.CFS */
    val cfs = RegField(1, 1, reset = BigInt(0L))
    /** rw: CSTS.SHST */
    val shst = RegField(2, 2, reset = BigInt(0L))
    /** rw: 1: start-up failed. CSTS.CFS then reads as 1, even after a function reset, as it does with MEMORY_ERROR.valid */
    val dead = RegField(4, 1, reset = BigInt(0L))
  }
  /** Logical pages of the namespace; the router checks LBAs against it. */
  object NvmeNsze {
    val reg = RegInfo("NVME_NSZE", 0x108, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: NSZE */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Namespace state. */
  object NvmeState {
    val reg = RegInfo("NVME_STATE", 0x10C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: 0: I/O commands end with Namespace Not Ready */
    val nsReady = RegField(0, 1, reset = BigInt(0L))
    /** rw: 1: while ns_ready is 0 they end with Format in Progress instead */
    val formatting = RegField(1, 1, reset = BigInt(0L))
    /** rw: 1: Write, Write Zeroes, Copy and Dataset Management end with Namespace is Write Protected */
    val writeProtected = RegField(2, 1, reset = BigInt(0L))
    /** r: 1: no I/O command is inside the controller, no completion waits, no fetch is under way */
    val ioQuiet = RegField(8, 1, reset = BigInt(0L))
  }
  /** Queue to define or delete. */
  object QueueId {
    val reg = RegInfo("QUEUE_ID", 0x110, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: queue number */
    val qid = RegField(0, 8, reset = BigInt(0L))
    /** rw: SQ: the completion queue that it completes into */
    val cqid = RegField(8, 8, reset = BigInt(0L))
    /** rw: CQ: MSI-X vector */
    val vector = RegField(16, 8, reset = BigInt(0L))
    /** rw: CQ: interrupts enabled */
    val ien = RegField(24, 1, reset = BigInt(0L))
  }
  /** Host address, low half. */
  object QueueBaseLo {
    val reg = RegInfo("QUEUE_BASE_LO", 0x114, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 31:0 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Host address, high half. */
  object QueueBaseHi {
    val reg = RegInfo("QUEUE_BASE_HI", 0x118, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 63:32 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Entries of the queue. */
  object QueueEntries {
    val reg = RegInfo("QUEUE_ENTRIES", 0x11C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: number, not zero-based */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** Writing acts. */
  object QueueGo {
    val reg = RegInfo("QUEUE_GO", 0x120, count = 1, stride = 4, reset = BigInt(0L))
    /** w: 1: define (enable=1) or stop (enable=0) the submission queue. A stopped queue is not fetched from; commands inside still complete */
    val sq = RegField(0, 1, reset = BigInt(0L))
    /** w: 1: define or delete the completion queue */
    val cq = RegField(1, 1, reset = BigInt(0L))
    /** w: 1: define, 0: delete */
    val enable = RegField(2, 1, reset = BigInt(0L))
  }
  /** Commands of the submission queue in QUEUE_ID that are inside the controller: fetched, and neither completed nor dropped. Define a queue only while this is 0. */
  object QueueInside {
    val reg = RegInfo("QUEUE_INSIDE", 0x124, count = 1, stride = 4, reset = BigInt(0L))
    /** r: commands */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** Admin commands that firmware holds until an event (Asynchronous Event Request). They reserve no entry of the admin completion queue. All other commands do, so their completions never wait. */
  object AdminHeld {
    val reg = RegInfo("ADMIN_HELD", 0x128, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: commands, at most QUEUE_INSIDE of queue 0 */
    val count = RegField(0, 8, reset = BigInt(0L))
    /** r: 1: the admin completion queue has a free entry for each admin command inside that is not held */
    val room = RegField(31, 1, reset = BigInt(0L))
  }
  /** Interrupt coalescing of the I/O completion queues (Set Features 08h). 0 in either field: no coalescing. A write raises all interrupts that wait. */
  object IntCoalescing {
    val reg = RegInfo("INT_COALESCING", 0x12C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: completion entries, 0's based */
    val threshold = RegField(0, 8, reset = BigInt(0L))
    /** rw: units of 100 us */
    val time = RegField(8, 8, reset = BigInt(0L))
  }
  /** Writing sets whether a vector is coalesced (Set Features 09h). */
  object IntVector {
    val reg = RegInfo("INT_VECTOR", 0x130, count = 1, stride = 4, reset = BigInt(0L))
    /** w: MSI-X vector */
    val vector = RegField(0, 8, reset = BigInt(0L))
    /** w: 1: not coalesced */
    val direct = RegField(8, 1, reset = BigInt(0L))
  }
  /** Head of the command FIFO. */
  object MboxStatus {
    val reg = RegInfo("MBOX_STATUS", 0x200, count = 1, stride = 4, reset = BigInt(0L))
    /** r: submission queue it came from */
    val qid = RegField(0, 8, reset = BigInt(0L))
    /** r: 1: a command waits */
    val valid = RegField(31, 1, reset = BigInt(0L))
  }
  /** Writing 1 drops the head of the command FIFO. */
  object MboxPop {
    val reg = RegInfo("MBOX_POP", 0x204, count = 1, stride = 4, reset = BigInt(0L))
    /** w: pop */
    val pop = RegField(0, 1, reset = BigInt(0L))
  }
  /** Command completion: DW0. */
  object CplDw0 {
    val reg = RegInfo("CPL_DW0", 0x208, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: DW0 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Command completion: writing posts it. */
  object CplPost {
    val reg = RegInfo("CPL_POST", 0x20C, count = 1, stride = 4, reset = BigInt(0L))
    /** w: command identifier */
    val cid = RegField(0, 16, reset = BigInt(0L))
    /** w: CQE status field: {DNR, M, CRD, SCT, SC} */
    val status = RegField(16, 15, reset = BigInt(0L))
  }
  /** Command completion: destination. */
  object CplQueue {
    val reg = RegInfo("CPL_QUEUE", 0x210, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: submission queue of the command */
    val qid = RegField(0, 8, reset = BigInt(0L))
    /** r: 1: CPL_POST can be written */
    val ready = RegField(31, 1, reset = BigInt(0L))
  }
  /** Dwords of the command at the head of the FIFO. */
  object MboxSqe {
    val reg = RegInfo("MBOX_SQE", 0x240, count = 16, stride = 4, reset = BigInt(0L))
    /** r: dword */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** PRP entry 1, low. */
  object DmaPrp1Lo {
    val reg = RegInfo("DMA_PRP1_LO", 0x300, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 31:0 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** PRP entry 1, high. */
  object DmaPrp1Hi {
    val reg = RegInfo("DMA_PRP1_HI", 0x304, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 63:32 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** PRP entry 2, low. */
  object DmaPrp2Lo {
    val reg = RegInfo("DMA_PRP2_LO", 0x308, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 31:0 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** PRP entry 2, high. */
  object DmaPrp2Hi {
    val reg = RegInfo("DMA_PRP2_HI", 0x30C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 63:32 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** DRAM address. */
  object DmaDram {
    val reg = RegInfo("DMA_DRAM", 0x310, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: multiple of 16 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Writing starts the operation. */
  object DmaGo {
    val reg = RegInfo("DMA_GO", 0x314, count = 1, stride = 4, reset = BigInt(0L))
    /** w: bytes, at most the MDTS; a multiple of 4 to the host, of 16 from the host */
    val bytes = RegField(0, 24, reset = BigInt(0L))
    /** w: 1: the peer is the page buffer in NAND_BUFFER instead of the host; 4096 bytes */
    val buffer = RegField(30, 1, reset = BigInt(0L))
    /** w: 1: from DRAM to the host or buffer; 0: the other way */
    val toHost = RegField(31, 1, reset = BigInt(0L))
  }
  /** Outcome. */
  object DmaStatus {
    val reg = RegInfo("DMA_STATUS", 0x318, count = 1, stride = 4, reset = BigInt(0L))
    /** r: NVMe status; 0: good */
    val status = RegField(0, 15, reset = BigInt(0L))
    /** r: 1: under way */
    val busy = RegField(31, 1, reset = BigInt(0L))
  }
  /** DRAM address of the range list. */
  object RemapList {
    val reg = RegInfo("REMAP_LIST", 0x340, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: multiple of 32 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Writing starts the operation. */
  object RemapGo {
    val reg = RegInfo("REMAP_GO", 0x344, count = 1, stride = 4, reset = BigInt(0L))
    /** w: ranges */
    val ranges = RegField(0, 16, reset = BigInt(0L))
    /** w: 1: MOVE, sources become unmapped */
    val move = RegField(16, 1, reset = BigInt(0L))
    /** w: 1: Copy, an unmapped source unmaps its target */
    val copy = RegField(17, 1, reset = BigInt(0L))
  }
  /** Outcome. */
  object RemapStatus {
    val reg = RegInfo("REMAP_STATUS", 0x348, count = 1, stride = 4, reset = BigInt(0L))
    /** r: result */
    val result = RegField(0, 4, reset = BigInt(0L))
    /** r: range that failed */
    val range = RegField(8, 16, reset = BigInt(0L))
    /** r: 1: under way */
    val busy = RegField(31, 1, reset = BigInt(0L))
  }
  /** LPNs whose mapping the last command changed. */
  object RemapPages {
    val reg = RegInfo("REMAP_PAGES", 0x34C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: pages */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Every mapping event of a remap command or Copy with a smaller sequence number than this one has taken effect. It is the number of the next event; while the remap engine is busy, the number that was next when its command began. Low half; reading latches the high half. */
  object RemapSeqLo {
    val reg = RegInfo("REMAP_SEQ_LO", 0x350, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bits 31:0 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** High half of REMAP_SEQ_LO. */
  object RemapSeqHi {
    val reg = RegInfo("REMAP_SEQ_HI", 0x354, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bits 47:32 */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** Writing starts the collection of a superblock, or the compaction or destaging of its chain in the remap table. */
  object GcGo {
    val reg = RegInfo("GC_GO", 0x380, count = 1, stride = 4, reset = BigInt(0L))
    /** w: superblock */
    val sb = RegField(0, 16, reset = BigInt(0L))
    /** w: 1: compact its chain, the data stays where it is */
    val chain = RegField(16, 1, reset = BigInt(0L))
    /** w: with chain: destage it, its live entries go to flash */
    val destage = RegField(17, 1, reset = BigInt(0L))
    /** w: without chain: after its erase the superblock is bad and does not go to the free list */
    val retire = RegField(18, 1, reset = BigInt(0L))
  }
  /** The oldest outcome that GC_POP has not dropped. Outcomes come in the order of the starts. */
  object GcStatus {
    val reg = RegInfo("GC_STATUS", 0x384, count = 1, stride = 4, reset = BigInt(0L))
    /** r: slots moved */
    val moved = RegField(0, 16, reset = BigInt(0L))
    /** r: 1: stopped for lack of free remap table segments; slots moved so far stay moved, a chain is unchanged */
    val full = RegField(28, 1, reset = BigInt(0L))
    /** r: 1: nothing happened: the victim was neither closed nor bad, or the chain has nothing to give back */
    val refused = RegField(29, 1, reset = BigInt(0L))
    /** r: 0: the victim stays: full, refused, or a read, program or erase failed */
    val ok = RegField(30, 1, reset = BigInt(0L))
    /** r: 1: an outcome is shown */
    val valid = RegField(31, 1, reset = BigInt(0L))
  }
  /** Further figures of the outcome. */
  object GcDetail {
    val reg = RegInfo("GC_DETAIL", 0x388, count = 1, stride = 4, reset = BigInt(0L))
    /** r: moved slots that had several sharers */
    val shared = RegField(0, 16, reset = BigInt(0L))
    /** r: remap table segments that a compaction or destaging gave back */
    val segments = RegField(16, 16, reset = BigInt(0L))
  }
  /** The superblock whose outcome GC_STATUS shows. */
  object GcQueue {
    val reg = RegInfo("GC_QUEUE", 0x38C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: superblock */
    val sb = RegField(0, 16, reset = BigInt(0L))
    /** r: 1: outcome of a compaction or destaging */
    val chain = RegField(16, 1, reset = BigInt(0L))
    /** r: 1: GC_GO may be written: fewer than two outcomes are due, and the last start has finished moving */
    val room = RegField(31, 1, reset = BigInt(0L))
  }
  /** Superblock that the SB_* registers show or set. */
  object SbSelect {
    val reg = RegInfo("SB_SELECT", 0x390, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: superblock */
    val sb = RegField(0, 16, reset = BigInt(0L))
  }
  /** State of the selected superblock; writing sets it together with SB_GEN (start-up only). */
  object SbState {
    val reg = RegInfo("SB_STATE", 0x394, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: VALID: slots with at least one sharer */
    val valid = RegField(0, 16, reset = BigInt(0L))
    /** rw: state */
    val state = RegField(16, 2, reset = BigInt(0L))
    /** r: 1: a program in it has failed since its erase, or since this register was written */
    val failed = RegField(18, 1, reset = BigInt(0L))
    /** r: 1: marginal: since its erase, or since this register was written, a read of it was near the ECC limit or needed a read retry */
    val weak = RegField(19, 1, reset = BigInt(0L))
  }
  /** Generation of the selected superblock. Written before SB_STATE. */
  object SbGen {
    val reg = RegInfo("SB_GEN", 0x398, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: generation */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Chain of the selected superblock in the remap table. */
  object SbChain {
    val reg = RegInfo("SB_CHAIN", 0x39C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: segments */
    val segments = RegField(0, 16, reset = BigInt(0L))
    /** rw: epoch: compactions since the erase. Written before SB_STATE (start-up only) */
    val epoch = RegField(16, 16, reset = BigInt(0L))
  }
  /** Start-up, and while nothing is written: writing puts a superblock on the free list. */
  object AllocFree {
    val reg = RegInfo("ALLOC_FREE", 0x3A0, count = 1, stride = 4, reset = BigInt(0L))
    /** w: superblock */
    val sb = RegField(0, 16, reset = BigInt(0L))
    /** w: 1: no superblock; the list becomes empty */
    val clear = RegField(31, 1, reset = BigInt(0L))
  }
  /** Start-up: writing makes a stream go on in a half-filled superblock. */
  object AllocRestore {
    val reg = RegInfo("ALLOC_RESTORE", 0x3A4, count = 1, stride = 4, reset = BigInt(0L))
    /** w: superblock */
    val sb = RegField(0, 13, reset = BigInt(0L))
    /** w: next slot offset */
    val next = RegField(13, 15, reset = BigInt(0L))
    /** w: stream, as in OobRecord */
    val stream = RegField(28, 4, reset = BigInt(0L))
  }
  /** Free superblocks that the host streams leave to GC. */
  object AllocReserve {
    val reg = RegInfo("ALLOC_RESERVE", 0x3A8, count = 1, stride = 4, reset = BigInt(2L))
    /** rw: superblocks */
    val value = RegField(0, 16, reset = BigInt(2L))
  }
  /** Superblocks on the free list. */
  object AllocCount {
    val reg = RegInfo("ALLOC_COUNT", 0x3AC, count = 1, stride = 4, reset = BigInt(0L))
    /** r: superblocks */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** IRQ free_low is raised below this. */
  object FreeLow {
    val reg = RegInfo("FREE_LOW", 0x3B0, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: superblocks */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** Placement handles that Write commands may name. A command that names another handle, or none, uses handle 0. */
  object AllocHandles {
    val reg = RegInfo("ALLOC_HANDLES", 0x3B4, count = 1, stride = 4, reset = BigInt(1L))
    /** rw: handles, 1 to CAP_PLACEMENT.handles */
    val count = RegField(0, 8, reset = BigInt(1L))
  }
  /** Stream that ALLOC_OPEN shows. */
  object AllocStream {
    val reg = RegInfo("ALLOC_STREAM", 0x3B8, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: stream, as in OobRecord */
    val stream = RegField(0, 4, reset = BigInt(0L))
  }
  /** Superblock that the selected stream fills. */
  object AllocOpen {
    val reg = RegInfo("ALLOC_OPEN", 0x3BC, count = 1, stride = 4, reset = BigInt(0L))
    /** r: superblock */
    val sb = RegField(0, 13, reset = BigInt(0L))
    /** r: next slot offset */
    val next = RegField(13, 15, reset = BigInt(0L))
    /** r: 1: no more slots are handed out; the host's next write closes it */
    val full = RegField(30, 1, reset = BigInt(0L))
    /** r: 0: the stream has no open superblock */
    val open = RegField(31, 1, reset = BigInt(0L))
  }
  /** Writing ends the filling of the superblock that the stream of a placement handle has open, if any. */
  object AllocClose {
    val reg = RegInfo("ALLOC_CLOSE", 0x3C0, count = 1, stride = 4, reset = BigInt(0L))
    /** w: placement handle */
    val handle = RegField(0, 3, reset = BigInt(0L))
  }
  /** Writing 1 drops the outcome that GC_STATUS shows. */
  object GcPop {
    val reg = RegInfo("GC_POP", 0x3C4, count = 1, stride = 4, reset = BigInt(0L))
    /** w: pop */
    val pop = RegField(0, 1, reset = BigInt(0L))
  }
  /** Destaged part of the selected superblock's chain. Writing sets it (start-up only, after the chain was loaded). */
  object SbDestaged {
    val reg = RegInfo("SB_DESTAGED", 0x3C8, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: set of slots, as in BlockRecord; 0: no part of the chain is destaged */
    val set = RegField(0, 2, reset = BigInt(0L))
    /** rw: slots in use */
    val slots = RegField(8, 8, reset = BigInt(0L))
    /** rw: segments that its entries would fill; these count toward the length of the chain */
    val segments = RegField(16, 16, reset = BigInt(0L))
  }
  /** A complete slot log. Its superblock was closed when all slots but the last CAP_SUMMARY.slots had been handed out, all programs in it have landed, none has failed, and DRAM has all records. It is shown until it is released. Of several, the one with the lowest number is shown. */
  object LogStatus {
    val reg = RegInfo("LOG_STATUS", 0x3CC, count = 1, stride = 4, reset = BigInt(0L))
    /** r: superblock */
    val sb = RegField(0, 16, reset = BigInt(0L))
    /** r: number of the log */
    val log = RegField(16, 4, reset = BigInt(0L))
    /** r: stream of the superblock's last slot, as in OobRecord */
    val stream = RegField(20, 8, reset = BigInt(0L))
    /** r: 1: an outcome is shown */
    val valid = RegField(31, 1, reset = BigInt(0L))
  }
  /** Writing releases a log that LOG_STATUS has shown, for use by another superblock. */
  object LogRelease {
    val reg = RegInfo("LOG_RELEASE", 0x3D0, count = 1, stride = 4, reset = BigInt(0L))
    /** w: number of the log */
    val log = RegField(0, 4, reset = BigInt(0L))
  }
  /** Sequence counter, low half; reading latches the high half. Writing: held until SEQ_HI is written. */
  object SeqLo {
    val reg = RegInfo("SEQ_LO", 0x400, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 31:0 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Sequence counter, high half. Writing loads both. */
  object SeqHi {
    val reg = RegInfo("SEQ_HI", 0x404, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 47:32 */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** Journal ring. */
  object JournalState {
    val reg = RegInfo("JOURNAL_STATE", 0x408, count = 1, stride = 4, reset = BigInt(0L))
    /** r: index of the next record */
    val head = RegField(0, 16, reset = BigInt(0L))
    /** r: records in use */
    val used = RegField(16, 16, reset = BigInt(0L))
  }
  /** Records before this index are covered by the checkpoint and may be overwritten. */
  object JournalTail {
    val reg = RegInfo("JOURNAL_TAIL", 0x40C, count = 1, stride = 4, reset = BigInt(0L))
    /** w: index */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** Start-up: writing makes the ring empty; it continues at this index. */
  object JournalLoad {
    val reg = RegInfo("JOURNAL_LOAD", 0x410, count = 1, stride = 4, reset = BigInt(0L))
    /** w: index */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** IRQ journal_high is raised above this. */
  object JournalHigh {
    val reg = RegInfo("JOURNAL_HIGH", 0x414, count = 1, stride = 4, reset = BigInt(65535L))
    /** rw: records */
    val value = RegField(0, 16, reset = BigInt(65535L))
  }
  /** Writing starts a fence. Interrupt fence_done comes when all host programs issued before are durable. */
  object Fence {
    val reg = RegInfo("FENCE", 0x418, count = 1, stride = 4, reset = BigInt(0L))
    /** w: go */
    val go = RegField(0, 1, reset = BigInt(0L))
    /** r: 1: under way */
    val busy = RegField(31, 1, reset = BigInt(0L))
  }
  /** Start-up: chain to load; CHAIN_GO loads it. */
  object ChainSb {
    val reg = RegInfo("CHAIN_SB", 0x420, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: superblock */
    val sb = RegField(0, 16, reset = BigInt(0L))
    /** rw: segments in the chain */
    val count = RegField(16, 16, reset = BigInt(0L))
  }
  /** Start-up: writing loads the chain named in CHAIN_SB. */
  object ChainGo {
    val reg = RegInfo("CHAIN_GO", 0x424, count = 1, stride = 4, reset = BigInt(0L))
    /** w: newest segment */
    val tail = RegField(0, 16, reset = BigInt(0L))
    /** w: entries used in it */
    val fill = RegField(16, 16, reset = BigInt(0L))
  }
  /** Start-up: writing links a segment to its predecessor in the chain. */
  object ChainLink {
    val reg = RegInfo("CHAIN_LINK", 0x428, count = 1, stride = 4, reset = BigInt(0L))
    /** w: segment */
    val seg = RegField(0, 16, reset = BigInt(0L))
    /** w: predecessor */
    val prev = RegField(16, 16, reset = BigInt(0L))
  }
  /** Start-up: writing puts a segment on the free list. */
  object SegFree {
    val reg = RegInfo("SEG_FREE", 0x42C, count = 1, stride = 4, reset = BigInt(0L))
    /** w: segment */
    val seg = RegField(0, 16, reset = BigInt(0L))
  }
  /** Segments on the free list. */
  object SegCount {
    val reg = RegInfo("SEG_COUNT", 0x430, count = 1, stride = 4, reset = BigInt(0L))
    /** r: segments */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** IRQ seg_low is raised below this. */
  object SegLow {
    val reg = RegInfo("SEG_LOW", 0x434, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: segments */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** Smallest length of the free list of segments since this register was last written. Writing restarts it. */
  object SegLeast {
    val reg = RegInfo("SEG_LEAST", 0x438, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: segments; FFFFh: never written */
    val value = RegField(0, 16, reset = BigInt(0L))
  }
  /** The first error that DRAM or NVRAM has answered to the controller since power-on. The controller has stopped: it begins no further access to a memory or to the host, and CSTS.CFS reads as 1 until power goes. Whoever waits for the access, or for a later one of that bus, waits for ever. */
  object MemoryError {
    val reg = RegInfo("MEMORY_ERROR", 0x440, count = 1, stride = 4, reset = BigInt(0L))
    /** r: whose access it was: the caches of the mapping, the list of a remap command, DMA_GO, a slot log, the journal, the remap table */
    val user = RegField(0, 4, reset = BigInt(0L))
    /** r: 1: NVRAM, 0: DRAM */
    val nvram = RegField(4, 1, reset = BigInt(0L))
    /** r: 1: a write, 0: a read */
    val write = RegField(5, 1, reset = BigInt(0L))
    /** r: response of AXI: 2 SLVERR, 3 DECERR */
    val response = RegField(8, 2, reset = BigInt(0L))
    /** r: 1: there was an error */
    val valid = RegField(31, 1, reset = BigInt(0L))
  }
  /** Where it was: the first byte of the burst, within the memory. */
  object MemoryErrorAt {
    val reg = RegInfo("MEMORY_ERROR_AT", 0x444, count = 1, stride = 4, reset = BigInt(0L))
    /** r: address */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Writing starts an operation. `read` reads a slot into the buffer in NAND_BUFFER. `probe` reads its spare area only. `program` programs the flash page that begins with the slot, from that buffer and those behind it, with spare areas of zeroes. `erase` erases the slot's block. A buffer serves one operation at a time. */
  object NandGo {
    val reg = RegInfo("NAND_GO", 0x480, count = 1, stride = 4, reset = BigInt(0L))
    /** w: slot */
    val slot = RegField(0, 30, reset = BigInt(0L))
    /** w: operation */
    val op = RegField(30, 2, reset = BigInt(0L))
  }
  /** Outcome. One operation per die may be under way. */
  object NandStatus {
    val reg = RegInfo("NAND_STATUS", 0x484, count = 1, stride = 4, reset = BigInt(0L))
    /** r: slot of the result */
    val slot = RegField(0, 28, reset = BigInt(0L))
    /** r: status */
    val status = RegField(28, 2, reset = BigInt(0L))
    /** r: 1: NAND_GO can be written */
    val ready = RegField(30, 1, reset = BigInt(0L))
    /** r: 1: a result is shown */
    val valid = RegField(31, 1, reset = BigInt(0L))
  }
  /** Writing 1 drops the result that NAND_STATUS shows. */
  object NandPop {
    val reg = RegInfo("NAND_POP", 0x488, count = 1, stride = 4, reset = BigInt(0L))
    /** w: pop */
    val pop = RegField(0, 1, reset = BigInt(0L))
  }
  /** The 16 bytes of the first buffer that NAND_DATA shows. Writing fetches them. */
  object NandAt {
    val reg = RegInfo("NAND_AT", 0x48C, count = 1, stride = 4, reset = BigInt(0L))
    /** w: offset in the slot, in 16 bytes */
    val at = RegField(0, 8, reset = BigInt(0L))
    /** r: 1: NAND_DATA shows them */
    val ready = RegField(31, 1, reset = BigInt(0L))
  }
  /** The 16 bytes of NAND_AT. */
  object NandData {
    val reg = RegInfo("NAND_DATA", 0x490, count = 4, stride = 4, reset = BigInt(0L))
    /** r: dword */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Spare area of the result (OobRecord). */
  object NandOob {
    val reg = RegInfo("NAND_OOB", 0x4A0, count = 8, stride = 4, reset = BigInt(0L))
    /** r: dword */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Buffer of the next read or program (NAND_GO) or transfer (DMA_GO). */
  object NandBuffer {
    val reg = RegInfo("NAND_BUFFER", 0x4C0, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: buffer number, below CAP_BUFFERS */
    val index = RegField(0, 16, reset = BigInt(0L))
  }
  /** Counter that COUNTER_LO and COUNTER_HI show (see the list of counters). */
  object CounterSelect {
    val reg = RegInfo("COUNTER_SELECT", 0x500, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: index */
    val index = RegField(0, 6, reset = BigInt(0L))
    /** w: 1: set all counters to zero */
    val clear = RegField(31, 1, reset = BigInt(0L))
  }
  /** Counter, low half; reading latches the high half. */
  object CounterLo {
    val reg = RegInfo("COUNTER_LO", 0x504, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bits 31:0 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Counter, high half. */
  object CounterHi {
    val reg = RegInfo("COUNTER_HI", 0x508, count = 1, stride = 4, reset = BigInt(0L))
    /** r: bits 47:32 */
    val value = RegField(0, 16, reset = BigInt(0L))
  }

  val all: Seq[RegInfo] = Seq(
    Id.reg,
    Version.reg,
    CapFlash.reg,
    CapSuperblocks.reg,
    CapSlotsPerSb.reg,
    CapLpns.reg,
    CapQueues.reg,
    CapSegments.reg,
    CapLimits.reg,
    CapSegReserve.reg,
    CapPlacement.reg,
    CapDestage.reg,
    DramL2p.reg,
    DramRef.reg,
    DramFw.reg,
    DramBytes.reg,
    NvHeader.reg,
    NvCommit.reg,
    NvCheckpoint.reg,
    NvCounters.reg,
    NvBlocks.reg,
    NvJournal.reg,
    NvBitmap.reg,
    NvBitmapBytes.reg,
    NvSegments.reg,
    NvBytes.reg,
    CapDestageLpn.reg,
    CapCopy.reg,
    CapBuffers.reg,
    CapSummary.reg,
    DramLog.reg,
    NvTrimPointers.reg,
    IrqStatus.reg,
    IrqEnable.reg,
    NvmeCc.reg,
    NvmeCsts.reg,
    NvmeNsze.reg,
    NvmeState.reg,
    QueueId.reg,
    QueueBaseLo.reg,
    QueueBaseHi.reg,
    QueueEntries.reg,
    QueueGo.reg,
    QueueInside.reg,
    AdminHeld.reg,
    IntCoalescing.reg,
    IntVector.reg,
    MboxStatus.reg,
    MboxPop.reg,
    CplDw0.reg,
    CplPost.reg,
    CplQueue.reg,
    MboxSqe.reg,
    DmaPrp1Lo.reg,
    DmaPrp1Hi.reg,
    DmaPrp2Lo.reg,
    DmaPrp2Hi.reg,
    DmaDram.reg,
    DmaGo.reg,
    DmaStatus.reg,
    RemapList.reg,
    RemapGo.reg,
    RemapStatus.reg,
    RemapPages.reg,
    RemapSeqLo.reg,
    RemapSeqHi.reg,
    GcGo.reg,
    GcStatus.reg,
    GcDetail.reg,
    GcQueue.reg,
    SbSelect.reg,
    SbState.reg,
    SbGen.reg,
    SbChain.reg,
    AllocFree.reg,
    AllocRestore.reg,
    AllocReserve.reg,
    AllocCount.reg,
    FreeLow.reg,
    AllocHandles.reg,
    AllocStream.reg,
    AllocOpen.reg,
    AllocClose.reg,
    GcPop.reg,
    SbDestaged.reg,
    LogStatus.reg,
    LogRelease.reg,
    SeqLo.reg,
    SeqHi.reg,
    JournalState.reg,
    JournalTail.reg,
    JournalLoad.reg,
    JournalHigh.reg,
    Fence.reg,
    ChainSb.reg,
    ChainGo.reg,
    ChainLink.reg,
    SegFree.reg,
    SegCount.reg,
    SegLow.reg,
    SegLeast.reg,
    MemoryError.reg,
    MemoryErrorAt.reg,
    NandGo.reg,
    NandStatus.reg,
    NandPop.reg,
    NandAt.reg,
    NandData.reg,
    NandOob.reg,
    NandBuffer.reg,
    CounterSelect.reg,
    CounterLo.reg,
    CounterHi.reg
  )
}
