// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/formats/formats.yaml. Do not edit: run python interfaces/generate.py
// format: off
package openremap

import chisel3._
import chisel3.util._

object Formats {
  /** first GcIntent, in bytes from NV_COUNTERS; the others follow it */
  val NvIntentOffset = BigInt("0", 16)
  /** places for GcIntent records: one for each victim that may be under way, the last for recovery */
  val NvIntents = BigInt("3", 16)
  /** FormatWord, in bytes from NV_COUNTERS */
  val NvFormatOffset = BigInt("80", 16)
  /** CrashLog, in bytes from NV_COUNTERS, behind the second FwState */
  val NvCrashOffset = BigInt("a00", 16)
  /** first BadWord, in bytes from NV_COUNTERS, behind the CrashLog; a format keeps these words */
  val NvBadOffset = BigInt("c00", 16)
  /** first FwState, in bytes from NV_COUNTERS; the second follows it */
  val NvStateOffset = BigInt("200", 16)
  /** one logical page, one slot */
  val SlotBytes = BigInt("1000", 16)
  /** L2P entry of an LPN without data */
  val Unmapped = BigInt("ffffffff", 16)
  /** version of the on-media format; any other version is refused */
  val FormatVersion = BigInt("9", 16)
  /** ASCII OPNREMAP, first bytes of NVRAM */
  val NvMagic = BigInt("50414d45524e504f", 16)
  /** ASCII OPNFORMT, in place of nv_magic from the first to the last write of a media initialisation */
  val NvFormatting = BigInt("544d524f464e504f", 16)
  /** ASCII FMT!, FormatWord.mark */
  val FormatMark = BigInt("21544d46", 16)
  /** CrashLog.version */
  val CrashVersion = BigInt("1", 16)
  /** CrashLog.cause: an invariant of the firmware did not hold */
  val CrashAssert = BigInt("1", 16)
  /** CrashLog.cause: a poll did not end in time */
  val CrashWatchdog = BigInt("2", 16)
  /** CrashLog.cause: the processor trapped; CrashLog.file names the trap, CrashLog.line is the program counter */
  val CrashFault = BigInt("3", 16)
  /** CrashLog.cause: DRAM or NVRAM answered the hardware with an error; CrashLog.file names the access, CrashLog.line is its address in that memory */
  val CrashMemory = BigInt("4", 16)
  /** RemoteMailbox.turn: the firmware goes on */
  val RemoteFirmware = BigInt("1", 16)
  /** RemoteMailbox.turn: the controller's side is asked */
  val RemoteController = BigInt("2", 16)
  /** RemoteMailbox.request: read register `address` into `value` */
  val RemoteRead = BigInt("1", 16)
  /** RemoteMailbox.request: write `value` to register `address` */
  val RemoteWrite = BigInt("2", 16)
  /** RemoteMailbox.request: read `length` bytes of NVRAM from `address` on into `data` */
  val RemoteNvRead = BigInt("3", 16)
  /** RemoteMailbox.request: write `length` bytes of `data` to NVRAM from `address` on, durable when it is answered */
  val RemoteNvWrite = BigInt("4", 16)
  /** RemoteMailbox.request: a poll has ended; answered when the next one is to begin */
  val RemoteWait = BigInt("5", 16)
  /** commands in a CrashLog */
  val CrashCommands = BigInt("8", 16)
  /** largest number of superblocks of a snapshot of the mapping */
  val SnapshotSbs = BigInt("8", 16)
  /** L2P entries in a slot of a snapshot */
  val SnapshotLpns = BigInt("400", 16)
  /** RemapLog.read_only: NVRAM is lost; the mapping is known from flash alone */
  val ReadOnlyLost = BigInt("1", 16)
  /** RemapLog.read_only: NvHeader is damaged */
  val ReadOnlyHeader = BigInt("2", 16)
  /** RemapLog.read_only: the commit or the checkpoint pointer is damaged */
  val ReadOnlyPointer = BigInt("3", 16)
  /** RemapLog.read_only: a BlockRecord is damaged */
  val ReadOnlyBlock = BigInt("4", 16)
  /** RemapLog.read_only: FormatWord is damaged */
  val ReadOnlyFormat = BigInt("5", 16)
  /** RemapLog.read_only: too many superblocks are bad, the namespace has no room for writes */
  val ReadOnlyWorn = BigInt("6", 16)
  /** LPNs per TrimWord: word n covers those from n * 56 on */
  val TrimWordLpns = BigInt("38", 16)
  /** TrimWords per region of the trim bitmap: region n has those from n * 4 on, and TrimPointer n */
  val TrimRegionWords = BigInt("4", 16)
  /** superblocks per BadWord: word n covers those from n * 48 on */
  val BadWordSbs = BigInt("30", 16)
  /** ASCII BRD!, SocBoard.mark */
  val SocBoardMark = BigInt("21445242", 16)
  /** version of the SocBoard record; firmware refuses others */
  val SocBoardVersion = BigInt("1", 16)
  /** bit of SocBoard.flags: NVRAM loses its contents with the power */
  val BoardNvramVolatile = BigInt("1", 16)
  /** bit of SocBoard.flags: so does what stands in for flash */
  val BoardFlashVolatile = BigInt("2", 16)
  /** bit of SocBoard.flags: the FPGA's design or the firmware was put on the board without a record that its tests passed */
  val BoardUnverified = BigInt("4", 16)
  /** all bits of SocBoard.flags */
  val BoardFlags = BigInt("7", 16)
  /** ASCII SUM!, SummaryTrailer.mark */
  val SummaryMark = BigInt("214d5553", 16)
  /** OOB stream: written by the host with placement handle 0 */
  val StreamHost = BigInt("0", 16)
  /** OOB stream: copied by GC */
  val StreamGc = BigInt("1", 16)
  /** OOB stream: a host write has stream_host + stream_handle * placement handle */
  val StreamHandle = BigInt("2", 16)
  /** pages that one REMAP, REMAP VECTOR or Copy command may name in all */
  val RemapPagesMax = BigInt("1000", 16)
  /** ranges in one REMAP VECTOR command: one 4 KiB list */
  val RemapRangesMax = BigInt("80", 16)

