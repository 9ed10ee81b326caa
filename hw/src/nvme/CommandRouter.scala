// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Checks each command as far as that is possible without its data, and sends it to its engine or to firmware. Firmware
  * gets the admin queue and every opcode that no engine knows. Invalid commands are completed here.
  *
  * Combinational: a command is in exactly one place, so that "no command inside" can be seen from outside.
  */
class CommandRouter(p: Params) extends Module {
  val io = IO(new Bundle {
    val in         = Flipped(Decoupled(new FetchedCommand(p)))
    val nsze       = Input(UInt(32.W))
    val nsReady    = Input(Bool())               // 0: Namespace Not Ready for I/O (start-up, shutdown),
    val formatting = Input(Bool())               // with this Format in Progress
    val protect    = Input(Bool())               // 1: Namespace is Write Protected for what would change it
    val handles    = Input(UInt(8.W))            // placement handles that are offered
    val firmware   = Decoupled(new FetchedCommand(p))
    val read       = Decoupled(new IoCommand(p))
    val write      = Decoupled(new IoCommand(p)) // and flush
    val trim       = Decoupled(new IoCommand(p)) // and write zeroes
    val copy       = Decoupled(new FetchedCommand(p))
    val cpl        = Decoupled(new Completion(p))
    val event = Output(new Bundle { val copyRefused = Bool() }) // for what it names
  })

  private def dword(i: Int): UInt = io.in.bits.sqe(32 * i + 31, 32 * i)

  // ------------------------------------------------------------------ fields
  // NVMe base specification, figure 105; NVM command set
  private val opcode = dword(0)(7, 0)
  private val fuse   = dword(0)(9, 8)
  private val psdt   = dword(0)(15, 14)
  private val cid    = dword(0)(31, 16)
  private val nsid   = dword(1)
  private val prp1   = Cat(dword(7), dword(6))
  private val prp2   = Cat(dword(9), dword(8))
  private val slba   = Cat(dword(11), dword(10))
  private val blocks = dword(12)(15, 0) +& 1.U
  private val ranges = dword(10)(7, 0) +& 1.U
  private val dtype  = dword(12)(23, 20) // Write: directive type
  private val dspec  = dword(13)(31, 16) // and with Data Placement: placement identifier
  private val fua    = dword(12)(30)
  private val ad     = dword(11)(2)      // Dataset Management: deallocate

  private def is(code: Int): Bool = opcode === code.U
  private val isRead              = is(NvmeCodes.IoOpcode.Read)
  private val isWrite             = is(NvmeCodes.IoOpcode.Write)
  private val isFlush             = is(NvmeCodes.IoOpcode.Flush)
  private val isDsm               = is(NvmeCodes.IoOpcode.DatasetManagement)
  private val isZero              = is(NvmeCodes.IoOpcode.WriteZeroes)
  private val isCopy              = is(NvmeCodes.IoOpcode.Copy)
  private val known               = isRead || isWrite || isFlush || isDsm || isZero || isCopy
  private val forFw               = io.in.bits.qid === 0.U || !known

