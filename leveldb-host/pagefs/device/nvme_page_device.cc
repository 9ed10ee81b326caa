// SPDX-License-Identifier: Apache-2.0
#include "pagefs/device/nvme_page_device.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "orm_nvme.h"

namespace openremap {

using leveldb::Status;

namespace {

// The one place where a device's answer becomes a Status.
Status ToStatus(const openremap_device *device, const char *what, int rc) {
  if (rc == 0) return Status::OK();
  char words[160];
  std::string text = openremap_describe(rc, words, sizeof(words));
  const char *why = rc < 0 ? openremap_why_lost(device) : nullptr;
  if (why != nullptr) text += std::string(": ") + why;
  return Status::IOError(std::string("device, ") + what, text);
}

constexpr size_t kDmaReserve = 8;

constexpr size_t kMostHandles = 128;  // of a namespace, NVMe allows no more

// Keeps the first failure of the requests of one call.
void NoteFailure(void *arg, int status, uint32_t) {
  int *first = static_cast<int *>(arg);
  if (*first == 0) *first = status;
}

}  // namespace

NvmePageDevice::NvmePageDevice(openremap_device *device) : device_(device) {}

uint64_t NvmePageDevice::Pages() const { return openremap_get_info(device_)->pages; }

uint64_t NvmePageDevice::MaxRemapPages() const { return openremap_get_info(device_)->max_remap_pages; }
uint64_t NvmePageDevice::WriteGranularity() const { return openremap_get_info(device_)->write_granularity; }

size_t NvmePageDevice::MaxRemapRuns() const { return openremap_get_info(device_)->max_remap_ranges; }

unsigned NvmePageDevice::Placements() {
  if (handles_.empty()) {
    openremap_placement found[kMostHandles];
    size_t count = 0;
    // A device without Flexible Data Placement, or a kernel that keeps the command for root: all goes to one place.
    if (openremap_get_placement(device_, found, kMostHandles, &count) != 0) count = 0;
    for (size_t i = 0; i < std::min(count, kMostHandles); i++) handles_.push_back(found[i].handle);
    if (handles_.empty()) handles_.push_back(0);
  }
  return static_cast<unsigned>(handles_.size());
}

uint64_t NvmePageDevice::UnitPages() {
  if (unit_pages_ != UINT64_MAX) return unit_pages_;
  unit_pages_ = 0;
  openremap_placement handle;
  size_t count = 0;
  if (openremap_get_placement(device_, &handle, 1, &count) != 0 || count == 0) return unit_pages_;
  uint8_t page[NVME_PLACEMENT_CONFIGURATIONS_BYTES];
  if (openremap_get_log_page(device_, NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS, 0, page, sizeof(page)) != 0) {
    return unit_pages_;
  }
  nvme_placement_configurations log{};
  nvme_placement_configurations_unpack(&log, page);
  if (log.configurations == 0) unit_pages_ = log.unit_bytes / kPageBytes;  // one, zero-based
  return unit_pages_;
}

Status NvmePageDevice::BeginUnit(unsigned placement) {
  if (UnitPages() == 0) return PageDevice::BeginUnit(placement);
  (void)Placements();
  return ToStatus(device_, "begin a reclaim unit", openremap_placement_update(device_, &handles_.at(placement), 1));
}

char *NvmePageDevice::NewMemory(size_t bytes) {
  // As much again has to stay free many times over: data of other memory is copied there, and waits until there is
  // room.
  void *const room = openremap_dma_alloc(device_, kDmaReserve * bytes);
  openremap_dma_free(device_, room);
  void *const memory = room == nullptr ? nullptr : openremap_dma_alloc(device_, bytes);
  if (memory == nullptr) return PageDevice::NewMemory(bytes);
  dma_memory_.insert(static_cast<char *>(memory));
  return static_cast<char *>(memory);
}

void NvmePageDevice::FreeMemory(char *memory) {
  if (dma_memory_.erase(memory) == 0) {
    PageDevice::FreeMemory(memory);
  } else {
    openremap_dma_free(device_, memory);
  }
}

Status NvmePageDevice::Read(uint64_t lpn, uint64_t pages, char *data) {
  return ToStatus(device_, "read", openremap_read(device_, lpn, pages, data));
}

Status NvmePageDevice::ReadTogether(const std::vector<ReadRun> &runs) {
  int failure = 0;
  int rc = 0;
  for (const ReadRun &run : runs) {
    rc = openremap_submit_read(device_, run.lpn, run.pages, run.data, NoteFailure, &failure);
    if (rc != 0) break;
  }
  const int waited = openremap_wait_all(device_);  // also after a failed submission, as in Write
  if (rc == 0) rc = failure != 0 ? failure : waited;
  return ToStatus(device_, "read", rc);
}

Status NvmePageDevice::Write(const std::vector<WriteRun> &runs, bool durable) {
  int failure = 0;
  int rc = 0;
  for (const WriteRun &run : runs) {
    if (run.placement != 0) (void)Placements();
    // What names no handle has the first one's place.
    rc = run.placement == 0
             ? openremap_submit_write(device_, run.lpn, run.pages, run.data, durable, NoteFailure, &failure)
             : openremap_submit_write_placed(device_, run.lpn, run.pages, run.data, durable, handles_.at(run.placement),
                                             NoteFailure, &failure);
    if (rc != 0) break;
  }
  // Also after a failed submission: `failure` must not be written to when this call is over.
  const int waited = openremap_wait_all(device_);
  if (rc == 0) rc = failure != 0 ? failure : waited;
  return ToStatus(device_, "write", rc);
}

Status NvmePageDevice::Flush() { return ToStatus(device_, "flush", openremap_flush(device_)); }

Status NvmePageDevice::Deallocate(const std::vector<PageRun> &runs) {
  std::vector<openremap_range> ranges;
  for (const PageRun &run : runs) {
    // Neighbours in one range: ranges are what the device's journal is made of.
    if (!ranges.empty() && ranges.back().lpn + ranges.back().pages == run.lpn) {
      ranges.back().pages += run.pages;
    } else {
      ranges.push_back({run.lpn, run.pages});
    }
  }
  return ToStatus(device_, "deallocate", openremap_deallocate(device_, ranges.data(), ranges.size()));
}

Status NvmePageDevice::Remap(const std::vector<RemapRun> &runs, bool *refused) {
  *refused = !can_remap_;
  if (!can_remap_) return Status::OK();
  std::vector<openremap_remap_range> ranges;
  for (const RemapRun &run : runs) ranges.push_back({run.source, run.target, run.pages});
  // The device's hardware serves targets that ascend, and leaves others to the slower firmware. The effect is the same.
  std::sort(ranges.begin(), ranges.end(),
            [](const openremap_remap_range &a, const openremap_remap_range &b) { return a.dst < b.dst; });
  const int rc = openremap_remap_vector(device_, ranges.data(), ranges.size(), OPENREMAP_SHARE);
  // A device without the command, or a kernel that keeps it for root: asking again is of no use.
  if (rc == NVME_STATUS_INVALID_OPCODE || rc == -ENOTSUP || rc == -EACCES || rc == -EPERM) can_remap_ = false;
  *refused = !can_remap_ || openremap_should_write_instead(rc);
  return *refused ? Status::OK() : ToStatus(device_, "remap", rc);
}

}  // namespace openremap
