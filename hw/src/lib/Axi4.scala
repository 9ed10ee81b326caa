// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Size of one AXI4 bus. One ID is used (0), so every slave answers in order; bursts are INCR, full width. */
case class AxiParams(addrBits: Int, dataBits: Int = 128) {
  val strbBits = dataBits / 8
  val sizeLog2 = log2Ceil(strbBits)
}

class AxiAddr(val a: AxiParams) extends Bundle {
  val addr = UInt(a.addrBits.W)
  val len  = UInt(8.W) // beats - 1
}
class AxiWriteData(val a: AxiParams) extends Bundle {
  val data = UInt(a.dataBits.W)
  val strb = UInt(a.strbBits.W)
  val last = Bool()
}
class AxiWriteResp(val a: AxiParams) extends Bundle { val resp = UInt(2.W) }
class AxiReadData(val a: AxiParams)  extends Bundle {
  val data = UInt(a.dataBits.W)
  val resp = UInt(2.W)
  val last = Bool()
}

/** Master's view of the read channels of an AXI4 bus. */
class AxiRead(val a: AxiParams) extends Bundle {
  val ar = Decoupled(new AxiAddr(a))
  val r  = Flipped(Decoupled(new AxiReadData(a)))
}

/** Master's view of the write channels of an AXI4 bus. */
class AxiWrite(val a: AxiParams) extends Bundle {
  val aw = Decoupled(new AxiAddr(a))
  val w  = Decoupled(new AxiWriteData(a))
  val b  = Flipped(Decoupled(new AxiWriteResp(a)))
}

/** Master's view of a whole bus. */
class Axi4(val a: AxiParams) extends Bundle {
  val rd = new AxiRead(a)
  val wr = new AxiWrite(a)
}

object Axi4 {
  val OKAY   = 0
  val SLVERR = 2
  val DECERR = 3
}

/** Slave's view is `Flipped(new AxiLite)`. 32-bit data; the master holds an access until it is answered. */
class AxiLite(val addrBits: Int) extends Bundle {
  val aw = Decoupled(new Bundle { val addr = UInt(addrBits.W) })
  val w  = Decoupled(new Bundle { val data = UInt(32.W); val strb = UInt(4.W) })
  val b  = Flipped(Decoupled(new Bundle { val resp = UInt(2.W) }))
  val ar = Decoupled(new Bundle { val addr = UInt(addrBits.W) })
  val r  = Flipped(Decoupled(new Bundle { val data = UInt(32.W); val resp = UInt(2.W) }))
}
