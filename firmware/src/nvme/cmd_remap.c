/* SPDX-License-Identifier: Apache-2.0 */
/*
 * REMAP, REMAP VECTOR (vendor I/O commands, interfaces/formats) and Copy (NVM command set specification 1.0), which
 * is executed as a remap. Here the ranges are checked and put into the engine's list; the engine does all of them or
 * none.
 *
 * All three are the hardware's (RangeEngine) as long as they are usual and succeed. Everything else comes here as the
 * host sent it, and goes the slow way: everything is checked once more, tried again and, as long as that fails, room
 * is made.
 *
 * Completion dword 0: pages whose mapping changed; of a refused command the first range that cannot be done. Of a
 * refused Copy 0, the lowest range that was not copied (NVM command set specification, Copy, command completion).
 */
#include <string.h>

#include "core/identity.h"
#include "fw.h"

enum step { FETCH, CHECK, START, RUN, MAKE_ROOM };

static uint8_t *range_at(const struct fw *fw, uint32_t i) { return mailbox_buffer(fw) + i * ORM_REMAP_RANGE_BYTES; }

static void get_range(const struct fw *fw, uint32_t i, struct orm_remap_range *out) {
  orm_remap_range_unpack(out, range_at(fw, i));
}

/* The first LBA of a source or target that the namespace does not have. */
static uint64_t first_outside(uint64_t lba, uint64_t end) { return lba > end ? lba : end; }

static fw_result_t check_range(const struct fw *fw, struct command *cmd, const struct orm_remap_range *r) {
  if (r->reserved0 != 0 || r->reserved1 != 0) return FW_INVALID_FIELD;
  bool fields = cmd->sqe.opcode == ORM_VENDOR_OPCODES_REMAP; /* of the command; else the ranges are data */
  if (r->nlb == 0) return fields ? command_refuse(cmd, COMMAND_FIELD(14u, 0u), FW_REMAP_EMPTY) : FW_REMAP_EMPTY;
  uint64_t end = fw->geometry.nsze;
  bool src = r->nlb > end || r->src > end - r->nlb;
  if (!src && r->dst <= end - r->nlb) return FW_OK;
  cmd->lba = first_outside(src ? r->src : r->dst, end);
  if (fields) cmd->location = src ? COMMAND_FIELD(10u, 0u) : COMMAND_FIELD(12u, 0u);
  return FW_LBA_RANGE;
}

static fw_result_t check_clashes(struct fw *fw, struct command *cmd) {
  clash_clear(&fw->clash);
  /* A heap sort of the targets, one of the sources. */
  fw_work(fw->p, FW_WORK_SORT, cmd->ranges * (32u - (uint32_t)__builtin_clz(cmd->ranges)));
  for (uint32_t i = 0; i < cmd->ranges; i++) {
    struct orm_remap_range range;
    get_range(fw, i, &range);
    clash_add(&fw->clash, &range);
  }
  uint32_t first = clash_first(&fw->clash);
  if (first == cmd->ranges) return FW_OK;
  struct orm_remap_range range;
  get_range(fw, first, &range);
  cmd->dw0 = first;
  cmd->lba = range.dst;
  return FW_REMAP_OVERLAP;
}

static fw_result_t check_ranges(const struct fw *fw, struct command *cmd) {
  uint32_t pages = 0;
  fw_work(fw->p, FW_WORK_RANGE, cmd->ranges);
  for (uint32_t i = 0; i < cmd->ranges; i++) {
    struct orm_remap_range range;
    get_range(fw, i, &range);
    fw_result_t r = check_range(fw, cmd, &range);
    if (r == FW_OK && range.nlb > ORM_REMAP_PAGES_MAX - pages) r = FW_COPY_LIMIT; /* what the engine keeps on chip */
    pages += range.nlb;
    if (r != FW_OK) {
      cmd->dw0 = i;
      return r;
    }
  }
  return FW_OK;
}

