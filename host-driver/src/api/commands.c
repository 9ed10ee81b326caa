/* SPDX-License-Identifier: Apache-2.0 */
/* The standard commands, asynchronous and blocking. What is ours (remap, statistics) is in remap.c and stats.c. */
#include <errno.h>
#include <stdlib.h>

#include "api/handle.h"
#include "api/request.h"
#include "openremap_cmd.h"
#include "orm_formats.h"

#define MAX_BLOCKS_OF_COMMAND 65536u /* NLB is 16 bits, 0-based */

/* ---- Read, write, flush ------------------------------------------------------------------------------------------ */

int openremap_submit_read(struct openremap_device *dev, uint64_t lpn, uint64_t pages, void *data, openremap_done done,
                          void *arg) {
  struct nvme_submission_entry command;
  nvme_cmd_read(&command, OPENREMAP_NSID, lpn, 1);
  return request_submit_range(dev, &command, lpn, pages, dev->info.max_transfer_pages, data, done, arg);
}

int openremap_submit_write(struct openremap_device *dev, uint64_t lpn, uint64_t pages, const void *data, bool fua,
                           openremap_done done, void *arg) {
  struct nvme_submission_entry command;
  nvme_cmd_write(&command, OPENREMAP_NSID, lpn, 1, fua);
  /* The direction is in the opcode: the transport only reads from the data of a write. */
  void *buffer = (void *)(uintptr_t)data;
  return request_submit_range(dev, &command, lpn, pages, dev->info.max_transfer_pages, buffer, done, arg);
}

int openremap_submit_flush(struct openremap_device *dev, openremap_done done, void *arg) {
  struct nvme_submission_entry command;
  nvme_cmd_flush(&command, OPENREMAP_NSID);
  return openremap_submit_command(dev, false, &command, NULL, 0, done, arg);
}

int openremap_read(struct openremap_device *dev, uint64_t lpn, uint64_t pages, void *data) {
  struct request_wait wait = {0};
  const int rc = openremap_submit_read(dev, lpn, pages, data, request_wait_done, &wait);
  return rc != 0 ? rc : request_await(dev, &wait);
}

int openremap_write(struct openremap_device *dev, uint64_t lpn, uint64_t pages, const void *data, bool fua) {
  struct request_wait wait = {0};
  const int rc = openremap_submit_write(dev, lpn, pages, data, fua, request_wait_done, &wait);
  return rc != 0 ? rc : request_await(dev, &wait);
}

int openremap_flush(struct openremap_device *dev) {
  struct nvme_submission_entry command;
  nvme_cmd_flush(&command, OPENREMAP_NSID);
  return openremap_io(dev, &command, NULL, 0, NULL);
}

/* ---- Any command ---------------------------------------------------------------------------------------------------
 */

static int execute(struct openremap_device *dev, bool admin, const struct nvme_submission_entry *command, void *data,
                   size_t bytes, uint32_t *result) {
  struct request_wait wait = {0};
  int rc = openremap_submit_command(dev, admin, command, data, bytes, request_wait_done, &wait);
  if (rc == 0) rc = request_await(dev, &wait);
  if (result != NULL) *result = wait.result;
  return rc;
}

int openremap_admin(struct openremap_device *dev, const struct nvme_submission_entry *command, void *data, size_t bytes,
                    uint32_t *result) {
  return execute(dev, true, command, data, bytes, result);
}

int openremap_io(struct openremap_device *dev, const struct nvme_submission_entry *command, void *data, size_t bytes,
                 uint32_t *result) {
  return execute(dev, false, command, data, bytes, result);
}

/* ---- Deallocate, zeroes, copy ---------------------------------------------------------------------------------------
 */

/* Appends the pieces of one range that a 32-bit length can hold; returns how many descriptors that took. */
static uint32_t append_dsm_range(uint8_t *out, uint32_t room, struct openremap_range *range) {
  uint32_t used = 0;
  while (used < room && range->pages != 0) {
    const uint64_t pages = range->pages < UINT32_MAX ? range->pages : UINT32_MAX;
    const struct nvme_dsm_range wire = {.nlb = (uint32_t)pages, .slba = range->lpn};
    nvme_dsm_range_pack(&wire, out + (size_t)used++ * NVME_DSM_RANGE_BYTES);
    range->lpn += pages;
    range->pages -= pages;
  }
  return used;
}

static int send_deallocate(struct openremap_device *dev, uint8_t *list, uint32_t used) {
  struct nvme_submission_entry command;
  nvme_cmd_deallocate(&command, OPENREMAP_NSID, used);
  return openremap_io(dev, &command, list, (size_t)used * NVME_DSM_RANGE_BYTES, NULL);
}

int openremap_deallocate(struct openremap_device *dev, const struct openremap_range *ranges, size_t count) {
  uint8_t list[NVME_DSM_MAX_RANGES * NVME_DSM_RANGE_BYTES];
  uint32_t used = 0;
  int rc = 0;
  for (size_t i = 0; i < count && rc == 0; i++) {
    struct openremap_range left = ranges[i];
    if (left.pages == 0 || left.lpn + left.pages < left.lpn) return -EINVAL;
    while (left.pages != 0 && rc == 0) {
      used += append_dsm_range(list + (size_t)used * NVME_DSM_RANGE_BYTES, NVME_DSM_MAX_RANGES - used, &left);
      if (used == NVME_DSM_MAX_RANGES) {
        rc = send_deallocate(dev, list, used);
        used = 0;
      }
    }
  }
  if (rc == 0 && used != 0) rc = send_deallocate(dev, list, used);
  return rc;
}

