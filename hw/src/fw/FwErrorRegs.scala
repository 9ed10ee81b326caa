// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

/** The ports of the registers for errors of memories. */
trait FwErrorPorts extends Bundle {
  val memoryError = Flipped(Valid(new MemoryError)) // stays
}

/** The registers for errors of memories. */
class FwErrorRegs(w: FwWindow, io: FwErrorPorts) {
  import FwRegMap.{IrqStatus, MemoryError, MemoryErrorAt}

  private val error = io.memoryError
  private val is    = RegNext(error.valid, false.B)

  /** Whether there was an error. */
  def stopped: Bool = is
  w.shows(MemoryError.reg)(
    Mux(
      is,
      MemoryError.user.word(error.bits.user.asUInt) | MemoryError.nvram.word(error.bits.nvram.asUInt) |
        MemoryError.write.word(error.bits.write.asUInt) | MemoryError.response.word(error.bits.resp) |
        MemoryError.valid.word(1.U),
      0.U
    )
  )
  w.shows(MemoryErrorAt.reg)(Mux(is, error.bits.addr, 0.U))
  w.level(IrqStatus.memoryError, is)
  w.moves(error.valid && !is)
}
