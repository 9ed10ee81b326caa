/* SPDX-License-Identifier: Apache-2.0 */
/* The first that the CPU executes. The stack is the end of the RAM, which the firmware has later. */
  .section .init, "ax"
  .global _start
_start:
  csrw mie, zero
  la sp, _stack_top
  call start_main
1:
  j 1b

