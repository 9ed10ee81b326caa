// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A client's view of the one global counter of mapping events. The owner of the mapLock draws `next`. */
class SeqPort(val p: Params) extends Bundle {
  val next = Input(UInt(p.seqBits.W))
  val take = Output(Bool()) // uses `next` up
}

object SeqCounter {
  object Client extends Clients { val write, trim, remap, gc = Value }
}

/** The one global counter of mapping events. The owner of the mapLock draws the next number. */
class SeqCounter(p: Params, clients: Int = SeqCounter.Client.size) extends Module {
  val io = IO(new Bundle {
    val client = Vec(clients, Flipped(new SeqPort(p)))
    val load   = Flipped(Valid(UInt(p.seqBits.W))) // firmware at start-up
    val value  = Output(UInt(p.seqBits.W))
  })
  private val value = RegInit(1.U(p.seqBits.W)) // 0 is the commit pointer of a device that never committed
  private val takes = io.client.map(_.take)
  when(io.load.valid)(value := io.load.bits).elsewhen(VecInit(takes).asUInt.orR)(value := value + 1.U)
  io.client.foreach(_.next := value)
  io.value := value

  assert(PopCount(takes) <= 1.U, "only the owner of the mapLock draws a seq")
  assert(!io.load.valid || PopCount(takes) === 0.U, "the counter is loaded before anything runs")
  assert(!value.andR, "2^48 mapping events: the counter is about to wrap")
}
