// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Lets bursts through that begin in a window of addresses, and moves them to `to`. Others never reach the slave: their
  * data is taken or made up, and the answer is DECERR. For a master whose addresses come from elsewhere, as those of
  * host memory do.
  *
  * `in` and `out` have beats of the same size. A window is a power of two and aligned to its size, so a burst, which
  * crosses no 4 KiB, lies in it when its first beat does. An answer that is made up waits until the slave has given all
  * those before it. Between two bursts of write data there is a cycle.
  *
  * @param from
  *   first address of the window on `in`
  * @param to
  *   where the slave has it
  */
class AxiWindow(a: AxiParams, b: AxiParams, from: BigInt, bytes: BigInt, to: BigInt) extends Module {
  import AxiWindow._
  val io = IO(new Bundle {
    val in  = Flipped(new Axi4(a))
    val out = new Axi4(b)
  })
  require(a.dataBits == b.dataBits)
  require(isPow2(bytes) && bytes >= 4096 && from % bytes == 0 && to % bytes == 0, "a window is aligned to its size")
  require(from + bytes <= (BigInt(1) << a.addrBits) && to + bytes <= (BigInt(1) << b.addrBits))
  private val offsetBits = log2Ceil(bytes)

  private class Burst extends Bundle {
    val inside = Bool()
    val offset = UInt(offsetBits.W)
    val len    = UInt(8.W)
  }

  private def border(asked: DecoupledIO[AxiAddr]): DecoupledIO[Burst] = {
    val skid = Module(new Skid(new Burst))
    skid.io.in.valid       := asked.valid
    asked.ready            := skid.io.in.ready
    skid.io.in.bits.inside := asked.bits.addr >> offsetBits === (from >> offsetBits).U
    skid.io.in.bits.offset := asked.bits.addr
    skid.io.in.bits.len    := asked.bits.len
    skid.io.out
  }

  /** Bursts under way at the slave: whether there is none, and whether one more may come. */
  private def under(begins: Bool, ends: Bool): (Bool, Bool) = {
    val count = RegInit(0.U(log2Ceil(most + 1).W))
    val none  = RegInit(true.B)
    val room  = RegInit(true.B)
    val next  = count + begins - ends
    count := next
    none  := next === 0.U
    room  := next =/= most.U
    assert(!ends || !none, "an answer that nobody waits for")
    (none, room)
  }

  private def ask(to: DecoupledIO[AxiAddr], from: Burst): Unit = {
    to.bits.addr := this.to.U(b.addrBits.W) | from.offset
    to.bits.len  := from.len
  }

  // ------------------------------------------------------------------ reads
  private val ar               = border(io.in.rd.ar)
  private val r                = Module(new Skid(new AxiReadData(a)))
  private val refuses          = RegInit(false.B) // beats are made up
  private val left             = Reg(UInt(8.W))   // of them, less one
  private val reads            = ar.valid && ar.bits.inside
  private val readEnds         = io.out.rd.r.fire && io.out.rd.r.bits.last
  private val (idle, readRoom) = under(io.out.rd.ar.fire, readEnds)
  private val refused          = refuses && r.io.in.ready && left === 0.U

  io.out.rd.ar.valid := reads && readRoom
  ask(io.out.rd.ar, ar.bits)
  ar.ready          := Mux(ar.bits.inside, io.out.rd.ar.ready && readRoom, refused)
  io.out.rd.r.ready := r.io.in.ready
  r.io.in.valid     := io.out.rd.r.valid || refuses
  r.io.in.bits.data := io.out.rd.r.bits.data
  r.io.in.bits.resp := Mux(refuses, Axi4.DECERR.U, io.out.rd.r.bits.resp)
  r.io.in.bits.last := Mux(refuses, left === 0.U, io.out.rd.r.bits.last)
  io.in.rd.r <> r.io.out
  when(ar.valid && !ar.bits.inside && idle && !refuses) {
    refuses := true.B
    left    := ar.bits.len
  }
  when(refuses && r.io.in.ready)(left := left - 1.U)
  when(refused)(refuses               := false.B)
  assert(!refuses || !io.out.rd.r.valid, "read data that nobody asked for")

  // ------------------------------------------------------------------ writes
  private object Step extends ChiselEnum { val ask, pass, drop, answer = Value }
  private val step                = RegInit(Step.ask)
  private val aw                  = border(io.in.wr.aw)
  private val w                   = Skid(io.in.wr.w)
  private val answer              = Module(new Skid(new AxiWriteResp(a)))
  private val (silent, writeRoom) = under(io.out.wr.aw.fire, io.out.wr.b.fire)

  io.out.wr.aw.valid := aw.valid && aw.bits.inside && writeRoom && step === Step.ask
  ask(io.out.wr.aw, aw.bits)
  io.out.wr.w.valid     := w.valid && step === Step.pass
  io.out.wr.w.bits.data := w.bits.data
  io.out.wr.w.bits.strb := w.bits.strb
  io.out.wr.w.bits.last := w.bits.last
  w.ready               := step === Step.pass && io.out.wr.w.ready || step === Step.drop
  private val ends = w.fire && w.bits.last
  io.out.wr.b.ready      := answer.io.in.ready
  answer.io.in.valid     := io.out.wr.b.valid || step === Step.answer
  answer.io.in.bits.resp := Mux(step === Step.answer, Axi4.DECERR.U, io.out.wr.b.bits.resp)
  aw.ready               := io.out.wr.aw.fire || step === Step.answer && answer.io.in.ready
  io.in.wr.b <> answer.io.out
  switch(step) {
    is(Step.ask) {
      when(io.out.wr.aw.fire)(step := Step.pass).elsewhen(aw.valid && !aw.bits.inside && silent)(step := Step.drop)
    }
    is(Step.pass)(when(ends)(step := Step.ask))
    is(Step.drop)(when(ends)(step := Step.answer))
    is(Step.answer)(when(answer.io.in.ready)(step := Step.ask))
  }
  assert(step =/= Step.answer || !io.out.wr.b.valid, "a write response that nobody waits for")

  cover(ar.valid && !ar.bits.inside && !idle, "AxiWindow: a read that is refused waits for others")
  cover(aw.valid && !aw.bits.inside && step === Step.ask && !silent, "AxiWindow: a write that is refused waits")
  cover(reads && !readRoom, "AxiWindow: as many reads under way as it can follow")
  cover(aw.valid && aw.bits.inside && !writeRoom, "AxiWindow: as many writes under way as it can follow")
}

object AxiWindow {
  val most = 16 // bursts under way, of each kind
}
