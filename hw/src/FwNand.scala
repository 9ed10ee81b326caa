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
  *
  * There is one buffer for the data of a read (`fwBuf`), out of which firmware takes a word at a time, so there is one
  * read at a time.
  */
class FwNand(p: Params) extends Module {
  val io = IO(new Bundle {
    val start    = Flipped(Decoupled(new Bundle { val slot = UInt(p.slotBits.W); val op = NandRequestOp() }))
    val outcome  = Decoupled(new FwNandOutcome(p))
    val nand     = Decoupled(new NandRequest(p))
    val nandDone = Flipped(Decoupled(new NandDone(p)))
    val at       = Flipped(Valid(UInt(p.wordBits.W))) // fetches this word of the buffer
    val word     = Valid(UInt(p.dataBits.W))          // the one fetched last, valid once it is here
    val bufRead  = new BufferReadPort(p)
    val quiet    = Output(Bool())                     // no word is being fetched
  })
  private val results = Module(new Queue(new FwNandOutcome(p), p.dies))
  private val open    = RegInit(0.U(log2Ceil(p.dies + 1).W)) // started and not taken by firmware
  private val request = Module(new Queue(new NandRequest(p), 1))
  private val free    = open =/= p.dies.U

  io.start.ready             := free && request.io.enq.ready
  request.io.enq.valid       := io.start.valid && free
  request.io.enq.bits.op     := io.start.bits.op
  request.io.enq.bits.client := NandClient.firmware
  request.io.enq.bits.slot   := io.start.bits.slot
  request.io.enq.bits.buf    := p.fwBuf.U
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

  // --- what was read
  private val wanted   = RegInit(false.B) // the word is to be asked for
  private val fetching = RegInit(false.B) // it is not here yet
  private val fetched  = RegInit(false.B)
  private val at       = RegEnable(io.at.bits, io.at.valid)
  io.bufRead.addr.valid     := wanted
  io.bufRead.addr.bits.buf  := p.fwBuf.U
  io.bufRead.addr.bits.word := at
  io.bufRead.data.ready     := true.B
  io.word.valid             := fetched
  io.word.bits              := RegEnable(io.bufRead.data.bits, io.bufRead.data.valid)
  io.quiet                  := !fetching && !io.at.valid
  when(io.bufRead.addr.fire)(wanted := false.B)
  when(io.bufRead.data.valid) {
    fetching := false.B
    fetched  := true.B
  }
  when(io.at.valid) {
    wanted   := true.B
    fetching := true.B
    fetched  := false.B
  }
  assert(!io.at.valid || !fetching, "firmware bug: it asks for a word before the last one is here")

  private val reading = RegInit(false.B) // a read is under way
  private val reads   = io.start.fire && io.start.bits.op === NandRequestOp.read
  when(reads)(reading := true.B)
  when(results.io.enq.fire && io.nandDone.bits.op === NandRequestOp.read)(reading := false.B)
  assert(!reads || !reading, "firmware bug: a read while another one is under way")
  assert(!io.start.fire || io.start.bits.op =/= NandRequestOp.program, "FwNand: firmware programs nothing")
  assert(!io.at.valid || !reading, "firmware bug: it looks into a buffer that is being filled")
}
