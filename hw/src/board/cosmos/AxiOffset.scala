// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** A part of a larger memory, for a master whose addresses begin with 0: adds `base`.
  *
  * Timing: registers on all sides.
  *
  * @param bytes
  *   of the part; an address beyond them is a mistake of the master
  */
class AxiOffset(a: AxiParams, base: BigInt, bytes: BigInt) extends Module {
  val io = IO(new Bundle {
    val in  = Flipped(new Axi4(a))
    val out = new Axi4(a)
  })
  require(bytes > 0 && base + bytes <= (BigInt(1) << a.addrBits), "the part lies in what an address can name")
  // A burst keeps within 4 KiB, and the part has whole ones: no burst leaves it.
  require(base % 4096 == 0 && bytes % 4096 == 0, "whole blocks of 4 KiB")

  private def moved(in: DecoupledIO[AxiAddr], out: DecoupledIO[AxiAddr]): Unit = {
    val sum = Wire(chiselTypeOf(in))
    sum.valid     := in.valid
    in.ready      := sum.ready
    sum.bits.len  := in.bits.len
    sum.bits.addr := in.bits.addr + base.U
    out <> Skid(sum)
    assert(!in.valid || in.bits.addr < bytes.U, "an address beyond the memory")
    cover(in.valid && !in.ready, "AxiOffset: an address waits")
  }
  moved(io.in.rd.ar, io.out.rd.ar)
  moved(io.in.wr.aw, io.out.wr.aw)
  io.out.wr.w <> Skid(io.in.wr.w)
  io.in.wr.b <> Skid(io.out.wr.b)
  io.in.rd.r <> Skid(io.out.rd.r)
}
