// SPDX-License-Identifier: Apache-2.0
//
// db_bench on a folder of a file system with reflinks: what its device was told to write, as Linux counts it, and what
// went into files. There is no flash to ask: NAND bytes are the host's.
#include <utility>

#include "bench_device.h"
#include "bench_folder.h"
#include "block_counters.h"
#include "reflink_env.h"

namespace openremap {
namespace {

using leveldb::Status;

class ReflinkBenchDevice : public BenchDevice {
 public:
  explicit ReflinkBenchDevice(std::unique_ptr<BenchFolder> folder)
      : env_(&cloner_), folder_(std::move(folder)), counters_(folder_->fd()), used_before_(folder_->UsedPages()) {}

  leveldb::Env *env() override { return &env_; }
  std::string DbName() const override { return folder_->DbName(); }
  uint64_t FreeBytes() const override { return folder_->FreeBytes(); }
  Status ForgetCached() override { return folder_->ForgetCached(); }

  Status ReadStats(DeviceStats *stats) override {
    *stats = DeviceStats();
    Status s = folder_->Settle();
    if (!s.ok()) return s;
    stats->bytes_by_cause = env_.GetWrittenBytes();
    stats->file_bytes = SumOf(stats->bytes_by_cause);
    BlockBytes bytes{0, stats->file_bytes};
    if (counters_.found() && !counters_.Read(&bytes)) return Status::IOError(counters_.device(), "has gone");
    stats->host_read_pages = bytes.read / kPageBytes;
    stats->host_write_pages = stats->nand_program_pages = bytes.written / kPageBytes;
    // A file system has tables of its own, and some reserve for more, before anything is in it.
    const uint64_t used = folder_->UsedPages();
    stats->used_pages = used > used_before_ ? used - used_before_ : 0;
    return s;
  }

  std::vector<std::pair<std::string, std::string>> Geometry() const override {
    return {{"device", "\"reflink\""},
            {"counted", counters_.found() ? "\"block device " + counters_.device() + "\"" : "\"files\""},
            {"page_bytes", std::to_string(kPageBytes)}};
  }

 private:
  LinuxRangeCloner cloner_;
  ReflinkEnv env_;
  const std::unique_ptr<BenchFolder> folder_;
  const BlockCounters counters_;
  const uint64_t used_before_;
};

}  // namespace

std::unique_ptr<BenchDevice> OpenReflinkBenchDevice(const std::string &folder, const BenchDeviceOptions &options,
                                                    OpenFailure *failure) {
  if (!NoSimulation(options, failure) || !NoPageFs(options, "reflink:" + folder, failure)) return nullptr;
  std::unique_ptr<BenchFolder> opened = BenchFolder::Open(folder, options, failure);
  if (opened == nullptr) return nullptr;
  return std::make_unique<ReflinkBenchDevice>(std::move(opened));
}

}  // namespace openremap
