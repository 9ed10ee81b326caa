// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Firmware's part of CSTS. `dead`: start-up failed, and firmware will not answer a reset any more. */
class FwCsts extends Bundle {
  val rdy  = Bool()
  val cfs  = Bool()
  val shst = UInt(2.W)
  val dead = Bool()
}

object NvmeRegs {

  /** Cycles from the value of `cc` that firmware's read gets to the pulse of `ccRead`. */
  val ccReadDelay = 2
}

/** Controller registers of BAR0 (NVMe base spec, Controller Registers) and the doorbells. CAP and VS are constants of
  * Params.
  *
  * The host may disable the controller, or reset the function, and enable it again before firmware has noticed. The
  * second enabling is then held back (`cc`, `enable`, the admin queues) until firmware has read CC with EN = 0 and
  * CSTS.RDY is clear. Firmware may still be about to answer the first enabling: if that had not been answered when the
  * controller was disabled, the host sees nothing of the answer.
  *
  * The admin queues exist while the controller is enabled and ready: CSTS.RDY says that it takes doorbells. So firmware
  * never finds commands of an enabling that was taken back before it has answered.
  */
class NvmeRegs(p: Params) extends Module with Quiesces {
  val io = IO(new Bundle {
    val bar           = Flipped(new AxiLite(14))
    val doorbell      = Valid(new Doorbell(p))
    val enable        = Output(Bool())         // CC.EN
    val cc            = Output(UInt(32.W))
    val ccChanged     = Output(Bool())         // pulse
    val adminSq       = Valid(new SqConfig(p)) // when the controller gets ready (enable), and when that ends (disable)
    val adminCq       = Valid(new CqConfig(p))
    val csts          = Input(new FwCsts)
    val ccRead        = Input(Bool())          // pulse: firmware has read `cc` as it was ccReadDelay cycles ago
    val functionReset = Input(Bool())
  })
  import Bar0Map._

  private val slave = Module(new AxiLiteSlave(14))
  slave.io.access.holds := false.B
  private val bus = slave.io.access
  slave.io.bus <> io.bar

  private def storage(reg: RegInfo, field: RegField): UInt = {
    val r  = RegInit(field.reset.U(field.width.W))
    when(bus.writes(reg))(r  := field.of(bus.write.bits.data))
    when(io.functionReset)(r := field.reset.U)
    r
  }
  private val cc    = storage(Cc.reg, RegField(0, 32, Cc.reg.reset))
  private val asqs  = storage(Aqa.reg, Aqa.asqs)
  private val acqs  = storage(Aqa.reg, Aqa.acqs)
  private val asqLo = storage(AsqLo.reg, AsqLo.value)
  private val asqHi = storage(AsqHi.reg, AsqHi.value)
  private val acqLo = storage(AcqLo.reg, AcqLo.value)
  private val acqHi = storage(AcqHi.reg, AcqHi.value)

  // ------------------------------------------------------------------ enabling
  private val hostEnable      = Cc.en.of(cc).asBool
  private val unseen          = RegInit(false.B) // disabled, and firmware has not read so yet
  private val draining        = RegInit(false.B) // the same, or firmware has not yet cleared RDY
  private val hidden          = RegInit(false.B) // what firmware shows is of an enabling that the host has taken back
  private val enabled         = hostEnable && !draining
  private val was             = RegNext(enabled, false.B)
  private val takes           = enabled && io.csts.rdy
  private val took            = RegNext(takes, false.B)
  private val touched         = RegNext(bus.writes(Cc.reg) || io.functionReset, false.B)
  private val ends            = was && (!hostEnable || io.functionReset)
  private val wasThen         = ShiftRegisters(was, NvmeRegs.ccReadDelay, false.B, true.B)
  private val seesOff         = io.ccRead && !wasThen.last
  private val follows         = !unseen && (draining && !io.csts.rdy || hidden && !io.csts.asUInt.orR)
  when(!unseen && !io.csts.rdy)(draining      := false.B)
  when(!unseen && !io.csts.asUInt.orR)(hidden := false.B)
  when(seesOff)(unseen                        := false.B)
  when(io.functionReset)(hidden               := true.B)
  when(ends) {
    unseen   := true.B
    draining := true.B
    when(!io.csts.rdy)(hidden := true.B)
  }

