// SPDX-License-Identifier: Apache-2.0
package openremap

import _root_.circt.stage.ChiselStage
import chisel3._
import org.scalatest.funspec.AnyFunSpec
import scala.util.matching.Regex

/** What must not be in the controller: registers and a memory for each of `n` things. */
class PerThing(n: Int) extends Module {
  class Thing extends Bundle {
    val a = UInt(3.W)
    val b = Vec(2, new Bundle { val c = Bool() })
  }
  val io = IO(new Bundle {
    val at  = Input(UInt(8.W))
    val in  = Input(new Thing)
    val out = Output(new Thing)
    val bit = Output(Bool())
  })
  private val registers = Reg(Vec(n, new Thing))
  private val set       = RegInit(0.U(n.W))
  private val words     = Mem(n, new Thing)
  private val blockRam  = SyncReadMem(n, new Thing)
  registers(io.at) := io.in
  words(io.at)     := registers(io.at)
  blockRam(io.at)  := words(io.at)
  set              := set | 1.U << io.at
  io.out           := blockRam.read(io.at)
  io.bit           := set(io.at)
}

/** A board has thousands of superblocks, tens of thousands of segments and long queues. So nothing may be kept for each
  * of them in registers, or in memories that are read asynchronously: only widths grow, with the logarithm.
  */
class ScalingSpec extends AnyFunSpec {
  import Elaborated.{state, State}

  private val usual = Params()
  private val large = Params(
    usual.g.copy(blocksPerDie = 16 * usual.g.blocksPerDie),
    usual.k.copy(
      segments = 16 * usual.k.segments,
      segmentsPerChain = 4 * usual.k.segmentsPerChain,
      gcReserveSegments = 4 * usual.k.segmentsPerChain + 2,
      gcBuffers = 2 * usual.k.gcBuffers,
      maxQueueEntries = 16 * usual.k.maxQueueEntries
    )
  )
  private val mostBits = 5 // log2(16), and one for a count that is a power of two

  // Memories that only assertions read.
  private val shadows: Regex = raw"SuperblockTable\.(gained|lost|gen|epoch|state)_1".r

  private def grown(before: State, after: State): Option[String] =
    if (before.depth != after.depth) Some(s"${before.depth} words became ${after.depth}")
    else if (before.leaves.size != after.leaves.size)
      Some(s"${before.leaves.size} fields became ${after.leaves.size}")
    else
      before.leaves.zip(after.leaves).collectFirst {
        case (was, is) if is - was > mostBits => s"$was bits became $is"
      }

  private def allGrown(before: Map[String, State], after: Map[String, State]): Seq[String] = for {
    (path, was) <- before.toSeq.sortBy(_._1)
    if !shadows.matches(s"${was.unit}.${was.name}")
    how <- grown(was, after(path))
  } yield s"$path: $how"

  describe("Elaborated") {
    it("finds registers and asynchronous memories for each of many things, and no block RAM") {
      val found = Seq(8, 128).map(n => state(ChiselStage.emitCHIRRTL(new PerThing(n))))
      assert(found.head("PerThing.words") == State("PerThing", "words", Seq(3, 1, 1), 8))
      assert(
        allGrown(found(0), found(1)) == Seq(
          "PerThing.registers: 24 fields became 384",
          "PerThing.set: 8 bits became 128",
          "PerThing.words: 8 words became 128"
        )
      )
    }
  }

  describe("OpenRemapTop") {
    it("has as many registers and asynchronous memories with 16 times the superblocks, segments and queue entries") {
      assert(
        large.k.gcMoves == usual.k.gcMoves && large.destageSlots > usual.destageSlots && large.sbBits > usual.sbBits
      )
      val before = state(ChiselStage.emitCHIRRTL(new OpenRemapTop(usual)))
      val after  = state(ChiselStage.emitCHIRRTL(new OpenRemapTop(large)))
      assert(before.size > 1000, "the text of a circuit is no longer understood")
      assert(before.keySet == after.keySet)
      val wrong = allGrown(before, after)
      assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
    }
  }
}

