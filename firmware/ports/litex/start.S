/* SPDX-License-Identifier: Apache-2.0 */
/* Start and trap entry of the SoC's CPU, a RV32IM in machine mode without memory protection. */

/* Registers that a C function may change, and the stack pointer of the code that trapped. */
#define FRAME_BYTES 80
#define FRAME_SP 64

  .section .init, "ax"
  .global _start
_start:
  csrw mie, zero
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, _stack_top
  la tp, _tls
  la t0, trap_entry
  csrw mtvec, t0
  la t0, _trap_stack_top
  csrw mscratch, t0

  la a0, _data
  la a1, _data_end
  la a2, _data_image
1:
  bgeu a0, a1, 2f
  lw t0, 0(a2)
  sw t0, 0(a0)
  addi a0, a0, 4
  addi a2, a2, 4
  j 1b
2:
  la a0, _bss
  la a1, _bss_end
3:
  bgeu a0, a1, 4f
  sw zero, 0(a0)
  addi a0, a0, 4
  j 3b
4:
  call litex_main
5:
  j 5b

/* On a stack of its own: the trap may be that of a stack that is full. The handler often leaves by longjmp(), so
 * nothing may depend on the way back: mscratch has the stack's top again before the handler begins. A trap in the
 * handler begins at the top too, and does not come back (runner.h). */
  .text
  .balign 4
trap_entry:
  csrrw sp, mscratch, sp
  addi sp, sp, -FRAME_BYTES
  sw ra, 0(sp)
  sw t0, 4(sp)
  sw t1, 8(sp)
  sw t2, 12(sp)
  sw t3, 16(sp)
  sw t4, 20(sp)
  sw t5, 24(sp)
  sw t6, 28(sp)
  sw a0, 32(sp)
  sw a1, 36(sp)
  sw a2, 40(sp)
  sw a3, 44(sp)
  sw a4, 48(sp)
  sw a5, 52(sp)
  sw a6, 56(sp)
  sw a7, 60(sp)
  csrr t0, mscratch
  sw t0, FRAME_SP(sp)
  la t0, _trap_stack_top
  csrw mscratch, t0
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  call litex_trap
  lw ra, 0(sp)
  lw t0, 4(sp)
  lw t1, 8(sp)
  lw t2, 12(sp)
  lw t3, 16(sp)
  lw t4, 20(sp)
  lw t5, 24(sp)
  lw t6, 28(sp)
  lw a0, 32(sp)
  lw a1, 36(sp)
  lw a2, 40(sp)
  lw a3, 44(sp)
  lw a4, 48(sp)
  lw a5, 52(sp)
  lw a6, 56(sp)
  lw a7, 60(sp)
  lw sp, FRAME_SP(sp)
  mret
