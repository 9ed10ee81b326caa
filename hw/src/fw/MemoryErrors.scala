// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Who uses DRAM or NVRAM; the numbers are MEMORY_ERROR.user. */
object MemoryUser extends ChiselEnum {
  val l2p, refs, remapList, firmwareDma, slotLog, journal, remapTable = Value

  /** The clients of the arbiters, in the order of their ports. */
  def dramReaders: Seq[Type]            = Seq(l2p, refs, remapList, firmwareDma)
  def dramWriters(p: Params): Seq[Type] = Seq(l2p, refs, firmwareDma) ++ Option.when(p.summarySlots > 0)(slotLog)
  def nvramReaders: Seq[Type]           = Seq(remapTable)
  def nvramWriters: Seq[Type]           = Seq(journal, remapTable)
}

/** An error that a memory answered. */
class MemoryError extends Bundle {
  val user  = MemoryUser()
  val nvram = Bool()
  val write = Bool()
  val resp  = UInt(2.W) // of AXI
  val addr  = UInt(32.W)
}

/** The first error of DRAM and NVRAM since power-on. It stops the controller: the arbiters of all memories, the host's
  * included, begin no further burst. So nothing is acknowledged, nothing is stored, and the media are as after a power
  * cut. Of errors in one cycle, one is kept.
  *
  * Timing: `error` and `stop` are registers, two cycles behind the answer of the memory.
  */
class MemoryErrors(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val dramRead   = Flipped(Valid(new AxiFailure(AxiParams(p.dramAddrBits), MemoryUser.dramReaders.size)))
    val dramWrite  = Flipped(Valid(new AxiFailure(AxiParams(p.dramAddrBits), MemoryUser.dramWriters(p).size)))
    val nvramRead  = Flipped(Valid(new AxiFailure(AxiParams(p.nvramAddrBits), MemoryUser.nvramReaders.size)))
    val nvramWrite = Flipped(Valid(new AxiFailure(AxiParams(p.nvramAddrBits), MemoryUser.nvramWriters.size)))
    val error      = Valid(new MemoryError)
    val stop       = Output(Bool())
  })
  private def errorOf(f: AxiFailure, nvram: Boolean, write: Boolean, users: Seq[MemoryUser.Type]): MemoryError = {
    val e = Wire(new MemoryError)
    e.user  := MemoryUser.safe(Mux1H(f.who, users.map(_.asUInt)))._1
    e.nvram := nvram.B
    e.write := write.B
    e.resp  := f.resp
    e.addr  := f.addr
    e
  }
  private val errors = Seq(
    io.dramRead.valid   -> errorOf(io.dramRead.bits, nvram = false, write = false, MemoryUser.dramReaders),
    io.dramWrite.valid  -> errorOf(io.dramWrite.bits, nvram = false, write = true, MemoryUser.dramWriters(p)),
    io.nvramRead.valid  -> errorOf(io.nvramRead.bits, nvram = true, write = false, MemoryUser.nvramReaders),
    io.nvramWrite.valid -> errorOf(io.nvramWrite.bits, nvram = true, write = true, MemoryUser.nvramWriters)
  )
  private val any   = errors.map(_._1).reduce(_ || _)
  private val valid = RegInit(false.B)
  private val first = Reg(new MemoryError)
  when(any && !valid) {
    valid := true.B
    first := PriorityMux(errors)
  }
  io.error.valid := valid
  io.error.bits  := first
  io.stop        := valid
  quiet          := !any || valid

  for (one <- Seq(io.dramRead, io.dramWrite, io.nvramRead, io.nvramWrite)) assert(!one.valid || one.bits.resp =/= 0.U)
  cover(any && !valid && PopCount(errors.map(_._1)) > 1.U, "MemoryErrors: two at once")
  cover(any && valid && PopCount(errors.map(_._1)) > 1.U, "MemoryErrors: a second one, later")
}