/** The state of a circuit, from its CHIRRTL. */
object Elaborated {

  /** A register, or a memory that is read asynchronously.
    *
    * @param unit
    *   the class of the module that it is in
    * @param leaves
    *   bits of its fields; of a vector's elements each
    * @param depth
    *   words; 1 for a register
    */
  case class State(unit: String, name: String, leaves: Seq[Int], depth: Int)

  private val Header   = """^  (?:public |private )?module (\w+) :.*""".r
  private val Instance = """^ +inst (\w+) of (\w+).*""".r
  private val Register = """^ +reg(?:reset)? (\w+) : (.*)""".r
  private val Memory   = """^ +cmem (\w+) : (.*)""".r

  /** By the path of its instance, and its name. */
  def state(circuit: String): Map[String, State] = {
    case class Found(states: Seq[State], parts: Seq[(String, String)])
    val modules = collection.mutable.Map[String, Found]()
    var top     = ""
    var now     = ""
    for (line <- circuit.linesIterator) line match {
      case Header(name) =>
        if (line.startsWith("  public")) top = name
        now = name
        modules(now) = Found(Nil, Nil)
      case Instance(name, of)   => modules(now) = modules(now).copy(parts = modules(now).parts :+ (name -> of))
      case Register(name, kind) =>
        val found = State(unit(now), name, new Kind(kind).leaves, 1)
        modules(now) = modules(now).copy(states = modules(now).states :+ found)
      case Memory(name, kind) =>
        val (leaves, depth) = new Kind(kind).words
        modules(now) = modules(now).copy(states = modules(now).states :+ State(unit(now), name, leaves, depth))
      case _ =>
    }
    def below(path: String, module: String): Seq[(String, State)] = modules.get(module).toSeq.flatMap { found =>
      found.states.map(s => s"$path.${s.name}" -> s) ++
        found.parts.flatMap { case (name, of) => below(s"$path.$name", of) }
    }
    below(top, top).toMap
  }

  private def unit(module: String): String = module.replaceFirst("_[0-9]+$", "")

  /** Reads a type at the beginning of a text, such as `{ a : UInt<3>, flip b : { c : UInt<1>}[2]}[8]`. */
  private class Kind(text: String) {
    private var at = 0

    def leaves: Seq[Int] = flat(read())

    /** A memory's: its last dimension is the number of words. */
    def words: (Seq[Int], Int) = {
      val (element, sizes) = read()
      (flat((element, sizes.init)), sizes.last)
    }

    private def flat(kind: (Seq[Int], Seq[Int])): Seq[Int] = Seq.fill(kind._2.product)(kind._1).flatten

    private def read(): (Seq[Int], Seq[Int]) = {
      val element =
        if (skip("{")) {
          var fields = Seq[Int]()
          while (!skip("}")) {
            word("""(flip )?\w+ : """)
            fields = fields ++ leaves
            skip(", ")
          }
          fields
        } else {
          val ground = word("""\w+(<\d+>)?""")
          Seq(ground.dropWhile(_ != '<').filter(_.isDigit).toIntOption.getOrElse(1))
        }
      var sizes = Seq[Int]()
      while (skip("[")) {
        sizes = sizes :+ word("""\d+""").toInt
        skip("]")
      }
      (element, sizes)
    }

    private def skip(what: String): Boolean = {
      while (at < text.length && text(at) == ' ' && !what.startsWith(" ")) at += 1
      val is = text.startsWith(what.trim, at)
      if (is) at += what.trim.length
      is
    }

    private def word(pattern: String): String = {
      while (at < text.length && text(at) == ' ') at += 1
      val found = pattern.r.findPrefixOf(text.substring(at)).getOrElse(sys.error(s"no '$pattern' in: $text, at $at"))
      at += found.length
      found
    }
  }
}
