// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The core's receive stream of 128 bits. A TLP may begin in the upper half of the beat in which the one before it ends
  * (it straddles). From then on it is two dwords behind the core's beats: its second half waits for the next one, and
  * its end may need a beat of its own.
  */
class TlpReceive128 extends Module {
  val io = IO(new Bundle {
    val core = Flipped(Decoupled(new CoreRx(128)))
    val out  = Decoupled(new TlpRxBeat)
  })
  private val in     = Skid(io.core)
  private val out    = Module(new Skid(new TlpRxBeat))
  private val inside = RegInit(false.B) // a TLP goes on
  private val behind = RegInit(false.B) // it began in an upper half
  private val tail   = RegInit(false.B) // `held` is its end
  private val held   = Reg(Vec(2, UInt(32.W)))
  private val odd    = Reg(UInt(1.W))   // dwords of the tail, less one
  private val bar0   = Reg(Bool())      // of the TLP that goes on

  private val user   = in.bits.user
  private val begins = CoreRx.begins(user)
  private val high   = begins && CoreRx.beginsHigh(user)
  private val low    = begins && !CoreRx.beginsHigh(user)
  private val ends   = CoreRx.ends(user)
  private val endsAt = CoreRx.endsAt(user)
  private val active = inside || low // the beat's lower half is of a TLP
  private val shifts = inside && behind
  private val dws    = Seq.tabulate(4)(i => in.bits.data(32 * i + 31, 32 * i))
  private val beat   = out.io.in.bits

  in.ready        := out.io.in.ready && !tail
  out.io.in.valid := tail || in.valid && active
  beat.dw(0)      := Mux(tail || shifts, held(0), dws(0))
  beat.dw(1)      := Mux(tail || shifts, held(1), dws(1))
  beat.dw(2)      := Mux(shifts, dws(0), dws(2))
  beat.dw(3)      := Mux(shifts, dws(1), dws(3))
  beat.last       := tail || ends && !(shifts && endsAt(1))
  beat.count      := Mux(tail, odd, Mux(!beat.last, 3.U, Mux(shifts, Cat(1.U, endsAt(0)), endsAt)))
  beat.bar0       := Mux(low, CoreRx.bar0(user), bar0)
  when(in.fire) {
    held   := VecInit(dws(2), dws(3))
    odd    := endsAt(0)
    tail   := shifts && ends && endsAt(1)
    inside := active && !ends || high
    when(begins) {
      behind := high
      bar0   := CoreRx.bar0(user)
    }
  }
  when(tail && out.io.in.ready)(tail := false.B)
  io.out <> out.io.out

  assert(!in.valid || active || high, "TlpReceive128: a beat of no TLP")
  assert(!in.valid || !low || !inside, "TlpReceive128: a TLP begins inside another")
  assert(!in.valid || !high || !active || ends && !endsAt(1), "TlpReceive128: two TLPs in the upper half")
  cover(in.fire && high && active && !shifts, "TlpReceive128: a TLP straddles")
  cover(in.fire && high && shifts, "TlpReceive128: a TLP straddles behind one that does")
  cover(tail && in.valid, "TlpReceive128: the core waits for the end of a TLP")
  cover(io.core.valid && !io.core.ready, "TlpReceive128: the core has to wait")
}
