// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/registers/zynq.yaml. Do not edit: run python interfaces/generate.py
// format: off
package openremap

/** The memory map of a Zynq, as firmware and controller share it: addresses and sizes in bytes. */
object ZynqMap {
  /** the image: code, constants; its first word is its first instruction */
  val codeBase  = 0x00100000L
  val codeBytes = 0x00100000L
  /** the image's variables and stacks */
  val dataBase  = 0x00200000L
  val dataBytes = 0x00100000L
  /** NVRAM from its address 0 on */
  val nvramBase  = 0x03000000L
  val nvramBytes = 0x06F00000L
  /** what others write for the firmware */
  val sharedBase  = 0x09F00000L
  val sharedBytes = 0x00100000L
  /** SocBoard: identity and options of this device */
  val boardBase  = 0x09F00000L
  val boardBytes = 0x00000040L
  /** where a simulation puts a RemoteMailbox */
  val mailboxBase  = 0x09F01000L
  val mailboxBytes = 0x00002000L
  /** the controller's DRAM from its address 0 on */
  val dramBase  = 0x0A000000L
  val dramBytes = 0x36000000L
  /** the controller's firmware window (openremap.rdl), behind the port M_AXI_GP0 */
  val fwBase  = 0x43C00000L
  val fwBytes = 0x00100000L
  /** I/O peripherals: UART */
  val ioBase  = 0xE0000000L
  val ioBytes = 0x00100000L
  /** system control, private peripherals of the CPUs, level 2 cache controller */
  val systemBase  = 0xF8000000L
  val systemBytes = 0x01000000L
}
