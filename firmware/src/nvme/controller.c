/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/controller.h"

#include <string.h>

#include "core/superblock.h"
#include "fw.h"
#include "fw_mutant.h"

/* io_quiet raises no interrupt. */
#define QUIET_POLL_NS 5000u

static void show(struct fw *fw) {
  const struct controller *c = &fw->controller;
  uint32_t shst = c->shutdown == SHUTDOWN_NONE   ? 0
                  : c->shutdown == SHUTDOWN_DONE ? (uint32_t)NVME_SHUTDOWN_COMPLETE
                                                 : (uint32_t)NVME_SHUTDOWN_OCCURRING;
  hal_write(fw->p, ORM_FW_NVME_CSTS,
            ORM_PUT(ORM_FW_NVME_CSTS_RDY, c->phase != CONTROLLER_OFF) | ORM_PUT(ORM_FW_NVME_CSTS_CFS, c->fatal) |
                ORM_PUT(ORM_FW_NVME_CSTS_SHST, shst));
}

static void set_shutdown(struct fw *fw, enum shutdown_phase phase) {
  fw->controller.shutdown = phase;
  quiesce_set_shutdown(fw, phase == SHUTDOWN_NONE    ? QUIESCE_RUNNING
                           : phase == SHUTDOWN_DRAIN ? QUIESCE_DRAIN
                                                     : QUIESCE_REST);
}

void controller_begin(struct fw *fw) {
  memset(&fw->controller, 0, sizeof fw->controller);
  set_shutdown(fw, SHUTDOWN_NONE);
  commands_reset(fw);
  show(fw);
}

static void enable(struct fw *fw, uint32_t cc) {
  struct controller *c = &fw->controller;
  bool ours =
      ORM_GET(cc, ORM_BAR0_CC_CSS) == 0 && ORM_GET(cc, ORM_BAR0_CC_MPS) == 0 && ORM_GET(cc, ORM_BAR0_CC_AMS) == 0;
  if (fw->state.clean && !fw_mutant(FW_MUTANT_CLEAN_KEPT))
    state_save(&fw->state, &fw->dev, fw->p, false); /* the host may write from now on */
  set_shutdown(fw, SHUTDOWN_NONE);
  c->fatal = !ours;
  c->phase = CONTROLLER_ON;
  namespace_show(fw);
  if (!ours) hal_log(fw->p, PLATFORM_LOG_ERROR, "CC 0x%08x asks for settings that CAP does not offer", (unsigned)cc);
  show(fw);
}

static void drain(struct fw *fw) {
  struct controller *c = &fw->controller;
  if (snapshot_is_busy(fw)) snapshot_give_up(fw);
  if (snapshot_poll(fw) == FW_PENDING || !commands_drained(fw) || !quiesce_io_quiet(fw) || queue_inside(fw, 0) != 0) {
    fw_again_in(fw, QUIET_POLL_NS);
    return;
  }
  commands_reset(fw);
  c->phase = CONTROLLER_OFF;
  set_shutdown(fw, SHUTDOWN_NONE);
  c->fatal = false;
  show(fw);
  fw_again_in(fw, 0); /* CC.EN may be 1 again */
}

static void follow_enable(struct fw *fw, uint32_t cc) {
  struct controller *c = &fw->controller;
  bool en = ORM_GET(cc, ORM_BAR0_CC_EN);
  /* What the host writes may need the superblocks of a snapshot. */
  bool clearing = fw->snapshot.cleared < fw->snapshot.used && (en || fw->snapshot.erasing);
  if (c->phase == CONTROLLER_OFF && clearing && snapshot_clear(fw) == FW_PENDING) return;
  if (c->phase == CONTROLLER_OFF && en) enable(fw, cc);
  if (c->phase == CONTROLLER_ON && !en) {
    c->phase = CONTROLLER_DRAIN;
    commands_abandon(fw);
  }
  if (c->phase == CONTROLLER_DRAIN) drain(fw);
}

/* Superblocks being filled: after a clean shutdown they are filled on. */
static void note_open_superblocks(struct fw *fw) {
  uint32_t n = 0;
  state_forget_open(&fw->state);
  for (uint32_t sb = 0; sb < fw->geometry.superblocks && n < FW_MAX_STREAMS; sb++) {
    if (superblock_state(fw->p, sb) == ORM_SB_STATE_OPEN) {
      state_note_open(&fw->state, sb);
      n++;
    }
  }
}

/* An abrupt one is to be quick. While a format is under way the next start empties the namespace. */
static bool wants_snapshot(const struct fw *fw, uint32_t cc) {
  return ORM_GET(cc, ORM_BAR0_CC_SHN) == (uint32_t)NVME_SHUTDOWN_NORMAL && fw->read_only.cause == 0 &&
         fw->state.clean == 0 && quiesce_refusal(fw) == FW_OK && spare_write_protected(fw) == 0;
}

static void follow_shutdown(struct fw *fw, uint32_t cc) {
  struct controller *c = &fw->controller;
  switch (c->shutdown) {
    case SHUTDOWN_NONE:
      if (ORM_GET(cc, ORM_BAR0_CC_SHN) == 0 || c->phase != CONTROLLER_ON) return;
      set_shutdown(fw, SHUTDOWN_DRAIN);
      namespace_show(fw);
      show(fw);
      fw_again_in(fw, 0);
      return;
    case SHUTDOWN_DRAIN:
      if (!gc_idle(fw) || !summary_is_done(fw) || fw->checkpoint.phase != CHECKPOINT_IDLE || !mailbox_idle(fw) ||
          format_nvm_holds_engine(fw) || !quiesce_io_quiet(fw)) {
        fw_again_in(fw, QUIET_POLL_NS);
        return;
      }
      c->ticket = fence_ticket(&fw->fence, fw->p);
      set_shutdown(fw, SHUTDOWN_FENCE);
      return;
    case SHUTDOWN_FENCE:
      if (!fence_passed(&fw->fence, fw->p, c->ticket)) return;
      if (!mailbox_idle(fw)) { /* one came since: it may have the DMA */
        fw_again_in(fw, QUIET_POLL_NS);
        return;
      }
      if (wants_snapshot(fw, cc)) snapshot_begin(fw);
      set_shutdown(fw, SHUTDOWN_WRITE);
      fw_again_in(fw, 0);
      return;
    case SHUTDOWN_WRITE:
      if (snapshot_poll(fw) == FW_PENDING) return;
      if (fw->read_only.cause == 0) {
        note_open_superblocks(fw);
        state_save(&fw->state, &fw->dev, fw->p, true);
      }
      set_shutdown(fw, SHUTDOWN_DONE);
      show(fw);
      return;
    case SHUTDOWN_DONE:
      return;
  }
}

void controller_poll(struct fw *fw) {
  struct controller *c = &fw->controller;
  uint32_t cc = hal_read(fw->p, ORM_FW_NVME_CC);
  /* While the controller is off the error belongs to a queue that it had before it was disabled. It must not be
   * shown: only the next disabling clears CSTS.CFS, and it would hide the next enabling behind a function reset
   * (NvmeRegs). */
  if (ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_HOST_ERROR) && !c->fatal && c->phase != CONTROLLER_OFF) {
    hal_log(fw->p, PLATFORM_LOG_ERROR, "host memory refused a queue access: controller fatal");
    c->fatal = true;
    show(fw);
  }
  follow_enable(fw, cc);
  follow_shutdown(fw, cc);
}
