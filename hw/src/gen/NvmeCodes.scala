// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/formats/nvme.yaml. Do not edit: run python interfaces/generate.py
// format: off
package openremap

import chisel3._

/** Codes and small records of the NVM Express specifications that the controller uses. */
object NvmeCodes {

  object AdminOpcode {
    /** Delete I/O Submission Queue */
    val DeleteIoSq = 0x0
    /** Create I/O Submission Queue */
    val CreateIoSq = 0x1
    /** Get Log Page */
    val GetLogPage = 0x2
    /** Delete I/O Completion Queue */
    val DeleteIoCq = 0x4
    /** Create I/O Completion Queue */
    val CreateIoCq = 0x5
    /** Identify */
    val Identify = 0x6
    /** Abort */
    val Abort = 0x8
    /** Set Features */
    val SetFeatures = 0x9
    /** Get Features */
    val GetFeatures = 0xA
    /** Asynchronous Event Request */
    val AsyncEvent = 0xC
    /** Keep Alive */
    val KeepAlive = 0x18
    /** Format NVM */
    val FormatNvm = 0x80
  }

  object IoOpcode {
    /** Flush */
    val Flush = 0x0
    /** Write */
    val Write = 0x1
    /** Read */
    val Read = 0x2
    /** Write Zeroes */
    val WriteZeroes = 0x8
    /** Dataset Management */
    val DatasetManagement = 0x9
    /** I/O Management Receive */
    val IoMgmtReceive = 0x12
    /** Copy */
    val Copy = 0x19
    /** I/O Management Send */
    val IoMgmtSend = 0x1D
  }

  object Status {
    /** Successful Completion */
    val Success = 0x0
    /** Invalid Command Opcode */
    val InvalidOpcode = 0x1
    /** Invalid Field in Command */
    val InvalidField = 0x2
    /** Command ID Conflict */
    val CidConflict = 0x3
    /** Data Transfer Error */
    val DataTransferError = 0x4
    /** Internal Error */
    val InternalError = 0x6
    /** Command Abort Requested */
    val AbortRequested = 0x7
    /** Command Aborted due to SQ Deletion */
    val AbortSqDeletion = 0x8
    /** Invalid Namespace or Format */
    val InvalidNamespace = 0xB
    /** Command Sequence Error */
    val SequenceError = 0xC
    /** PRP Offset Invalid */
    val InvalidPrpOffset = 0x13
    /** Namespace is Write Protected */
    val WriteProtected = 0x20
    /** LBA Out of Range */
    val LbaOutOfRange = 0x80
    /** Capacity Exceeded */
    val CapacityExceeded = 0x81
    /** Namespace Not Ready */
    val NamespaceNotReady = 0x82
    /** Format in Progress */
    val FormatInProgress = 0x84
    /** Completion Queue Invalid */
    val CqInvalid = 0x100
    /** Invalid Queue Identifier */
    val QidInvalid = 0x101
    /** Invalid Queue Size */
    val QueueSizeInvalid = 0x102
    /** Abort Command Limit Exceeded */
    val AbortLimit = 0x103
    /** Asynchronous Event Request Limit Exceeded */
    val AerLimit = 0x105
    /** Invalid Interrupt Vector */
    val VectorInvalid = 0x108
    /** Invalid Log Page */
    val LogPageInvalid = 0x109
    /** Invalid Format */
    val FormatInvalid = 0x10A
    /** Invalid Queue Deletion */
    val QueueDeletionInvalid = 0x10C
    /** Feature Identifier Not Saveable */
    val FeatureNotSaveable = 0x10D
    /** Feature Not Changeable */
    val FeatureNotChangeable = 0x10E
    /** Feature Not Namespace Specific */
    val FeatureNotNamespaced = 0x10F
    /** Conflicting Attributes */
    val ConflictingAttributes = 0x180
    /** Attempted Write to Read Only Range */
    val WriteToReadOnly = 0x182
    /** Command Size Limit Exceeded */
    val CopySizeLimit = 0x183
    /** Write Fault */
    val WriteFault = 0x280
    /** Unrecovered Read Error */
    val UnrecoveredRead = 0x281
    /** Deallocated or Unwritten Logical Block */
    val UnwrittenBlock = 0x287
  }

  object StatusFlag {
    /** M: more in the Error Information log */
    val More = 0x2000
    /** DNR */
    val DoNotRetry = 0x4000
  }

  object StatusType {
    /** Generic Command Status */
    val Generic = 0x0
    /** Command Specific Status */
    val Specific = 0x1
    /** Media and Data Integrity Errors */
    val Media = 0x2
    /** Vendor Specific */
    val Vendor = 0x7
  }

