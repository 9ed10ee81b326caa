// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import chisel3.util._
import org.scalatest.flatspec.AnyFlatSpec

import scala.util.Random

/** Both CRCs over records of each of the given sizes in bytes: one model for all of this file's cases. */
class CrcProbe(sizes: Seq[Int]) extends Module {
  val io = IO(new Bundle {
    val data = Input(MixedVec(sizes.map(n => UInt((8 * n).W))))
    val c32  = Output(Vec(sizes.size, UInt(32.W)))
    val c8   = Output(Vec(sizes.size, UInt(8.W)))
  })
  for ((data, i) <- io.data.zipWithIndex) {
    io.c32(i) := Crc.crc32c(data)
    io.c8(i)  := Crc.crc8(data)
  }
}

class CrcSpec extends AnyFlatSpec with ChiselSim {
  // Byte at a time, as the standards describe them: an independent way to the same number.
  private def crc32c(data: Seq[Int]): Long =
    data.foldLeft(0xffffffffL) { (crc, byte) =>
      (0 until 8).foldLeft(crc ^ byte)((c, _) => (c >>> 1) ^ (if ((c & 1) == 1) 0x82f63b78L else 0L))
    } ^ 0xffffffffL

  private def crc8(data: Seq[Int]): Int =
    data.foldLeft(0xff) { (crc, byte) =>
      (0 until 8).foldLeft(crc ^ byte)((c, _) => ((c << 1) ^ (if ((c & 0x80) != 0) 0x07 else 0)) & 0xff)
    }

  private def pack(data: Seq[Int]): BigInt = data.zipWithIndex.map { case (b, i) => BigInt(b) << (8 * i) }.sum

  private val records =
    Seq(7 -> "PointerWord", 9 -> "digits", 12 -> "JournalRecord", 20 -> "RemapEntry", 28 -> "OobRecord")

  behavior of "Crc"

  it should "agree with the check value and with the byte-wise algorithm, and see every single-bit error" in {
    val digits = "123456789".map(_.toInt)
    assert(crc32c(digits) == 0xe3069283L, "the check value of CRC-32C: the reference of this test itself")
    val seed   = 20
    val random = new Random(seed)
    simulate(new CrcProbe(records.map(_._1))) { dut =>
      for (((bytes, record), i) <- records.zipWithIndex) {
        val corners = Seq(Seq.fill(bytes)(0), Seq.fill(bytes)(0xff), Seq.tabulate(bytes)(i => '1' + i))
        for (data <- corners ++ Seq.fill(50)(Seq.fill(bytes)(random.nextInt(256)))) {
          dut.io.data(i).poke(pack(data).U)
          dut.io.c32(i).expect(crc32c(data).U, s"CRC-32C of $record ${pack(data).toString(16)}, seed $seed")
          dut.io.c8(i).expect(crc8(data).U, s"CRC-8 of $record ${pack(data).toString(16)}, seed $seed")
        }
        // Each record's own CRC.
        val data = Seq.tabulate(bytes)(i => (37 * i + 11) & 0xff)
        for (bit <- 0 until bytes * 8) {
          dut.io.data(i).poke((pack(data) ^ (BigInt(1) << bit)).U)
          if (record == "PointerWord") assert(dut.io.c8(i).peek().litValue != crc8(data), s"$record, bit $bit")
          if (record == "OobRecord") assert(dut.io.c32(i).peek().litValue != crc32c(data), s"$record, bit $bit")
        }
      }
    }
  }

  it should "refuse what is not whole bytes" in {
    class Ragged extends RawModule { val out = IO(Output(UInt(32.W))); out := Crc.crc32c(5.U(13.W)) }
    intercept[Exception](_root_.circt.stage.ChiselStage.emitCHIRRTL(new Ragged))
  }
}
