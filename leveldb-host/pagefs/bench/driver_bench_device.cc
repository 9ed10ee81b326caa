// SPDX-License-Identifier: Apache-2.0
#include "pagefs/bench/driver_bench_device.h"

#include <utility>

#include "openremap_stats.h"
#include "orm_formats.h"
#include "orm_nvme.h"

namespace openremap {

using leveldb::Status;

DevicePointer OpenDriver(const openremap_options &options, int bad_option, OpenFailure *failure) {
  openremap_device *device = nullptr;
  char text[256] = "";
  const int rc = openremap_open(&options, &device, text, sizeof(text));
  if (rc != 0) *failure = {text[0] != '\0' ? text : openremap_describe(rc, text, sizeof(text)), rc == bad_option};
  DevicePointer opened(device);
  const char *refusal = rc == 0 ? openremap_refusal(device) : nullptr;
  if (refusal == nullptr) return opened;
  *failure = {refusal, true};
  return nullptr;
}

namespace {

// Devices without this log page, or whose kernel keeps it for root, have no counts.
void ReadEraseCounts(openremap_device *device, DeviceStats *stats) {
  uint8_t page[NVME_OCP_SMART_LOG_BYTES];
  if (openremap_get_log_page(device, ORM_VENDOR_LOG_PAGES_OCP_SMART, 0, page, sizeof(page)) != 0) return;
  nvme_ocp_smart_log log{};
  nvme_ocp_smart_log_unpack(&log, page);
  stats->least_erases = log.min_erase_count;
  stats->mean_erases = log.avg_erase_count;
  stats->most_erases = log.max_erase_count;
}

}  // namespace

DriverBenchDevice::DriverBenchDevice(DevicePointer device, std::unique_ptr<CommandRecorder> recorder)
    : recorder_(std::move(recorder)), device_(std::move(device)), pages_(device_.get()) {}

bool DriverBenchDevice::TracePages(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (options.page_trace_file.empty() || options.trial) return true;
  const Status s =
      PageTraceWriter::Create(options.page_trace_file, {pages_.Pages(), pages_.Placements()}, &page_trace_);
  if (!s.ok()) {
    *failure = {"--trace-pages=" + s.ToString(), true};
    return false;
  }
  recording_ = std::make_unique<RecordingPageDevice>(&pages_, page_trace_.get());
  return true;
}

Status DriverBenchDevice::ReadStats(DeviceStats *stats) {
  Status s = Settle();
  if (s.ok()) s = pages()->Flush();  // programs what the write buffers hold, so that it is counted
  if (!s.ok()) return s;
  orm_remap_log log;
  const int rc = openremap_get_stats(device_.get(), &log);
  if (rc != 0) {
    char words[160];
    return Status::IOError("device counters", openremap_describe(rc, words, sizeof(words)));
  }
  *stats = DeviceStats();
  stats->host_write_pages = log.host_write_pages;
  stats->host_read_pages = log.host_read_pages;
  stats->nand_program_pages = openremap_nand_pages(&log);
  stats->gc_pages = log.nand_program_gc;
  stats->wear_pages = log.wear_moved_pages;
  stats->gc_shared_pages = log.gc_moved_shared;
  stats->metadata_pages = log.nand_program_meta;
  stats->erases = log.nand_erase;
  stats->used_pages = UsedPages();
  stats->device_seconds = static_cast<double>(log.device_ns) * 1e-9;
  ReadEraseCounts(device_.get(), stats);
  return s;
}

Status DriverBenchDevice::EndRecording() {
  const Status commands = recorder_ == nullptr ? Status::OK() : recorder_->Close();
  const Status traced = page_trace_ == nullptr ? Status::OK() : page_trace_->Close();
  return commands.ok() ? traced : commands;
}

}  // namespace openremap
