// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/registers/nvme_bar0.rdl. Do not edit: run python interfaces/generate.py
// format: off
package openremap

/** NVMe controller registers: BAR0, 16 KiB. 32-bit accesses; 64-bit registers are two of them. */
object Bar0Map {
  /** Controller Capabilities, low. */
  object CapLo {
    val reg = RegInfo("CAP_LO", 0x000, count = 1, stride = 4, reset = BigInt(4278255616L))
    /** r: MQES, zero-based */
    val mqes = RegField(0, 16, reset = BigInt(0L))
    /** r: CQR: queues must be contiguous */
    val cqr = RegField(16, 1, reset = BigInt(1L))
    /** r: TO, in units of 500 ms: after a power cut a start may have to probe all of the flash */
    val to = RegField(24, 8, reset = BigInt(255L))
  }
  /** Controller Capabilities, high. */
  object CapHi {
    val reg = RegInfo("CAP_HI", 0x004, count = 1, stride = 4, reset = BigInt(32L))
    /** r: DSTRD */
    val dstrd = RegField(0, 4, reset = BigInt(0L))
    /** r: NSSRS */
    val nssrs = RegField(4, 1, reset = BigInt(0L))
    /** r: CSS: NVM command set */
    val css = RegField(5, 8, reset = BigInt(1L))
    /** r: MPSMIN: 4 KiB */
    val mpsmin = RegField(16, 4, reset = BigInt(0L))
    /** r: MPSMAX: 4 KiB */
    val mpsmax = RegField(20, 4, reset = BigInt(0L))
  }
  /** Version 1.4.0. */
  object Vs {
    val reg = RegInfo("VS", 0x008, count = 1, stride = 4, reset = BigInt(66560L))
    /** r: VS */
    val value = RegField(0, 32, reset = BigInt(66560L))
  }
  /** Interrupt Mask Set. For pin and MSI interrupts only; reads 0 with MSI-X. */
  object Intms {
    val reg = RegInfo("INTMS", 0x00C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: IVMS */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Interrupt Mask Clear. */
  object Intmc {
    val reg = RegInfo("INTMC", 0x010, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: IVMC */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Controller Configuration. */
  object Cc {
    val reg = RegInfo("CC", 0x014, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: EN */
    val en = RegField(0, 1, reset = BigInt(0L))
    /** rw: CSS */
    val css = RegField(4, 3, reset = BigInt(0L))
    /** rw: MPS */
    val mps = RegField(7, 4, reset = BigInt(0L))
    /** rw: AMS */
    val ams = RegField(11, 3, reset = BigInt(0L))
    /** rw: SHN */
    val shn = RegField(14, 2, reset = BigInt(0L))
    /** rw: IOSQES */
    val iosqes = RegField(16, 4, reset = BigInt(0L))
    /** rw: IOCQES */
    val iocqes = RegField(20, 4, reset = BigInt(0L))
  }
  /** Controller Status. */
  object Csts {
    val reg = RegInfo("CSTS", 0x01C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: RDY */
    val rdy = RegField(0, 1, reset = BigInt(0L))
    /** r: CFS */
    val cfs = RegField(1, 1, reset = BigInt(0L))
    /** r: SHST */
    val shst = RegField(2, 2, reset = BigInt(0L))
  }
  /** Admin Queue Attributes. */
  object Aqa {
    val reg = RegInfo("AQA", 0x024, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: ASQS, zero-based */
    val asqs = RegField(0, 12, reset = BigInt(0L))
    /** rw: ACQS, zero-based */
    val acqs = RegField(16, 12, reset = BigInt(0L))
  }
  /** Admin Submission Queue base, low. */
  object AsqLo {
    val reg = RegInfo("ASQ_LO", 0x028, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 31:12 */
    val value = RegField(12, 20, reset = BigInt(0L))
  }
  /** Admin Submission Queue base, high. */
  object AsqHi {
    val reg = RegInfo("ASQ_HI", 0x02C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 63:32 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Admin Completion Queue base, low. */
  object AcqLo {
    val reg = RegInfo("ACQ_LO", 0x030, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 31:12 */
    val value = RegField(12, 20, reset = BigInt(0L))
  }
  /** Admin Completion Queue base, high. */
  object AcqHi {
    val reg = RegInfo("ACQ_HI", 0x034, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: bits 63:32 */
    val value = RegField(0, 32, reset = BigInt(0L))
  }
  /** Doorbells: submission queue tails (even) and completion queue heads (odd). */
  object Doorbell {
    val reg = RegInfo("DOORBELL", 0x1000, count = 128, stride = 4, reset = BigInt(0L))
    /** w: new tail or head */
    val value = RegField(0, 16, reset = BigInt(0L))
  }

  val all: Seq[RegInfo] = Seq(
    CapLo.reg,
    CapHi.reg,
    Vs.reg,
    Intms.reg,
    Intmc.reg,
    Cc.reg,
    Csts.reg,
    Aqa.reg,
    AsqLo.reg,
    AsqHi.reg,
    AcqLo.reg,
    AcqHi.reg,
    Doorbell.reg
  )
}