  // ------------------------------------------------------------------ checks, in the order in which they are reported
  private val anyNs   = "hffffffff".U
  private val copy    = new CopyFields(io.in.bits.sqe)
  private val hasLba  = isRead || isWrite || isZero || isCopy
  private val hasData = isRead || isWrite || isDsm && ad || isCopy
  private val changes = isWrite || isZero || isDsm && ad || isCopy
  // A Copy's pages are in its list: here is known that there is one at least.
  private val outOfRange = slba(63, 32).orR || slba(31, 0) +& Mux(isCopy, 1.U, blocks) > io.nsze
  private val tooLong    = (isRead || isWrite) && blocks > p.k.mdtsPages.U // Identify: MDTS does not bound Write Zeroes
  private val places     = dtype === NvmeCodes.Directive.DataPlacement.U
  private val knownType  = dtype === NvmeCodes.Directive.None.U || places
  private val badFlags = fuse =/= 0.U || psdt =/= 0.U || isCopy && dword(0)(13, 10) =/= 0.U // reserved
  private val badField = tooLong || isWrite && !knownType || isCopy && !copy.good
  private val status   = MuxCase(
    NvmeStatus.Success,
    Seq(
      badFlags                                       -> NvmeStatus.InvalidField,
      (nsid =/= 1.U && !(isFlush && nsid === anyNs)) -> NvmeStatus.InvalidNamespace,
      badField                                       -> NvmeStatus.InvalidField,
      !io.nsReady             -> Mux(io.formatting, NvmeStatus.FormatInProgress, NvmeStatus.NamespaceNotReady),
      (changes && io.protect) -> NvmeStatus.WriteProtected,
      (isCopy && copy.ranges > p.copyRanges.U) -> NvmeStatus.CopySizeLimit,
      (hasLba && outOfRange)                   -> NvmeStatus.LbaOutOfRange,
      (hasData && prp1(1, 0).orR)              -> NvmeStatus.InvalidPrpOffset
    )
  )
  private val bad     = status =/= NvmeStatus.Success
  private val nothing = isDsm && !ad // hints only: none of them changes anything here

  // ------------------------------------------------------------------ where it goes
  private val command = Wire(new IoCommand(p))
  command.qid := io.in.bits.qid
  command.cid := cid
  command.op  := MuxCase(
    IoOp.read,
    Seq(isWrite -> IoOp.write, isFlush -> IoOp.flush, isDsm -> IoOp.deallocate, isZero -> IoOp.writeZeroes)
  )
  command.slba  := slba(31, 0)
  command.pages := Mux(isFlush, 0.U, Mux(isDsm, ranges, blocks))
  command.fua   := fua && (isWrite || isRead)
  // One reclaim group: the identifier is the placement handle. One that is not offered counts as 0, as does none.
  command.handle := Mux(isWrite && places && dspec < io.handles, dspec, 0.U)
  command.prp1   := prp1
  command.prp2   := prp2

  private val toCpl                                  = !forFw && (bad || nothing)
  private val toEngine                               = !forFw && !bad && !nothing
  private val routes: Seq[(DecoupledIO[Data], Bool)] = Seq(
    io.firmware -> forFw,
    io.cpl      -> toCpl,
    io.read     -> (toEngine && isRead),
    io.write    -> (toEngine && (isWrite || isFlush)),
    io.trim     -> (toEngine && (isDsm || isZero)),
    io.copy     -> (toEngine && isCopy)
  )
  routes.foreach { case (port, mine) => port.valid := io.in.valid && mine }
  io.in.ready := Mux1H(routes.map { case (port, mine) => mine -> port.ready })

  Seq(io.read, io.write, io.trim).foreach(_.bits := command)
  io.firmware.bits   := io.in.bits
  io.copy.bits       := io.in.bits
  io.cpl.bits.qid    := io.in.bits.qid
  io.cpl.bits.cid    := cid
  io.cpl.bits.status := status
  io.cpl.bits.dw0    := 0.U

  io.event.copyRefused := io.cpl.fire && isCopy && io.nsReady && !io.protect

  assert(!io.in.valid || PopCount(routes.map(_._2)) === 1.U, "a command goes to one place")
  cover(io.firmware.valid && !io.firmware.ready, "CommandRouter: firmware's mailbox is full")
  cover(io.read.valid && !io.read.ready, "CommandRouter: reads wait")
  cover(io.write.valid && !io.write.ready, "CommandRouter: writes wait")
  cover(io.write.fire && places && dspec >= io.handles, "CommandRouter: a placement handle that is not offered")
  cover(io.trim.valid && !io.trim.ready, "CommandRouter: deallocations wait")
  cover(io.copy.valid && !io.copy.ready, "CommandRouter: Copies wait")
}
