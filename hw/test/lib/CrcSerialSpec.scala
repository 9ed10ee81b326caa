// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.flatspec.AnyFlatSpec

import scala.util.Random

class CrcSerialSpec extends AnyFlatSpec with ChiselSim {
  // Bit by bit, as the standard describes it: an independent way to the same number.
  private def crc32c(words: Seq[Long]): Long =
    words.foldLeft(0xffffffffL) { (crc, word) =>
      (0 until 32).foldLeft(crc ^ word)((c, _) => (c >>> 1) ^ (if ((c & 1) == 1) 0x82f63b78L else 0L))
    } ^ 0xffffffffL

  behavior of "CrcSerial"

  it should "give the CRC of records of any length in a cycle a word, one straight after another or after a rest" in {
    assert(crc32c(Seq(0L)) == 0x48674bc7L, "the CRC of four zero bytes: the reference of this test itself")
    val maxWords = 7
    val seed     = 31
    val random   = new Random(seed)
    simulate(new CrcSerial(maxWords)) { dut =>
      dut.io.want.poke(false.B)
      dut.io.taken.poke(false.B)
      dut.clock.step()
      for (round <- 0 until 60) {
        val count  = 1 + round % maxWords
        val record = Seq.fill(maxWords)(random.nextInt() & 0xffffffffL)
        for ((word, port) <- record.zip(dut.io.words)) port.poke(word.U)
        dut.io.count.poke(count.U)
        dut.io.want.poke(true.B)
        for (_ <- 0 until count) {
          dut.io.done.expect(false.B, s"before the last word, round $round, seed $seed")
          dut.clock.step()
        }
        for (_ <- 0 until random.nextInt(3)) { // nobody takes it
          dut.io.done.expect(true.B)
          dut.clock.step()
        }
        dut.io.done.expect(true.B)
        dut.io.crc.expect(crc32c(record.take(count)).U, s"round $round, seed $seed")
        if (random.nextBoolean()) { // given up rather than taken
          dut.io.want.poke(false.B)
          dut.clock.step()
        } else {
          dut.io.taken.poke(true.B)
          dut.clock.step()
          dut.io.taken.poke(false.B)
        }
      }
    }
  }

  it should "refuse a record that is not of whole words" in {
    class Ragged extends RawModule {
      val out = IO(Output(UInt(32.W)))
      out := CrcSerial.words(5.U(24.W), 2)(0)
    }
    intercept[Exception](_root_.circt.stage.ChiselStage.emitCHIRRTL(new Ragged))
  }
}