  object VendorOpcodes {
    /** one range in the command: cdw10/11 source LPN, cdw12/13 target LPN, cdw14 pages (not zero-based), cdw15 flags; no data */
    val Remap = 0x80
    /** cdw10 number of ranges (not zero-based, 1..remap_ranges_max), cdw15 flags; data: RemapRange array */
    val RemapVector = 0x81
  }

  object VendorFlags {
    /** sources become unmapped (default: they stay, SHARE) */
    val Move = 0x1
  }

  object VendorStatus {
    /** a target range overlaps a source or another target */
    val RemapOverlap = 0x1
    /** a source page holds no data */
    val RemapUnmapped = 0x2
    /** a slot has the largest number of sharers */
    val RemapSharerLimit = 0x3
    /** no room in the remap table or journal */
    val RemapNvramFull = 0x4
    /** a range without pages, or no ranges */
    val RemapZeroLength = 0x5
  }

  object VendorLogPages {
    /** RemapLog */
    val RemapLog = 0xCA
    /** CrashLog */
    val CrashLog = 0xCB
    /** OCP SMART / Health Information Extended */
    val OcpSmart = 0xC0
  }

  /** Spare area of a programmed slot: whose data it holds. A slot without a good CRC is torn or foreign and does not count. */
  class OobRecord extends Bundle {
    val crc          = UInt(32.W) // crc32c
    val reserved     = UInt(64.W) // zero
    val slot         = UInt(32.W) // number of the slot that was programmed
    val version      = UInt(8.W) // format_version
    val stream       = UInt(8.W) // stream_host (+ stream_handle * placement handle) or stream_gc
    val seq          = UInt(48.W) // sequence number of the mapping event that created the data; GC copies keep it
    val gen          = UInt(32.W) // generation of the superblock when it was programmed
    val lpn          = UInt(32.W) // logical page whose data this is
  }
  object OobRecord {
    val bytes = 32
    val bits  = 256
    /** The bits that the CRC of `r` covers. */
    def covered(r: OobRecord): UInt = Cat(r.asUInt(223, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: OobRecord): UInt = Crc.crc32c(covered(r))
    def good(r: OobRecord): Bool = r.crc === crcOf(r)
    def seal(r: OobRecord): OobRecord = withCrc(r, crcOf(r))
    def withCrc(r: OobRecord, crc: UInt): OobRecord = { val s = WireInit(r); s.crc := crc; s }
  }

