/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/placement.h"

#include "fw.h"

#define DESCRIPTOR_OFFSET NVME_PLACEMENT_CONFIGURATIONS_DESCRIPTOR_OFFSET

uint32_t placement_configurations(struct fw *fw, uint8_t *out) {
  uint32_t bytes = NVME_PLACEMENT_CONFIGURATIONS_BYTES + (fw->geometry.handles * PLACEMENT_RUH_BYTES + 7u) / 8u * 8u;
  struct nvme_placement_configurations c = {
      .configurations = 0, /* one */
      .size = bytes,
      .descriptor = (uint16_t)(bytes - DESCRIPTOR_OFFSET),
      .attributes = NVME_PLACEMENT_ATTRIBUTE_VALID | NVME_PLACEMENT_ATTRIBUTE_WRITE_CACHE,
      .groups = 1,
      .handles = (uint16_t)fw->geometry.handles,
      .identifiers = (uint16_t)(fw->geometry.handles - 1u),
      .namespaces = 1,
      .unit_bytes = (uint64_t)fw->dev.data_slots * ORM_SLOT_BYTES,
  };
  nvme_placement_configurations_pack(&c, out);
  for (uint32_t h = 0; h < fw->geometry.handles; h++)
    out[NVME_PLACEMENT_CONFIGURATIONS_BYTES + h * PLACEMENT_RUH_BYTES] = NVME_RUH_TYPE_INITIALLY_ISOLATED;
  return bytes;
}

uint32_t placement_usage(struct fw *fw, uint8_t *out) {
  orm_put_le(out, fw->geometry.handles, 2);
  for (uint32_t h = 0; h < fw->geometry.handles; h++)
    out[(1u + h) * PLACEMENT_USAGE_ENTRY] = NVME_RUH_ATTRIBUTE_HOST_SPECIFIED;
  return (1u + fw->geometry.handles) * PLACEMENT_USAGE_ENTRY;
}

static uint64_t counter(const struct fw *fw, enum orm_counter i) { return state_counter(&fw->state, fw->p, i); }

uint32_t placement_statistics(struct fw *fw, uint8_t *out) {
  struct nvme_placement_statistics s = {
      .host_written = counter(fw, ORM_COUNTER_HOST_WRITE_PAGES) * ORM_SLOT_BYTES,
      .media_written = state_programmed_slots(&fw->state, fw->p) * ORM_SLOT_BYTES,
      .media_erased = counter(fw, ORM_COUNTER_NAND_ERASE) * device_slots_per_block(&fw->dev) * ORM_SLOT_BYTES,
  };
  nvme_placement_statistics_pack(&s, out);
  return NVME_PLACEMENT_STATISTICS_BYTES;
}

static uint32_t open_superblock(const struct fw *fw, uint32_t handle) {
  hal_write(fw->p, ORM_FW_ALLOC_STREAM,
            ORM_PUT(ORM_FW_ALLOC_STREAM_STREAM, ORM_STREAM_HOST + ORM_STREAM_HANDLE * handle));
  return hal_read(fw->p, ORM_FW_ALLOC_OPEN);
}

uint32_t placement_blocks_left(const struct fw *fw, uint32_t handle) {
  uint32_t open = open_superblock(fw, handle);
  bool fills = ORM_GET(open, ORM_FW_ALLOC_OPEN_OPEN) && !ORM_GET(open, ORM_FW_ALLOC_OPEN_FULL);
  return fills ? fw->dev.data_slots - ORM_GET(open, ORM_FW_ALLOC_OPEN_NEXT) : fw->dev.data_slots;
}
