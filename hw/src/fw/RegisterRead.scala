// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The read multiplexer of a register file: a tree over the address bits, and one check of whether the register exists.
  * In a chain of comparisons, by contrast, every word would pass an address comparator.
  */
object RegisterRead {
  private val blockBits = 5 // of the address of a word in its block of eight

  /** The word at byte address `addr`; zero where there is none. */
  def apply(addr: UInt, words: Seq[(Int, UInt)]): UInt = Mux(exists(addr, words), word(addr, words), 0.U)

  /** The same a cycle later: the choice within each block of eight words is made before that, the choice of the block
    * afterwards. So `addr` has to stay for both cycles. `here` tells whether there is an address; if there is none, the
    * choice is made for `coming`, which is `addr` in the next cycle, and of the words at `early` alone.
    */
  def inSteps(addr: UInt, words: Seq[(Int, UInt)], here: Bool, coming: UInt, early: Set[Int]): UInt = {
    val blocks = words.groupBy { case (at, _) => at >> blockBits << blockBits }.toSeq.sortBy(_._1)
    def pick(from: UInt, of: Seq[(Int, UInt)]): UInt = word(from(blockBits - 1, 0), of)
    val chosen                                       = blocks.map { case (at, of) =>
      val late = pick(addr, of.map(inBlock(at)))
      val soon = of.filter(word => early(word._1)).map(inBlock(at))
      at -> RegNext(if (soon.isEmpty) late else Mux(here, late, pick(coming, soon)))
    }
    val high = addr & ~((1 << blockBits) - 1).U(addr.getWidth.W)
    Mux(RegNext(!here || exists(addr, words)), word(high, chosen), 0.U)
  }

  private def inBlock(block: Int)(word: (Int, UInt)): (Int, UInt) = word._1 - block -> word._2

  private def check(addr: UInt, words: Seq[(Int, UInt)]): Unit = {
    require(words.map(_._1).distinct.size == words.size, "one word an address")
    require(words.forall { case (at, _) => at % 4 == 0 && at < (1 << addr.getWidth) }, "words of the window")
  }

  private def exists(addr: UInt, words: Seq[(Int, UInt)]): Bool = {
    check(addr, words)
    tree(addr, addr.getWidth - 1, words.map { case (at, _) => at -> true.B }, false.B, gaps = true)
  }

  private def word(addr: UInt, words: Seq[(Int, UInt)]): UInt =
    tree(addr, addr.getWidth - 1, words.map { case (at, w) => at -> w.pad(32) }, 0.U(32.W), gaps = false)

  /** Of `words` the one that bits `bit .. 2` of the address tell. Where the bit leaves no choice it is looked at only
    * if `gaps` matter.
    */
  private def tree[T <: Data](addr: UInt, bit: Int, words: Seq[(Int, T)], none: T, gaps: Boolean): T =
    if (words.isEmpty) none
    else if (bit < 2) words.head._2
    else {
      val (one, zero)                = words.partition { case (at, _) => (at >> bit & 1) == 1 }
      def side(of: Seq[(Int, T)]): T = tree(addr, bit - 1, of, none, gaps)
      if (!gaps && one.isEmpty) side(zero)
      else if (!gaps && zero.isEmpty) side(one)
      else Mux(addr(bit), side(one), side(zero))
    }
}
