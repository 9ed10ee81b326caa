// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Counts I/O commands between the router and CqPost, so that firmware knows when a reset controller has run dry. */
class InflightCounter(engines: Int) extends Module {
  val io = IO(new Bundle {
    val started = Input(Vec(engines, Bool())) // the router handed a command to this engine
    val ended   = Input(Vec(engines, Bool())) // CqPost took a completion of this engine
    val none    = Output(Bool())
  })
  private val count = RegInit(0.U(16.W))
  private val up    = PopCount(io.started)
  private val down  = PopCount(io.ended)
  assert(count +& up >= down, "a completion without a command")
  assert(count +& up - down < 65535.U, "more commands in flight than can be counted")
  count   := count + up - down
  io.none := count === 0.U
}
