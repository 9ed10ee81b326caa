/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fw.h - the context: the state of all units of one device.
 *
 * Each member is owned by the unit that declares its struct; those that are no structs belong to fw.c. Other units may
 * read it, and change it only by calling the owner (`python -m launcher.suites.firmware_check owners`). Every .c file
 * may include this header, whatever its layer.
 */
#ifndef OPENREMAP_FW_FW_H
#define OPENREMAP_FW_FW_H

#include "core/crash.h"
#include "core/device.h"
#include "core/fatal.h"
#include "core/hal.h"
#include "core/memory_error.h"
#include "core/quiesce.h"
#include "core/result.h"
#include "core/state.h"
#include "drivers/fence.h"
#include "drivers/lanes.h"
#include "drivers/mailbox.h"
#include "drivers/nand.h"
#include "firmware.h"
#include "gc/gc.h"
#include "gc/wear.h"
#include "media/bad.h"
#include "media/geometry.h"
#include "media/good_slots.h"
#include "media/media_init.h"
#include "media/namespace.h"
#include "media/spare.h"
#include "nvme/async_events.h"
#include "nvme/clash.h"
#include "nvme/cmd_async.h"
#include "nvme/cmd_features.h"
#include "nvme/cmd_queues.h"
#include "nvme/commands.h"
#include "nvme/completion.h"
#include "nvme/controller.h"
#include "nvme/errorlog.h"
#include "nvme/format_nvm.h"
#include "nvme/health.h"
#include "nvme/hot_time.h"
#include "nvme/watch.h"
#include "orm_regs.h"
#include "recovery/nvram_rebuild.h"
#include "recovery/read_only.h"
#include "recovery/recovery.h"
#include "recovery/snapshot.h"
#include "recovery/summary.h"
#include "top/startup.h"
#include "trim/checkpoint.h"

struct fw {
  const struct platform *p;
  uint32_t irq;       /* IRQ_STATUS at the begin of this poll */
  uint32_t irq_mask;  /* IRQ_ENABLE */
  uint64_t wait_ns;   /* what fw_poll() will return, or has; lowered by fw_again_in() */
  uint64_t asked_for; /* device time at which a unit wants to be polled; FW_POLL_IDLE: none does */
  uint64_t look_from; /* device time from which on all units look in the next poll */
  struct device dev;
  struct geometry geometry;
  struct read_only read_only;
  struct fatal fatal;
  struct quiesce quiesce;
  struct state state;
  struct startup startup;
  struct recovery recovery;
  struct nand nand;
  struct lanes lanes;
  struct mailbox mailbox;
  struct snapshot snapshot;
  struct summary summary;
  struct fence fence;
  struct controller controller;
  struct commands commands;
  struct queues queues;
  struct features features;
  struct event_requests event_requests;
  struct async_events async_events;
  struct watch watch;
  struct hot_time hot_time;
  struct errorlog errorlog;
  struct gc gc;
  struct checkpoint checkpoint;
  struct format_nvm format_nvm;
  struct nvram_rebuild nvram_rebuild;
  struct crash crash;
  struct health health;
  struct bad bad;
  struct good_slots good_slots;
  struct media_init media_init;
  struct wear wear;
  struct clash clash;
};

/* Asks to be polled again after `ns` even without an interrupt. */
static inline void fw_again_in(struct fw *fw, uint64_t ns) {
  if (ns < fw->wait_ns) fw->wait_ns = ns;
}

/* Whether device time has not reached `ns` yet. If so, asks to be polled then. */
static inline bool fw_waits_until(struct fw *fw, uint64_t ns) {
  uint64_t now = hal_time(fw->p);
  if (now >= ns) return false;
  fw_again_in(fw, ns - now);
  return true;
}

#endif /* OPENREMAP_FW_FW_H */
