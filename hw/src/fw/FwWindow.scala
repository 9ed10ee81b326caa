// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._
import scala.collection.mutable.{LinkedHashMap, ListBuffer}

/** The firmware's window as its slices see it: the bus access of this cycle, and the registers that the slices declare.
  *
  * A slice (FwNvmeRegs and its neighbours) declares each of its registers once, with the effect of a write and the
  * value of a read. FwRegs makes the read multiplexer and the interrupt from all declarations. Elaboration fails if a
  * register of the map was not declared.
  *
  * Each side has a step from register to register. A write has its effect in the cycle after the bus's. A read shows
  * the words of the cycle before it, so it waits for a cycle. A read of a register that is declared `prompt` waits for
  * none: its word is that of the cycle in which the read's address comes.
  */
class FwWindow(bus: RegisterAccess) {
  import FwRegMap.{IrqEnable, IrqStatus}

  private val declared = ListBuffer.empty[RegInfo]
  private val words    = ListBuffer.empty[(Int, UInt)]
  private val news     = ListBuffer.empty[UInt] // words of IRQ_STATUS, one bit each
  private val motion   = ListBuffer.empty[Bool]
  private val reasons  = ListBuffer.empty[Bool] // to let no access happen
  private val early    = ListBuffer.empty[Int]  // addresses of registers that are `prompt`
  private val decoded  = LinkedHashMap.empty[RegInfo, Bool]

  /** The word that is written. */
  val data: UInt = RegNext(bus.write.bits.data)

  /** This register is written now. */
  def writes(reg: RegInfo): Bool = decoded.getOrElseUpdate(reg, RegNext(bus.writes(reg), false.B))

  // ------------------------------------------------------------------ registers
  /** Reads of these are often and do not wait. Each word has the effect of the last write in the cycle after that
    * write's effect, and no slice holds its reads.
    */
  def prompt(regs: RegInfo*): Unit = early ++= regs.flatMap(reg => (0 until reg.count).map(reg.at))

  /** A register that a read shows. What a write does is the slice's. */
  def shows(reg: RegInfo)(word: UInt): Unit = {
    declared += reg
    words += reg.addr -> word
  }

  /** An array of registers. */
  def showsEach(reg: RegInfo)(word: Int => UInt): Unit = {
    declared += reg
    words ++= (0 until reg.count).map(i => reg.at(i) -> word(i))
  }

  /** A register that a write stores and a read shows, whole. */
  def stored(reg: RegInfo): UInt = {
    val word = written(reg)
    shows(reg)(word)
    word
  }

  /** The same of a register with one field. */
  def stored(reg: RegInfo, field: RegField): UInt = {
    val value = written(reg, field)
    shows(reg)(field.word(value))
    value
  }

  /** Two registers for the halves of one value. */
  def stored(low: RegInfo, high: RegInfo): UInt = Cat(stored(high), stored(low))

  /** What was written last. The slice declares what a read shows. */
  def written(reg: RegInfo): UInt                  = RegEnable(data, reg.reset.U(32.W), writes(reg))
  def written(reg: RegInfo, field: RegField): UInt =
    RegEnable(field.of(data), field.reset.U(field.width.W), writes(reg))

  /** A register that starts something and reads as zero. Returns whether it is written now. */
  def command(reg: RegInfo): Bool = {
    declared += reg
    writes(reg)
  }

  /** A value of more than 32 bits: a read of the low half keeps the high half for the read after it. */
  def showsWide(low: RegInfo, high: RegInfo, field: RegField)(value: UInt): Unit = {
    val kept = RegEnable(RegNext(value(value.getWidth - 1, 32)), bus.reads(low)) // as old as the low half is
    shows(low)(value(31, 0))
    shows(high)(field.word(kept))
  }

  // ------------------------------------------------------------------ interrupts
  /** An event stays until firmware writes 1 to its bit; one that comes in that very cycle stays. */
  def event(field: RegField, happens: Bool): Unit = {
    val bit = RegInit(false.B)
    when(writes(IrqStatus.reg) && field.of(data).asBool)(bit := false.B)
    when(happens)(bit                                        := true.B)
    news += field.word(bit.asUInt)
    motion += happens
  }

  /** A bit that follows a condition. */
  def level(field: RegField, holds: Bool): Unit = news += field.word(holds.asUInt)

  // ------------------------------------------------------------------ motion
  /** Something that goes to a unit or comes from it: simulation must not jump over this cycle. */
  def moves(now: Bool): Unit = motion += now

  /** FwStarter.request. */
  def request[T <: Data](port: DecoupledIO[T], go: Bool, allowed: Bool, what: String)(fill: T => Unit): Unit = {
    FwStarter.request(port, go, allowed, what)(fill)
    moves(port.fire)
  }

  // ------------------------------------------------------------------ accesses that wait
  /** No access happens in a cycle with `now`. */
  def holds(now: Bool): Unit = reasons += now

  /** One of these registers is about to be read. The read happens in the first cycle that nothing holds. */
  def awaits(regs: RegInfo*): Bool = regs.map(bus.awaits).reduce(_ || _)
  def reads(regs: RegInfo*): Bool  = regs.map(bus.reads).reduce(_ || _)

  // ------------------------------------------------------------------ what FwRegs makes of it
  def moving: Bool = VecInit(motion.toSeq).asUInt.orR || RegNext(bus.write.valid, false.B)

  /** No access happens now. The word of a read is taken in a cycle in which no slice holds it, and the read happens in
    * the next cycle, unless a slice holds it then.
    */
  def held(): Bool = {
    val waits = VecInit(reasons.toSeq).asUInt.orR
    val ahead = bus.coming.valid && VecInit(early.toSeq.map(bus.coming.bits === _.U)).asUInt.orR
    val shown = RegNext((bus.waiting.valid && !bus.read.valid || ahead) && !waits, false.B)
    waits || bus.waiting.valid && !shown
  }

  /** IRQ_STATUS and IRQ_ENABLE. Returns the interrupt. */
  def interrupt(): Bool = {
    val irqEnable = stored(IrqEnable.reg)
    val irqStatus = news.reduce(_ | _)
    shows(IrqStatus.reg)(irqStatus)
    prompt(IrqStatus.reg)
    val irq = RegNext((irqStatus & IrqEnable.mask.of(irqEnable)).orR, false.B)
    irq
  }

  /** The word that this cycle's read gets: of the cycle before. */
  def readData(): UInt = {
    require(declared.toSet == FwRegMap.all.toSet, "every register of the map is here")
    require(declared.size == FwRegMap.all.size, "no register is declared twice")
    val waiting = bus.waiting
    RegisterRead.inSteps(waiting.bits, words.toSeq, waiting.valid, bus.coming.bits, early.toSet)
  }
}