  /** A further sharer of a slot, in a segment of its superblock's chain. It counts when its CRC is good, its seq is not past the commit pointer and the slot is programmed with the same generation. */
  class RemapEntry extends Bundle {
    val crc          = UInt(32.W) // crc32c
    val seq          = UInt(48.W) // sequence number of the mapping event; GC keeps it when it moves the slot
    val offset       = UInt(16.W) // slot within the superblock
    val lpn          = UInt(32.W) // LPN of the sharer
  }
  object RemapEntry {
    val bytes = 16
    val bits  = 128
    /** The bits that the CRC of `r` covers. */
    def covered(r: RemapEntry, sb: UInt, gen: UInt, epoch: UInt): UInt = Cat(epoch.pad(16)(15, 0), gen.pad(32)(31, 0), sb.pad(16)(15, 0), r.asUInt(95, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: RemapEntry, sb: UInt, gen: UInt, epoch: UInt): UInt = Crc.crc32c(covered(r, sb, gen, epoch))
    def good(r: RemapEntry, sb: UInt, gen: UInt, epoch: UInt): Bool = r.crc === crcOf(r, sb, gen, epoch)
    def seal(r: RemapEntry, sb: UInt, gen: UInt, epoch: UInt): RemapEntry = withCrc(r, crcOf(r, sb, gen, epoch))
    def withCrc(r: RemapEntry, crc: UInt): RemapEntry = { val s = WireInit(r); s.crc := crc; s }
  }

  /** First 16 bytes of each segment of the remap table: the chain that it belongs to, and its place there. */
  class SegmentHeader extends Bundle {
    val crc          = UInt(32.W) // crc32c
    val epoch        = UInt(16.W) // epoch of the superblock's chain; a segment with another epoch is not part of the chain
    val prev         = UInt(16.W) // predecessor in the chain; the segment's own number when index is 0
    val gen          = UInt(32.W) // generation of the superblock
    val index        = UInt(16.W) // place in the chain, 0 is the oldest
    val sb           = UInt(16.W) // superblock that owns the segment
  }
  object SegmentHeader {
    val bytes = 16
    val bits  = 128
    /** The bits that the CRC of `r` covers. */
    def covered(r: SegmentHeader): UInt = Cat(r.asUInt(95, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: SegmentHeader): UInt = Crc.crc32c(covered(r))
    def good(r: SegmentHeader): Bool = r.crc === crcOf(r)
    def seal(r: SegmentHeader): SegmentHeader = withCrc(r, crcOf(r))
    def withCrc(r: SegmentHeader, crc: UInt): SegmentHeader = { val s = WireInit(r); s.crc := crc; s }
  }

  /** First 16 bytes of a flash slot that holds destaged entries of a chain. RemapEntry records with the same superblock, generation and epoch follow. The slot's LPN (CAP_DESTAGE_LPN) tells superblock and set. */
  class DestageHeader extends Bundle {
    val crc          = UInt(32.W) // crc32c
    val slots        = UInt(8.W) // slots of the set
    val index        = UInt(8.W) // place of the slot in the set
    val entries      = UInt(16.W) // entries in this slot
    val epoch        = UInt(16.W) // epoch that began when this part was destaged
    val gen          = UInt(32.W) // generation of the superblock
    val sb           = UInt(16.W) // superblock that owns the chain
  }
  object DestageHeader {
    val bytes = 16
    val bits  = 128
    /** The bits that the CRC of `r` covers. */
    def covered(r: DestageHeader): UInt = Cat(r.asUInt(95, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: DestageHeader): UInt = Crc.crc32c(covered(r))
    def good(r: DestageHeader): Bool = r.crc === crcOf(r)
    def seal(r: DestageHeader): DestageHeader = withCrc(r, crcOf(r))
    def withCrc(r: DestageHeader, crc: UInt): DestageHeader = { val s = WireInit(r); s.crc := crc; s }
  }

