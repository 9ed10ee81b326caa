/* SPDX-License-Identifier: Apache-2.0 */
#include "traps.h"

const char *trap_name(uint32_t number) {
  switch (number) {
    case TRAP_UNDEFINED:
      return "undefined instruction";
    case TRAP_SUPERVISOR:
      return "supervisor call";
    case TRAP_PREFETCH:
      return "prefetch abort";
    case TRAP_DATA:
      return "data abort";
    default:
      return "trap";
  }
}

uint32_t trap_address(uint32_t number) {
  uint32_t address = 0;
  if (number == TRAP_PREFETCH) __asm__ volatile("mrc p15, 0, %0, c6, c0, 2" : "=r"(address)); /* IFAR */
  if (number == TRAP_DATA) __asm__ volatile("mrc p15, 0, %0, c6, c0, 0" : "=r"(address));     /* DFAR */
  return address;
}