  // All of it a cycle late, so that each output is a register.
  private val turns = RegNext(took =/= takes, false.B)
  io.enable    := was
  io.cc        := cc & ~Cc.en.word(1.U) | Cc.en.word(was.asUInt)
  io.ccChanged := RegNext(touched || was =/= enabled, false.B)

  require(AsqLo.value.lsb == AcqLo.value.lsb, "both admin queues start at a page")
  private def base(lo: UInt, hi: UInt): UInt = Cat(hi, AsqLo.value.word(lo))
  io.adminSq.valid        := turns
  io.adminSq.bits.qid     := 0.U
  io.adminSq.bits.enable  := RegNext(takes && asqs =/= 0.U && !io.functionReset, false.B) // one entry holds no command
  io.adminSq.bits.base    := base(asqLo, asqHi)
  io.adminSq.bits.entries := asqs +& 1.U
  io.adminSq.bits.cqid    := 0.U
  io.adminCq.valid        := turns
  io.adminCq.bits.qid     := 0.U
  io.adminCq.bits.enable  := RegNext(takes && acqs =/= 0.U && !io.functionReset, false.B)
  io.adminCq.bits.base    := base(acqLo, acqHi)
  io.adminCq.bits.entries := acqs +& 1.U
  io.adminCq.bits.ien    := true.B // the admin completion queue interrupts, on vector 0
  io.adminCq.bits.vector := 0.U

  // ------------------------------------------------------------------ doorbells
  private val doorbells = Doorbell.reg
  private val index     = (bus.write.bits.addr - doorbells.addr.U) >> 2
  private val rings     = bus.write.valid && bus.write.bits.addr >= doorbells.addr.U &&
    bus.write.bits.addr < (doorbells.addr + doorbells.count * doorbells.stride).U
  private val rung = RegInit(0.U.asTypeOf(io.doorbell))
  rung.valid      := rings
  rung.bits.qid   := index >> 1
  rung.bits.isCq  := index(0)
  rung.bits.value := Doorbell.value.of(bus.write.bits.data)
  io.doorbell     := rung

  // ------------------------------------------------------------------ reading
  private val csts =
    Mux(
      hidden,
      Csts.cfs.word(io.csts.dead.asUInt),
      Csts.rdy.word(io.csts.rdy.asUInt) | Csts.cfs.word((io.csts.cfs || io.csts.dead).asUInt) | Csts.shst.word(
        io.csts.shst
      )
    )
  private val readable: Seq[(RegInfo, UInt)] = Seq(
    CapLo.reg -> (CapLo.reg.reset.U(32.W) | CapLo.mqes.word((p.k.maxQueueEntries - 1).U)),
    CapHi.reg -> CapHi.reg.reset.U(32.W),
    Vs.reg    -> Vs.reg.reset.U(32.W),
    Cc.reg    -> cc,
    Csts.reg  -> csts,
    Aqa.reg   -> (Aqa.asqs.word(asqs) | Aqa.acqs.word(acqs)),
    AsqLo.reg -> AsqLo.value.word(asqLo),
    AsqHi.reg -> asqHi,
    AcqLo.reg -> AcqLo.value.word(acqLo),
    AcqHi.reg -> acqHi
  )
  bus.readData := RegisterRead(bus.read.bits, readable.map { case (reg, value) => reg.addr -> value })

  private val turned  = (was +: wasThen).sliding(2).map(pair => pair(0) =/= pair(1)).reduce(_ || _)
  private val changes = touched || io.ccRead || follows || turned || was =/= enabled || took =/= takes || turns ||
    io.ccChanged
  quiet := !slave.io.busy && !changes && !io.doorbell.valid && !io.functionReset

  assert(!io.adminSq.valid || was || !io.adminSq.bits.enable, "disabling takes the admin queues away")
  assert(!io.adminSq.bits.enable || !io.adminSq.valid || took, "the admin queues are of a ready controller")
  assert(!unseen || draining && !enabled, "no enabling before firmware has read of the last disabling")
  cover(rung.valid && was && !took, "NvmeRegs: a doorbell before the controller is ready")
  cover(hostEnable && draining, "NvmeRegs: enabled again before firmware has seen the reset")
  cover(
    hidden && unseen && io.csts.rdy && !RegNext(io.csts.rdy, false.B),
    "NvmeRegs: ready for an enabling that was taken back"
  )
  cover(hidden && io.csts.dead, "NvmeRegs: reset of a controller whose start-up failed")
  cover(io.functionReset && was, "NvmeRegs: function reset of an enabled controller")
}
