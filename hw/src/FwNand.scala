// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class FwNandOutcome(val p: Params) extends Bundle {
  val slot   = UInt(p.slotBits.W)
  val status = NandStatus()
  val oob    = UInt(p.oobBits.W)
}

/** Firmware's single NAND operations (start-up, format): as many as there are dies may be under way or wait with their
  * result, so a result always finds its place and the NAND's answers never wait for firmware.
  */
class FwNand(p: Params) extends Module {
  val io = IO(new Bundle {
    val start    = Flipped(Decoupled(new Bundle { val slot = UInt(p.slotBits.W); val erase = Bool() })) // else probe
    val outcome  = Decoupled(new FwNandOutcome(p))
    val nand     = Decoupled(new NandRequest(p))
    val nandDone = Flipped(Decoupled(new NandDone(p)))
  })
  private val results = Module(new Queue(new FwNandOutcome(p), p.dies))
  private val open    = RegInit(0.U(log2Ceil(p.dies + 1).W)) // started and not taken by firmware
  private val request = Module(new Queue(new NandRequest(p), 1))
  private val free    = open =/= p.dies.U

  io.start.ready             := free && request.io.enq.ready
  request.io.enq.valid       := io.start.valid && free
  request.io.enq.bits.op     := Mux(io.start.bits.erase, NandRequestOp.erase, NandRequestOp.probe)
  request.io.enq.bits.client := NandClient.firmware
  request.io.enq.bits.slot   := io.start.bits.slot
  request.io.enq.bits.buf    := 0.U
  request.io.enq.bits.oob    := 0.U
  io.nand <> request.io.deq
  results.io.enq.valid       := io.nandDone.valid
  results.io.enq.bits.slot   := io.nandDone.bits.slot
  results.io.enq.bits.status := io.nandDone.bits.status
  results.io.enq.bits.oob    := io.nandDone.bits.oob
  io.nandDone.ready          := results.io.enq.ready
  io.outcome <> results.io.deq

  open := open + io.start.fire - io.outcome.fire
  assert(!io.nandDone.valid || results.io.enq.ready, "a place was kept for every result")
  cover(open === p.dies.U, "FwNand: an operation for every die")
}
