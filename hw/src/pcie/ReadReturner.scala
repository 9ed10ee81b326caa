// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The memory of the slots, and the way of the data from there to the bus. Reads that failed have SLVERR and zeroes in
  * each beat.
  *
  * Timing: a beat a cycle; a few cycles from one slot to the next.
  */
class ReadReturner(p: PcieParams) extends Module {
  val io = IO(new Bundle {
    val write   = Flipped(Valid(new SlotWrite(p)))
    val deliver = Flipped(Decoupled(new ReadDelivery(p))) // taken when its last beat has been read
    val r       = Decoupled(new AxiReadData(p.axi))
  })
  private val words = SyncReadMem(p.readSlots * p.readBeats, UInt(128.W))
  when(io.write.valid)(words.write(io.write.bits.place, io.write.bits.data))

  private val ahead = 8                       // beats between the memory and the bus
  private val out   = Module(new HeadQueue(new AxiReadData(p.axi), ahead))
  private val busy  = RegInit(false.B)
  private val at    = Reg(UInt(p.beatBits.W))
  private val more  = Reg(UInt(p.beatBits.W)) // beats behind the next one
  private val under = RegInit(0.U(log2Ceil(ahead + 1).W))
  private val room  = RegInit(true.B)
  private val now   = Reg(new ReadDelivery(p))
  private val reads = busy && room
  private val done  = reads && more === 0.U
  private val ended = RegNext(done, false.B)

  under := under + reads - io.r.fire
  room  := under < (ahead - 1).U
  when(!busy) {
    now  := io.deliver.bits
    at   := 0.U
    more := (io.deliver.bits.beats - 1.U)(p.beatBits - 1, 0)
    busy := io.deliver.valid && !ended
  }.elsewhen(reads) {
    at   := at + 1.U
    more := more - 1.U
    when(more === 0.U)(busy := false.B)
  }
  io.deliver.ready := ended

  private val data                       = RegNext(words.read(Cat(now.slot, at)))
  private def second[T <: Data](x: T): T = RegNext(RegNext(x))
  private val failed                     = second(now.failed)
  out.io.in.valid     := RegNext(RegNext(reads, false.B), false.B)
  out.io.in.bits.data := Mux(failed, 0.U, data)
  out.io.in.bits.resp := Mux(failed, Axi4.SLVERR.U, Axi4.OKAY.U)
  out.io.in.bits.last := second(now.last && more === 0.U)
  io.r <> out.io.out

  assert(!out.io.in.valid || out.io.in.ready, "ReadReturner: room was kept for every beat")
  cover(busy && !room, "ReadReturner: the bus is not ready")
  cover(io.deliver.fire && now.failed, "ReadReturner: a read that failed")
}
