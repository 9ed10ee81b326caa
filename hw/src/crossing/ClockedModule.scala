// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util.DecoupledIO

/** A top with several clocks: units with a clock each, and crossings between them.
  *
  * `reset` resets all of them together, whichever clock it comes with, if with any. Each clock has its own reset made
  * from it, which is also an output: what stands beside the top in that clock uses it.
  */
abstract class ClockedModule extends RawModule {
  val reset = IO(Input(Bool()))

  /** One of the clocks, with the ports `name_clock` and `name_reset`. */
  protected class Side(val name: String) {
    val clock            = IO(Input(Clock())).suggestName(s"${name}_clock")
    private val crossing =
      withClockAndReset(clock, ClockedModule.this.reset.asAsyncReset)(Module(new ResetCrossing(name)))
    private val shown = IO(Output(Bool())).suggestName(s"${name}_reset")
    crossing.suggestName(s"${name}Reset")
    shown := crossing.io.out

    def reset: Bool = crossing.io.out

    /** What the block makes has this clock. */
    def apply[T](block: => T): T = withClockAndReset(clock, reset)(block)
  }

  private def between[M <: TwoClockModule](from: Side, to: Side, name: String)(make: Between => M): M = {
    val unit = Module(make(Between(from.name, to.name))).suggestName(name)
    unit.from.clock := from.clock
    unit.from.reset := from.reset
    unit.to.clock   := to.clock
    unit.to.reset   := to.reset
    unit
  }

  /** `outer` is the port of the master `inner`, a unit's, in another clock. */
  protected def master(inner: Axi4Flat, from: Side, outer: Axi4Flat, to: Side, name: String): Unit = {
    val unit = between(from, to, name)(new Axi4Crossing(inner.a, _))
    inner.asMasterOf(unit.io.in)
    outer.asMaster(unit.io.out.rd, unit.io.out.wr)
  }

  /** The master `inner` accesses the slave `host`, a unit's, in another clock. */
  protected def memory(inner: Axi4Flat, from: Side, host: Axi4, to: Side, name: String): Unit = {
    val unit = between(from, to, name)(new Axi4Crossing(inner.a, _))
    inner.asMasterOf(unit.io.in)
    host.rd <> unit.io.out.rd
    host.wr <> unit.io.out.wr
  }

  /** `outer` is the port of the slave `inner`, a unit's, in another clock. */
  protected def slave(outer: AxiLiteFlat, from: Side, inner: AxiLiteFlat, to: Side, name: String): Unit = {
    val unit = between(from, to, name)(new AxiLiteCrossing(outer.addrBits, _))
    outer.asSlave(unit.io.in)
    inner.asMaster(unit.io.out)
  }

  /** The slave `inner`, a unit's, is accessed as `bus` asks in another clock. */
  protected def registers(bus: AxiLite, from: Side, inner: AxiLiteFlat, to: Side, name: String): Unit = {
    val unit = between(from, to, name)(new AxiLiteCrossing(bus.addrBits, _))
    unit.io.in <> bus
    inner.asMaster(unit.io.out)
  }

  /** Interrupts by vector. */
  protected def interrupts(
      in: DecoupledIO[UInt],
      from: Side,
      out: DecoupledIO[UInt],
      to: Side,
      name: String
  ): Unit = {
    val unit = between(from, to, name)(new MsixCrossing(in.bits.getWidth, _))
    unit.io.in <> in
    out <> unit.io.out
  }

  /** A level that lasts. */
  protected def level(in: Bool, from: Side, out: Bool, to: Side, name: String): Unit = {
    val unit = between(from, to, name)(new LevelCrossing(1, _))
    unit.io.in := in
    out        := unit.io.out.asBool
  }

  /** A level or a pulse; `out` is high for a cycle at least. */
  protected def event(in: Bool, from: Side, out: Bool, to: Side, name: String): Unit = {
    val unit = between(from, to, name)(new EventCrossing(_))
    unit.io.in := in
    out        := unit.io.level
  }

  /** Settings. They are zero until they have come through. */
  protected def value[T <: Data](in: T, from: Side, out: T, to: Side, name: String): Unit = {
    val gen  = chiselTypeOf(in)
    val unit = between(from, to, name)(new ValueCrossing(gen, 0.U.asTypeOf(gen), _))
    unit.io.in := in
    out        := unit.io.out
  }

  /** A level that has lasted since before the end of the reset: `to` sees it in its first cycle. */
  protected def strap(in: Bool, from: Side, out: Bool, to: Side, name: String): Unit = {
    val unit = to(Module(new Synchroniser(1, Between(from.name, to.name)))).suggestName(name)
    unit.io.in := in
    unit.before.foreach(_ := in)
    out := unit.io.out.asBool
  }
}
