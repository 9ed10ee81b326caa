// SPDX-License-Identifier: Apache-2.0
package openremap

import _root_.circt.stage.ChiselStage
import org.scalatest.flatspec.AnyFlatSpec
import org.scalatest.matchers.should.Matchers

/** Times of an xSPI MRAM, and what XspiMram refuses. */
class XspiPartSpec extends AnyFlatSpec with Matchers {
  "The latency" should "be the least one that the data sheet allows for a frequency" in {
    XspiPart.latency(25) shouldBe 3
    XspiPart.latency(100) shouldBe 7
    XspiPart.latency(101) shouldBe 8
    XspiPart.latency(200) shouldBe 13
  }

  it should "end at 200 MHz" in {
    an[IllegalArgumentException] should be thrownBy XspiPart.latency(201)
    an[IllegalArgumentException] should be thrownBy XspiCycles(XspiPart(), 250)
    an[IllegalArgumentException] should be thrownBy XspiCycles(XspiPart(), 0)
  }

  "Times" should "be rounded up to cycles, and be one at least" in {
    val slow = XspiCycles(XspiPart(), 25)
    (slow.setup, slow.hold, slow.rest, slow.serialHalf) shouldBe ((1, 1, 2, 1))
    val fast = XspiCycles(XspiPart(), 200)
    (fast.setup, fast.hold, fast.rest, fast.serialHalf) shouldBe ((1, 1, 15, 2))
    fast.powerUp shouldBe 70000
  }

  "A write" should "rest until it is durable, also where the next command may come sooner" in {
    XspiCycles(XspiPart(durable = 300), 100).rest shouldBe 30
    XspiCycles(XspiPart(durable = 0), 100).rest shouldBe 8
  }

  "A part" should "have a power of two of bytes that four bytes of address reach" in {
    for (bytes <- Seq(BigInt(3) << 20, BigInt(2048), BigInt(1) << 33))
      an[IllegalArgumentException] should be thrownBy XspiPart(bytes = bytes)
  }

  "XspiMram" should "refuse a bus that cannot address the part, or whose beats are not 16 bytes" in {
    for (a <- Seq(AxiParams(22), AxiParams(32, dataBits = 64)))
      an[IllegalArgumentException] should be thrownBy
        ChiselStage.emitCHIRRTL(new XspiMram(a, XspiPart(), megahertz = 100))
  }
}
