// SPDX-License-Identifier: Apache-2.0
//
// db_bench's devices `rtl` and `model`: PageFS on the controller, Verilated or as the fast model, through libopenremap.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "bench_device.h"
#include "lockstep/lockstep_recorder.h"
#include "openremap_stats.h"
#include "pagefs/device/nvme_page_device.h"
#include "pagefs/fs/page_fs_env.h"

namespace openremap {
namespace {

using leveldb::Status;
using orm::lockstep::DeviceOptions;
using orm::lockstep::Recorder;

struct DeviceCloser {
  void operator()(openremap_device *device) const { openremap_close(device); }
};

// A member of the simulation's own figures, 0 when it has none of that name. They are flat JSON members.
double SimulationFigure(const std::string &json, const std::string &name) {
  const size_t at = json.find("\"" + name + "\":");
  return at == std::string::npos ? 0 : std::strtod(json.c_str() + at + name.size() + 3, nullptr);
}

class PageFsBenchDevice : public BenchDevice {
 public:
  /// `recorder` listens to the device, or is none.
  PageFsBenchDevice(openremap_device *device, std::string kind, std::unique_ptr<Recorder> recorder)
      : recorder_(std::move(recorder)), device_(device), kind_(std::move(kind)) {}

  Status Mount(bool placement) {
    pages_ = std::make_unique<NvmePageDevice>(device_.get());
    PageFsOptions options;
    options.placement = placement;
    std::unique_ptr<PageFs> fs;
    Status s = PageFs::Open(pages_.get(), &fs, options);
    if (s.ok()) env_ = std::make_unique<PageFsEnv>(std::move(fs));
    return s;
  }

  bool Empty() const { return env_->fs()->Names().empty(); }

  leveldb::Env *env() override { return env_.get(); }

  Status ReadStats(DeviceStats *stats) override {
    // A flush programs what the write buffers hold, so that all of it is counted.
    Status s = pages_->Flush();
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
    stats->nand_program_pages =
        log.nand_program_host + log.nand_program_gc + log.nand_program_pad + log.nand_program_meta;
    stats->gc_pages = log.nand_program_gc;
    stats->gc_shared_pages = log.gc_moved_shared;
    stats->metadata_pages = log.nand_program_meta;
    const PageFsStats fs = env_->fs()->GetStats();
    const PageFsSpace space = env_->fs()->GetSpace();
    stats->fs_metadata_pages = fs.metadata_pages_written;
    stats->used_pages = fs.used_pages;
    stats->free_pages = space.free_pages;
    stats->largest_free_pages = space.largest_run_pages;
    stats->device_seconds = static_cast<double>(openremap_now_ns(device_.get())) * 1e-9;
    const std::string json = SimulationJson();
    stats->sim_cycles = static_cast<uint64_t>(SimulationFigure(json, "sim_cycles"));
    stats->nvram_bytes = static_cast<uint64_t>(SimulationFigure(json, "bytes_written"));
    stats->evaluated_cycles = static_cast<uint64_t>(SimulationFigure(json, "evaluated_cycles"));
    stats->sim_cpu_seconds = SimulationFigure(json, "cpu_seconds");
    return s;
  }

  double SimSeconds() const override { return SimulationFigure(SimulationJson(), "wall_seconds"); }

  uint64_t FreeBytes() const override { return env_->fs()->GetStats().free_pages * kPageBytes; }

  // over_provisioning: share of the flash that the namespace does not offer.
  std::vector<std::pair<std::string, std::string>> Geometry() const override {
    const openremap_info *info = openremap_get_info(device_.get());
    std::vector<std::pair<std::string, std::string>> members = {{"device", "\"" + kind_ + "\""},
                                                                {"model", "\"" + std::string(info->model) + "\""}};
    const std::string json = SimulationJson();
    for (const char *name : {"channels", "dies", "superblocks", "pages_per_block", "slots_per_page"}) {
      members.emplace_back(name, std::to_string(static_cast<uint64_t>(SimulationFigure(json, name))));
    }
    // A page of the device is a slot of the flash.
    const double flash_pages = SimulationFigure(json, "dies") * SimulationFigure(json, "superblocks") *
                               SimulationFigure(json, "pages_per_block") * SimulationFigure(json, "slots_per_page");
    char share[32] = "0";
    if (flash_pages > 0) {
      std::snprintf(share, sizeof(share), "%.4f", 1 - static_cast<double>(info->pages) / flash_pages);
    }
    members.emplace_back("over_provisioning", share);
    members.emplace_back("page_bytes", std::to_string(kPageBytes));
    members.emplace_back("namespace_bytes", std::to_string(info->pages * kPageBytes));
    return members;
  }

