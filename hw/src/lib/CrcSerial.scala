// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** CRC-32C of one record at a time, a word of 32 bits per cycle. It takes an eighth of the area of a network over a
  * whole record.
  *
  * `words` are the record without its CRC, least significant word first; `count` is their number. All inputs must hold
  * still from `want` to `taken`. `done` comes `count` cycles after the first of these cycles and says that `crc` is
  * valid. `taken` ends the record; the next one may follow in the next cycle. A cycle without `want` ends it, too.
  */
class CrcSerial(maxWords: Int) extends Module {
  private val countBits = log2Ceil(maxWords + 1)
  val io                = IO(new Bundle {
    val want  = Input(Bool())
    val words = Input(Vec(maxWords, UInt(32.W)))
    val count = Input(UInt(countBits.W))
    val taken = Input(Bool())
    val done  = Output(Bool())
    val crc   = Output(UInt(32.W))
  })
  require(maxWords >= 2)
  private val at    = RegInit(0.U(countBits.W))
  private val mixed = Reg(
    UInt(32.W)
  ) // state before a word, exclusive-or the word: no choice is in front of the network
  private val next  = Crc.crc32cStep(mixed)
  private val ended = at === io.count
  private val word  = io.words(at(log2Ceil(maxWords) - 1, 0))
  io.done := io.want && ended
  io.crc  := ~next
  when(!io.want || io.taken) {
    at := 0.U
  }.elsewhen(!ended) {
    at    := at + 1.U
    mixed := Mux(at === 0.U, Fill(32, 1.U), next) ^ word
  }

  private val before = RegNext(io.words.asUInt ## io.count)
  assert(!io.want || at === 0.U || before === io.words.asUInt ## io.count, "CrcSerial: a record that changes")
  assert(!io.taken || io.done, "CrcSerial: taken before it is there")
  assert(
    !io.want || io.count =/= 0.U && io.count <= maxWords.U,
    "CrcSerial: a record of no length or of too many words"
  )
}

object CrcSerial {

  /** The words of a record, and of others up to `maxWords`, which do not count. */
  def words(record: UInt, maxWords: Int): Vec[UInt] = {
    require(record.getWidth % 32 == 0 && record.getWidth <= 32 * maxWords)
    record.pad(32 * maxWords).asTypeOf(Vec(maxWords, UInt(32.W)))
  }
}
