/* SPDX-License-Identifier: Apache-2.0 */
/* Start and trap entries of a Cortex-A9 (ARM Architecture Reference Manual, ARMv7-A). */
  .syntax unified
  .arm

#define MODE_IRQ 0x12
#define MODE_SVC 0x13
#define MODE_ABT 0x17
#define MODE_UND 0x1B
#define MODE_SYS 0x1F

/* Level 1 data cache of a Cortex-A9 in a Zynq (cache.c), and its operations by set and way. */
#define L1_WAY_SHIFT 30
#define L1_SET_SHIFT 5
#define L1_LAST_SET 255

/* Level 2 cache (ps.h): the part of its addresses that moves fit, and offsets to it. */
#define L2 0xF8F02000
#define L2_CONTROL 0x100
#define L2_SYNC 0x730
#define L2_CLEAN_INVALIDATE_WAY 0x7FC
#define L2_ALL_WAYS 0xFF

#define SCTLR_M (1 << 0)
#define SCTLR_C (1 << 2)
#define SCTLR_Z (1 << 11)
#define SCTLR_I (1 << 12)
#define SCTLR_V (1 << 13)

  .section .vectors, "ax"
  .global _start
  .global vectors
_start:
vectors:
  b reset
  b undefined
  b supervisor
  b prefetch_abort
  b data_abort
  b hang /* not used */
  b irq
  b hang /* fast interrupt: none is enabled */

  .text
hang:
  wfe
  b hang

reset:
  cpsid aif, #MODE_SYS
  mrc p15, 0, r0, c0, c0, 5 /* MPIDR: one CPU runs the firmware */
  ands r0, r0, #3
  bne hang

  /* A boot stage may have left MMU and caches on, with this image's bytes, or others', in dirty lines. Two things are
   * assumed of it: this code lies where its addresses say, whether the MMU is on or not; and a cache that it has
   * switched off, or has never switched on, holds nothing that memory lacks (mmu_start() forgets the lines, whose
   * contents are random after a reset). What a cache holds that is on goes to memory, before anything is written to
   * memory here. */
  mrc p15, 0, r4, c1, c0, 0
  bic r0, r4, #(SCTLR_M | SCTLR_C)
  bic r0, r0, #(SCTLR_I | SCTLR_Z)
  bic r0, r0, #SCTLR_V
  mcr p15, 0, r0, c1, c0, 0
  isb
  tst r4, #SCTLR_C
  beq 3f
  mov r0, #0 /* the way, shifted */
1:
  mov r1, #L1_LAST_SET
2:
  orr r2, r0, r1, lsl #L1_SET_SHIFT
  mcr p15, 0, r2, c7, c14, 2 /* DCCISW */
  subs r1, r1, #1
  bpl 2b
  adds r0, r0, #(1 << L1_WAY_SHIFT) /* carries after the last way */
  bcc 1b
  dsb
3:
  ldr r0, =L2
  ldr r1, [r0, #L2_CONTROL]
  tst r1, #1
  beq 5f
  mov r1, #L2_ALL_WAYS
  str r1, [r0, #L2_CLEAN_INVALIDATE_WAY]
4:
  ldr r1, [r0, #L2_CLEAN_INVALIDATE_WAY]
  tst r1, #L2_ALL_WAYS
  bne 4b
  mov r1, #0
  str r1, [r0, #L2_SYNC]
  str r1, [r0, #L2_CONTROL]
  dsb
5:
  ldr r0, =vectors
  mcr p15, 0, r0, c12, c0, 0 /* VBAR */
  isb

  /* Each mode of a trap begins at the top of the one stack for traps. */
  ldr r0, =_trap_stack_top
  cps #MODE_IRQ
  mov sp, r0
  cps #MODE_SVC
  mov sp, r0
  cps #MODE_ABT
  mov sp, r0
  cps #MODE_UND
  mov sp, r0
  cps #MODE_SYS
  ldr sp, =_stack_top

  ldr r0, =_bss
  ldr r1, =_bss_end
  mov r2, #0
1:
  cmp r0, r1
  strlo r2, [r0], #4
  blo 1b

  bl mmu_start
  bl zynq_main
  b hang

/* The handler runs in the mode of the code that trapped, or it could not leave by longjmp(); but on the stack for
 * traps: the trap may be that of a stack that is full. A trap in the handler begins at the same top, and does not come
 * back (runner.h). `back`: what lies between the instruction and the address that the processor kept. */
  .macro trap name, number, back, mode
\name:
  .if \back
  sub lr, lr, #\back
  .endif
  push {r0-r5, r12, lr}
  mov r0, #\number
  mov r1, lr
  mov r4, sp
  cps #MODE_SYS
  mov r5, sp
  mov sp, r4
  push {r2, lr} /* the code's; r2 keeps the stack aligned */
  bl zynq_trap
  pop {r2, lr}
  mov sp, r5
  cps #\mode
  ldm sp!, {r0-r5, r12, pc}^
  .endm

  trap undefined, 1, 4, MODE_UND
  trap supervisor, 2, 4, MODE_SVC
  trap prefetch_abort, 3, 4, MODE_ABT
  trap data_abort, 4, 8, MODE_ABT
  trap irq, 6, 4, MODE_IRQ
