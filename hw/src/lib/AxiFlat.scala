// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.experimental.SourceInfo
import chisel3.util._

import scala.collection.immutable.SeqMap

/** Ports with the names that the AXI specification gives the signals, after a prefix: `m_axi_host_awvalid`. For the
  * edge of the controller only; inside, the bundles of Axi4.scala.
  */
abstract class AxiFlat(prefix: String) extends Record {
  protected def ports: Seq[(String, Data)]
  final lazy val elements: SeqMap[String, Data] = SeqMap.from(ports.map { case (name, data) =>
    s"${prefix}_$name" -> data
  })
  protected def at(name: String): Data = elements(s"${prefix}_$name")

  protected def handshake(channel: String, master: Boolean): Seq[(String, Data)] =
    Seq(
      s"${channel}valid" -> (if (master) Output(Bool()) else Input(Bool())),
      s"${channel}ready" -> (if (master) Input(Bool()) else Output(Bool()))
    )
  protected def connect[T <: Data](channel: String, to: DecoupledIO[T])(implicit info: SourceInfo): Unit = {
    to.valid               := at(s"${channel}valid")
    at(s"${channel}ready") := to.ready
  }
  protected def drive[T <: Data](channel: String, from: DecoupledIO[T])(implicit info: SourceInfo): Unit = {
    at(s"${channel}valid") := from.valid
    from.ready             := at(s"${channel}ready")
  }
}

/** AXI4 master. Signals that are constant in this design still have ports: ID 0, INCR bursts of whole beats, normal
  * non-cacheable bufferable memory (cache 0011b), data access (prot 000b).
  */
class Axi4Flat(prefix: String, val a: AxiParams) extends AxiFlat(prefix) {
  private def address(c: String) = handshake(c, master = true) ++ Seq(
    s"${c}id"    -> Output(UInt(1.W)),
    s"${c}addr"  -> Output(UInt(a.addrBits.W)),
    s"${c}len"   -> Output(UInt(8.W)),
    s"${c}size"  -> Output(UInt(3.W)),
    s"${c}burst" -> Output(UInt(2.W)),
    s"${c}lock"  -> Output(UInt(1.W)),
    s"${c}cache" -> Output(UInt(4.W)),
    s"${c}prot"  -> Output(UInt(3.W)),
    s"${c}qos"   -> Output(UInt(4.W))
  )
  protected def ports: Seq[(String, Data)] =
    address("aw") ++
      handshake("w", master = true) ++ Seq(
        "wdata" -> Output(UInt(a.dataBits.W)),
        "wstrb" -> Output(UInt(a.strbBits.W)),
        "wlast" -> Output(Bool())
      ) ++
      handshake("b", master = false) ++ Seq("bid" -> Input(UInt(1.W)), "bresp" -> Input(UInt(2.W))) ++
      address("ar") ++
      handshake("r", master = false) ++ Seq(
        "rid"   -> Input(UInt(1.W)),
        "rdata" -> Input(UInt(a.dataBits.W)),
        "rresp" -> Input(UInt(2.W)),
        "rlast" -> Input(Bool())
      )

  private def driveAddress(c: String, from: DecoupledIO[AxiAddr]): Unit = {
    drive(c, from)
    // A burst of whole beats starts at a whole beat; strobes say which bytes of the first one count.
    at(s"${c}addr")  := Cat(from.bits.addr(a.addrBits - 1, a.sizeLog2), 0.U(a.sizeLog2.W))
    at(s"${c}len")   := from.bits.len
    at(s"${c}id")    := 0.U
    at(s"${c}size")  := a.sizeLog2.U
    at(s"${c}burst") := 1.U
    at(s"${c}lock")  := 0.U
    at(s"${c}cache") := 3.U
    at(s"${c}prot")  := 0.U
    at(s"${c}qos")   := 0.U
  }

