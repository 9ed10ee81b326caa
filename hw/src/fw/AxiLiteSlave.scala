// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A register file's view of its bus: at most one write and one read a cycle, answered at once. */
class RegisterAccess(val addrBits: Int) extends Bundle {
  val write = Valid(new Bundle {
    val addr = UInt(addrBits.W) // of the word: bits 1:0 are zero
    val data = UInt(32.W)
  })
  val read     = Valid(UInt(addrBits.W)) // a read happens in this cycle: side effects belong here
  val readData = Input(UInt(32.W))       // combinational
  val waiting  = Valid(UInt(addrBits.W)) // a read that happens in this cycle, unless `holds`
  val coming   = Valid(UInt(addrBits.W)) // a read that is in `waiting` in the next cycle
  val holds    = Input(Bool())           // no access happens in this cycle

  def writes(reg: RegInfo): Bool = write.valid && write.bits.addr === reg.addr.U
  def reads(reg: RegInfo): Bool  = read.valid && read.bits === reg.addr.U
  def awaits(reg: RegInfo): Bool = waiting.valid && waiting.bits === reg.addr.U
}

/** The bus side of a register file: AXI4-Lite with every channel registered. A write with byte strobes that leave out
  * part of its word has no effect; it is answered like any other.
  */
class AxiLiteSlave(addrBits: Int) extends Module {
  val io = IO(new Bundle {
    val bus    = Flipped(new AxiLite(addrBits))
    val access = new RegisterAccess(addrBits)
    val busy   = Output(Bool()) // an access is under way
  })
  private val aw = Queue(io.bus.aw, 1)
  private val w  = Queue(io.bus.w, 1)
  private val ar = Queue(io.bus.ar, 1)
  private val b  = Module(new Queue(UInt(2.W), 1))
  private val r  = Module(new Queue(UInt(32.W), 1))

  private val write = aw.valid && w.valid && b.io.enq.ready && !io.access.holds
  aw.ready                  := write
  w.ready                   := write
  b.io.enq.valid            := write
  b.io.enq.bits             := Axi4.OKAY.U
  io.access.write.valid     := write && w.bits.strb.andR
  io.access.write.bits.addr := Cat(aw.bits.addr(addrBits - 1, 2), 0.U(2.W))
  io.access.write.bits.data := w.bits.data
  io.bus.b.valid            := b.io.deq.valid
  io.bus.b.bits.resp        := b.io.deq.bits
  b.io.deq.ready            := io.bus.b.ready

  private val read = ar.valid && r.io.enq.ready && !io.access.holds
  ar.ready                := read
  r.io.enq.valid          := read
  r.io.enq.bits           := io.access.readData
  io.access.read.valid    := read
  io.access.read.bits     := Cat(ar.bits.addr(addrBits - 1, 2), 0.U(2.W))
  io.access.waiting.valid := ar.valid
  io.access.waiting.bits  := io.access.read.bits
  io.access.coming.valid  := io.bus.ar.fire
  io.access.coming.bits   := Cat(io.bus.ar.bits.addr(addrBits - 1, 2), 0.U(2.W))
  io.bus.r.valid          := r.io.deq.valid
  io.bus.r.bits.data      := r.io.deq.bits
  io.bus.r.bits.resp      := Axi4.OKAY.U
  r.io.deq.ready          := io.bus.r.ready

  io.busy := Seq(io.bus.aw, io.bus.w, io.bus.ar, aw, w, ar, b.io.deq, r.io.deq).map(_.valid).reduce(_ || _)
}
