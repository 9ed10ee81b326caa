// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_burst.h"

#include <vector>

#include "openremap_cmd.h"
#include "orm_formats.h"

namespace orm::lockstep {
namespace {

void note(void *arg, int status, uint32_t) { *static_cast<int *>(arg) = status; }

/// State of a part in flight; it lives as long as the burst.
struct Part {
  std::vector<uint8_t> data;
  int status = 0;
};

int send(openremap_device *dev, const nvme_submission_entry &entry, Part *part) {
  uint8_t *list = part->data.empty() ? nullptr : part->data.data();
  return openremap_submit_command(dev, false, &entry, list, part->data.size(), note, &part->status);
}

int submit_deallocate(openremap_device *dev, const Command &c, Part *part) {
  for (const openremap_remap_range &r : c.ranges) {
    uint8_t wire[NVME_DSM_RANGE_BYTES];
    const nvme_dsm_range range{0, uint32_t(r.pages), r.src};
    nvme_dsm_range_pack(&range, wire);
    part->data.insert(part->data.end(), wire, wire + sizeof wire);
  }
  nvme_submission_entry entry;
  nvme_cmd_deallocate(&entry, 1, uint32_t(c.ranges.size()));
  return send(dev, entry, part);
}

int submit_vector(openremap_device *dev, const Command &c, Part *part) {
  for (const openremap_remap_range &r : c.ranges) {
    uint8_t wire[ORM_REMAP_RANGE_BYTES];
    orm_remap_range range{};
    range.src = r.src;
    range.dst = r.dst;
    range.nlb = uint32_t(r.pages);
    orm_remap_range_pack(&range, wire);
    part->data.insert(part->data.end(), wire, wire + sizeof wire);
  }
  nvme_submission_entry entry;
  nvme_cmd_init(&entry, ORM_VENDOR_OPCODES_REMAP_VECTOR, 1);
  entry.cdw10 = uint32_t(c.ranges.size());
  entry.cdw15 = c.flag ? uint32_t(ORM_VENDOR_FLAGS_MOVE) : 0;
  return send(dev, entry, part);
}

int submit_copy(openremap_device *dev, const Command &c, Part *part) {
  nvme_copy_range range{};
  range.slba = c.lpn;
  range.nlb = uint16_t(c.pages - 1);
  part->data.resize(NVME_COPY_RANGE_BYTES);
  nvme_copy_range_pack(&range, part->data.data());
  nvme_submission_entry entry;
  nvme_cmd_copy(&entry, 1, c.dst, 1);
  return send(dev, entry, part);
}

int submit_remap(openremap_device *dev, const Command &c, Part *part) {
  nvme_submission_entry entry;
  nvme_cmd_init(&entry, ORM_VENDOR_OPCODES_REMAP, 1);
  nvme_cmd_slba(&entry, c.lpn);
  entry.cdw12 = uint32_t(c.dst);
  entry.cdw13 = uint32_t(c.dst >> 32);
  entry.cdw14 = uint32_t(c.pages);
  entry.cdw15 = c.flag ? uint32_t(ORM_VENDOR_FLAGS_MOVE) : 0;
  return send(dev, entry, part);
}

int submit_zeroes(openremap_device *dev, const Command &c, Part *part) {
  nvme_submission_entry entry;
  nvme_cmd_write_zeroes(&entry, 1, c.lpn, uint32_t(c.pages), c.flag);
  return send(dev, entry, part);
}

int submit_write(openremap_device *dev, const Command &c, Part *part) {
  part->data = contents(c.value, c.pages);
  if (c.handle < 0) {
    return openremap_submit_write(dev, c.lpn, c.pages, part->data.data(), c.flag, note, &part->status);
  }
  return openremap_submit_write_placed(dev, c.lpn, c.pages, part->data.data(), c.flag, uint16_t(c.handle), note,
                                       &part->status);
}

int submit(openremap_device *dev, const Command &c, Part *part) {
  switch (c.kind) {
    case Kind::kRead:
      part->data.resize(c.pages * OPENREMAP_PAGE_BYTES);
      return openremap_submit_read(dev, c.lpn, c.pages, part->data.data(), note, &part->status);
    case Kind::kWrite:
      return submit_write(dev, c, part);
    case Kind::kRemap:
      return submit_remap(dev, c, part);
    case Kind::kRemapVector:
      return submit_vector(dev, c, part);
    case Kind::kCopy:
      return submit_copy(dev, c, part);
    case Kind::kDeallocate:
      return submit_deallocate(dev, c, part);
    case Kind::kWriteZeroes:
      return submit_zeroes(dev, c, part);
    default:
      return openremap_submit_flush(dev, note, &part->status);
  }
}

}  // namespace

bool may_be_part(Kind kind) {
  switch (kind) {
    case Kind::kRead:
    case Kind::kWrite:
    case Kind::kRemap:
    case Kind::kRemapVector:
    case Kind::kCopy:
    case Kind::kDeallocate:
    case Kind::kWriteZeroes:
    case Kind::kFlush:
      return true;
    default:
      return false;
  }
}

Outcome execute_burst(openremap_device *dev, const Command &burst) {
  Outcome outcome;
  std::vector<Part> parts(burst.parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const int rc = submit(dev, burst.parts[i], &parts[i]);
    if (rc != 0) outcome.statuses.push_back(rc);
  }
  outcome.statuses.push_back(openremap_wait_all(dev));
  for (size_t i = 0; i < parts.size(); ++i) {
    outcome.statuses.push_back(parts[i].status);
    if (burst.parts[i].kind != Kind::kRead) continue;
    outcome.data.insert(outcome.data.end(), parts[i].data.begin(), parts[i].data.end());
  }
  return outcome;
}

}  // namespace orm::lockstep