  object Feature {
    /** Arbitration */
    val Arbitration = 0x1
    /** Power Management */
    val PowerManagement = 0x2
    /** Temperature Threshold */
    val Temperature = 0x4
    /** Error Recovery */
    val ErrorRecovery = 0x5
    /** Volatile Write Cache */
    val WriteCache = 0x6
    /** Number of Queues */
    val NumberOfQueues = 0x7
    /** Interrupt Coalescing */
    val InterruptCoalescing = 0x8
    /** Interrupt Vector Configuration */
    val InterruptVector = 0x9
    /** Write Atomicity Normal */
    val WriteAtomicity = 0xA
    /** Asynchronous Event Configuration */
    val AsyncEventConfig = 0xB
    /** Keep Alive Timer */
    val KeepAlive = 0xF
    /** Host Behavior Support */
    val HostBehavior = 0x16
    /** Flexible Data Placement (base specification 2.1) */
    val Placement = 0x1D
    /** Flexible Data Placement Events */
    val PlacementEvents = 0x1E
  }

  object FeatureSelect {
    /** current value */
    val Current = 0x0
    /** default value */
    val Default = 0x1
    /** saved value */
    val Saved = 0x2
    /** supported capabilities */
    val Capabilities = 0x3
  }

  object LogPage {
    /** Error Information */
    val ErrorInformation = 0x1
    /** SMART / Health Information */
    val Smart = 0x2
    /** Firmware Slot Information */
    val FirmwareSlot = 0x3
    /** Changed Namespace List */
    val ChangedNamespaces = 0x4
    /** Commands Supported and Effects */
    val CommandsSupported = 0x5
    /** Endurance Group Information */
    val EnduranceGroup = 0x9
    /** FDP Configurations (base specification 2.1) */
    val PlacementConfigurations = 0x20
    /** Reclaim Unit Handle Usage */
    val PlacementUsage = 0x21
    /** FDP Statistics */
    val PlacementStatistics = 0x22
    /** FDP Events */
    val PlacementEvents = 0x23
  }

  object Cns {
    /** Identify Namespace */
    val Namespace = 0x0
    /** Identify Controller */
    val Controller = 0x1
    /** Active Namespace ID list */
    val ActiveNamespaces = 0x2
    /** Namespace Identification Descriptor list */
    val Descriptors = 0x3
    /** I/O Command Set specific Identify Namespace */
    val SetNamespace = 0x5
    /** I/O Command Set specific Identify Controller */
    val SetController = 0x6
    /** Controller list */
    val Controllers = 0x13
  }

  object AsyncEvent {
    /** error: write to the doorbell of a queue that does not exist */
    val BadDoorbellRegister = 0x10000
    /** error: value out of range written to a doorbell */
    val BadDoorbellValue = 0x10100
    /** SMART: reliability of the NVM subsystem */
    val SmartReliability = 0x20001
    /** SMART: temperature at or past a threshold */
    val SmartTemperature = 0x20101
    /** SMART: spare below its threshold */
    val SmartSpare = 0x20201
    /** notice: Identify Namespace has changed */
    val NamespaceChanged = 0x40002
  }

  object Oaes {
    /** namespace attribute notices */
    val NamespaceChanged = 0x100
  }

  object ControllerType {
    /** I/O controller */
    val Io = 0x1
  }

  object Ctratt {
    /** endurance groups */
    val EnduranceGroups = 0x10
    /** FDPS: Flexible Data Placement (base specification 2.1) */
    val Placement = 0x80000
  }

  object Directive {
    /** no directive */
    val None = 0x0
    /** Data Placement: cdw13 31:16 is the placement identifier */
    val DataPlacement = 0x2
  }

  object IoMgmt {
    /** no action */
    val None = 0x0
    /** Receive: Reclaim Unit Handle Status; Send: Reclaim Unit Handle Update */
    val Ruh = 0x1
  }

  object Placement {
    /** FDPE */
    val Enabled = 0x1
  }

  object PlacementAttribute {
    /** FDPVWC: works with the volatile write cache */
    val WriteCache = 0x10
    /** FDPCV: the configuration can be used */
    val Valid = 0x80
  }

  object RuhType {
    /** host writes are kept apart; data that GC moves may be mixed */
    val InitiallyIsolated = 0x1
  }

  object RuhAttribute {
    /** used by writes that name the handle */
    val HostSpecified = 0x1
  }

  object Oacs {
    /** Format NVM */
    val Format = 0x2
  }

  object Fna {
    /** a format applies to all namespaces */
    val FormatAll = 0x1
    /** a user data erase applies to all namespaces */
    val EraseAll = 0x2
  }

  object Fpi {
    /** bits 6:0 are the percentage of the format that remains */
    val Supported = 0x80
  }

  object FormatSes {
    /** no secure erase */
    val None = 0x0
    /** user data erase */
    val UserData = 0x1
    /** cryptographic erase */
    val Cryptographic = 0x2
  }

  object Frmw {
    /** firmware slot 1 is read only */
    val Slot1ReadOnly = 0x1
    /** unit of the number of firmware slots */
    val Slots = 0x2
  }

  object Lpa {
    /** Commands Supported and Effects log */
    val EffectsLog = 0x2
    /** NUMDU and log page offset */
    val ExtendedData = 0x4
  }

