// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Reads a dword of the MSI-X table or of its pending bits. */
class TableRead extends Bundle {
  val word = Valid(UInt((PcieParams.tableBit - 2).W))
  val data = Flipped(Valid(UInt(32.W))) // some cycles later
}

object BarReader {
  val requests = 16 // that wait
  // With so many the core is asked to hold requests back. Those that are on their way then still find room.
  val enough = 4
}

/** Requests that want an answer. A memory read of BAR0 gets its dwords from the controller's registers or from the
  * MSI-X table, in completions that end at 64 bytes; an error of a register is a completer abort. Nobody serves other
  * requests: they are unsupported.
  *
  * A read waits for the writes that came before it. Writes that come later may pass it, as they do not wait for the
  * transmit stream.
  */
class BarReader extends Module {
  import BarReader._
  val io = IO(new Bundle {
    val in          = Flipped(Decoupled(new TlpPiece))
    val bus         = new AxiLite(PcieParams.barBits) // its read channels
    val table       = new TableRead
    val out         = Decoupled(new TlpBeat)
    val id          = Input(UInt(16.W))
    val taken       = Input(UInt(BarWriter.countBits.W))
    val finished    = Input(UInt(BarWriter.countBits.W))
    val npOk        = Output(Bool())                  // the core may send more of them
    val unsupported = Output(Bool())
  })
  private class Request extends Bundle {
    val word      = UInt((PcieParams.barBits - 2).W)
    val length    = UInt(10.W)                  // dwords; 0 is 1024
    val firstBe   = UInt(4.W)
    val lastBe    = UInt(4.W)
    val requester = UInt(16.W)
    val tag       = UInt(8.W)
    val tc        = UInt(3.W)
    val attr      = UInt(3.W)
    val memory    = Bool()                      // else the answer's count and address mean nothing
    val locked    = Bool()
    val refused   = Bool()
    val after     = UInt(BarWriter.countBits.W) // this write
  }

  // ------------------------------------------------------------------ requests
  private val queue   = Module(new HeadQueue(new Request, requests))
  private val piece   = io.in.bits
  private val dw0     = piece.dw(0)
  private val memory  = Tlp.kind(dw0) === 0.U
  private val request = queue.io.in.bits
  io.in.ready       := queue.io.in.ready
  queue.io.in.valid := io.in.valid && piece.first
  request.word      := Tlp.barWord(piece.data)
  request.length    := Tlp.length(dw0)
  request.firstBe   := piece.dw(1)(3, 0)
  request.lastBe    := piece.dw(1)(7, 4)
  request.requester := piece.dw(1)(31, 16)
  request.tag       := piece.dw(1)(15, 8)
  request.tc        := dw0(22, 20)
  request.attr      := Cat(dw0(18), dw0(13, 12))
  request.memory    := memory
  request.locked    := Tlp.kind(dw0) === 1.U
  request.refused   := !memory || !piece.bar0
  request.after     := io.taken
  io.npOk           := RegNext(queue.io.count < enough.U, true.B)

  // ------------------------------------------------------------------ one at a time
  private object State extends ChiselEnum {
    val idle   = Value
    val count  = Value // bytes and dwords
    val hold   = Value // for the writes before
    val chunk  = Value // what the next completion holds
    val begin  = Value // its header
    val ask    = Value // for a dword
    val await  = Value
    val put    = Value // it into the completion
    val send   = Value // the completion
    val refuse = Value // a completion without data
    val drop   = Value // what has been gathered for a completion that failed
  }
  private val state   = RegInit(State.idle)
  private val now     = Reg(new Request)
  private val left    = Reg(UInt(11.W)) // dwords
  private val bytes   = Reg(UInt(13.W)) // that count among them
  private val skip    = Reg(UInt(2.W))  // bytes that do not count before them
  private val empty   = Reg(Bool())     // no byte counts
  private val size    = Reg(UInt(5.W))  // dwords of this completion
  private val toGet   = Reg(UInt(5.W))  // of them, less one
  private val lane    = Reg(UInt(2.W))
  private val lanes   = Reg(Vec(4, UInt(32.W)))
  private val data    = Reg(UInt(32.W))
  private val failed  = Reg(Bool())
  private val status  = Reg(UInt(3.W))
  private val passed  = RegNext(!(io.finished - now.after)(BarWriter.countBits - 1), false.B)
  private val beats   = Module(new HeadQueue(new TlpBeat, 8))
  private val out     = Module(new Skid(new TlpBeat))
  private val toTable = now.word(PcieParams.tableBit - 2)
  private val asks    = RegInit(false.B)

  private def lowest(be: UInt): UInt                      = PriorityEncoder(be | 8.U)
  private def trailing(be: UInt): UInt                    = PriorityEncoder(Reverse(be) | 8.U)
  private def header(data: Bool, dwords: UInt): Vec[UInt] = {
    val kind = Mux(now.locked, Tlp.CplLocked.U(8.W), Mux(data, Tlp.CplData.U, Tlp.Cpl.U))
    VecInit(
      Tlp.first(kind, dwords, now.tc, now.attr),
      Cat(io.id, Mux(data, 0.U, status), 0.U(1.W), bytes(11, 0)),
      Cat(now.requester, now.tag, 0.U(1.W), Mux(now.memory, Cat(now.word(4, 0), skip), 0.U))
    )
  }

