// SPDX-License-Identifier: Apache-2.0
package openremap

/** What is known of an xSPI MRAM. The defaults are of Everspin's EM064LX: data sheet "EMxxLX", revision 3.2; each line
  * names the section. Times are in ns, and bounds from below.
  *
  * @param bytes
  *   section 7: 8 MiB
  * @param powerUp
  *   section 22.9, tPU: from the supply's voltage to the first command
  * @param resetPulse
  *   section 18.2, tRLRH: width of a pulse of RESET#
  * @param resetRecovery
  *   section 22.9, tSHSL3: from a reset to the next command
  * @param deselect
  *   section 22.9, note 7, tSHSL1 and tSHSL2 with eight data lines: CS# is high between two commands
  * @param setup
  *   section 22.9, tSLCH: from CS# to the first edge of CK
  * @param hold
  *   section 22.9, tCHSH with both edges: from the last edge of CK to CS#
  * @param durable
  *   from CS# to the moment from which a power cut takes nothing of a write. The data sheet has no figure: section 9
  *   says "a very short period". It allows the next command after `deselect`, so this is taken for it.
  */
case class XspiPart(
    bytes: BigInt = BigInt(8) << 20,
    powerUp: Int = 350000,
    resetPulse: Int = 100,
    resetRecovery: Int = 200,
    deselect: Int = 75,
    setup: Double = 4,
    hold: Double = 4.5,
    durable: Int = 75
) {
  require(bytes >= 4096 && bytes <= (BigInt(1) << 32) && bytes.bitCount == 1, "a part has a power of two of bytes")
  require(durable >= 0 && deselect > 0 && setup > 0 && hold > 0)
}

object XspiPart {

  /** That of the test bench: starts sooner. */
  def ofBench: XspiPart = XspiPart(powerUp = 1500)

  // Section 8, table 21. With eight data lines and both edges all addresses have four bytes (note 5). A write needs
  // WREN once after a reset: no write clears the latch (notes 1 and 2). Writes have no latency.
  val writeEnable    = 0x06
  val readStatus     = 0x05
  val writeConfigReg = 0x81 // volatile
  val read           = 0x0c // Read Fast, 4-byte address
  val write          = 0x12 // Write, 4-byte address

  /** Section 8, table 21: of a read of the status register with eight data lines. */
  val statusLatency = 8

  // Section 5.6: addresses of volatile configuration registers, and what they shall have.
  val modeReg    = 0
  val latencyReg = 1
  val octalDtr   = 0xe7 // 8D-8D-8D with DS

  // Section 5.1: bits of the status register. Of the protection bits each protects some of the array.
  val statusBusy        = 0x01
  val statusWriteEnable = 0x02
  val statusProtected   = 0x5c

  /** Section 5.10, table 17, column of 8D-8D-8D: the highest frequency of CK in MHz for a latency in clocks. */
  private val latencies =
    Seq(33 -> 3, 50 -> 4, 66 -> 5, 83 -> 6, 100 -> 7, 116 -> 8, 133 -> 9, 150 -> 10, 166 -> 11, 183 -> 12, 200 -> 13)

  def latency(megahertz: Int): Int =
    latencies
      .collectFirst { case (most, clocks) if megahertz <= most => clocks }
      .getOrElse(throw new IllegalArgumentException(s"xSPI MRAM has at most 200 MHz, not $megahertz"))
}

/** The times of a part, in cycles of a clock that is also CK. */
case class XspiCycles(part: XspiPart, megahertz: Int) {
  require(megahertz >= 1, "fCK2: at least 1 MHz")
  private def of(ns: Double): Int = math.ceil(ns * megahertz / 1000).toInt.max(1)
  val latency                     = XspiPart.latency(megahertz)
  val powerUp                     = of(part.powerUp)
  val resetPulse                  = of(part.resetPulse)
  val resetRecovery               = of(part.resetRecovery)
  val setup                       = of(part.setup)
  val hold                        = of(part.hold)

  /** From the end of a transaction to the next one. What it has written is durable then. */
  val rest = of(part.deselect.max(part.durable))

  /** Half a period of CK on one data line: 50 MHz at most, which is far below fCK1. */
  val serialHalf = of(10)

  /** How long a read waits for a pair of bytes: longer than CK and DS take there and back. */
  val strobe = 64
}