  object Oncs {
    /** Dataset Management */
    val DatasetManagement = 0x4
    /** Write Zeroes */
    val WriteZeroes = 0x8
    /** Save in Set Features, Select in Get Features */
    val SaveSelect = 0x10
    /** Copy */
    val Copy = 0x100
  }

  object Vwc {
    /** there is a volatile write cache */
    val Present = 0x1
    /** Flush with NSID FFFFFFFFh flushes all namespaces */
    val FlushAll = 0x6
  }

  object Ocfs {
    /** Copy descriptor format 0 */
    val Format0 = 0x1
    /** Copy descriptor format 1 */
    val Format1 = 0x2
  }

  object Nsfeat {
    /** NPWG, NPWA, NPDG, NPDA and NOWS are defined */
    val OptimalSizes = 0x10
  }

  object Nsattr {
    /** the namespace is write protected now */
    val WriteProtected = 0x1
  }

  object Dlfeat {
    /** a deallocated block reads as zeroes */
    val ReadsZeroes = 0x1
    /** Write Zeroes may deallocate (DEAC) */
    val WriteZeroes = 0x8
  }

  object Lbaf {
    /** unit of LBADS, the exponent of the block size */
    val DataSize = 0x10000
  }

  object Descriptor {
    /** EUI-64, 8 bytes */
    val Eui64 = 0x1
    /** NGUID, 16 bytes */
    val Nguid = 0x2
  }

  object QueueFlag {
    /** PC: physically contiguous */
    val Contiguous = 0x1
    /** IEN: completion queue interrupts enabled */
    val Interrupts = 0x2
  }

  object LogFlag {
    /** RAE: the asynchronous event stays masked */
    val RetainEvent = 0x8000
  }

  object LogOffset {
    /** OT: the offset counts entries, not bytes */
    val Index = 0x800000
  }

  object FeatureFlag {
    /** SV: save over a reset */
    val Save = 0x80000000
    /** the feature can be changed */
    val Changeable = 0x4
    /** the feature belongs to a namespace */
    val Namespaced = 0x2
  }

  object ErrorRecovery {
    /** DULBE: reads of deallocated blocks are errors */
    val Dulbe = 0x10000
  }

  object WriteCache {
    /** WCE */
    val Enable = 0x1
  }

  object InterruptVector {
    /** CD */
    val CoalescingDisable = 0x10000
  }

  object Effect {
    /** CSUPP */
    val Supported = 0x1
    /** LBCC: logical block contents change */
    val Writes = 0x2
    /** CSE 001b: no other command to the namespace at the same time */
    val Alone = 0x10000
  }

  object CriticalWarning {
    /** available spare is below its threshold */
    val Spare = 0x1
    /** temperature is at or past a threshold */
    val Temperature = 0x2
    /** reliability is degraded */
    val Reliability = 0x4
    /** the media can only be read */
    val ReadOnly = 0x8
  }

  object Shutdown {
    /** CC.SHN: normal shutdown */
    val Normal = 0x1
    /** CC.SHN: abrupt shutdown */
    val Abrupt = 0x2
    /** CSTS.SHST: being processed */
    val Occurring = 0x1
    /** CSTS.SHST: complete */
    val Complete = 0x2
  }

  /** Submission queue entry, figure 105. */
  class SubmissionEntry extends Bundle {
    val cdw15        = UInt(32.W) // command dword 15
    val cdw14        = UInt(32.W) // command dword 14
    val cdw13        = UInt(32.W) // command dword 13
    val cdw12        = UInt(32.W) // command dword 12
    val cdw11        = UInt(32.W) // command dword 11
    val cdw10        = UInt(32.W) // command dword 10
    val prp2         = UInt(64.W) // PRP entry 2
    val prp1         = UInt(64.W) // PRP entry 1
    val mptr         = UInt(64.W) // metadata pointer
    val cdw3         = UInt(32.W) // command dword 3
    val cdw2         = UInt(32.W) // command dword 2
    val nsid         = UInt(32.W) // namespace
    val cid          = UInt(16.W) // command identifier
    val flags        = UInt(8.W) // FUSE 1:0, PSDT 7:6
    val opcode       = UInt(8.W) // opcode
  }
  object SubmissionEntry {
    val bytes = 64
    val bits  = 512
  }

  /** Completion queue entry, figure 122. */
  class CompletionEntry extends Bundle {
    val status       = UInt(16.W) // phase in bit 0, status field in bits 15:1
    val cid          = UInt(16.W) // command identifier
    val sqid         = UInt(16.W) // SQ identifier
    val sqhd         = UInt(16.W) // SQ head pointer
    val dw1          = UInt(32.W) // reserved
    val dw0          = UInt(32.W) // command specific
  }
  object CompletionEntry {
    val bytes = 16
    val bits  = 128
  }

  /** Dataset Management range, figure 362. */
  class DsmRange extends Bundle {
    val slba         = UInt(64.W) // first logical block
    val nlb          = UInt(32.W) // length in logical blocks
    val attributes   = UInt(32.W) // context attributes
  }
  object DsmRange {
    val bytes = 16
    val bits  = 128
  }
}