static void start_engine(struct fw *fw, const struct command *cmd, bool move, bool copy) {
  const struct platform *p = fw->p;
  hal_clean(p, fw->dev.dram_fw, cmd->ranges * ORM_REMAP_RANGE_BYTES);
  hal_write(p, ORM_FW_REMAP_LIST, fw->dev.dram_fw);
  hal_write(p, ORM_FW_REMAP_GO,
            ORM_PUT(ORM_FW_REMAP_GO_RANGES, cmd->ranges) | ORM_PUT(ORM_FW_REMAP_GO_MOVE, move) |
                ORM_PUT(ORM_FW_REMAP_GO_COPY, copy));
}

static fw_result_t outcome(enum orm_remap_result r) {
  switch (r) {
    case ORM_REMAP_RESULT_OK:
      return FW_OK;
    case ORM_REMAP_RESULT_UNMAPPED:
      return FW_REMAP_UNMAPPED;
    case ORM_REMAP_RESULT_SHARER_LIMIT:
      return FW_REMAP_SHARERS;
    case ORM_REMAP_RESULT_NVRAM_FULL:
      return FW_REMAP_FULL;
    case ORM_REMAP_RESULT_ENGINE_ERROR:
      break;
  }
  return FW_INTERNAL;
}

static uint8_t sharers(const struct fw *fw, uint32_t slot) {
  hal_invalidate(fw->p, fw->dev.dram_ref + slot, 1);
  return *(const uint8_t *)hal_dram(fw->p, fw->dev.dram_ref + slot);
}

/* The first page of a source that made the engine refuse the range. None is found if the host has changed it since. */
static uint64_t first_refused(const struct fw *fw, const struct orm_remap_range *range, fw_result_t r) {
  const struct device *d = &fw->dev;
  hal_invalidate(fw->p, d->dram_l2p + 4u * (uint32_t)range->src, 4u * range->nlb);
  for (uint32_t lpn = (uint32_t)range->src; lpn < range->src + range->nlb; lpn++) {
    fw_work(fw->p, FW_WORK_LPN, 1u);
    uint32_t slot = hal_dram_get32(fw->p, d->dram_l2p + 4u * lpn);
    if (r == FW_REMAP_UNMAPPED && slot == ORM_UNMAPPED) return lpn;
    if (r == FW_REMAP_SHARERS && slot != ORM_UNMAPPED && sharers(fw, slot) >= d->sharers) return lpn;
  }
  return COMMAND_NO_LBA;
}

static fw_result_t poll_engine(struct fw *fw, struct command *cmd) {
  uint32_t status = hal_read(fw->p, ORM_FW_REMAP_STATUS);
  if (ORM_GET(status, ORM_FW_REMAP_STATUS_BUSY)) return FW_PENDING;
  fw_result_t r = outcome((enum orm_remap_result)ORM_GET(status, ORM_FW_REMAP_STATUS_RESULT));
  cmd->dw0 = r == FW_OK ? hal_read(fw->p, ORM_FW_REMAP_PAGES) : ORM_GET(status, ORM_FW_REMAP_STATUS_RANGE);
  if ((r == FW_REMAP_UNMAPPED || r == FW_REMAP_SHARERS) && cmd->dw0 < cmd->ranges) {
    struct orm_remap_range range;
    get_range(fw, cmd->dw0, &range);
    cmd->lba = first_refused(fw, &range, r);
  }
  return r;
}

/* No room: trims go from the journal into the bitmap, and the remap table gives up what is stale (gc.h). */
static bool make_room(struct fw *fw, struct command *cmd) {
  if (cmd->retries == FW_GC_ATTEMPTS) return false;
  cmd->retries++;
  cmd->emptied = checkpoint_request(fw);
  segment_reclaim_request(fw, cmd->retries);
  return true;
}

static fw_result_t room_is_made(struct fw *fw, const struct command *cmd) {
  if (fw->checkpoint.phase != CHECKPOINT_IDLE || fw->gc.reclaim.runs || !gc_idle(fw)) return FW_PENDING;
  segment_reclaim_seen(fw);
  return cmd->emptied || fw->gc.reclaim.gave ? FW_OK : FW_REMAP_FULL; /* nothing to be had: no use to try again */
}

