// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Pins of an xSPI memory, as the controller's clock sees them. CK has the frequency of this clock. What changes twice
  * a cycle is a pair: its lower half comes first.
  *
  * The board's part of it, with primitives of its FPGA: an output register for both edges for each of CK and DQ; CK
  * goes out a quarter of a cycle late, so that its edges are in the middle of the data. DQ and DS come in through
  * registers for both edges, of a clock that suits their delay. DS and DQ may come late by any number of halves, as
  * long as it is the same for both. DS has a pull-down.
  */
class XspiPins extends Bundle {
  val resetN = Output(Bool())
  val csN    = Output(Bool())
  val ck     = Output(UInt(2.W))
  val dqOut  = Output(UInt(16.W))
  val dqOe   = Output(UInt(8.W)) // DQ is driven, a bit for each line
  val dqIn   = Input(UInt(16.W))
  val ds     = Input(UInt(2.W))
}

/** What a transaction does: `order` is an opcode alone. */
object XspiKind extends ChiselEnum { val order, status, read, write = Value }

class XspiCommand(part: XspiPart) extends Bundle {
  val kind = XspiKind()
  val addr = UInt(log2Ceil(part.bytes).W)
}

/** How a client has XspiSequencer make a transaction. After the command come its steps: a step is a clock of CK and a
  * pair of bytes. CK rests while there is none. `finish` ends the steps; there is none while it is there.
  */
class XspiLink(part: XspiPart) extends Bundle {
  val cmd    = Decoupled(new XspiCommand(part))
  val step   = Decoupled(UInt(16.W))      // what a write writes
  val finish = Output(Bool())
  val pair   = Flipped(Valid(UInt(16.W))) // what a read has read, some cycles after its step
  val done   = Flipped(Valid(Bool()))     // the transaction is over; whether DS did not come
}
