// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** RemapTable's free list: segment numbers, first in, first out. The next one is in a register, so that whoever takes
  * it does not wait for the memory; after that it takes three cycles until the next one is there.
  */
class FreeSegments(p: Params) extends Module with Quiesces {
  private val countBits = log2Ceil(p.k.segments + 1)
  val io                = IO(new Bundle {
    val put   = Flipped(Valid(UInt(p.segBits.W))) // there is always room: no more segments than there are
    val next  = Valid(UInt(p.segBits.W))
    val take  = Input(Bool())                     // only while `next` is valid
    val count = Output(UInt((p.segBits + 1).W))   // of all, `next` included; a register
    val after = Output(UInt((p.segBits + 1).W))   // `count` in the next cycle
  })
  private val memory                    = SyncReadMem(p.k.segments, UInt(p.segBits.W))
  private val putAt, takeAt             = RegInit(0.U(p.segBits.W))
  private val count                     = RegInit(0.U(countBits.W)) // of all
  private val stored                    = RegInit(0.U(countBits.W)) // in the memory
  private val next                      = Reg(UInt(p.segBits.W))
  private val valid                     = RegInit(false.B)
  private val reading                   = RegInit(false.B)
  private val reads                     = !valid && !reading && stored =/= 0.U
  private def following(at: UInt): UInt = Mux(at === (p.k.segments - 1).U, 0.U, at + 1.U)
  private val found                     = memory.read(takeAt)
  private val change = Mux(io.put.valid === io.take, 0.U, Mux(io.take, ~0.U(countBits.W), 1.U(countBits.W)))

  when(io.put.valid) {
    memory.write(putAt, io.put.bits)
    putAt := following(putAt)
  }
  reading := reads
  when(reading) {
    next   := found
    valid  := true.B
    takeAt := following(takeAt)
  }.elsewhen(io.take)(valid := false.B)
  stored        := stored + io.put.valid - reads
  count         := count + change
  io.next.valid := valid
  io.next.bits  := next
  io.count      := count
  io.after      := count + change
  quiet         := !reading && !reads && !io.put.valid && !io.take

  assert(!io.put.valid || count =/= p.k.segments.U, "FreeSegments: more segments than there are")
  assert(!io.take || valid, "FreeSegments: a segment is taken where there is none")
  assert(count === stored + reading + valid, "FreeSegments: a segment is lost")
}
