// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** Sizes of the PCIe endpoint.
  *
  * @param vectors
  *   of MSI-X
  * @param readSlots
  *   read requests under way
  * @param readBytes
  *   the most that one of them asks for, whatever the host would allow
  * @param writeBytes
  *   the same for the data of a write
  * @param timeoutCycles
  *   after which a read whose data have not come has failed, at the earliest; at the latest a third more
  */
case class PcieParams(
    vectors: Int = 9,
    readSlots: Int = 8,
    readBytes: Int = 512,
    writeBytes: Int = 512,
    timeoutCycles: Int = 2500000
) {
  require(vectors >= 1 && vectors <= 64, "the pending bits are two words")
  require(isPow2(readSlots) && readSlots >= 2 && readSlots <= 16, "a tag of five bits has a slot and a generation")
  require(Seq(128, 256, 512).contains(readBytes) && Seq(128, 256, 512).contains(writeBytes), "sizes of PCIe")
  require(timeoutCycles >= 16)

  val axi            = AxiParams(64)
  val vectorBits     = log2Ceil(vectors).max(1)
  val slotBits       = log2Ceil(readSlots)
  val generationBits = 5 - slotBits // tags of five bits need no permission of the host
  val readBeats      = readBytes / axi.strbBits
  val writeBeats     = writeBytes / axi.strbBits
  val beatBits       = log2Ceil(readBeats)
  val tick           = (timeoutCycles + 2) / 3
}

object PcieParams {

  /** BAR0 is the controller's registers, then the table of MSI-X and its pending bits. */
  val barBits  = 14
  val tableBit = 13 // of an address: it is of MSI-X
  val pbaBit   = 12 // it is of the pending bits then
}

/** What the core knows from its configuration space. */
class PcieConfig extends Bundle {
  val id         = UInt(16.W) // bus, device and function
  val busMaster  = Bool()     // the host allows requests
  val payload    = UInt(3.W)  // the most data of a TLP, 128 bytes << payload
  val request    = UInt(3.W)  // the most that a read asks for, 128 bytes << request
  val msixEnable = Bool()
  val msixMask   = Bool()     // of all vectors
}

/** Pulses for the core's error registers. */
class PcieErrors extends Bundle {
  val malformed   = Bool() // a TLP that is none, or ends before its length; it has been ignored
  val poisoned    = Bool() // a write with wrong data; it has been ignored
  val unsupported = Bool() // a request that nobody serves
  val unexpected  = Bool() // a completion that no read waits for
  val timeout     = Bool() // a read without its completions
}
