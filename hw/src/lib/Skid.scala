// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A border between two units: `out` starts at registers, and so does `in.ready`, so that no path passes through. An
  * item is out in the next cycle, and one a cycle passes. It holds two items.
  *
  * Unlike `Queue(in, 2)` it has its multiplexer at its input: the consumer gets a register's output.
  */
class Skid[T <: Data](gen: T) extends Module with Quiesces {
  val io = IO(new Bundle {
    val in  = Flipped(Decoupled(gen))
    val out = Decoupled(gen)
  })
  private val offered = RegInit(false.B) // `item` is valid
  private val spilled = RegInit(false.B) // so is `behind`, which came in the cycle in which `item` was not taken
  private val item    = Reg(gen)
  private val behind  = Reg(gen)

  io.in.ready  := !spilled
  io.out.valid := offered
  io.out.bits  := item
  when(io.out.ready || !offered) {
    offered := spilled || io.in.valid
    spilled := false.B
    item    := Mux(spilled, behind, io.in.bits)
  }.elsewhen(io.in.fire) {
    spilled := true.B
    behind  := io.in.bits
  }
  quiet := !offered || !io.out.ready // an item that comes is an input that changes

  assert(!spilled || offered, "the first item is missing")
  cover(spilled && io.out.ready && io.in.valid, "Skid: full, and taken from")
}

object Skid {

  /** Puts a border behind `in`. For a unit that has to say whether it is quiet, instantiate the class. */
  def apply[T <: Data](in: ReadyValidIO[T]): DecoupledIO[T] = {
    val skid = Module(new Skid(chiselTypeOf(in.bits)))
    skid.io.in.valid := in.valid
    skid.io.in.bits  := in.bits
    in.ready         := skid.io.in.ready
    skid.io.out
  }
}