  /** The port is the master that `rd` and `wr` (masters' views) are. */
  def asMaster(rd: AxiRead, wr: AxiWrite): Unit = {
    driveAddress("aw", wr.aw)
    drive("w", wr.w)
    at("wdata") := wr.w.bits.data
    at("wstrb") := wr.w.bits.strb
    at("wlast") := wr.w.bits.last
    connect("b", wr.b)
    wr.b.bits.resp := at("bresp")
    driveAddress("ar", rd.ar)
    connect("r", rd.r)
    rd.r.bits.data := at("rdata")
    rd.r.bits.resp := at("rresp")
    rd.r.bits.last := at("rlast")
  }

  private def handAddress(c: String, to: DecoupledIO[AxiAddr]): Unit = {
    connect(c, to)
    to.bits.addr := at(s"${c}addr")
    to.bits.len  := at(s"${c}len")
  }

  /** What another module's port of this kind asks is handed to `slave`, the port of a slave. */
  def asMasterOf(slave: Axi4): Unit = {
    handAddress("aw", slave.wr.aw)
    connect("w", slave.wr.w)
    slave.wr.w.bits.data := at("wdata")
    slave.wr.w.bits.strb := at("wstrb")
    slave.wr.w.bits.last := at("wlast")
    drive("b", slave.wr.b)
    at("bresp") := slave.wr.b.bits.resp
    at("bid")   := 0.U
    handAddress("ar", slave.rd.ar)
    drive("r", slave.rd.r)
    at("rdata") := slave.rd.r.bits.data
    at("rresp") := slave.rd.r.bits.resp
    at("rlast") := slave.rd.r.bits.last
    at("rid")   := 0.U
  }
}

/** AXI4-Lite slave, 32-bit data. */
class AxiLiteFlat(prefix: String, val addrBits: Int) extends AxiFlat(prefix) {
  protected def ports: Seq[(String, Data)] =
    handshake("aw", master = false) ++ Seq("awaddr" -> Input(UInt(addrBits.W)), "awprot" -> Input(UInt(3.W))) ++
      handshake("w", master = false) ++ Seq("wdata" -> Input(UInt(32.W)), "wstrb" -> Input(UInt(4.W))) ++
      handshake("b", master = true) ++ Seq("bresp" -> Output(UInt(2.W))) ++
      handshake("ar", master = false) ++ Seq("araddr" -> Input(UInt(addrBits.W)), "arprot" -> Input(UInt(3.W))) ++
      handshake("r", master = true) ++ Seq("rdata" -> Output(UInt(32.W)), "rresp" -> Output(UInt(2.W)))

  /** The port hands what its external master asks to `bus`, a unit's slave port. */
  def asSlave(bus: AxiLite): Unit = {
    connect("aw", bus.aw)
    bus.aw.bits.addr := at("awaddr")
    connect("w", bus.w)
    bus.w.bits.data := at("wdata")
    bus.w.bits.strb := at("wstrb")
    drive("b", bus.b)
    at("bresp") := bus.b.bits.resp
    connect("ar", bus.ar)
    bus.ar.bits.addr := at("araddr")
    drive("r", bus.r)
    at("rdata") := bus.r.bits.data
    at("rresp") := bus.r.bits.resp
  }

  /** Another module's port of this kind is accessed as `bus`, a master's view, asks. */
  def asMaster(bus: AxiLite): Unit = {
    at("awvalid")   := bus.aw.valid
    bus.aw.ready    := at("awready")
    at("awaddr")    := bus.aw.bits.addr
    at("awprot")    := 0.U
    at("wvalid")    := bus.w.valid
    bus.w.ready     := at("wready")
    at("wdata")     := bus.w.bits.data
    at("wstrb")     := bus.w.bits.strb
    bus.b.valid     := at("bvalid")
    at("bready")    := bus.b.ready
    bus.b.bits.resp := at("bresp")
    at("arvalid")   := bus.ar.valid
    bus.ar.ready    := at("arready")
    at("araddr")    := bus.ar.bits.addr
    at("arprot")    := 0.U
    bus.r.valid     := at("rvalid")
    at("rready")    := bus.r.ready
    bus.r.bits.data := at("rdata")
    bus.r.bits.resp := at("rresp")
  }
}
