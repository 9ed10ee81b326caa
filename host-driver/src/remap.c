/* SPDX-License-Identifier: Apache-2.0 */
/* REMAP and REMAP VECTOR: the commands that edit the device's mapping. */
#include <errno.h>

#include "device.h"
#include "remap_wire.h"

_Static_assert((int)OPENREMAP_MOVE == (int)ORM_VENDOR_FLAGS_MOVE, "the API's flags are the wire's");

static int check_range(uint64_t src, uint64_t dst, uint64_t pages) {
  return src + pages < src || dst + pages < dst ? -EINVAL : 0;
}

int openremap_remap(struct openremap_device *dev, uint64_t src, uint64_t dst, uint64_t pages, unsigned flags) {
  /* Lengths of 0 and ranges outside the namespace go to the device, whose answer is the one that counts; only what the
   * wire cannot say is refused here. */
  if (pages > UINT32_MAX || check_range(src, dst, pages) != 0) return -EINVAL;
  struct nvme_submission_entry command;
  remap_wire_remap(&command, OPENREMAP_NSID, src, dst, (uint32_t)pages, flags);
  return openremap_io(dev, &command, NULL, 0, NULL);
}

int openremap_remap_vector(struct openremap_device *dev, const struct openremap_remap_range *ranges, size_t count,
                           unsigned flags) {
  uint8_t list[ORM_REMAP_RANGES_MAX * ORM_REMAP_RANGE_BYTES];
  if (count == 0) return -EINVAL;
  /* One command, or it would not be all or nothing. */
  if (count > dev->info.max_remap_ranges) return -E2BIG;
  for (size_t i = 0; i < count; i++) {
    if (ranges[i].pages > UINT32_MAX || check_range(ranges[i].src, ranges[i].dst, ranges[i].pages) != 0) return -EINVAL;
    const struct orm_remap_range range = {.src = ranges[i].src, .dst = ranges[i].dst, .nlb = (uint32_t)ranges[i].pages};
    orm_remap_range_pack(&range, list + i * ORM_REMAP_RANGE_BYTES);
  }
  struct nvme_submission_entry command;
  remap_wire_vector(&command, OPENREMAP_NSID, (uint32_t)count, flags);
  return openremap_io(dev, &command, list, count * ORM_REMAP_RANGE_BYTES, NULL);
}

bool openremap_should_write_instead(int status) {
  return status == NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT) ||
         status == NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_NVRAM_FULL);
}
