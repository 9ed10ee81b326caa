// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** One submission queue entry as fetched, with the queue it came from. */
class FetchedCommand(val p: Params) extends Bundle {
  val qid = UInt(p.qidBits.W)
  val sqe = UInt(512.W) // dword i at bits 32i+31..32i
}

/** A checked I/O command on its way to an engine. */
class IoCommand(val p: Params) extends Bundle {
  val qid   = UInt(p.qidBits.W)
  val cid   = UInt(16.W)
  val op    = IoOp()
  val slba  = UInt(32.W) // in range: slba + pages <= NSZE
  val pages = UInt(17.W) // logical blocks (0's based 16 bits); for Deallocate the number of ranges; 0 for Flush
  val fua   = Bool()
  val handle = UInt(p.handleBits.W) // Write: placement handle, one of those that are offered
  val prp1   = UInt(64.W)
  val prp2   = UInt(64.W)
}

object IoOp extends ChiselEnum {
  val read, write, flush, deallocate, writeZeroes = Value
}

/** The content of one completion queue entry. */
class Completion(val p: Params) extends Bundle {
  val qid    = UInt(p.qidBits.W) // the submission queue; CqPost knows its completion queue
  val cid    = UInt(16.W)
  val status = UInt(15.W)        // CQE dword 3 bits 31:17: {DNR, M, CRD, SCT, SC}
  val dw0    = UInt(32.W)
}
