// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The read multiplexer of a register file: a tree over the address bits, and one check of whether the register exists.
  * In a chain of comparisons, by contrast, every word would pass an address comparator.
  */
object RegisterRead {
  private val blockBits = 5 // of the address of a word in its block of eight

  /** The word at byte address `addr`; zero where there is none. */
  def apply(addr: UInt, words: Seq[(Int, UInt)]): UInt = made(addr, words, RegisterRead.word(addr, words))

  /** The same a cycle later: the choice within each block of eight words is made before that, the choice of the block
    * afterwards. So `addr` has to stay for both cycles.
    */
  def inSteps(addr: UInt, words: Seq[(Int, UInt)]): UInt = {
    val blocks = words.groupBy { case (at, _) => at >> blockBits << blockBits }.toSeq.sortBy(_._1)
    val chosen = blocks.map { case (at, of) => at -> RegNext(word(addr(blockBits - 1, 0), of.map(inBlock(at)))) }
    val high   = addr & ~((1 << blockBits) - 1).U(addr.getWidth.W)
    made(addr, words, word(high, chosen), step = true)
  }

  private def inBlock(block: Int)(word: (Int, UInt)): (Int, UInt) = word._1 - block -> word._2

  private def made(addr: UInt, words: Seq[(Int, UInt)], word: UInt, step: Boolean = false): UInt = {
    require(words.map(_._1).distinct.size == words.size, "one word an address")
    require(words.forall { case (at, _) => at % 4 == 0 && at < (1 << addr.getWidth) }, "words of the window")
    val exists = tree(addr, addr.getWidth - 1, words.map { case (at, _) => at -> true.B }, false.B, gaps = true)
    Mux(if (step) RegNext(exists) else exists, word, 0.U)
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