  /** A trimmed range in the NVRAM ring. It counts when its CRC is good and its seq is past the checkpoint's and not past the commit pointer. */
  class JournalRecord extends Bundle {
    val crc          = UInt(32.W) // crc32c
    val seq          = UInt(48.W) // mapping event
    val pages        = UInt(16.W) // LPNs in the range, at least 1
    val lpn          = UInt(32.W) // first LPN
  }
  object JournalRecord {
    val bytes = 16
    val bits  = 128
    /** The bits that the CRC of `r` covers. */
    def covered(r: JournalRecord): UInt = Cat(r.asUInt(95, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: JournalRecord): UInt = Crc.crc32c(covered(r))
    def good(r: JournalRecord): Bool = r.crc === crcOf(r)
    def seal(r: JournalRecord): JournalRecord = withCrc(r, crcOf(r))
    def withCrc(r: JournalRecord, crc: UInt): JournalRecord = { val s = WireInit(r); s.crc := crc; s }
  }

  /** 8 bytes, so NVRAM writes it atomically. Commit pointer: journal records and remap entries up to seq count. Checkpoint pointer: what journal records up to seq say is in the trim bitmap. */
  class PointerWord extends Bundle {
    val crc          = UInt(8.W) // crc8
    val reserved     = UInt(8.W) // zero
    val seq          = UInt(48.W) // mapping event
  }
  object PointerWord {
    val bytes = 8
    val bits  = 64
    /** The bits that the CRC of `r` covers. */
    def covered(r: PointerWord): UInt = Cat(r.asUInt(55, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: PointerWord): UInt = Crc.crc8(covered(r))
    def good(r: PointerWord): Bool = r.crc === crcOf(r)
    def seal(r: PointerWord): PointerWord = withCrc(r, crcOf(r))
    def withCrc(r: PointerWord, crc: UInt): PointerWord = { val s = WireInit(r); s.crc := crc; s }
  }

  /** 8 bytes per superblock, so NVRAM writes it atomically. After an erase it holds the generation of the next filling. After a compaction or destaging it holds the epoch of the new chain, which replaces the old one with this write, and the set of slots with the destaged part. */
  class BlockRecord extends Bundle {
    val crc          = UInt(8.W) // crc8
    val set          = UInt(8.W) // set of slots with the destaged part of the chain (CAP_DESTAGE_LPN), 1 or 2; 0: none
    val epoch        = UInt(16.W) // compactions and destagings of its chain since the erase
    val gen          = UInt(32.W) // generation
  }
  object BlockRecord {
    val bytes = 8
    val bits  = 64
    /** The bits that the CRC of `r` covers. */
    def covered(r: BlockRecord, sb: UInt): UInt = Cat(sb.pad(16)(15, 0), r.asUInt(55, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: BlockRecord, sb: UInt): UInt = Crc.crc8(covered(r, sb))
    def good(r: BlockRecord, sb: UInt): Bool = r.crc === crcOf(r, sb)
    def seal(r: BlockRecord, sb: UInt): BlockRecord = withCrc(r, crcOf(r, sb))
    def withCrc(r: BlockRecord, crc: UInt): BlockRecord = { val s = WireInit(r); s.crc := crc; s }
  }

