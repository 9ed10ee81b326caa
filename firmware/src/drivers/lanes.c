/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/lanes.h"

#include <string.h>

#include "fw.h"

void lanes_begin(struct fw *fw, bool reads) {
  bool lent = fw->lanes.lent;
  memset(&fw->lanes, 0, sizeof fw->lanes);
  fw->lanes.lent = lent;
  fw->lanes.reads = reads;
}

static uint32_t count(const struct fw *fw) {
  uint32_t lanes = fw->lanes.reads ? fw->dev.buffers : fw->dev.buffers / fw->dev.slots_per_page;
  return lanes < FW_MAX_DIES ? lanes : FW_MAX_DIES;
}

/* One that is free, or count(). */
static uint32_t free_lane(const struct fw *fw) {
  uint32_t i = 0;
  while (i < count(fw) && fw->lanes.lane[i].use != LANE_FREE) i++;
  fw_work(fw->p, FW_WORK_DIE, i + 1u);
  return i;
}

static void move(struct fw *fw, uint32_t lane, uint32_t buffer, uint32_t dram) {
  if (fw->lanes.reads) hal_clean(fw->p, dram, ORM_SLOT_BYTES); /* else a dirty line could be written back over it */
  hal_write(fw->p, ORM_FW_NAND_BUFFER, ORM_PUT(ORM_FW_NAND_BUFFER_INDEX, buffer));
  hal_write(fw->p, ORM_FW_DMA_DRAM, dram);
  hal_write(fw->p, ORM_FW_DMA_GO,
            ORM_PUT(ORM_FW_DMA_GO_BYTES, ORM_SLOT_BYTES) | ORM_PUT(ORM_FW_DMA_GO_BUFFER, 1u) |
                ORM_PUT(ORM_FW_DMA_GO_TO_HOST, !fw->lanes.reads));
  fw->lanes.moving = true;
  fw->lanes.mover = lane;
}

static void take_move(struct fw *fw) {
  struct lanes *l = &fw->lanes;
  uint32_t status = hal_read(fw->p, ORM_FW_DMA_STATUS);
  if (ORM_GET(status, ORM_FW_DMA_STATUS_BUSY)) return;
  hal_write(fw->p, ORM_FW_IRQ_STATUS, ORM_FW_IRQ_STATUS_DMA_DONE_MASK);
  l->moving = false;
  if (ORM_GET(status, ORM_FW_DMA_STATUS_STATUS) != 0) l->failed = true;
  if (!l->reads) return;
  l->lane[l->mover].use = LANE_FREE;
  hal_invalidate(fw->p, l->lane[l->mover].dram, ORM_SLOT_BYTES);
}

static void take_result(struct fw *fw, const struct nand_result *res) {
  struct lanes *l = &fw->lanes;
  bool good = res->status == ORM_FW_NAND_STATUS_OK;
  for (uint32_t i = 0; i < count(fw); i++) {
    if (l->lane[i].use == LANE_FLASH && l->lane[i].slot == res->slot)
      l->lane[i].use = l->reads && good ? LANE_FILLED : LANE_FREE;
  }
  if (!good) l->worn = l->failed = true;
}

void lanes_poll(struct fw *fw) {
  struct lanes *l = &fw->lanes;
  struct nand_result res;
  fw_work(fw->p, FW_WORK_DIE, count(fw));
  while (nand_take(&fw->nand, &fw->dev, fw->p, &res)) take_result(fw, &res);
  if (l->moving) take_move(fw);
  if (!l->reads || l->moving || l->failed) return;
  for (uint32_t i = 0; i < count(fw); i++) {
    if (l->lane[i].use != LANE_FILLED) continue;
    move(fw, i, i, l->lane[i].dram);
    return;
  }
}

/* False: the die is busy. */
static bool program(struct fw *fw) {
  struct lanes *l = &fw->lanes;
  struct lane *lane = &l->lane[l->filling];
  uint32_t buffer = l->filling * fw->dev.slots_per_page;
  if (!nand_start_with(&fw->nand, &fw->dev, fw->p, ORM_FW_NAND_OP_PROGRAM, lane->slot, buffer)) return false;
  lane->use = LANE_FLASH;
  l->filled = 0;
  return true;
}

bool lanes_room(struct fw *fw) {
  struct lanes *l = &fw->lanes;
  if (l->failed || l->moving || l->lent || (l->filled == fw->dev.slots_per_page && !program(fw)) || l->wanted)
    return false;
  return l->filled > 0 || free_lane(fw) < count(fw);
}

void lanes_write(struct fw *fw, uint32_t slot, uint32_t dram) {
  struct lanes *l = &fw->lanes;
  if (l->filled == 0) {
    l->filling = free_lane(fw);
    l->lane[l->filling] = (struct lane){.use = LANE_FILLING, .slot = slot};
  }
  move(fw, l->filling, l->filling * fw->dev.slots_per_page + l->filled, dram);
  l->filled++;
}

bool lanes_read(struct fw *fw, uint32_t slot, uint32_t dram) {
  struct lanes *l = &fw->lanes;
  uint32_t i = free_lane(fw);
  if (l->failed || i == count(fw) || !nand_start_with(&fw->nand, &fw->dev, fw->p, ORM_FW_NAND_OP_READ, slot, i))
    return false;
  l->lane[i] = (struct lane){.use = LANE_FLASH, .slot = slot, .dram = dram};
  return true;
}

bool lanes_rest(struct fw *fw) {
  struct lanes *l = &fw->lanes;
  if (l->moving) return false;
  if (!l->failed && l->filled > 0 && !program(fw)) return false;
  if (fw->nand.outstanding > 0) return false;
  if (l->failed) return true;
  for (uint32_t i = 0; i < count(fw); i++) {
    if (l->lane[i].use != LANE_FREE) return false;
  }
  return true;
}

void lanes_give_up(struct fw *fw) { fw->lanes.failed = true; }

bool lanes_lend(struct fw *fw) {
  struct lanes *l = &fw->lanes;
  l->wanted = l->moving; /* the end of the move wakes the command up */
  if (l->moving) return false;
  l->lent = true;
  return true;
}

void lanes_return(struct fw *fw) { fw->lanes.lent = false; }

void lanes_command_ended(struct fw *fw) { fw->lanes.wanted = fw->lanes.lent = false; }
