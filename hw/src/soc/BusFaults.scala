// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A bus of the CPU and its answers, for somebody who only watches. */
class WatchedBus extends Bundle {
  val cyc = Bool()
  val stb = Bool()
  val we  = Bool()
  val adr = UInt(30.W) // of a word
  val ack = Bool()
  val err = Bool()
}

/** An access that has gone wrong. */
class BusFault extends Bundle {
  val cause   = UInt(SocRegMap.Fault.cause.width.W) // SocFaultValue
  val store   = Bool()
  val fetch   = Bool()
  val address = UInt(32.W)
}

/** Accesses of the CPU that go wrong. VexRiscv waits for `ack` only, so what is between it and the bus hands it an
  * error as an answer, and an answer of its own in the cycle in which `expired` is high; in that cycle it also takes
  * the access from the bus. So every access ends, except a read of WAIT, which has no limit.
  *
  * The first of them, and the first store that DRAM has `lost`, is kept until it is cleared.
  */
class BusFaults extends Module {
  val io = IO(new Bundle {
    val fetch   = Input(new WatchedBus)
    val data    = Input(new WatchedBus)
    val lost    = Flipped(Valid(UInt(32.W)))
    val clear   = Input(Bool())
    val expired = Output(Vec(2, Bool())) // of `fetch`, of `data`
    val fault   = Output(new BusFault)   // cause 0: none
  })
  import BusFaults._
  import SocRegMap.SocFaultValue

  private val fault = RegInit(0.U.asTypeOf(new BusFault))

  /** What is wrong with a bus, a cycle later. */
  private def watch(bus: WatchedBus, expired: Bool): (Bool, BusFault) = {
    val held   = bus.cyc && bus.stb
    val exempt = RegNext(bus.adr === waitWord)
    val waited = RegInit(0.U(log2Ceil(patience).W))
    val last   = RegInit(false.B)
    val ends   = RegInit(false.B)
    val goesOn = held && !bus.ack && !bus.err && !exempt && !ends
    waited  := Mux(goesOn, waited + 1.U, 0.U)
    last    := goesOn && waited === (patience - 3).U
    ends    := goesOn && last
    expired := ends
    val wrong = Wire(new BusFault)
    wrong.cause   := Mux(RegNext(ends), SocFaultValue.late.U, SocFaultValue.refused.U)
    wrong.store   := RegNext(bus.we)
    wrong.fetch   := false.B
    wrong.address := Cat(RegNext(bus.adr), 0.U(2.W))
    (RegNext(held && bus.err || ends, false.B), wrong)
  }
  private val (dataFails, ofData)   = watch(io.data, io.expired(1))
  private val (fetchFails, ofFetch) = watch(io.fetch, io.expired(0))
  ofFetch.fetch := true.B

  private val ofStore = Wire(new BusFault)
  ofStore.cause   := SocFaultValue.lost.U
  ofStore.store   := true.B
  ofStore.fetch   := false.B
  ofStore.address := io.lost.bits

  when(io.clear)(fault.cause := SocFaultValue.none.U)
  when(fault.cause === SocFaultValue.none.U && (io.lost.valid || dataFails || fetchFails)) {
    fault := Mux(io.lost.valid, ofStore, Mux(dataFails, ofData, ofFetch))
  }
  io.fault := fault
  cover(io.lost.valid && dataFails, "BusFaults: two faults at a time")
  cover(io.expired(0), "BusFaults: a fetch that nobody answers")
  cover(io.expired(1), "BusFaults: an access to data that nobody answers")
}

object BusFaults {

  /** Cycles that an access may take. The longest that are answered wait for some writes of NVRAM and DRAM. */
  val patience = 1 << 16

  private val waitWord = ((SocRegMap.csr + SocRegMap.Wait.reg.addr) >> 2).U(30.W)
}