int openremap_write_zeroes(struct openremap_device *dev, uint64_t lpn, uint64_t pages, bool deallocate) {
  struct nvme_submission_entry command;
  nvme_cmd_write_zeroes(&command, OPENREMAP_NSID, lpn, 1, deallocate);
  struct request_wait wait = {0};
  const int rc = request_submit_range(dev, &command, lpn, pages, MAX_BLOCKS_OF_COMMAND, NULL, request_wait_done, &wait);
  return rc != 0 ? rc : request_await(dev, &wait);
}

int openremap_copy(struct openremap_device *dev, uint64_t src, uint64_t dst, uint64_t pages) {
  if (pages == 0 || src + pages < src || dst + pages < dst) return -EINVAL;
  /* Limits of 0 are of controllers that do not report them: one range of any length the field holds. */
  const uint32_t range_max = dev->ns.mssrl != 0 ? dev->ns.mssrl : MAX_BLOCKS_OF_COMMAND;
  const uint32_t total_max = dev->ns.mcl != 0 ? dev->ns.mcl : range_max;
  const uint32_t piece_max = range_max < total_max ? range_max : total_max;
  while (pages != 0) {
    const uint32_t piece = pages < piece_max ? (uint32_t)pages : piece_max;
    const struct nvme_copy_range range = {.slba = src, .nlb = (uint16_t)(piece - 1)};
    uint8_t wire[NVME_COPY_RANGE_BYTES];
    nvme_copy_range_pack(&range, wire);
    struct nvme_submission_entry command;
    nvme_cmd_copy(&command, OPENREMAP_NSID, dst, 1);
    const int rc = openremap_io(dev, &command, wire, sizeof(wire), NULL);
    if (rc != 0) return rc;
    src += piece;
    dst += piece;
    pages -= piece;
  }
  return 0;
}

/* ---- Admin
 * ------------------------------------------------------------------------------------------------------------ */

int openremap_identify_controller(struct openremap_device *dev, struct nvme_identify_controller *out) {
  struct nvme_submission_entry command;
  nvme_cmd_identify(&command, 0, NVME_CNS_CONTROLLER);
  uint8_t page[NVME_IDENTIFY_CONTROLLER_BYTES];
  const int rc = openremap_admin(dev, &command, page, sizeof(page), NULL);
  if (rc == 0) nvme_identify_controller_unpack(out, page);
  return rc;
}

int openremap_identify_namespace(struct openremap_device *dev, struct nvme_identify_namespace *out) {
  struct nvme_submission_entry command;
  nvme_cmd_identify(&command, OPENREMAP_NSID, NVME_CNS_NAMESPACE);
  uint8_t page[NVME_IDENTIFY_NAMESPACE_BYTES];
  const int rc = openremap_admin(dev, &command, page, sizeof(page), NULL);
  if (rc == 0) nvme_identify_namespace_unpack(out, page);
  return rc;
}

/* The pages that belong to an endurance group; each is asked for of the group that the namespace is in. */
static bool is_of_group(uint8_t log_id) {
  switch (log_id) {
    case NVME_LOG_PAGE_ENDURANCE_GROUP:
    case NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS:
    case NVME_LOG_PAGE_PLACEMENT_USAGE:
    case NVME_LOG_PAGE_PLACEMENT_STATISTICS:
    case NVME_LOG_PAGE_PLACEMENT_EVENTS:
      return true;
    default:
      return false;
  }
}

int openremap_get_log_page(struct openremap_device *dev, uint8_t log_id, uint64_t offset, void *data, size_t bytes) {
  if (bytes == 0 || bytes % 4 != 0 || offset % 4 != 0) return -EINVAL;
  const bool own = log_id == ORM_VENDOR_LOG_PAGES_REMAP_LOG || log_id == ORM_VENDOR_LOG_PAGES_CRASH_LOG;
  if (own && dev->refused != 0) return dev->refused; /* another vendor's page of this number holds something else */
  uint8_t *out = data;
  while (bytes != 0) {
    const uint32_t max = dev->transport->limits.max_transfer_bytes;
    const uint32_t piece = bytes < max ? (uint32_t)bytes : max;
    struct nvme_submission_entry command;
    nvme_cmd_get_log_page(&command, log_id, offset, piece);
    if (is_of_group(log_id)) command.cdw11 |= (uint32_t)dev->ns.endgid << 16; /* Log Specific Identifier */
    const int rc = openremap_admin(dev, &command, out, piece, NULL);
    if (rc != 0) return rc;
    out += piece;
    offset += piece;
    bytes -= piece;
  }
  return 0;
}

int openremap_format(struct openremap_device *dev, bool erase) {
  struct nvme_submission_entry command;
  nvme_cmd_format(&command, OPENREMAP_NSID, dev->block_format,
                  erase ? NVME_FORMAT_SES_USER_DATA : NVME_FORMAT_SES_NONE);
  return openremap_admin(dev, &command, NULL, 0, NULL);
}
