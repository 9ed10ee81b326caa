/* SPDX-License-Identifier: Apache-2.0 */
#include "fw.h"

#include <string.h>

#include "firmware_limits.h"

_Static_assert(sizeof(struct fw) <= FW_CONTEXT_BYTES, "firmware_limits.h promises it");

size_t fw_size(void) { return sizeof(struct fw); }

/* Most of a context is what recovery learns of each superblock. recovery_tables() clears what the device needs of that,
 * as a small processor takes a tenth of the start for all of it. */
void fw_init(struct fw *fw, const struct platform *platform) {
  size_t first = offsetof(struct fw, recovery) + offsetof(struct recovery, sb), end = first + sizeof fw->recovery.sb;
  memset(fw, 0, first);
  memset((uint8_t *)fw + end, 0, sizeof *fw - end);
  fw->p = platform;
  startup_begin(fw);
}

#define EVENTS                                                                                                   \
  (ORM_FW_IRQ_STATUS_CC_CHANGED_MASK | ORM_FW_IRQ_STATUS_DMA_DONE_MASK | ORM_FW_IRQ_STATUS_REMAP_DONE_MASK |     \
   ORM_FW_IRQ_STATUS_GC_DONE_MASK | ORM_FW_IRQ_STATUS_BAD_DOORBELL_MASK | ORM_FW_IRQ_STATUS_HOST_ERROR_MASK |    \
   ORM_FW_IRQ_STATUS_FENCE_DONE_MASK | ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_MASK | ORM_FW_IRQ_STATUS_SEG_LOW_MASK | \
   ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK | ORM_FW_IRQ_STATUS_WEAK_READ_MASK)

/* Interrupts that concern nobody but the command that runs, or waits, and the summary that is written. */
#define OF_COMMANDS \
  (ORM_FW_IRQ_STATUS_CMD_AVAIL_MASK | ORM_FW_IRQ_STATUS_DMA_DONE_MASK | ORM_FW_IRQ_STATUS_REMAP_DONE_MASK)
#define OF_SUMMARIES \
  (ORM_FW_IRQ_STATUS_LOG_DUE_MASK | ORM_FW_IRQ_STATUS_NAND_DONE_MASK | ORM_FW_IRQ_STATUS_DMA_DONE_MASK)

/* All units look at least so often while there are polls, in ns. Of what nothing tells (FW_POLL_MOST_NS) the host is
 * told no later. */
#define LOOK_NS 10000000u

/* Events are acknowledged before the modules look: one that comes later raises the interrupt again. */
static void take_interrupts(struct fw *fw) {
  fw->irq = hal_read(fw->p, ORM_FW_IRQ_STATUS);
  if (fw->irq & EVENTS) hal_write(fw->p, ORM_FW_IRQ_STATUS, fw->irq & EVENTS);
  if (ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_MEMORY_ERROR)) memory_error_check(fw);
}

/* A level that is already being attended to must not keep the interrupt high. */
static uint32_t wanted_interrupts(const struct fw *fw) {
  uint32_t mask = ORM_FW_IRQ_STATUS_NAND_DONE_MASK | ORM_FW_IRQ_STATUS_MEMORY_ERROR_MASK;
  if (fw_phase(fw) == FW_STARTING) return fw->lanes.moving ? mask | ORM_FW_IRQ_STATUS_DMA_DONE_MASK : mask;
  mask |= ORM_FW_IRQ_STATUS_CC_CHANGED_MASK | ORM_FW_IRQ_STATUS_DMA_DONE_MASK | ORM_FW_IRQ_STATUS_REMAP_DONE_MASK |
          ORM_FW_IRQ_STATUS_GC_DONE_MASK | ORM_FW_IRQ_STATUS_BAD_DOORBELL_MASK | ORM_FW_IRQ_STATUS_HOST_ERROR_MASK |
          ORM_FW_IRQ_STATUS_FENCE_DONE_MASK | ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_MASK | ORM_FW_IRQ_STATUS_SEG_LOW_MASK;
  /* There may be many, and one is enough. */
  if (!fw->gc.program_fail.flagged.told) mask |= ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK;
  if (!fw->gc.read_reclaim.flagged.told) mask |= ORM_FW_IRQ_STATUS_WEAK_READ_MASK;
  if (mailbox_idle(fw) && !format_nvm_holds_engine(fw) && !snapshot_is_busy(fw))
    mask |= ORM_FW_IRQ_STATUS_CMD_AVAIL_MASK;
  if (summary_may_begin(fw)) mask |= ORM_FW_IRQ_STATUS_LOG_DUE_MASK;
  if (gc_wants_free_low(fw)) mask |= ORM_FW_IRQ_STATUS_FREE_LOW_MASK;
  if (fw->checkpoint.phase == CHECKPOINT_IDLE && !fw->checkpoint.blocked && !quiesce_is_shut(fw))
    mask |= ORM_FW_IRQ_STATUS_JOURNAL_HIGH_MASK;
  return mask;
}

