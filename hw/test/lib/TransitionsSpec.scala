// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.simulator.scalatest.ChiselSim
import circt.stage.ChiselStage
import org.scalatest.flatspec.AnyFlatSpec

object Light extends ChiselEnum { val red, green, amber = Value }

/** Goes where it is told. */
class LightProbe(table: Seq[(Light.Type, Seq[Light.Type])]) extends Module {
  val next          = IO(Input(Light()))
  private val state = RegInit(Light.red)
  state := next
  Transitions("LightProbe", state, Light, Light.red)(table: _*)
}

class TransitionsSpec extends AnyFlatSpec with ChiselSim {
  private val table =
    Seq(Light.red -> Seq(Light.green), Light.green -> Seq(Light.amber), Light.amber -> Seq(Light.red))

  /** Steps through these states. */
  private def run(states: Light.Type*): Unit = simulate(new LightProbe(table)) { dut =>
    dut.reset.poke(true.B)
    dut.next.poke(Light.red)
    dut.clock.step()
    dut.reset.poke(false.B)
    for (state <- states :+ states.last) {
      dut.next.poke(state)
      dut.clock.step()
    }
  }

  behavior of "Transitions"

  it should "let a state stay, and go where the table says" in
    run(Light.red, Light.green, Light.green, Light.amber, Light.red)

  it should "refuse what the table does not name" in {
    intercept[Exception](run(Light.green, Light.red))
    intercept[Exception](run(Light.amber))
  }

  it should "cover each transition of the table by its name" in {
    val circuit = ChiselStage.emitCHIRRTL(new LightProbe(table))
    for (label <- Seq("red_becomes_green", "green_becomes_amber", "amber_becomes_red"))
      assert(raw"cover\(.* : $label ".r.findAllIn(circuit).size == 1, label)
  }

  it should "want a row for each state" in {
    intercept[IllegalArgumentException](ChiselStage.emitCHIRRTL(new LightProbe(table.tail)))
    intercept[IllegalArgumentException](ChiselStage.emitCHIRRTL(new LightProbe(table :+ table.head)))
    intercept[IllegalArgumentException](
      ChiselStage.emitCHIRRTL(new LightProbe((Light.red -> Seq(Light.red)) +: table.tail))
    )
  }
}