/* From the checked list to the outcome; `step` CHECK on entry. */
static fw_result_t execute(struct fw *fw, struct command *cmd, bool move, bool copy) {
  for (;;) {
    switch ((enum step)cmd->step) {
      case FETCH:
        return FW_INTERNAL; /* not reached: the callers fetch */
      case CHECK: {
        fw_result_t r = check_ranges(fw, cmd);
        if (r == FW_OK) r = check_clashes(fw, cmd); /* counts on ranges that are good by themselves */
        if (r != FW_OK) return r;
        cmd->step = START;
        break;
      }
      case START:
        start_engine(fw, cmd, move, copy);
        cmd->step = RUN;
        return FW_PENDING;
      case RUN: {
        fw_result_t r = poll_engine(fw, cmd);
        if (r != FW_REMAP_FULL || !make_room(fw, cmd)) return r;
        cmd->step = MAKE_ROOM;
        fw_again_in(fw, 0);
        return FW_PENDING;
      }
      case MAKE_ROOM: {
        fw_result_t r = room_is_made(fw, cmd);
        if (r != FW_OK) return r;
        cmd->step = START;
        break;
      }
    }
  }
}

static fw_result_t counted(struct fw *fw, fw_result_t r) {
  if (r != FW_PENDING) state_remap_ended(&fw->state, r);
  return r;
}

/* What holds for all three. */
static fw_result_t check_target(const struct fw *fw, const struct command *cmd) {
  if (cmd->sqe.nsid != FW_NSID) return FW_INVALID_NAMESPACE;
  /* Not once the list's DMA runs: the engine and the buffer are its own until it ends. */
  if (quiesce_shuts_down(fw) && cmd->step == FETCH && !cmd->dma) return FW_NOT_READY;
  return FW_OK;
}

static fw_result_t check_flags(struct command *cmd) {
  uint32_t unknown = cmd->sqe.cdw15 & ~(uint32_t)ORM_VENDOR_FLAGS_MOVE, bit = 0;
  if (unknown == 0) return FW_OK;
  while (!(unknown >> bit & 1u)) bit++;
  return command_refuse(cmd, COMMAND_FIELD(15u, bit), FW_INVALID_FIELD);
}

static bool moves(const struct command *cmd) { return cmd->sqe.cdw15 & ORM_VENDOR_FLAGS_MOVE; }

static fw_result_t prepare_one(struct fw *fw, struct command *cmd) {
  struct orm_remap_range range = {
      .src = cmd->sqe.cdw10 | (uint64_t)cmd->sqe.cdw11 << 32,
      .dst = cmd->sqe.cdw12 | (uint64_t)cmd->sqe.cdw13 << 32,
      .nlb = cmd->sqe.cdw14,
  };
  fw_result_t r = check_flags(cmd);
  if (r != FW_OK) return r;
  cmd->ranges = 1;
  orm_remap_range_pack(&range, range_at(fw, 0));
  return FW_OK;
}

static fw_result_t prepare_vector(struct fw *fw, struct command *cmd) {
  fw_result_t r = check_flags(cmd);
  if (r != FW_OK) return r;
  cmd->ranges = cmd->sqe.cdw10;
  if (cmd->ranges == 0) return command_refuse(cmd, COMMAND_FIELD(10u, 0u), FW_REMAP_EMPTY);
  if (cmd->ranges > ORM_REMAP_RANGES_MAX) return command_refuse(cmd, COMMAND_FIELD(10u, 0u), FW_INVALID_FIELD);
  return mailbox_from_host(fw, cmd, cmd->ranges * ORM_REMAP_RANGE_BYTES);
}

/* Bytes of an entry of Copy's list, by the Descriptor Format field; Identify OCFS names the same formats. */
static const uint32_t copy_formats[] = {NVME_COPY_RANGE_BYTES, NVME_COPY_RANGE1_BYTES};