static void fail(struct fw *fw, fw_result_t why) {
  hal_log(fw->p, PLATFORM_LOG_ERROR, "start-up failed in step '%s', which reads %s: %s", fw_describe(fw),
          startup_step_reads(&fw->startup), fw_result_text(why));
  fatal_stop(fw, why);
}

static void __attribute__((noinline)) start(struct fw *fw) {
  /* What a step waits for may never come, and what it makes durable may be made of old tables. The first step finds
   * out whether there is a controller to ask. */
  if (fw->dev.nv_bytes != 0) memory_error_check(fw);
  fw_result_t r = startup_poll(fw);
  if (r == FW_OK) {
    fatal_running(fw);
    fw_again_in(fw, 0); /* CC.EN may have been set meanwhile */
  } else if (r != FW_PENDING) {
    fail(fw, r);
  }
}

/* Neither a change of the controller's state nor a format is under way: both wait for any unit to come to an end. */
static bool is_steady(const struct fw *fw) {
  return fw->controller.phase == CONTROLLER_ON && fw->controller.shutdown == SHUTDOWN_NONE &&
         fw->format_nvm.phase == FORMAT_NVM_IDLE && fw->queues.deletions == 0;
}

/* Whether all units look in this poll: when one of them has asked for it, or none is known to be the only one that it
 * concerns. Without an interrupt nothing tells what the poll is for. */
static bool is_for_all(const struct fw *fw, uint64_t now) {
  uint32_t few = OF_COMMANDS | OF_SUMMARIES;
  return fw->wait_ns == 0 || (fw->irq & fw->irq_mask) == 0 || (fw->irq & (fw->irq_mask | EVENTS) & ~few) != 0 ||
         now >= fw->look_from || !is_steady(fw);
}

static void look(struct fw *fw) {
  fw_work(fw->p, FW_WORK_LOOK, 1u);
  controller_poll(fw);
  summary_poll(fw);
  hot_time_poll(fw);
  commands_poll(fw);
  gc_poll(fw);
  checkpoint_poll(fw);
  format_nvm_poll(fw);
}

/* What a unit asks for, at some time, outlasts the polls of others before then. */
static void run(struct fw *fw) {
  take_interrupts(fw);
  uint64_t now = hal_time(fw->p);
  bool all = is_for_all(fw, now);
  fw->wait_ns = FW_POLL_IDLE;
  if (all) {
    look(fw);
    fw->look_from = now + LOOK_NS;
    fw->asked_for = FW_POLL_IDLE;
  } else {
    if (fw->irq & OF_SUMMARIES) summary_poll(fw);
    if (fw->irq & OF_COMMANDS) commands_go_on(fw);
  }
  if (fw->wait_ns == 0) return;
  if (fw->wait_ns != FW_POLL_IDLE && now + fw->wait_ns < fw->asked_for) fw->asked_for = now + fw->wait_ns;
  if (fw->asked_for < fw->look_from) fw->look_from = fw->asked_for;
  if (!all && fw->asked_for != FW_POLL_IDLE) fw_again_in(fw, fw->asked_for - now);
}

static void work(struct fw *fw) {
  if (fw_phase(fw) == FW_STARTING) {
    fw->wait_ns = FW_POLL_IDLE;
    start(fw);
  } else {
    run(fw);
  }
  if (fw_phase(fw) != FW_FATAL) {
    uint32_t mask = wanted_interrupts(fw);
    if (mask != fw->irq_mask) hal_write(fw->p, ORM_FW_IRQ_ENABLE, mask);
    fw->irq_mask = mask;
  }
}

uint64_t fw_poll(struct fw *fw) {
  if (fw_phase(fw) == FW_FATAL) return FW_POLL_IDLE;
  if (fw->p->watchdog_pet != NULL) fw->p->watchdog_pet(fw->p->ctx);
  if (setjmp(fw->crash.out) == 0) { /* not 0: it crashed */
    work(fw);
    if (fw->p->settle != NULL) fw->p->settle(fw->p->ctx);
  }
  return fw_phase(fw) == FW_FATAL ? FW_POLL_IDLE : fw->wait_ns;
}
