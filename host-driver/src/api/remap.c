/* SPDX-License-Identifier: Apache-2.0 */
/* REMAP and REMAP VECTOR: the commands that edit the device's mapping. */
#include <errno.h>

#include "api/handle.h"
#include "api/remap_wire.h"
#include "openremap_cmd.h"

_Static_assert((int)OPENREMAP_MOVE == (int)ORM_VENDOR_FLAGS_MOVE, "the API's flags are the wire's");

static int check_range(uint64_t src, uint64_t dst, uint64_t pages) {
  return src + pages < src || dst + pages < dst ? -EINVAL : 0;
}

/* Linux passes vendor commands for root only (CAP_SYS_ADMIN), Copy for who may write to the namespace. */
static bool not_permitted(int rc) { return rc == -EACCES || rc == -EPERM; }

/*
 * The same by one Copy, which shares pages as well, where it can say it: targets in a row, and within its limits.
 * -ENOTSUP otherwise, since several commands would not be all or nothing. Its sources need not be mapped: targets of
 * those that are not become unmapped.
 */
static int share_by_copy(struct openremap_device *dev, const struct openremap_remap_range *ranges, size_t count) {
  uint8_t list[256 * NVME_COPY_RANGE_BYTES];
  if (!dev->info.has_copy || dev->ns.mssrl == 0 || count == 0 || count > (size_t)dev->ns.msrc + 1) return -ENOTSUP;
  uint64_t dst = ranges[0].dst, total = 0;
  for (size_t i = 0; i < count; i++) {
    total += ranges[i].pages;
    if (ranges[i].pages == 0 || ranges[i].pages > dev->ns.mssrl || total > dev->ns.mcl || ranges[i].dst != dst)
      return -ENOTSUP;
    dst += ranges[i].pages;
    const struct nvme_copy_range range = {.slba = ranges[i].src, .nlb = (uint16_t)(ranges[i].pages - 1)};
    nvme_copy_range_pack(&range, list + i * NVME_COPY_RANGE_BYTES);
  }
  struct nvme_submission_entry command;
  nvme_cmd_copy(&command, OPENREMAP_NSID, ranges[0].dst, (uint32_t)count);
  return openremap_io(dev, &command, list, count * NVME_COPY_RANGE_BYTES, NULL);
}

/* `rc` of the vendor command, or what Copy gives in its place. */
static int or_copy(struct openremap_device *dev, int rc, const struct openremap_remap_range *ranges, size_t count,
                   unsigned flags) {
  if (!not_permitted(rc) || flags != OPENREMAP_SHARE) return rc;
  const int copied = share_by_copy(dev, ranges, count);
  return copied == -ENOTSUP ? rc : copied;
}

int openremap_remap(struct openremap_device *dev, uint64_t src, uint64_t dst, uint64_t pages, unsigned flags) {
  /* Lengths of 0 and ranges outside the namespace go to the device, whose answer is the one that counts; only what the
   * wire cannot say is refused here. */
  if (pages > UINT32_MAX || check_range(src, dst, pages) != 0) return -EINVAL;
  struct nvme_submission_entry command;
  remap_wire_remap(&command, OPENREMAP_NSID, src, dst, (uint32_t)pages, flags);
  const struct openremap_remap_range range = {.src = src, .dst = dst, .pages = pages};
  return or_copy(dev, openremap_io(dev, &command, NULL, 0, NULL), &range, 1, flags);
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
  return or_copy(dev, openremap_io(dev, &command, list, count * ORM_REMAP_RANGE_BYTES, NULL), ranges, count, flags);
}

bool openremap_should_write_instead(int status) {
  return status == NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT) ||
         status == NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_NVRAM_FULL);
}
