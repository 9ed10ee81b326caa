// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class NvBeat(val p: Params) extends Bundle {
  val addr = UInt(p.nvramAddrBits.W) // 16-byte aligned
  val data = UInt(p.dataBits.W)
}

/** Single-beat NVRAM writes, several under way. `idle`: every one that was accepted is durable.
  *
  * Timing: `req` goes into queues, nothing is combinational between it and the bus.
  */
class RemapWriter(p: Params, maxInFlight: Int = 16) extends Module {
  val io = IO(new Bundle {
    val req   = Flipped(Decoupled(new NvBeat(p)))
    val nvram = new AxiWrite(AxiParams(p.nvramAddrBits))
    val idle  = Output(Bool())
  })
  private val inFlight = RegInit(0.U(log2Ceil(maxInFlight + 1).W))
  // Two deep: a slave that takes address and data in different cycles still gets one write per cycle.
  private val aw = Module(new Queue(new AxiAddr(AxiParams(p.nvramAddrBits)), 2))
  private val w  = Module(new Queue(new AxiWriteData(AxiParams(p.nvramAddrBits)), 2))

  io.req.ready        := aw.io.enq.ready && w.io.enq.ready && inFlight =/= maxInFlight.U
  aw.io.enq.valid     := io.req.fire
  aw.io.enq.bits.addr := io.req.bits.addr
  aw.io.enq.bits.len  := 0.U
  w.io.enq.valid      := io.req.fire
  w.io.enq.bits.data  := io.req.bits.data
  w.io.enq.bits.strb  := Fill(p.dataBytes, 1.U)
  w.io.enq.bits.last  := true.B
  io.nvram.aw <> aw.io.deq
  io.nvram.w <> w.io.deq
  io.nvram.b.ready := true.B

  private val landed = io.nvram.b.valid
  inFlight := inFlight + io.req.fire - landed
  io.idle  := inFlight === 0.U

  assert(!landed || inFlight =/= 0.U, "RemapWriter: an answer to no write")
  assert(!landed || io.nvram.b.bits.resp === Axi4.OKAY.U, "RemapWriter: NVRAM refused a write")
  assert(!io.req.valid || io.req.bits.addr(log2Ceil(p.dataBytes) - 1, 0) === 0.U, "RemapWriter: entries are aligned")
  cover(inFlight === maxInFlight.U, "RemapWriter: as many writes under way as it can count")
}
