/* SPDX-License-Identifier: Apache-2.0 */
/* Flexible Data Placement: writes with a placement handle, state of the handles. */
#include <errno.h>

#include "api/handle.h"
#include "api/request.h"
#include "openremap_cmd.h"

#define MAX_IDENTIFIERS 128u /* NVMe allows no more placement handles in a namespace */
#define IDENTIFIER_BYTES 2u

int openremap_submit_write_placed(struct openremap_device *dev, uint64_t lpn, uint64_t pages, const void *data,
                                  bool fua, uint16_t handle, openremap_done done, void *arg) {
  struct nvme_submission_entry command;
  nvme_cmd_write(&command, OPENREMAP_NSID, lpn, 1, fua);
  nvme_cmd_place(&command, handle);
  /* The direction is in the opcode: the transport only reads from the data of a write. */
  void *buffer = (void *)(uintptr_t)data;
  return request_submit_range(dev, &command, lpn, pages, dev->info.max_transfer_pages, buffer, done, arg);
}

int openremap_write_placed(struct openremap_device *dev, uint64_t lpn, uint64_t pages, const void *data, bool fua,
                           uint16_t handle) {
  struct request_wait wait = {0};
  const int rc = openremap_submit_write_placed(dev, lpn, pages, data, fua, handle, request_wait_done, &wait);
  return rc != 0 ? rc : request_await(dev, &wait);
}

int openremap_get_placement(struct openremap_device *dev, struct openremap_placement *out, size_t max, size_t *count) {
  uint8_t wire[NVME_RUH_STATUS_HEADER_BYTES + MAX_IDENTIFIERS * NVME_RUH_STATUS_BYTES];
  struct nvme_submission_entry command;
  nvme_cmd_ruh_status(&command, OPENREMAP_NSID, sizeof(wire));
  const int rc = openremap_io(dev, &command, wire, sizeof(wire), NULL);
  if (rc != 0) return rc;
  *count = (size_t)orm_get_le(wire + NVME_RUH_STATUS_COUNT_OFFSET, 2);
  if (*count > MAX_IDENTIFIERS) return -EIO; /* not in what was transferred */
  for (size_t i = 0; i < *count && i < max; i++) {
    struct nvme_ruh_status status;
    nvme_ruh_status_unpack(&status, wire + NVME_RUH_STATUS_HEADER_BYTES + i * NVME_RUH_STATUS_BYTES);
    out[i] = (struct openremap_placement){.handle = status.identifier, .pages_left = status.blocks_left};
  }
  return 0;
}

int openremap_placement_update(struct openremap_device *dev, const uint16_t *handles, size_t count) {
  if (count == 0 || count > MAX_IDENTIFIERS) return -EINVAL;
  /* Commands carry a multiple of 4 bytes. */
  uint8_t wire[MAX_IDENTIFIERS * IDENTIFIER_BYTES] = {0};
  for (size_t i = 0; i < count; i++) orm_put_le(wire + i * IDENTIFIER_BYTES, handles[i], IDENTIFIER_BYTES);
  struct nvme_submission_entry command;
  nvme_cmd_ruh_update(&command, OPENREMAP_NSID, (uint32_t)count);
  return openremap_io(dev, &command, wire, (count * IDENTIFIER_BYTES + 3u) / 4u * 4u, NULL);
}
