// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import org.scalatest.flatspec.AnyFlatSpec

/** Ports of several shapes; each output depends on another input bit. */
class PortsProbe extends Module {
  val some = IO(new Bundle {
    val in  = Input(Vec(2, UInt(3.W)))
    val out = Output(Vec(2, UInt(3.W)))
  })
  val flag    = IO(Input(Bool()))
  val flagOut = IO(Output(Bool()))
  some.out := some.in
  flagOut  := flag
}

class PinHarnessSpec extends AnyFlatSpec with ChiselSim {
  behavior of "PinHarness"

  it should "let each input bit through to its pin" in
    simulate(new PinHarness(new PortsProbe)) { dut =>
      dut.reset.poke(true.B)
      dut.in.poke(false.B)
      dut.clock.step(4)
      dut.reset.poke(false.B)
      dut.clock.step(30) // the registers have no reset: shift them full of zeros
      dut.out.expect(false.B)
      // A single one passes all seven places of the chain; each of them is seen at the pin, one cycle long.
      dut.in.poke(true.B)
      dut.clock.step()
      dut.in.poke(false.B)
      val seen = (0 until 30).map { _ =>
        val bit = dut.out.peek().litToBoolean
        dut.clock.step()
        bit
      }
      assert(seen.count(identity) == 7)
      assert(seen.dropWhile(!_).takeWhile(identity).size == 7)
    }
}
