// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The fields of the spare of a slot that GcMover has read, as far as GcMover uses them. */
class GcSpare(val p: Params) extends Bundle {
  val likely = Bool()     // may be what the slot was programmed with: all but its CRC is as it should be
  val lpn    = UInt(32.W) // one of the namespace's, when `likely`
  val seq    = UInt(p.seqBits.W)
  val stream = UInt(8.W)
  val crc    = UInt(32.W)
}

/** Checks and makes the spares (Formats.OobRecord) of the slots that GcMover reads and programs. One CRC network serves
  * both and takes some cycles. It checks a spare while the map looks up the LPN. It makes one before a program, whose
  * data takes many more cycles.
  */
class GcSpares(p: Params) extends Module {
  private val n       = p.k.gcMoves
  private val idxBits = log2Ceil(n).max(1)
  val io              = IO(new Bundle {
    val read = Flipped(Valid(new Bundle { val place = UInt(idxBits.W); val done = new NandDone(p) })) // a read's end
    val gen   = Input(UInt(p.genBits.W))  // of the superblock that is read
    val place = Input(UInt(idxBits.W))    // where somebody looks
    val slot  = Input(UInt(p.slotBits.W)) // what was read there
    val spare = Output(new GcSpare(p))    // from the cycle after `place`, and the third after `read`
    val check = Input(Bool())             // all of the above stays as it is, and `good` comes with `done`
    val good  = Output(Bool())
    val make  = Input(Bool())             // the next three stay as they are, and `oob` comes with `done`
    val lpn   = Input(UInt(32.W))
    val seq   = Input(UInt(p.seqBits.W))
    val to    = Input(new Allocation(p))
    val oob   = Output(UInt(p.oobBits.W))
    val done  = Output(Bool())
  })
  // --- what was read: judged from a register, and kept. What is looked at leaves the memory into a register.
  private val kept  = Mem(n, new GcSpare(p))
  private val comes = RegNext(io.read.valid, false.B)
  private val read  = RegEnable(io.read.bits, io.read.valid)
  private val found = read.done.oob.asTypeOf(new Formats.OobRecord)
  private val keeps = Wire(new GcSpare(p))
  // Each of its fields is looked at as it comes, and all of them together a cycle later.
  private val came  = io.read.bits.done
  private val fresh = came.oob.asTypeOf(new Formats.OobRecord)
  private val right = Seq(
    came.status === NandStatus.ok,
    fresh.slot === came.slot,
    fresh.gen === io.gen,
    fresh.version === Formats.FormatVersion.U && fresh.reserved === 0.U,
    fresh.lpn < p.lpns.U
  )
  keeps.likely := right.map(RegEnable(_, io.read.valid)).reduce(_ && _)
  keeps.lpn    := found.lpn
  keeps.seq    := found.seq
  keeps.stream := found.stream
  keeps.crc    := found.crc
  when(comes)(kept.write(read.place, keeps))
  private val spare = RegNext(kept.read(io.place))
  io.spare := spare

  // --- the record in hand
  private val record = WireInit(0.U.asTypeOf(new Formats.OobRecord))
  record.lpn     := Mux(io.make, io.lpn, spare.lpn)
  record.gen     := Mux(io.make, io.to.gen, io.gen)
  record.seq     := Mux(io.make, io.seq, spare.seq)
  record.stream  := Mux(io.make, Formats.StreamGc.U, spare.stream)
  record.version := Formats.FormatVersion.U
  record.slot    := Mux(io.make, io.to.slot, io.slot)
  private val covered = Formats.OobRecord.covered(record)
  private val words   = covered.getWidth / 32
  private val crc     = Module(new CrcSerial(words))
  crc.io.want  := io.check || io.make
  crc.io.words := CrcSerial.words(covered, words)
  crc.io.count := words.U
  crc.io.taken := false.B // GcMover rests between two
  private val sum    = RegNext(crc.io.crc)
  private val summed = RegNext(crc.io.done, false.B)
  io.done := RegNext(summed, false.B)
  io.good := RegNext(spare.likely && spare.crc === sum)
  io.oob  := Formats.OobRecord.withCrc(record, sum).asUInt

  assert(!(io.check && io.make), "GcSpares: one is checked while another one is made")
  assert(
    !io.done || RegNext(io.check || io.make, false.B) || !(io.check || io.make),
    "GcSpares: done with the last one"
  )
  cover(io.check && io.done && spare.likely && !io.good, "GcSpares: only its CRC tells that a spare is no good")
}
