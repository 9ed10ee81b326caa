// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** Status fields, as in CQE dword 3 bits 31:17: {DNR, M, CRD, SCT, SC} (NVMe base spec, Status Field Definition).
  *
  * Do Not Retry is set if the same command would fail again in the same way.
  */
object NvmeStatus {
  val bits           = 15
  private val vendor = 7 << 8 // status code type

  val Success              = transient(NvmeCodes.Status.Success)
  val AbortSqDeletion      = transient(NvmeCodes.Status.AbortSqDeletion)
  val DataTransferError    = transient(NvmeCodes.Status.DataTransferError)
  val InternalError        = transient(NvmeCodes.Status.InternalError)
  val NamespaceNotReady    = transient(NvmeCodes.Status.NamespaceNotReady)
  val FormatInProgress     = transient(NvmeCodes.Status.FormatInProgress)
  val WriteFault           = transient(NvmeCodes.Status.WriteFault)
  val UnrecoveredReadError = transient(NvmeCodes.Status.UnrecoveredRead)
  val InvalidField         = permanent(NvmeCodes.Status.InvalidField)
  val InvalidNamespace     = permanent(NvmeCodes.Status.InvalidNamespace)
  val InvalidPrpOffset     = permanent(NvmeCodes.Status.InvalidPrpOffset)
  val WriteProtected       = permanent(NvmeCodes.Status.WriteProtected)
  val LbaOutOfRange        = permanent(NvmeCodes.Status.LbaOutOfRange)
  val CopySizeLimit        = permanent(NvmeCodes.Status.CopySizeLimit)
  val RemapSharerLimit     = permanent(vendor | Formats.VendorStatus.RemapSharerLimit)

  private def transient(code: Int): UInt = code.U(bits.W)
  private def permanent(code: Int): UInt = (code | NvmeCodes.StatusFlag.DoNotRetry).U(bits.W)
}