  /** First bytes of NVRAM, written when the media are initialised. Another version or geometry is refused. */
  class NvHeader extends Bundle {
    val crc          = UInt(32.W) // crc32c
    val reserved2    = UInt(32.W) // zero
    val reserved1    = UInt(64.W) // zero
    val reserved0    = UInt(16.W) // zero
    val summarySlots = UInt(16.W) // CAP_SUMMARY.slots
    val flash        = UInt(32.W) // CAP_FLASH: channels, dies, pages of a block
    val bad          = UInt(16.W) // superblocks that were bad at that time
    val flags        = UInt(8.W) // zero
    val handles      = UInt(8.W) // placement handles that the namespace offers
    val formatCount  = UInt(32.W) // times the device was formatted
    val journalRecords = UInt(32.W) // records of the journal ring
    val segments     = UInt(32.W) // segments of the remap table
    val nsze         = UInt(32.W) // logical pages that the namespace offers
    val slotsPerSb   = UInt(32.W) // slots of a superblock
    val superblocks  = UInt(32.W) // superblocks in use
    val version      = UInt(32.W) // format_version
    val magic        = UInt(64.W) // nv_magic
  }
  object NvHeader {
    val bytes = 64
    val bits  = 512
    /** The bits that the CRC of `r` covers. */
    def covered(r: NvHeader): UInt = Cat(r.asUInt(479, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: NvHeader): UInt = Crc.crc32c(covered(r))
    def good(r: NvHeader): Bool = r.crc === crcOf(r)
    def seal(r: NvHeader): NvHeader = withCrc(r, crcOf(r))
    def withCrc(r: NvHeader, crc: UInt): NvHeader = { val s = WireInit(r); s.crc := crc; s }
  }

  /** Firmware writes it before a superblock's erase can begin (GC, recovery). While `gen` is still the superblock's generation, the erase may have been cut short. */
  class GcIntent extends Bundle {
    val crc          = UInt(32.W) // crc32c
    val order        = UInt(32.W) // of two collections under way the later one has the larger number, modulo 2^32; recovery writes 0, as did firmware before there was an order
    val goodSlots    = UInt(16.W) // readable slots before the erase; if the erase did not begin, all of them still are
    val sb           = UInt(16.W) // superblock
    val gen          = UInt(32.W) // generation before the erase
  }
  object GcIntent {
    val bytes = 16
    val bits  = 128
    /** The bits that the CRC of `r` covers. */
    def covered(r: GcIntent): UInt = Cat(r.asUInt(95, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: GcIntent): UInt = Crc.crc32c(covered(r))
    def good(r: GcIntent): Bool = r.crc === crcOf(r)
    def seal(r: GcIntent): GcIntent = withCrc(r, crcOf(r))
    def withCrc(r: GcIntent, crc: UInt): GcIntent = { val s = WireInit(r); s.crc := crc; s }
  }

  /** 8 bytes, so NVRAM writes it atomically. Format NVM is under way: while this word is good the namespace counts as empty, and a start finishes the format. */
  class FormatWord extends Bundle {
    val crc          = UInt(8.W) // crc8
    val reserved     = UInt(24.W) // zero
    val mark         = UInt(32.W) // format_mark
  }
  object FormatWord {
    val bytes = 8
    val bits  = 64
    /** The bits that the CRC of `r` covers. */
    def covered(r: FormatWord): UInt = Cat(r.asUInt(55, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: FormatWord): UInt = Crc.crc8(covered(r))
    def good(r: FormatWord): Bool = r.crc === crcOf(r)
    def seal(r: FormatWord): FormatWord = withCrc(r, crcOf(r))
    def withCrc(r: FormatWord, crc: UInt): FormatWord = { val s = WireInit(r); s.crc := crc; s }
  }

  /** 8 bytes, so NVRAM writes it atomically: which of trim_word_lpns LPNs had no data at the checkpoint. Zeroes, as an initialisation leaves them, mean none. */
  class TrimWord extends Bundle {
    val crc          = UInt(8.W) // crc8
    val trimmed      = UInt(56.W) // a bit per LPN; the lowest LPN is `word` * trim_word_lpns
  }
  object TrimWord {
    val bytes = 8
    val bits  = 64
    /** The bits that the CRC of `r` covers. */
    def covered(r: TrimWord, word: UInt): UInt = Cat(word.pad(32)(31, 0), r.asUInt(55, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: TrimWord, word: UInt): UInt = Crc.crc8(covered(r, word))
    def good(r: TrimWord, word: UInt): Bool = r.crc === crcOf(r, word)
    def seal(r: TrimWord, word: UInt): TrimWord = withCrc(r, crcOf(r, word))
    def withCrc(r: TrimWord, crc: UInt): TrimWord = { val s = WireInit(r); s.crc := crc; s }
  }

