// SPDX-License-Identifier: Apache-2.0
//
// MockController: I/O and vendor commands.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "mock_controller.h"

namespace openremap {
namespace {

constexpr uint64_t kPage = 4096;

constexpr uint16_t Vendor(unsigned code) { return static_cast<uint16_t>(NVME_STATUS(NVME_STATUS_TYPE_VENDOR, code)); }

uint64_t Slba(const nvme_submission_entry &c) { return static_cast<uint64_t>(c.cdw11) << 32 | c.cdw10; }

}  // namespace

MockController::Result MockController::ExecuteIo(const nvme_submission_entry &command) {
  if (command.nsid != 1) return {NVME_STATUS_INVALID_NAMESPACE, 0};
  switch (command.opcode) {
    case NVME_IO_OPCODE_FLUSH:
      durable_pages = pages;
      return {0, 0};
    case NVME_IO_OPCODE_WRITE:
      return Transfer(command, true);
    case NVME_IO_OPCODE_READ:
      return Transfer(command, false);
    case NVME_IO_OPCODE_WRITE_ZEROES:
      return WriteZeroes(command);
    case NVME_IO_OPCODE_DATASET_MANAGEMENT:
      return Deallocate(command);
    case NVME_IO_OPCODE_IO_MGMT_RECEIVE:
      return PlacementStatus(command);
    case NVME_IO_OPCODE_IO_MGMT_SEND:
      return PlacementUpdate(command);
    case NVME_IO_OPCODE_COPY:
      return Copy(command);
    case ORM_VENDOR_OPCODES_REMAP_VECTOR:
      return RemapVector(command);
    case ORM_VENDOR_OPCODES_REMAP: {
      orm_remap_range range{};
      range.src = Slba(command);
      range.dst = static_cast<uint64_t>(command.cdw13) << 32 | command.cdw12;
      range.nlb = command.cdw14;
      return Remap({range}, (command.cdw15 & ORM_VENDOR_FLAGS_MOVE) != 0);
    }
    default:
      return {NVME_STATUS_INVALID_OPCODE, 0};
  }
}

MockController::Result MockController::Transfer(const nvme_submission_entry &command, bool write) {
  const uint64_t nlb = (command.cdw12 & 0xFFFF) + 1;
  const uint64_t slba = Slba(command);
  if (nlb * kPage > kPage << faults.mdts) return {NVME_STATUS_INVALID_FIELD, 0};
  if (!InRange(slba, nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
  std::vector<uint8_t> data(nlb * kPage);
  if (!write) {
    for (uint64_t i = 0; i < nlb; i++) {
      const auto found = pages.find(slba + i);
      if (found != pages.end()) std::memcpy(&data[i * kPage], found->second->data(), kPage);
    }
    counters_.host_read_pages += nlb;
    return {ToHost(command, data.data(), data.size()), 0};
  }
  const uint16_t status = FromHost(command, data.data(), data.size());
  if (status != 0) return {status, 0};
  for (uint64_t i = 0; i < nlb; i++) {
    auto page = std::make_shared<Page>();
    std::memcpy(page->data(), &data[i * kPage], kPage);
    pages[slba + i] = page;
    if ((command.cdw12 & NVME_RW_FUA) != 0) durable_pages[slba + i] = page;
  }
  if ((command.cdw12 >> NVME_WRITE_DTYPE_SHIFT & 0xF) == NVME_DIRECTIVE_DATA_PLACEMENT) {
    placed[(command.cdw13 >> NVME_WRITE_DSPEC_SHIFT) % kHandles] += nlb;
  }
  counters_.host_write_pages += nlb;
  counters_.nand_program_host += nlb;
  return {0, 0};
}

MockController::Result MockController::PlacementStatus(const nvme_submission_entry &command) {
  std::vector<uint8_t> wire((command.cdw11 + 1ull) * 4);
  if (command.cdw10 != NVME_IO_MGMT_RUH ||
      wire.size() < NVME_RUH_STATUS_HEADER_BYTES + kHandles * NVME_RUH_STATUS_BYTES)
    return {NVME_STATUS_INVALID_FIELD, 0};
  orm_put_le(&wire[NVME_RUH_STATUS_COUNT_OFFSET], faults.placement_handles, 2);
  for (uint16_t h = 0; h < kHandles; h++) {
    nvme_ruh_status status{};
    status.identifier = status.handle = h;
    status.blocks_left = kUnitPages - placed[h] % kUnitPages;
    nvme_ruh_status_pack(&status, &wire[NVME_RUH_STATUS_HEADER_BYTES + h * NVME_RUH_STATUS_BYTES]);
  }
  return {ToHost(command, wire.data(), wire.size()), 0};
}

MockController::Result MockController::PlacementUpdate(const nvme_submission_entry &command) {
  const size_t count = (command.cdw10 >> 16) + 1u;
  std::vector<uint8_t> wire((2 * count + 3) / 4 * 4);
  const uint16_t status = FromHost(command, wire.data(), wire.size());
  if (status != 0) return {status, 0};
  for (size_t i = 0; i < count; i++) {
    if (orm_get_le(&wire[2 * i], 2) >= kHandles) return {NVME_STATUS_INVALID_FIELD, 0};
  }
  for (size_t i = 0; i < count; i++) placed[orm_get_le(&wire[2 * i], 2)] = 0;
  return {0, 0};
}

MockController::Result MockController::WriteZeroes(const nvme_submission_entry &command) {
  const uint64_t nlb = (command.cdw12 & 0xFFFF) + 1;
  if (!InRange(Slba(command), nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
  for (uint64_t i = 0; i < nlb; i++) pages.erase(Slba(command) + i);
  return {0, 0};
}

MockController::Result MockController::Deallocate(const nvme_submission_entry &command) {
  std::vector<nvme_dsm_range> ranges((command.cdw10 & 0xFF) + 1);
  std::vector<uint8_t> wire(ranges.size() * NVME_DSM_RANGE_BYTES);
  const uint16_t status = FromHost(command, wire.data(), wire.size());
  for (size_t i = 0; i < ranges.size(); i++) nvme_dsm_range_unpack(&ranges[i], &wire[i * NVME_DSM_RANGE_BYTES]);
  if (status != 0) return {status, 0};
  if ((command.cdw11 & NVME_DSM_DEALLOCATE) == 0) return {0, 0};
  for (const nvme_dsm_range &range : ranges) {
    if (!InRange(range.slba, range.nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
  }
  for (const nvme_dsm_range &range : ranges) {
    for (uint64_t i = 0; i < range.nlb; i++) {
      pages.erase(range.slba + i);
      durable_pages.erase(range.slba + i);
    }
    counters_.host_trim_pages += range.nlb;
  }
  return {0, 0};
}

MockController::Result MockController::Copy(const nvme_submission_entry &command) {
  std::vector<nvme_copy_range> ranges((command.cdw12 & 0xFF) + 1);
  std::vector<uint8_t> wire(ranges.size() * NVME_COPY_RANGE_BYTES);
  const uint16_t status = FromHost(command, wire.data(), wire.size());
  for (size_t i = 0; i < ranges.size(); i++) nvme_copy_range_unpack(&ranges[i], &wire[i * NVME_COPY_RANGE_BYTES]);
  if (status != 0) return {status, 0};
  uint64_t target = Slba(command);
  for (const nvme_copy_range &range : ranges) {
    const uint64_t nlb = range.nlb + 1ull;
    if (nlb > 64) return {NVME_STATUS_COPY_SIZE_LIMIT, 0};
    if (!InRange(range.slba, nlb) || !InRange(target, nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
    for (uint64_t i = 0; i < nlb; i++, target++) {
      const auto found = pages.find(range.slba + i);
      if (found == pages.end()) {
        pages.erase(target);
        durable_pages.erase(target);
      } else {
        pages[target] = durable_pages[target] = found->second;
      }
    }
  }
  return {0, 0};
}

MockController::Result MockController::RemapVector(const nvme_submission_entry &command) {
  if (command.cdw10 > ORM_REMAP_RANGES_MAX) return {NVME_STATUS_INVALID_FIELD, 0};
  std::vector<orm_remap_range> ranges(command.cdw10);
  if (ranges.empty()) return {Vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH), 0};
  std::vector<uint8_t> wire(ranges.size() * ORM_REMAP_RANGE_BYTES);
  const uint16_t status = FromHost(command, wire.data(), wire.size());
  for (size_t i = 0; i < ranges.size(); i++) orm_remap_range_unpack(&ranges[i], &wire[i * ORM_REMAP_RANGE_BYTES]);
  return status != 0 ? Result{status, 0} : Remap(ranges, (command.cdw15 & ORM_VENDOR_FLAGS_MOVE) != 0);
}

MockController::Result MockController::Remap(const std::vector<orm_remap_range> &ranges, bool move) {
  last_remap = ranges;
  std::map<uint64_t, std::shared_ptr<Page>> targets;
  for (const orm_remap_range &range : ranges) {
    if (range.nlb == 0) return {Vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH), 0};
    if (!InRange(range.src, range.nlb) || !InRange(range.dst, range.nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
    for (uint64_t i = 0; i < range.nlb; i++) {
      if (!targets.emplace(range.dst + i, nullptr).second) return {Vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP), 0};
    }
  }
  for (const orm_remap_range &range : ranges) {
    for (uint64_t i = 0; i < range.nlb; i++) {
      if (targets.count(range.src + i) != 0) return {Vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP), 0};
      const auto found = pages.find(range.src + i);
      if (found == pages.end()) return {Vendor(ORM_VENDOR_STATUS_REMAP_UNMAPPED), 0};
      // One reference is this map's, one may be the durable map's per LPN: count names, not references.
      const auto sharers =
          std::count_if(pages.begin(), pages.end(), [&](const auto &entry) { return entry.second == found->second; });
      if (static_cast<uint32_t>(sharers) >= faults.sharer_limit)
        return {Vendor(ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT), 0};
      targets[range.dst + i] = found->second;
    }
  }
  for (const auto &[lpn, page] : targets) pages[lpn] = durable_pages[lpn] = page;
  for (const orm_remap_range &range : ranges) {
    for (uint64_t i = 0; move && i < range.nlb; i++) {
      pages.erase(range.src + i);
      durable_pages.erase(range.src + i);
    }
    counters_.remap_pages += range.nlb;
  }
  counters_.remap_commands++;
  return {0, 0};
}

}  // namespace openremap