  Status EndRecording() override {
    if (recorder_ == nullptr) return Status::OK();
    try {
      recorder_->close();
      return Status::OK();
    } catch (const orm::lockstep::StreamError &e) {
      return Status::IOError("--record-file", e.what());
    }
  }

 private:
  std::string SimulationJson() const {
    pcie_function *function = openremap_pcie_function(device_.get());
    std::string json(4096, '\0');
    const int length = function->ops->sim_stats(function, &json[0], json.size());
    json.resize(length < 0 ? 0 : std::min(static_cast<size_t>(length), json.size() - 1));
    return json;
  }

  // In order of construction: the file system writes to the device while it goes.
  const std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<openremap_device, DeviceCloser> device_;
  std::unique_ptr<NvmePageDevice> pages_;
  std::unique_ptr<PageFsEnv> env_;
  const std::string kind_;
};

// The stream names a device of the RTL's geometry, which a replay can make.
std::unique_ptr<Recorder> OpenRecorder(const BenchDeviceOptions &options, OpenFailure *failure) {
  using orm::lockstep::kLeastSuperblocks;
  using orm::lockstep::kMostSuperblocks;
  if (!options.geometry.empty() || options.superblocks < kLeastSuperblocks || options.superblocks > kMostSuperblocks) {
    *failure = {"--record-file: needs --superblocks from " + std::to_string(kLeastSuperblocks) + " to " +
                    std::to_string(kMostSuperblocks) + " and no --geometry: lockstep has such devices only",
                true};
    return nullptr;
  }
  DeviceOptions device;
  device.superblocks = options.superblocks;
  try {
    return std::make_unique<Recorder>(options.record_file, device);
  } catch (const orm::lockstep::StreamError &e) {
    *failure = {std::string("--record-file: ") + e.what(), true};
    return nullptr;
  }
}

// Whether an earlier run's images can be there. Found out before the device is opened, which would make new ones.
bool HoldsImages(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (options.image_dir.empty()) {
    *failure = {"device " + options.device + " keeps nothing from one run to the next without --image-dir", true};
    return false;
  }
  for (const char *name : {"flash.img", "nvram.img"}) {
    if (access((options.image_dir + "/" + name).c_str(), F_OK) == 0) continue;
    *failure = {"--image-dir=" + options.image_dir + ": holds no " + name, true};
    return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<BenchDevice> OpenPageFsBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (options.existing && !HoldsImages(options, failure)) return nullptr;
  openremap_options open{};
  open.create = pcie_device_create;
  open.device.kind = options.device.c_str();
  open.device.image_dir = options.image_dir.empty() ? nullptr : options.image_dir.c_str();
  open.device.trace_file = options.trace_file.empty() ? nullptr : options.trace_file.c_str();
  open.device.superblocks = options.superblocks;
  open.device.geometry = options.geometry.empty() ? nullptr : options.geometry.c_str();
  std::unique_ptr<Recorder> recorder;
  if (!options.record_file.empty()) {
    recorder = OpenRecorder(options, failure);
    if (recorder == nullptr) return nullptr;
    open.trace = Recorder::trace;
    open.trace_arg = recorder.get();
  }
  openremap_device *device = nullptr;
  char text[256] = "";
  const int rc = openremap_open(&open, &device, text, sizeof(text));
  if (rc != 0) {
    *failure = {text[0] != '\0' ? text : openremap_describe(rc, text, sizeof(text)), rc == -EINVAL};
    return nullptr;
  }
  auto bench = std::make_unique<PageFsBenchDevice>(device, options.device, std::move(recorder));
  const Status s = bench->Mount(options.placement);
  if (!s.ok()) {
    *failure = {s.ToString(), false};
    return nullptr;
  }
  if (bench->Empty() && options.existing) {
    *failure = {"--image-dir=" + options.image_dir + ": holds no database", true};
    return nullptr;
  }
  if (!bench->Empty() && !options.existing) {
    *failure = {"--image-dir=" + options.image_dir + ": holds a database already; name a new folder, or remove it",
                true};
    return nullptr;
  }
  return bench;
}

}  // namespace openremap