  /** 8 bytes, so NVRAM writes it atomically. For each region of trim_region_words TrimWords: its LPNs whose bit is set in bitmap number `bitmap` had no data at seq. Events up to seq do not count for them. Zeroes, as an initialisation leaves them, mean that all events count. */
  class TrimPointer extends Bundle {
    val crc          = UInt(8.W) // crc8
    val bitmap       = UInt(8.W) // 0 or 1
    val seq          = UInt(48.W) // mapping event
  }
  object TrimPointer {
    val bytes = 8
    val bits  = 64
    /** The bits that the CRC of `r` covers. */
    def covered(r: TrimPointer, region: UInt): UInt = Cat(region.pad(32)(31, 0), r.asUInt(55, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: TrimPointer, region: UInt): UInt = Crc.crc8(covered(r, region))
    def good(r: TrimPointer, region: UInt): Bool = r.crc === crcOf(r, region)
    def seal(r: TrimPointer, region: UInt): TrimPointer = withCrc(r, crcOf(r, region))
    def withCrc(r: TrimPointer, crc: UInt): TrimPointer = { val s = WireInit(r); s.crc := crc; s }
  }

  /** 8 bytes, so NVRAM writes it atomically: which of bad_word_sbs superblocks are out of use for good. */
  class BadWord extends Bundle {
    val crc          = UInt(8.W) // crc8
    val reserved     = UInt(8.W) // zero
    val bad          = UInt(48.W) // a bit per superblock; the lowest is `first`
  }
  object BadWord {
    val bytes = 8
    val bits  = 64
    /** The bits that the CRC of `r` covers. */
    def covered(r: BadWord, first: UInt): UInt = Cat(first.pad(16)(15, 0), r.asUInt(55, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: BadWord, first: UInt): UInt = Crc.crc8(covered(r, first))
    def good(r: BadWord, first: UInt): Bool = r.crc === crcOf(r, first)
    def seal(r: BadWord, first: UInt): BadWord = withCrc(r, crcOf(r, first))
    def withCrc(r: BadWord, crc: UInt): BadWord = { val s = WireInit(r); s.crc := crc; s }
  }

  /** One superblock in a snapshot of the mapping. The first slots of a snapshot are these records, by superblock. Then comes a bit for each snapshot_lpns entries of L2P: 1 if any of them is mapped. The slots of L2P with such entries follow, in order. */
  class SnapshotSb extends Bundle {
    val reserved1    = UInt(8.W) // zero
    val destagedSlots = UInt(8.W) // slots of the destaged part
    val destagedSegments = UInt(16.W) // segments that the entries of the chain's destaged part would fill
    val reserved0    = UInt(8.W) // zero
    val state        = UInt(8.W) // sb_state_e of SB_STATE
    val good         = UInt(16.W) // of a closed superblock: slots with a spare area of its generation
  }
  object SnapshotSb {
    val bytes = 8
    val bits  = 64
  }

  /** A programmed slot in the slot log in DRAM and in the summary in flash. The record's place is the slot's offset in the superblock. A record with another `gen` or `sb` does not count: its slot is padding, or part of the summary. */
  class SlotRecord extends Bundle {
    val sb           = UInt(16.W) // superblock
    val seq          = UInt(48.W) // as in OobRecord
    val gen          = UInt(32.W) // as in OobRecord
    val lpn          = UInt(32.W) // as in OobRecord
  }
  object SlotRecord {
    val bytes = 16
    val bits  = 128
  }

