// SPDX-License-Identifier: Apache-2.0
//
// db_bench's device `mem`: the host-only fake. Its NAND programs are the host's page writes, one for one, since it has
// neither garbage collection nor metadata of its own; its simulated time is 0.
#include "bench_device.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

class MemoryBenchDevice : public BenchDevice {
 public:
  leveldb::Env *env() override { return &env_; }

  leveldb::Status ReadStats(DeviceStats *stats) override {
    *stats = DeviceStats();
    const MemoryRemapCounters counters = env_.GetCounters();
    stats->host_write_pages = counters.written_pages;
    stats->host_read_pages = counters.read_pages;
    stats->nand_program_pages = counters.written_pages;
    stats->bytes_by_cause = env_.GetWrittenBytes();
    stats->used_pages = env_.UsedPages();
    return leveldb::Status::OK();
  }

  uint64_t FreeBytes() const override { return UINT64_MAX; }

  std::vector<std::pair<std::string, std::string>> Geometry() const override {
    return {{"model", "\"host-only fake\""}, {"page_bytes", std::to_string(kPageBytes)}};
  }

 private:
  MemoryRemapEnv env_;
};

}  // namespace

std::unique_ptr<BenchDevice> OpenMemoryBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (!options.image_dir.empty() || !options.trace_file.empty() || options.superblocks != 0 ||
      !options.geometry.empty() || !options.record_file.empty() || options.over_provisioning != 0 ||
      options.placement_handles != 0 || !options.cache.empty() || !options.firmware.empty() ||
      !options.firmware_cpu.empty()) {
    *failure = {
        "device mem has no flash: --superblocks, --geometry, --over-provisioning, --placement-handles, --cache, "
        "--firmware, --firmware-cpu, --image-dir, "
        "--trace-file and --record-file do not apply",
        true};
    return nullptr;
  }
  if (!NoPageFs(options, "device mem", failure)) return nullptr;
  if (options.existing) {
    *failure = {"device mem keeps nothing from one run to the next", true};
    return nullptr;
  }
  return std::make_unique<MemoryBenchDevice>();
}

}  // namespace openremap
