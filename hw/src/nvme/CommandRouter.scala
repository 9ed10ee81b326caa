// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Checks each command as far as that is possible without its data, and sends it to its engine or to firmware. Firmware
  * gets the admin queue, every opcode that no engine knows, and the vendor commands that are not what RangeEngine
  * expects: it gives them their status. Other invalid commands are completed here.
  *
  * One command at a time is inside, since the fetch of an entry takes at least four cycles. A command that is not
  * refused is at its port in the cycle after it came; a REMAP or REMAP VECTOR a cycle later, when all of its checks are
  * known. One that is refused is at `cpl` a cycle later, because its status takes two steps: which checks it fails, and
  * which of these failures is reported.
  *
  * A command is checked when it is accepted, with the settings (`nsze` to `handles`) of that cycle, also when it waits
  * here for its port. It is like one that waits in CommandQueues: before firmware changes what accepted commands rely
  * on, it waits until no I/O command is inside, and QueueCredits counts the one here.
  */
class CommandRouter(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val in         = Flipped(Decoupled(new FetchedCommand(p)))
    val nsze       = Input(UInt(32.W))
    val nsReady    = Input(Bool())                    // 0: Namespace Not Ready for I/O (start-up, shutdown),
    val formatting = Input(Bool())                    // with this Format in Progress
    val protect    = Input(Bool())                    // 1: Namespace is Write Protected for what would change it
    val handles    = Input(UInt(8.W))                 // placement handles that are offered
    val firmware   = Decoupled(new FetchedCommand(p))
    val read       = Decoupled(new IoCommand(p))
    val write      = Decoupled(new IoCommand(p))      // and flush
    val trim       = Decoupled(new IoCommand(p))      // and write zeroes
    val ranges     = Decoupled(new FetchedCommand(p)) // REMAP, REMAP VECTOR, Copy
    val cpl        = Decoupled(new Completion(p))
    val event = Output(new Bundle { val copyRefused = Bool() }) // pulse: for what it names
  })

  /** Dword i of an entry. */
  private def dword(entry: UInt)(i: Int): UInt = entry(32 * i + 31, 32 * i)

  // ------------------------------------------------------------------ fields of the command that comes
  // NVMe base specification, figure 105; NVM command set
  private val came   = dword(io.in.bits.sqe) _
  private val opcode = came(0)(7, 0)
  private val fuse   = came(0)(9, 8)
  private val psdt   = came(0)(15, 14)
  private val nsid   = came(1)
  private val slba   = Cat(came(11), came(10))
  private val nlb    = came(12)(15, 0)  // one less than the number of logical blocks
  private val blocks = nlb +& 1.U
  private val ranges = came(10)(7, 0) +& 1.U
  private val dtype  = came(12)(23, 20) // Write: directive type
  private val dspec  = came(13)(31, 16) // and with Data Placement: placement identifier
  private val fua    = came(12)(30)
  private val ad     = came(11)(2)      // Dataset Management: deallocate

  // Four bits tell the opcodes of the engines apart. What has another opcode goes to firmware whatever the checks say,
  // but for REMAP and REMAP VECTOR, which have checks of their own.
  import NvmeCodes.IoOpcode
  import Formats.VendorOpcodes.{Remap, RemapVector}
  private val opcodes =
    Seq(IoOpcode.Read, IoOpcode.Write, IoOpcode.Flush, IoOpcode.DatasetManagement, IoOpcode.WriteZeroes, IoOpcode.Copy)
  private val telling = 0x1b
  require(opcodes.map(_ & telling).distinct.size == opcodes.size)
  private val Seq(isRead, isWrite, isFlush, isDsm, isZero, isCopy) =
    opcodes.map(code => (opcode & telling.U) === (code & telling).U)
  private val forIo                   = io.in.bits.qid =/= 0.U
  private val known                   = VecInit((Remap +: RemapVector +: opcodes).map(opcode === _.U)).asUInt.orR
  private val vendor                  = VecInit(Seq(Remap, RemapVector).map(opcode === _.U)).asUInt.orR
  private def goes(codes: Int*): Bool = forIo && VecInit(codes.map(opcode === _.U)).asUInt.orR

  // ------------------------------------------------------------------ checks, in the order in which they are reported
  private val anyNs     = "hffffffff".U
  private val fields    = new RangeFields(io.in.bits.sqe)
  private val hasLba    = isRead || isWrite || isZero || isCopy
  private val hasData   = isRead || isWrite || isDsm && ad || isCopy
  private val changes   = isWrite || isZero || isDsm && ad || isCopy
  private val tooLong   = (isRead || isWrite) && nlb >= p.k.mdtsPages.U // Identify: MDTS does not bound Write Zeroes
  private val places    = dtype === NvmeCodes.Directive.DataPlacement.U
  private val knownType = dtype === NvmeCodes.Directive.None.U || places
  private val badFlags = fuse =/= 0.U || psdt =/= 0.U || isCopy && came(0)(13, 10) =/= 0.U // reserved
  private val badField = tooLong || isWrite && !knownType || isCopy && !fields.goodCopy
  // The last block is outside. A Copy's pages are in its list: here is known that there is one at least.
  private val outOfRange                = slba(63, 32).orR || slba(31, 0) +& Mux(isCopy, 0.U, nlb) >= io.nsze
  private val checks: Seq[(Bool, UInt)] = Seq(
    badFlags                                       -> NvmeStatus.InvalidField,
    (nsid =/= 1.U && !(isFlush && nsid === anyNs)) -> NvmeStatus.InvalidNamespace,
    badField                                       -> NvmeStatus.InvalidField,
    (!io.nsReady && io.formatting)                 -> NvmeStatus.FormatInProgress,
    !io.nsReady                                    -> NvmeStatus.NamespaceNotReady,
    (changes && io.protect)                        -> NvmeStatus.WriteProtected,
    (isCopy && fields.copyRanges > p.copyRanges.U) -> NvmeStatus.CopySizeLimit,
    (hasLba && outOfRange)                         -> NvmeStatus.LbaOutOfRange,
    (hasData && came(6)(1, 0).orR)                 -> NvmeStatus.InvalidPrpOffset // PRP1
  )

  // ------------------------------------------------------------------ checks of REMAP and REMAP VECTOR
  // What does not pass is firmware's, which gives it its status.
  private val unusual = Seq(came(0)(15, 8).orR || nsid =/= 1.U, !fields.known, !io.nsReady || io.protect)

  // ------------------------------------------------------------------ the command that is inside
  private val held                            = RegInit(false.B)
  private val sqe                             = RegEnable(io.in.bits.sqe, io.in.fire)
  private val inside                          = dword(sqe) _
  private val qid                             = RegEnable(io.in.bits.qid, io.in.fire)
  private val command                         = Wire(new IoCommand(p))
  private def decoded[T <: Data](value: T): T = RegEnable(value, io.in.fire)
  command.qid := qid
  command.cid := inside(0)(31, 16)
  command.op  := MuxCase(
    IoOp.read,
    Seq(isWrite -> IoOp.write, isFlush -> IoOp.flush, isDsm -> IoOp.deallocate, isZero -> IoOp.writeZeroes)
      .map { case (mine, op) => decoded(mine) -> op }
  )
  command.slba  := inside(10)
  command.pages := decoded(Mux(isFlush, 0.U, Mux(isDsm, ranges, blocks)))
  command.fua   := decoded(fua && (isWrite || isRead))
  // One reclaim group: the identifier is the placement handle. One that is not offered counts as 0, as does none.
  private val offered = dspec < io.handles
  command.handle := decoded(Mux(isWrite && places && offered, dspec, 0.U)(p.handleBits - 1, 0))
  command.prp1   := Cat(inside(7), inside(6))
  command.prp2   := Cat(inside(9), inside(8))

  // ------------------------------------------------------------------ where it goes
  private val routes: Seq[(DecoupledIO[Data], Bool)] = Seq(
    io.read  -> goes(IoOpcode.Read),
    io.write -> goes(IoOpcode.Write, IoOpcode.Flush),
    io.trim  -> (goes(IoOpcode.DatasetManagement) && ad || goes(IoOpcode.WriteZeroes))
  )
  // In three parts, each of few levels of logic. The namespace's state, the second one, is known soon enough to choose
  // no port at all.
  private val parts                    = checks.map(_._1).grouped(3).map(VecInit(_).asUInt.orR).toSeq
  private val shut                     = parts(1)
  private val bad                      = decoded(parts(0)) || decoded(parts(2))
  private val failed                   = decoded(VecInit(checks.map(_._1)))
  private val hints                    = decoded(isDsm && !ad) // they change nothing here
  private val ports                    = Seq(io.firmware, io.read, io.write, io.trim, io.ranges, io.cpl)
  private val leaves                   = VecInit(ports.map(_.fire)).asUInt.orR
  private def chosen(mine: Bool): Bool = {
    val now = RegInit(false.B)
    when(io.in.fire)(now := mine).elsewhen(leaves)(now := false.B)
    now
  }
  private val fresh = RegNext(io.in.fire, false.B) // the command came in the cycle before
  // A REMAP or REMAP VECTOR is at its port a cycle later than others.
  private val judged     = fresh && decoded(forIo && vendor)
  private val isUsual    = !VecInit(unusual.map(decoded(_))).asUInt.orR
  private val fits       = RegInit(false.B)
  private val unfit      = RegInit(false.B)
  when(judged)(fits := isUsual).elsewhen(leaves)(fits    := false.B)
  when(judged)(unfit := !isUsual).elsewhen(leaves)(unfit := false.B)
  // its status is not known yet
  private val refused = fresh && !io.firmware.valid && !judged && (failed.asUInt.orR || hints)
  private val ended   = RegInit(false.B)
  when(io.in.fire)(held := true.B).elsewhen(leaves)(held := false.B)
  io.firmware.valid := held && decoded(!forIo || !known) || unfit
  for ((port, mine) <- routes) port.valid := chosen(mine && !shut) && !bad
  io.ranges.valid := chosen(goes(IoOpcode.Copy) && !shut) && !bad || fits
  when(refused)(ended := true.B).elsewhen(leaves)(ended  := false.B)
  io.in.ready := !held
  io.cpl.valid := ended

  Seq(io.read, io.write, io.trim).foreach(_.bits := command)
  for (port <- Seq(io.firmware, io.ranges)) {
    port.bits.qid := qid
    port.bits.sqe := sqe
  }
  io.cpl.bits.qid    := qid
  io.cpl.bits.cid    := command.cid
  io.cpl.bits.status := RegNext(
    MuxCase(NvmeStatus.Success, failed.zip(checks).map { case (now, (_, status)) => now -> status })
  )
  io.cpl.bits.dw0 := 0.U

  private val copyCounts = decoded(isCopy && io.nsReady && !io.protect)
  io.event.copyRefused := RegNext(refused && copyCounts, false.B)
  quiet                := Mux(held, !refused && !judged && !leaves, !io.in.valid) && !io.event.copyRefused

  assert(PopCount(refused +: judged +: ports.map(_.valid)) === held, "the command that is inside is in one place")
  cover(io.firmware.valid && !io.firmware.ready, "CommandRouter: firmware's mailbox is full")
  cover(io.read.valid && !io.read.ready, "CommandRouter: reads wait")
  cover(io.write.valid && !io.write.ready, "CommandRouter: writes wait")
  cover(
    io.write.fire && decoded(isWrite && places && !offered),
    "CommandRouter: a placement handle that is not offered"
  )
  cover(io.trim.valid && !io.trim.ready, "CommandRouter: deallocations wait")
  cover(io.ranges.valid && !io.ranges.ready, "CommandRouter: commands with ranges wait")
  cover(io.firmware.fire && decoded(forIo && known), "CommandRouter: a remap that firmware refuses")
}
