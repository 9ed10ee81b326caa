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
#include "pagefs/bench/page_fs_bench_device.h"

namespace openremap {
namespace {

using leveldb::Status;

// A member of the simulation's own figures, 0 when it has none of that name. They are flat JSON members.
double SimulationFigure(const std::string &json, const std::string &name) {
  const size_t at = json.find("\"" + name + "\":");
  return at == std::string::npos ? 0 : std::strtod(json.c_str() + at + name.size() + 3, nullptr);
}

class SimulatedBenchDevice : public PageFsBenchDevice {
 public:
  SimulatedBenchDevice(DevicePointer device, std::string kind, std::unique_ptr<CommandRecorder> recorder)
      : PageFsBenchDevice(std::move(device), std::move(recorder)), kind_(std::move(kind)) {}

  Status ReadStats(DeviceStats *stats) override {
    const Status s = PageFsBenchDevice::ReadStats(stats);
    if (!s.ok()) return s;
    // Now, not when the device answered with its counters.
    stats->device_seconds = static_cast<double>(openremap_now_ns(device())) * 1e-9;
    const std::string json = SimulationJson();
    stats->sim_cycles = static_cast<uint64_t>(SimulationFigure(json, "sim_cycles"));
    stats->nvram_bytes = static_cast<uint64_t>(SimulationFigure(json, "bytes_written"));
    stats->evaluated_cycles = static_cast<uint64_t>(SimulationFigure(json, "evaluated_cycles"));
    stats->firmware_seconds = SimulationFigure(json, "firmware_busy_ns") * 1e-9;
    stats->sim_cpu_seconds = SimulationFigure(json, "cpu_seconds");
    return s;
  }

  double SimSeconds() const override { return SimulationFigure(SimulationJson(), "wall_seconds"); }

  uint64_t NowNs() const override { return openremap_now_ns(device()); }

  // over_provisioning: share of the flash that the namespace does not offer.
  std::vector<std::pair<std::string, std::string>> Geometry() const override {
    const openremap_info *info = openremap_get_info(device());
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

 private:
  std::string SimulationJson() const {
    pcie_function *function = openremap_pcie_function(device());
    std::string json(4096, '\0');
    const int length = function->ops->sim_stats(function, &json[0], json.size());
    json.resize(length < 0 ? 0 : std::min(static_cast<size_t>(length), json.size() - 1));
    return json;
  }

  const std::string kind_;
};

// Whether the folder has the images of a device.
bool HasImages(const std::string &folder) {
  for (const char *name : {"flash.img", "nvram.img"}) {
    if (access((folder + "/" + name).c_str(), F_OK) != 0) return false;
  }
  return true;
}

// Whether an earlier run's images can be there. Found out before the device is opened, which would make new ones.
bool HoldsImages(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (options.image_dir.empty()) {
    *failure = {"device " + options.device + " keeps nothing from one run to the next without --image-dir", true};
    return false;
  }
  for (const char *name : {"flash.img", "nvram.img"}) {
    if (access((options.image_dir + "/" + name).c_str(), F_OK) == 0) continue;
    if (errno != ENOENT && errno != ENOTDIR) {
      *failure = {options.image_dir + "/" + name + ": " + std::strerror(errno), false};
      return false;
    }
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
  open.device.reserve_image = options.reserve_image ? 1 : 0;
  open.device.trace_file = options.trace_file.empty() ? nullptr : options.trace_file.c_str();
  open.device.superblocks = options.superblocks;
  open.device.over_provision_pct = options.over_provisioning;
  open.device.placement_handles = options.placement_handles;
  open.device.geometry = options.geometry.empty() ? nullptr : options.geometry.c_str();
  open.device.cache = options.cache.empty() ? nullptr : options.cache.c_str();
  open.device.firmware = options.firmware.empty() ? nullptr : options.firmware.c_str();
  open.device.firmware_cpu = options.firmware_cpu.empty() ? nullptr : options.firmware_cpu.c_str();
  if (options.trial) {
    char wrong[256];  // what the trial's device would not tell
    if (pcie_device_check(&open.device, wrong, sizeof(wrong)) != 0) {
      *failure = {wrong, true};
      return nullptr;
    }
    // The soc has the size and the images of the rtl, and starts more slowly.
    if (options.device == "soc") open.device.kind = "rtl";
    open.device.trace_file = nullptr;
    open.device.reserve_image = 0;
    open.device.images_unchanged = !options.image_dir.empty() && HasImages(options.image_dir) ? 1 : 0;
    if (open.device.images_unchanged == 0) open.device.image_dir = nullptr;
  }
  std::unique_ptr<CommandRecorder> recorder;
  if (!options.record_file.empty() && !options.trial) {
    recorder = OpenCommandRecorder(options, failure);
    if (recorder == nullptr) return nullptr;
    open.trace = [](void *listener, const openremap_trace_event *event) {
      static_cast<CommandRecorder *>(listener)->Add(*event);
    };
    open.trace_arg = recorder.get();
  }
  DevicePointer device = OpenDriver(open, -EINVAL, failure);
  if (device == nullptr) return nullptr;
  auto bench = std::make_unique<SimulatedBenchDevice>(std::move(device), options.device, std::move(recorder));
  if (!bench->TracePages(options, failure)) return nullptr;
  const std::string where =
      options.image_dir.empty() ? "--device=" + options.device : "--image-dir=" + options.image_dir;
  // An image may have been brought to a steady state.
  if (!bench->Mount(options, Format::kIfFirstPageBlank, where, "name a new folder, or remove it", failure)) {
    return nullptr;
  }
  return bench;
}

}  // namespace openremap
