// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Watches a NAND port and holds both sides to its contract (NandPort, NandCommand): who may give a command when, which
  * words move, what is answered. What depends on the content of the flash is FlashRecords' business.
  *
  * It has assertions only, so there is nothing of it in hardware.
  */
class NandPortRules(p: Params) extends Module {
  val io                                  = IO(new Bundle { val nand = Input(new NandPort(p)) })
  private val (cmd, wdata, rdata, result) = (io.nand.cmd, io.nand.wdata, io.nand.rdata, io.nand.result)
  private val dies                        = p.g.diesPerChannel

  private val busy    = RegInit(VecInit(Seq.fill(dies)(false.B))) // the result of its operation has not been taken
  private val probes  = Reg(Vec(dies, Bool()))                    // it is or was a probe
  private val arrays  = Reg(Vec(dies, NandOp()))                  // what it is or was
  private val sub     = Reg(Vec(dies, chiselTypeOf(cmd.bits.sub)))
  private val loaded  = RegInit(VecInit(Seq.fill(dies)(false.B))) // there is something to transfer
  private val words   = p.g.slotsPerPage * (p.wordsPerSlot + p.oobWords)
  private val left    = Reg(UInt(log2Ceil(words + 1).W))          // words of the data phase that has begun
  private val inward  = RegInit(false.B)                          // it is a program's
  private val outward = RegInit(false.B)                          // it is a transfer's
  private val owner   = Reg(chiselTypeOf(cmd.bits.die))

  private val op        = cmd.bits.op
  private val transfers = op === NandOp.transfer
  private val programs  = op === NandOp.program
  private val senses    = op === NandOp.read || op === NandOp.probe
  private val die       = cmd.bits.die
  private val moves     = wdata.fire && inward || rdata.fire && outward

  when(moves)(left := left - 1.U)
  when(moves && left === 1.U) {
    inward  := false.B
    outward := false.B
  }
  when(cmd.fire) {
    when(transfers) {
      outward := true.B
      owner   := die
      left    := Mux(probes(die), p.oobWords.U, (p.wordsPerSlot + p.oobWords).U)
    }.otherwise {
      busy(die)   := true.B
      arrays(die) := op
      probes(die) := op === NandOp.probe
      sub(die)    := cmd.bits.sub
      loaded(die) := false.B
    }
    when(programs) {
      inward := true.B
      left   := words.U
    }
  }
  private val answer = result.bits
  private val of     = arrays(answer.die)
  when(result.fire) {
    busy(answer.die)   := false.B
    loaded(answer.die) := (of === NandOp.read || of === NandOp.probe) && answer.status === NandStatus.ok ||
      of === NandOp.probe && answer.status === NandStatus.failed
  }

  private val held = RegNext(cmd.valid && !cmd.ready, false.B)
  assert(!held || cmd.valid && cmd.bits.asUInt === RegNext(cmd.bits.asUInt), "a command changes before it is taken")
  assert(!cmd.fire || !busy(die), "a command to a busy die")
  assert(!cmd.fire || transfers || !outward || owner =/= die, "a command to a die whose words move")
  assert(!cmd.fire || !(transfers || programs) || !inward && !outward, "a data phase while another one runs")
  assert(!cmd.fire || !transfers || loaded(die), "a transfer without a read")
  assert(!cmd.fire || !transfers || cmd.bits.sub === sub(die), "a transfer of another slot than was read")
  assert(!cmd.fire || senses || transfers || cmd.bits.sub === 0.U, "a program or erase of a slot")
  assert(!cmd.fire || senses || cmd.bits.retry === 0.U, "a level of read retry without a read")
  assert(!cmd.fire || cmd.bits.block < p.superblocks.U, "a command outside the flash")
  assert(!wdata.fire || inward, "program data without a program")
  assert(!wdata.fire || wdata.bits.last === (left === 1.U), "last at the wrong word of a program")
  assert(!rdata.fire || outward, "words that nobody asked for")
  assert(!rdata.fire || rdata.bits.last === (left === 1.U), "last at the wrong word of a transfer")
  assert(!result.fire || busy(answer.die), "a result of an operation that nobody asked for")
  assert(!result.fire || of === NandOp.probe || answer.status =/= NandStatus.erased, "erased, without a probe")
}
