// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.flatspec.AnyFlatSpec

/** The same number divided by each of the divisors. */
class DivideUpProbe(bits: Int, divisors: Seq[Int]) extends Module {
  val number    = IO(Input(UInt(bits.W)))
  val quotients = IO(Output(Vec(divisors.size, UInt(bits.W))))
  quotients.zip(divisors).foreach { case (quotient, by) => quotient := DivideUp(number, by) }
}

class DivideUpSpec extends AnyFlatSpec with ChiselSim {
  private val bits     = 10
  private val divisors = Seq(1, 2, 3, 7, 31, 32, 100, 1023)

  behavior of "DivideUp"

  it should "round up for every number" in
    simulate(new DivideUpProbe(bits, divisors)) { dut =>
      for (number <- 0 until 1 << bits) {
        dut.number.poke(number.U)
        for ((by, i) <- divisors.zipWithIndex)
          dut.quotients(i).expect(((number + by - 1) / by).U, s"$number / $by")
      }
    }

  it should "refuse numbers that are too wide to try them all" in
    assertThrows[IllegalArgumentException](simulate(new DivideUpProbe(17, Seq(3)))(_ => ()))
}
