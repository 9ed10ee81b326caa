// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import circt.stage.ChiselStage
import org.scalatest.flatspec.AnyFlatSpec

object Guest extends Clients { val first, second, third = Value }

class Hotel extends Module {
  val io = IO(new Bundle {
    val key = Guest.ports(Input(Bool()))
    val any = Output(Bool())
  })
  io.any := io.key.asUInt.orR
}

/** Wires the ports of these clients. */
class Town(wired: Guest.Value*) extends Module {
  val key           = IO(Input(Bool()))
  val any           = IO(Output(Bool()))
  private val hotel = Module(new Hotel)
  for (guest <- wired) hotel.io.key(guest) := key
  any                                      := hotel.io.any
}

class ClientsSpec extends AnyFlatSpec {
  behavior of "Clients"

  it should "give each client a port, in the order of the list" in {
    assert(Guest.size == 3 && Seq[Int](Guest.first, Guest.second, Guest.third) == Seq(0, 1, 2))
    val verilog = ChiselStage.emitSystemVerilog(new Town(Guest.first, Guest.second, Guest.third))
    assert(verilog.contains("io_key_2"))
  }

  it should "refuse a client that nobody wires" in {
    val error = intercept[Exception](ChiselStage.emitSystemVerilog(new Town(Guest.first, Guest.third)))
    assert(error.getMessage.contains("io.key[1]") || error.getMessage.contains("not fully initialized"))
  }
}