  queue.io.out.ready  := state === State.idle
  beats.io.in.valid   := state === State.put && (lane === 3.U || toGet === 0.U)
  beats.io.in.bits.dw := VecInit(
    Seq.tabulate(4)(i => if (i == 3) Tlp.swap(data) else Mux(lane === i.U, Tlp.swap(data), lanes(i)))
  )
  beats.io.in.bits.count := lane
  beats.io.in.bits.last  := toGet === 0.U
  beats.io.out.ready     := state === State.drop || state === State.send && out.io.in.ready
  private val bare = state === State.refuse
  out.io.in.valid := bare || state === State.send && beats.io.out.valid
  out.io.in.bits  := beats.io.out.bits
  when(bare) {
    out.io.in.bits.dw    := VecInit(lanes.take(3) :+ beats.io.out.bits.dw(3))
    out.io.in.bits.count := 2.U
    out.io.in.bits.last  := true.B
  }
  io.out <> out.io.out

  io.bus.ar.valid                                   := asks
  io.bus.ar.bits.addr                               := Cat(now.word, 0.U(2.W))
  io.bus.r.ready                                    := state === State.await
  io.table.word.valid                               := RegNext(state === State.ask && toTable && !empty, false.B)
  io.table.word.bits                                := RegNext(now.word(PcieParams.tableBit - 3, 0))
  when(io.bus.ar.ready)(asks := false.B)
  for (dead <- Seq(io.bus.aw, io.bus.w)) dead.valid := false.B
  io.bus.aw.bits                                    := DontCare
  io.bus.w.bits                                     := DontCare
  io.bus.b.ready                                    := false.B

  switch(state) {
    is(State.idle) {
      now := queue.io.out.bits
      when(queue.io.out.valid)(state := State.count)
    }
    is(State.count) {
      left   := Mux(now.length === 0.U, 1024.U, now.length)
      empty  := now.firstBe === 0.U
      skip   := Mux(now.memory && now.firstBe =/= 0.U, lowest(now.firstBe), 0.U)
      bytes  := 4.U
      status := Tlp.Status.unsupported.U
      state  := State.hold
    }
    is(State.hold) {
      // What the first and the last dword lack of four bytes.
      val cut = Mux(now.length === 1.U, trailing(now.firstBe), trailing(now.lastBe))
      when(now.memory)(bytes := Mux(empty && now.length === 1.U, 1.U, Cat(left, 0.U(2.W)) - (skip +& cut)))
      when(passed)(state     := State.chunk)
    }
    is(State.chunk) {
      size  := Mux(left(10, 4).orR || left(3, 0) +& now.word(3, 0) > 16.U, 16.U - now.word(3, 0), left)
      state := State.begin
    }
    is(State.begin) {
      lanes  := header(!now.refused, Mux(now.refused, 0.U, size)) :+ lanes(3)
      lane   := 3.U
      toGet  := size - 1.U
      failed := false.B
      state  := Mux(now.refused, State.refuse, State.ask)
    }
    is(State.ask) {
      asks  := !toTable && !empty
      state := State.await
      data  := 0.U
      when(empty)(state := State.put)
    }
    is(State.await) {
      when(io.bus.r.valid || io.table.data.valid) {
        data  := Mux(toTable, io.table.data.bits, io.bus.r.bits.data)
        state := State.put
        when(!toTable && io.bus.r.bits.resp =/= Axi4.OKAY.U)(failed := true.B)
      }
    }
    is(State.put) {
      lanes(lane) := Tlp.swap(data)
      lane        := lane + 1.U
      toGet       := toGet - 1.U
      now.word    := now.word + 1.U
      state       := Mux(toGet === 0.U, Mux(failed, State.drop, State.send), State.ask)
    }
    is(State.send) {
      when(out.io.in.fire && beats.io.out.bits.last) {
        left  := left - size
        bytes := bytes - (Cat(size, 0.U(2.W)) - skip)
        skip  := 0.U
        state := Mux(left === size, State.idle, State.chunk)
      }
    }
    is(State.drop) {
      // It begins where the completion would have.
      when(beats.io.out.valid && beats.io.out.bits.last) {
        status      := Tlp.Status.abort.U
        now.word    := now.word - size
        now.refused := true.B
        state       := State.begin
      }
    }
    is(State.refuse)(when(out.io.in.ready)(state := State.idle))
  }
  io.unsupported := RegNext(bare && out.io.in.ready && status === Tlp.Status.unsupported.U, false.B)

  Transitions("BarReader", state, State, State.idle)(
    State.idle   -> Seq(State.count),
    State.count  -> Seq(State.hold),
    State.hold   -> Seq(State.chunk),
    State.chunk  -> Seq(State.begin),
    State.begin  -> Seq(State.ask, State.refuse),
    State.ask    -> Seq(State.await, State.put),
    State.await  -> Seq(State.put),
    State.put    -> Seq(State.ask, State.send, State.drop),
    State.send   -> Seq(State.chunk, State.idle),
    State.drop   -> Seq(State.begin),
    State.refuse -> Seq(State.idle)
  )
  assert(!beats.io.in.valid || beats.io.in.ready, "BarReader: a completion of more than 64 bytes")
  cover(state === State.hold && !passed, "BarReader: a read waits for writes")
  cover(queue.io.in.valid && !queue.io.in.ready, "BarReader: as many requests wait as it can hold")
  cover(!io.npOk, "BarReader: the core is asked to hold requests back")
  cover(out.io.in.valid && !out.io.in.ready, "BarReader: a completion waits")
}
