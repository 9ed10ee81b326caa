// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** The fields of the commands that RangeEngine carries out, in one form: REMAP and REMAP VECTOR (interfaces/formats),
  * and Copy (NVM command set, Copy - Command Dwords 10 to 12).
  */
class RangeFields(sqe: UInt) {
  private def dword(i: Int): UInt = sqe(32 * i + 31, 32 * i)
  private def quad(low: Int)      = dword(low + 1) ## dword(low)
  import Formats.VendorOpcodes.{Remap, RemapVector}

  val opcode = sqe(7, 0)
  val cid    = dword(0)(31, 16)
  val prp1   = quad(6)
  val prp2   = quad(8)

  // Two bits tell the three opcodes apart.
  require(Seq(NvmeCodes.IoOpcode.Copy, Remap, RemapVector).map(_ & 0x81).distinct.size == 3)
  require(Remap == 0x80 && RemapVector == 0x81)
  val copies = !opcode(7)
  val vector = opcode(7) && opcode(0)
  val single = opcode(7) && !opcode(0)

  // ------------------------------------------------------------------ Copy
  private val CopyBytes  = Seq(32, 40) // of an entry, by descriptor format
  private val format     = dword(12)(11, 8)
  private val protection =
    dword(12)(29, 26) ## dword(12)(15, 12) // PRINFOW, PRINFOR: there is no protection information
  val sdlba      = quad(10)
  val format1    = copies && format(0)
  val goodCopy   = format < CopyBytes.size.U && protection === 0.U
  val copyRanges = dword(12)(7, 0) +& 1.U

  // ------------------------------------------------------------------ REMAP and REMAP VECTOR
  private val most  = Formats.RemapRangesMax.toInt
  private val count = dword(10) // of a vector
  require(Formats.VendorFlags.Move == 1)
  val source = quad(10)
  val target = quad(12)
  val pages  = dword(14)
  val move   = !copies && dword(15)(0)

  /** The fields of a REMAP or REMAP VECTOR are those that hardware knows. What is not is for firmware to judge. */
  val known = dword(15)(31, 1) === 0.U &&
    (!opcode(0) || count =/= 0.U && count <= most.U && prp1(1, 0) === 0.U)

  // ------------------------------------------------------------------ all three
  /** At least 1. */
  val ranges = Mux(copies, copyRanges, Mux(vector, count(8, 0), 1.U))

  /** The list in words of 16 bytes: transfers from the host are whole ones. An odd list of format 1 has 8 bytes more,
    * which are tags.
    */
  val words = Mux(format1, ranges * (CopyBytes(1) / 8).U >> 1, ranges * (CopyBytes(0) / 16).U)
  require(CopyBytes.head == Formats.RemapRange.bytes)
}
