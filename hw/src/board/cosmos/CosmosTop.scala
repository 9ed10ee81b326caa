// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._

/** What a Cosmos+ OpenSSD has in its FPGA, but for the IPs of others: controller, PCIe endpoint and ports to NAND
  * controllers. Wiring only. `m_axi_dram` and `m_axi_nvram` have addresses of the processing system, which keeps the
  * controller's memories in its DDR (ZynqMap). `m_axil_tiger_N` and `s_axi_tiger_N` are for the NAND controller of
  * channel N: its registers and its data port.
  *
  * The endpoint has the clock `core`, that of the PCIe core. All else has the clock `controller`, as have NAND
  * controllers and processing system.
  */
class CosmosTop(p: Params, e: PcieParams) extends ClockedPcieModule {
  private val controller = new Side("controller")
  private val core       = new Side("core")
  private val channels   = p.g.channels
  private val dram       = AxiParams(p.dramAddrBits)
  private val nvram      = AxiParams(p.nvramAddrBits)
  require(e.vectors == p.queues, "a vector for each completion queue")
  require(dram.addrBits == 32 && nvram.addrBits == 32, "addresses as the processing system has them")
  require(BigInt(p.dramBytes) <= BigInt(ZynqMap.dramBytes), "DRAM has its part of DDR")
  require(BigInt(p.nvramBytes) <= BigInt(ZynqMap.nvramBytes), "NVRAM has its part of DDR")

  val pcie        = IO(new PcieCorePorts(CosmosTop.coreBits))
  val s_axil_fw   = FlatIO(new AxiLiteFlat("s_axil_fw", 16))
  val m_axi_dram  = FlatIO(new Axi4Flat("m_axi_dram", dram))
  val m_axi_nvram = FlatIO(new Axi4Flat("m_axi_nvram", nvram))
  // The other side's view: they are masters where the ports above are slaves, and the other way round.
  val m_axil_tiger =
    Seq.tabulate(channels)(i => FlatIO(Flipped(new AxiLiteFlat(s"m_axil_tiger_$i", Tiger4Registers.addrBits))))
  val s_axi_tiger = Seq.tabulate(channels)(i =>
    FlatIO(Flipped(new Axi4Flat(s"s_axi_tiger_$i", AxiParams(Tiger4Layout.windowBits, 32))))
  )
  val fw_irq = IO(Output(Bool()))

  private val top      = controller(Module(new OpenRemapTop(p)))
  private val endpoint = core(Module(new PcieTlp(e, CosmosTop.coreBits)))

  // ------------------------------------------------------------------ host
  host(pcie, endpoint, core)(top.s_axil_bar, top.m_axi_host, top.msix, top.function_reset, controller)

  // ------------------------------------------------------------------ processing system
  s_axil_fw <> top.s_axil_fw
  fw_irq := top.fw_irq
  private def part(from: Axi4Flat, to: Axi4Flat, base: Long, bytes: Long): Unit = {
    val offset = controller(Module(new AxiOffset(from.a, base, bytes)))
    from.asMasterOf(offset.io.in)
    to.asMaster(offset.io.out.rd, offset.io.out.wr)
  }
  part(top.m_axi_dram, m_axi_dram, ZynqMap.dramBase, ZynqMap.dramBytes)
  part(top.m_axi_nvram, m_axi_nvram, ZynqMap.nvramBase, ZynqMap.nvramBytes)

  // ------------------------------------------------------------------ NAND
  for (i <- 0 until channels) {
    val port = controller(Module(new Tiger4Port(p)))
    port.io.nand <> top.nand(i)
    m_axil_tiger(i).asMaster(port.io.control)
    s_axi_tiger(i).asMasterOf(port.io.data)
  }
  top.skipped := 0.U
}

object CosmosTop {

  /** Of the PCIe core's streams, for eight lanes at 5 GT/s. */
  val coreBits = 128

  /** The endpoint for this controller. A read that the host does not answer fails after 10 ms of the core's 250 MHz. */
  def endpoint(p: Params): PcieParams = PcieParams(vectors = p.queues)
}
