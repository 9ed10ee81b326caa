// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A transfer from the page register of a die. */
class FlashSend(p: Params) extends Bundle {
  val die     = UInt(p.dieInChannelBits.max(1).W)
  val content = new FlashContent
}

/** The page registers of the dies, a slot each, and the way from there to the bus. The words of a transfer follow each
  * other at the pace of the bus, `word` idle cycles behind each.
  */
class FlashRegisters(p: Params) extends Module {
  import FlashRegisters._
  val io = IO(new Bundle {
    val write = Flipped(Valid(new FlashWord(p)))
    val send  = Flipped(Decoupled(new FlashSend(p)))
    val word  = Input(UInt(FlashTimes.wordBits.W)) // FlashTimes
    val rdata = Decoupled(new NandWord(p))
    val idle  = Output(Bool())                     // no word is on its way
  })
  private val dies      = p.g.diesPerChannel
  private val spareBits = log2Ceil(p.oobWords).max(1)
  private val data      = SyncReadMem(dies * p.wordsPerSlot, UInt(p.dataBits.W), SyncReadMem.Undefined)
  private val spares    = SyncReadMem(dies << spareBits, UInt(p.dataBits.W), SyncReadMem.Undefined)

  private def dataAt(die: UInt, word: UInt): UInt  = (die ## word)(log2Ceil(dies * p.wordsPerSlot) - 1, 0)
  private def spareAt(die: UInt, word: UInt): UInt = (die ## word(spareBits - 1, 0))(log2Ceil(dies << spareBits) - 1, 0)

  private val write = io.write.bits
  when(io.write.valid && !write.at.spare)(data.write(dataAt(write.die, write.at.word), write.data))
  when(io.write.valid && write.at.spare)(spares.write(spareAt(write.die, write.at.word), write.data))

  // --- words are read, appear, are registered, and wait for the bus: `credits` of them at most
  private val sending = RegInit(false.B)
  private val send    = Reg(new FlashSend(p))
  private val at      = Reg(new FlashPlace(p))
  private val credits = RegInit(most.U(log2Ceil(most + 1).W))
  private val some    = RegInit(true.B) // credits =/= 0
  private val pause   = RegInit(0.U(FlashTimes.wordBits.W))
  private val paced   = RegInit(true.B) // pause === 0
  private val goes    = sending && some && paced
  private val last    = at.spare && at.word === (p.oobWords - 1).U

  io.send.ready := !sending
  when(goes) {
    at.word := at.word + 1.U
    when(at.word === (p.wordsPerSlot - 1).U)(at.spare := true.B)
    when(last)(sending                                := false.B)
  }
  when(goes)(pause := io.word).elsewhen(!paced)(pause := pause - 1.U)
  paced := Mux(goes, io.word === 0.U, paced || pause === 1.U)
  when(io.send.fire) {
    sending  := true.B
    send     := io.send.bits
    at.spare := io.send.bits.content.spareOnly
    at.word  := 0.U
  }

  private class Item extends Bundle {
    val spare = Bool()
    val blank = Bool()
    val last  = Bool()
  }
  private val asked = Wire(new Item)
  asked.spare := at.spare
  asked.blank := send.content.blank
  asked.last  := last
  private val read      = RegNext(asked)
  private val reads     = RegNext(goes, false.B)
  private val fromData  = RegNext(data.read(dataAt(send.die, at.word), goes))
  private val fromSpare = RegNext(spares.read(spareAt(send.die, at.word), goes))
  private val item      = RegNext(read)
  private val comes     = RegNext(reads, false.B)
  private val out       = Module(new HeadQueue(new NandWord(p), most, late = p.k.lateQueues))
  out.io.in.valid     := comes
  out.io.in.bits.data := Mux(item.blank, 0.U, Mux(item.spare, fromSpare, fromData))
  out.io.in.bits.last := item.last
  io.rdata <> out.io.out
  credits := credits - goes + io.rdata.fire
  io.idle := !sending && credits === most.U
  some    := Mux(io.rdata.fire, true.B, credits =/= 0.U && !(goes && credits === 1.U))

  assert(!comes || out.io.in.ready, "a word without a place")
  assert(some === (credits =/= 0.U) && paced === (pause === 0.U), "both are known a cycle ahead")
  assert(!io.write.valid || !sending || write.die =/= send.die, "a page register changes while it is sent")
  cover(sending && !some, "FlashRegisters: the bus does not take the words")
  cover(sending && !paced, "FlashRegisters: a word has its time on the bus")
}

object FlashRegisters {
  private val most = 8 // words between the page register and the bus
}