  /** Last 16 bytes of a superblock's summary. The summary begins with the SlotRecords of the slots before it, by offset. The bytes between those and the trailer are zero. */
  class SummaryTrailer extends Bundle {
    val crc          = UInt(32.W) // crc32c
    val stream       = UInt(8.W) // as in OobRecord
    val version      = UInt(8.W) // format_version
    val sb           = UInt(16.W) // superblock
    val gen          = UInt(32.W) // generation of the superblock
    val mark         = UInt(32.W) // summary_mark
  }
  object SummaryTrailer {
    val bytes = 16
    val bits  = 128
    /** The bits that the CRC of `r` covers. */
    def covered(r: SummaryTrailer, before: UInt): UInt = Cat(before.pad(32)(31, 0), r.asUInt(95, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: SummaryTrailer, before: UInt): UInt = Crc.crc32c(covered(r, before))
    def good(r: SummaryTrailer, before: UInt): Bool = r.crc === crcOf(r, before)
    def seal(r: SummaryTrailer, before: UInt): SummaryTrailer = withCrc(r, crcOf(r, before))
    def withCrc(r: SummaryTrailer, crc: UInt): SummaryTrailer = { val s = WireInit(r); s.crc := crc; s }
  }

  /** What firmware on a CPU of its own is told of its device (struct platform), at an address that its port names: in the SoC region `board` of the memory map. The simulation writes it there; on a board it lies behind the image in SPI flash. */
  class SocBoard extends Bundle {
    val crc          = UInt(32.W) // crc32c
    val reserved0    = UInt(8.W) // zero
    val flags        = UInt(8.W) // what its owner must know of the device, which tells it: board_* bits
    val version      = UInt(8.W) // soc_board_version; neither it nor the mark ever moves
    val logLevel     = UInt(8.W) // which lines its console gets, platform_log_level: 0 errors, 1 also what it does, 2 also each step of a start
    val timerHz      = UInt(32.W) // rate of a Zynq's timers in Hz; 0: as in zynq.yaml. The SoC does not look at it
    val mailbox      = UInt(32.W) // address of a RemoteMailbox, through which the firmware then reaches the controller; 0: the controller is on the CPU's bus
    val serial       = UInt(160.W) // serial number, ASCII, padded with zeroes
    val eui64        = UInt(64.W) // EUI-64 of the namespace as a number: its first byte is the most significant
    val remapSegments = UInt(32.W) // of its remap table; 0: all
    val placementHandles = UInt(32.W) // of its namespace; 0: as many as do not make it smaller
    val overProvisionPct = UInt(32.W) // percent of the usable slots that its namespace does not offer; 0: default
    val superblocks  = UInt(32.W) // superblocks in use of a new device; 0: all
    val mark         = UInt(32.W) // soc_board_mark
  }
  object SocBoard {
    val bytes = 64
    val bits  = 512
    /** The bits that the CRC of `r` covers. */
    def covered(r: SocBoard): UInt = Cat(r.asUInt(479, 0))
    /** The correct CRC of `r`. */
    def crcOf(r: SocBoard): UInt = Crc.crc32c(covered(r))
    def good(r: SocBoard): Bool = r.crc === crcOf(r)
    def seal(r: SocBoard): SocBoard = withCrc(r, crcOf(r))
    def withCrc(r: SocBoard, crc: UInt): SocBoard = { val s = WireInit(r); s.crc := crc; s }
  }

  /** A command that firmware had taken. All zeroes: none. */
  class CrashCommand extends Bundle {
    val cdw11        = UInt(32.W) // command dword 11
    val cdw10        = UInt(32.W) // command dword 10
    val nsid         = UInt(32.W) // namespace
    val cid          = UInt(16.W) // command identifier
    val qid          = UInt(8.W) // submission queue
    val opcode       = UInt(8.W) // opcode
  }
  object CrashCommand {
    val bytes = 16
    val bits  = 128
  }

  /** One range of a remap. The data of REMAP VECTOR is an array of these, and so is the list that firmware gives to the remap engine. */
  class RemapRange extends Bundle {
    val reserved1    = UInt(64.W) // zero
    val reserved0    = UInt(32.W) // zero
    val nlb          = UInt(32.W) // pages, at least 1 (not zero-based)
    val dst          = UInt(64.W) // first target LPN
    val src          = UInt(64.W) // first source LPN
  }
  object RemapRange {
    val bytes = 32
    val bits  = 256
  }
}
