// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A part of a TLP: first its header as it came, then its data, four dwords each, as memory has them. */
class TlpPiece extends Bundle {
  val data  = UInt(128.W)
  val words = UInt(2.W) // dwords of data, less one
  val first = Bool()    // `data` is the header
  val last  = Bool()
  val cut   = Bool()    // the last one, and the TLP ended before its length
  val bar0  = Bool()    // the request is for BAR0; counts with the header

  def dw(i: Int): UInt = data(32 * i + 31, 32 * i)
}

object TlpParser {

  /** Who gets a TLP. */
  object To extends Clients { val writer, reader, completer = Value }
}

/** TLPs that have come, in pieces to those who serve them: memory writes, requests that want an answer, completions.
  * Messages are ignored, and so is what is no TLP. What follows the data of a TLP, a digest, is dropped.
  *
  * Timing: a piece for each beat, and one more where the last dword of the data is alone.
  */
class TlpParser extends Module {
  import TlpParser.To
  val io = IO(new Bundle {
    val in        = Flipped(Decoupled(new TlpRxBeat))
    val out       = To.ports(Decoupled(new TlpPiece))
    val malformed = Output(Bool())
  })

  private class Routed extends Bundle {
    val to    = UInt(To.size.W) // one-hot
    val piece = new TlpPiece
  }
  private object State extends ChiselEnum { val head, data, flush, skip = Value }
  private val state = RegInit(State.head)
  private val in    = Skid(io.in)
  private val out   = Module(new Skid(new Routed))
  private val to    = Reg(UInt(To.size.W))
  private val three = Reg(Bool())     // the header has three dwords, so data begin in its beat
  private val carry = Reg(UInt(32.W)) // the dword of the data that the beat before left
  private val left  = Reg(UInt(10.W)) // dwords of data that are to come, less one

  // ------------------------------------------------------------------ the header
  private val beat    = in.bits
  private val dw0     = beat.dw(0)
  private val kind    = Tlp.kind(dw0)
  private val data    = Tlp.hasData(dw0)
  private val four    = Tlp.fourDw(dw0)
  private val prefix  = dw0(31)
  private val memory  = kind === 0.U && !prefix
  private val writes  = memory && data
  private val answer  = kind(4, 1) === (Tlp.Cpl >> 1).U && !prefix && !four
  private val message = kind(4, 3) === 2.U && !prefix && four
  // Locked reads, I/O, configuration, atomic operations: they want an answer, if only that nobody serves them.
  private val others = !prefix && (kind === 1.U && !data || kind === 2.U && !four || kind(4, 1) === 2.U && !four ||
    data && (kind === 12.U || kind === 13.U || kind === 14.U))
  private val short  = beat.last && beat.count < Mux(four, 3.U, 2.U)
  private val bare   = data && beat.last && (four || beat.count === 2.U) // data are promised and none come
  private val whom   = Mux(short, 0.U, Cat(answer, memory && !data || others, writes))
  private val isHead = state === State.head

  // ------------------------------------------------------------------ the data
  private val flush = state === State.flush
  private val over  = left(9, 2).orR // more than a piece is left
  private val have  = Mux(flush, 0.U, Mux(three && beat.count =/= 3.U, beat.count + 1.U, beat.count)) // less one
  private val whole = !over && left(1, 0) <= have
  private val spare  = three && beat.last && beat.count === 3.U && over // a dword is left for a piece of its own
  private val ends   = whole || flush || beat.last && !spare
  private val dwords = Mux(three, VecInit(carry, beat.dw(0), beat.dw(1), beat.dw(2)), beat.dw)

  private val piece = out.io.in.bits.piece
  out.io.in.bits.to := Mux(isHead, whom, to)
  piece.first       := isHead
  piece.last        := Mux(isHead, !data || bare, ends)
  piece.cut         := Mux(isHead, bare, ends && !whole)
  piece.bar0        := beat.bar0
  piece.words       := Mux(whole, left(1, 0), have)
  piece.data        := Mux(isHead, beat.dw.asUInt, VecInit(dwords.map(Tlp.swap)).asUInt)
  out.io.in.valid   := Mux(isHead, in.valid && whom.orR, flush || in.valid && state === State.data)
  in.ready          := out.io.in.ready && !flush

  when(in.fire) {
    carry := beat.dw(3)
    left  := Mux(isHead, Tlp.length(dw0) - 1.U, left - 4.U)
    switch(state) {
      is(State.head) {
        to    := whom
        three := !four
        when(beat.last)(state := Mux(whom.orR && data && !four && beat.count === 3.U, State.flush, State.head))
          .otherwise(state := Mux(whom.orR && data, State.data, State.skip))
      }
      is(State.data) {
        when(beat.last)(state := Mux(spare, State.flush, State.head)).elsewhen(whole)(state := State.skip)
      }
      is(State.skip)(when(beat.last)(state := State.head))
    }
  }
  when(flush && out.io.in.ready)(state := State.head)

  private val routed = out.io.out
  io.out.zip(routed.bits.to.asBools).foreach { case (port, mine) =>
    port.valid := routed.valid && mine
    port.bits  := routed.bits.piece
  }
  routed.ready := Mux1H(routed.bits.to, io.out.map(_.ready))
  private val none = in.fire && isHead && (short || !whom.orR && !message)
  io.malformed := RegNext(none || out.io.in.fire && piece.cut, false.B)

  Transitions("TlpParser", state, State, State.head)(
    State.head  -> Seq(State.data, State.flush, State.skip),
    State.data  -> Seq(State.head, State.flush, State.skip),
    State.flush -> Seq(State.head),
    State.skip  -> Seq(State.head)
  )
  cover(none, "TlpParser: no TLP")
  cover(in.fire && isHead && message, "TlpParser: a message")
  cover(out.io.in.fire && piece.cut, "TlpParser: a TLP ends before its length")
  cover(routed.valid && !routed.ready, "TlpParser: a TLP waits for who serves it")
}