/* What is not kept of an entry are tags of protection information. */
static struct orm_remap_range copy_entry(uint32_t format, const uint8_t *entry) {
  if (format == 0) {
    struct nvme_copy_range c;
    nvme_copy_range_unpack(&c, entry);
    return (struct orm_remap_range){.src = c.slba, .nlb = c.nlb + 1u};
  }
  struct nvme_copy_range1 c;
  nvme_copy_range1_unpack(&c, entry);
  return (struct orm_remap_range){.src = c.slba, .nlb = c.nlb + 1u};
}

_Static_assert(NVME_COPY_RANGE_BYTES >= ORM_REMAP_RANGE_BYTES && NVME_COPY_RANGE1_BYTES >= ORM_REMAP_RANGE_BYTES,
               "a list is converted in place, from the front");

static fw_result_t convert_copy(struct fw *fw, struct command *cmd, uint32_t format) {
  uint64_t dst = cmd->sqe.cdw10 | (uint64_t)cmd->sqe.cdw11 << 32;
  uint32_t total = 0;
  for (uint32_t i = 0; i < cmd->ranges; i++) {
    struct orm_remap_range range = copy_entry(format, mailbox_buffer(fw) + i * copy_formats[format]);
    range.dst = dst;
    total += range.nlb;
    if (total > fw->dev.copy_pages) return FW_COPY_LIMIT;
    dst += range.nlb;
    orm_remap_range_pack(&range, range_at(fw, i));
  }
  return FW_OK;
}

/* Transfers from the host are multiples of 16 bytes. An odd list of format 1 has 8 bytes more, which are tags. */
static uint32_t copy_list_bytes(const struct command *cmd, uint32_t format) {
  return cmd->ranges * copy_formats[format] & ~15u;
}

static fw_result_t prepare_copy(struct fw *fw, struct command *cmd) {
  uint32_t format = (cmd->sqe.cdw12 >> 8) & 0xFu;
  uint32_t protection = cmd->sqe.cdw12 & 0x3C00F000u; /* PRINFOR, PRINFOW: no protection information here */
  if (format >= sizeof copy_formats / sizeof *copy_formats)
    return command_refuse(cmd, COMMAND_FIELD(12u, 8u), FW_INVALID_FIELD);
  if (protection != 0)
    return command_refuse(cmd, protection & 0xF000u ? COMMAND_FIELD(12u, 12u) : COMMAND_FIELD(12u, 26u),
                          FW_INVALID_FIELD);
  cmd->ranges = (cmd->sqe.cdw12 & 0xFFu) + 1u;
  if (cmd->ranges > fw->dev.copy_ranges) return command_refuse(cmd, COMMAND_FIELD(12u, 0u), FW_COPY_LIMIT);
  fw_result_t r = mailbox_from_host(fw, cmd, copy_list_bytes(cmd, format));
  return r == FW_OK ? convert_copy(fw, cmd, format) : r;
}

typedef fw_result_t (*prepare)(struct fw *fw, struct command *cmd);

static fw_result_t remap(struct fw *fw, struct command *cmd, prepare get_list, bool move, bool copy) {
  fw_result_t r = check_target(fw, cmd);
  if (r == FW_OK && cmd->step == FETCH) {
    r = get_list(fw, cmd);
    if (r == FW_OK) cmd->step = CHECK;
  }
  if (r == FW_OK) r = execute(fw, cmd, move, copy);
  if (copy && r != FW_OK && r != FW_PENDING) cmd->dw0 = 0; /* all or nothing: the first range was not copied either */
  if (copy && r == FW_REMAP_OVERLAP)
    r = FW_INVALID_FIELD; /* a standard command has standard answers where there are any */
  return counted(fw, r);
}

fw_result_t cmd_remap(struct fw *fw, struct command *cmd) { return remap(fw, cmd, prepare_one, moves(cmd), false); }

fw_result_t cmd_remap_vector(struct fw *fw, struct command *cmd) {
  return remap(fw, cmd, prepare_vector, moves(cmd), false);
}

fw_result_t cmd_copy(struct fw *fw, struct command *cmd) { return remap(fw, cmd, prepare_copy, false, true); }
