// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The message of an interrupt: a dword and where to write it. */
class MsixMessage extends Bundle {
  val addr = UInt(64.W)
  val data = UInt(32.W)
}

/** The table of MSI-X, its pending bits, and the interrupts that wait. An interrupt of a vector that is masked, or for
  * which one waits already, is the pending bit. While the host has not enabled MSI-X, interrupts are lost; they wait
  * for the permission to send requests.
  *
  * Timing: a read of the table is answered after five cycles, or some more while a message is made. All outputs start
  * at registers.
  */
class MsixTable(p: PcieParams) extends Module {
  val io = IO(new Bundle {
    val raise         = Flipped(Decoupled(UInt(p.vectorBits.W)))
    val write         = Flipped(Valid(new TableWrite))
    val read          = Flipped(new TableRead)
    val config        = Input(new PcieConfig)
    val functionReset = Input(Bool())
    val message       = Decoupled(new MsixMessage)
  })
  private val vectorWords = 4 // of a vector: address, its upper half, data, control
  private val words       = SyncReadMem(1 << log2Ceil(vectorWords * p.vectors), Vec(4, UInt(8.W)))
  private val wordBits    = log2Ceil(vectorWords * p.vectors)
  private val masked      = RegInit(VecInit.fill(p.vectors)(true.B))
  private val pending     = RegInit(VecInit.fill(p.vectors)(false.B))

  // ------------------------------------------------------------------ the host's accesses
  private val isPba                       = PcieParams.pbaBit - 2 // the bit of a word's number
  private def vectorOf(word: UInt): UInt  = word(isPba - 1, 2)
  private def exists(word: UInt): Bool    = !word(isPba) && vectorOf(word) < p.vectors.U
  private def isControl(word: UInt): Bool = word(1, 0) === 3.U

  private val write  = RegNext(io.write, 0.U.asTypeOf(io.write))
  private val writes = write.valid && exists(write.bits.word)
  when(writes && !isControl(write.bits.word)) {
    words.write(
      write.bits.word(wordBits - 1, 0),
      VecInit(Seq.tabulate(4)(i => write.bits.data(8 * i + 7, 8 * i))),
      write.bits.strb.asBools
    )
  }
  for (i <- 0 until p.vectors)
    when(writes && isControl(write.bits.word) && write.bits.strb(0) && vectorOf(write.bits.word) === i.U) {
      masked(i) := write.bits.data(0)
    }

  // ------------------------------------------------------------------ interrupts
  private val raised  = RegNext(io.raise.valid && io.config.msixEnable, false.B)
  private val which   = RegNext(io.raise.bits)
  private val allowed = RegNext(io.config.msixEnable && !io.config.msixMask && io.config.busMaster, false.B)
  private val ready   = RegNext(
    VecInit(pending.zip(masked).map { case (has, no) => has && !no && allowed }),
    VecInit.fill(p.vectors)(false.B)
  )
  private val picks  = WireDefault(false.B)
  private val choice = RoundRobin(ready, picks)
  private val chosen = RegInit(VecInit.fill(p.vectors)(false.B)) // its message is being made
  io.raise.ready := true.B
  for (i <- 0 until p.vectors) {
    when(picks)(chosen(i)                    := choice(i))
    when(raised && which === i.U)(pending(i) := true.B)
    when(io.functionReset) {
      pending(i) := false.B
      masked(i)  := true.B
    }
  }

  // ------------------------------------------------------------------ the memory's one reader
  private object State extends ChiselEnum {
    val idle = Value
    val pick = Value // a vector has been chosen
    val run  = Value // words for its message, or one for the host
  }
  private val state    = RegInit(State.idle)
  private val step     = Reg(UInt(3.W))
  private val forHost  = Reg(Bool())
  private val asked    = RegInit(false.B)                    // the host waits for a word
  private val askedFor = Reg(UInt((PcieParams.tableBit - 2).W))
  private val vector   = Reg(UInt(p.vectorBits.W))
  private val address  = Reg(UInt(wordBits.W))
  private val word     = RegNext(words.read(address).asUInt) // three cycles after `address` was given its value
  private val message  = Reg(new MsixMessage)
  private val offered  = RegInit(false.B)
  private val answers  = state === State.run && forHost && step === 2.U

  when(io.read.word.valid) {
    asked    := true.B
    askedFor := io.read.word.bits
  }
  when(io.message.ready)(offered := false.B)
  switch(state) {
    is(State.idle) {
      forHost := asked
      address := askedFor(wordBits - 1, 0)
      step    := 0.U
      picks   := !asked && !offered && ready.asUInt.orR
      when(asked)(state := State.run).elsewhen(picks)(state := State.pick)
    }
    is(State.pick) {
      // What is raised from now on makes a message of its own: this one may have been read by then.
      for (i <- 0 until p.vectors) when(chosen(i) && !(raised && which === i.U))(pending(i) := false.B)
      vector  := OHToUInt(chosen)
      address := Cat(OHToUInt(chosen), 0.U(2.W))
      state   := State.run
    }
    is(State.run) {
      step    := step + 1.U
      address := Cat(vector, step(1, 0) + 1.U)
      when(forHost) {
        when(step === 2.U) {
          asked := false.B
          state := State.idle
        }
      }.otherwise {
        when(step === 2.U)(message.addr := Cat(message.addr(63, 32), word))
        when(step === 3.U)(message.addr := Cat(word, message.addr(31, 0)))
        when(step === 4.U) {
          message.data := word
          offered      := true.B
          state        := State.idle
        }
      }
    }
  }
  io.message.valid := offered
  io.message.bits  := message

  private val place   = vectorOf(askedFor)
  private val control = RegNext(VecInit(masked.zipWithIndex.map { case (no, i) => no && place === i.U }).asUInt.orR)
  private val pba     = RegNext(
    Mux(askedFor(0), pending.asUInt.pad(64)(63, 32), pending.asUInt.pad(64)(31, 0)) &
      Fill(32, askedFor(isPba) && !askedFor(isPba - 1, 1).orR)
  )
  private val plain = RegNext(exists(askedFor) && !isControl(askedFor))
  private val ends  = RegNext(exists(askedFor) && isControl(askedFor))
  io.read.data.valid := RegNext(answers, false.B)
  io.read.data.bits  := RegNext(Mux(plain, word, pba | (ends && control)))

  assert(!io.raise.valid || io.raise.bits < p.vectors.U, "MsixTable: a vector that does not exist")
  assert(!io.read.word.valid || !asked, "MsixTable: a read before the last one was answered")
  cover(picks && PopCount(ready) > 1.U, "MsixTable: several interrupts wait")
  cover(pending.zip(masked).map { case (has, no) => has && no }.reduce(_ || _) && allowed, "MsixTable: a pending bit")
  cover(offered && !io.message.ready, "MsixTable: a message waits")
  cover(raised && pending(which), "MsixTable: an interrupt joins one that waits")
  cover(io.raise.valid && !io.config.msixEnable, "MsixTable: an interrupt is lost")
}
