// SPDX-License-Identifier: Apache-2.0
//
// db_bench on a device that Linux drives: a folder of a file system on it (LinuxRemapEnv), or its raw namespace
// (PageFS).
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bench_device.h"
#include "bench_folder.h"
#include "linux_remap_env.h"
#include "pagefs/bench/page_fs_bench_device.h"

namespace openremap {
namespace {

using leveldb::Status;

// Facts about the namespace for the report.
std::vector<std::pair<std::string, std::string>> NamespaceGeometry(const openremap_device *device, const char *kind) {
  const openremap_info *info = openremap_get_info(device);
  return {{"device", "\"" + std::string(kind) + "\""},
          {"model", "\"" + std::string(info->model) + "\""},
          {"page_bytes", std::to_string(kPageBytes)},
          {"namespace_bytes", std::to_string(info->pages * kPageBytes)}};
}

class FolderBenchDevice : public DriverBenchDevice {
 public:
  FolderBenchDevice(DevicePointer device, const openremap_volume &volume, std::unique_ptr<BenchFolder> folder)
      : DriverBenchDevice(std::move(device)), places_(volume), env_(pages(), &places_), folder_(std::move(folder)) {}

  leveldb::Env *env() override { return &env_; }
  std::string DbName() const override { return folder_->DbName(); }
  uint64_t FreeBytes() const override { return folder_->FreeBytes(); }
  Status ForgetCached() override { return folder_->ForgetCached(); }
  Status ReadStats(DeviceStats *stats) override {
    const Status s = DriverBenchDevice::ReadStats(stats);
    if (s.ok()) stats->bytes_by_cause = env_.GetWrittenBytes();
    return s;
  }
  std::vector<std::pair<std::string, std::string>> Geometry() const override {
    return NamespaceGeometry(device(), "folder");
  }

 protected:
  Status Settle() override { return folder_->Settle(); }
  uint64_t UsedPages() const override { return folder_->UsedPages(); }

 private:
  LinuxFilePlaces places_;
  LinuxRemapEnv env_;
  const std::unique_ptr<BenchFolder> folder_;
};

class RawBenchDevice : public PageFsBenchDevice {
 public:
  using PageFsBenchDevice::PageFsBenchDevice;

  std::vector<std::pair<std::string, std::string>> Geometry() const override {
    return NamespaceGeometry(device(), "node");
  }
};

DevicePointer OpenNode(const std::string &node, openremap_access access, OpenFailure *failure) {
  openremap_options options{};
  options.node = node.c_str();
  options.access = access;
  return OpenDriver(options, -ENODEV, failure);
}

std::unique_ptr<BenchDevice> OpenRaw(const std::string &node, const BenchDeviceOptions &options, OpenFailure *failure) {
  DevicePointer device = OpenNode(node, OPENREMAP_ACCESS_ALONE, failure);
  if (device == nullptr) return nullptr;
  auto bench = std::make_unique<RawBenchDevice>(std::move(device));
  if (!bench->TracePages(options, failure)) return nullptr;
  if (!bench->Mount(options, Format::kIfBlank, "--device=" + node, "format it, or use pagefs-node format", failure)) {
    return nullptr;
  }
  return bench;
}

// The character device of a namespace, nvme0n1: ng0n1.
std::string NodeOf(const openremap_volume &volume) { return std::string("/dev/ng") + (volume.name + strlen("nvme")); }

std::unique_ptr<BenchDevice> OpenFolder(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (!NoPageFs(options, options.device, failure)) return nullptr;
  std::unique_ptr<BenchFolder> folder = BenchFolder::Open(options.device, options, failure);
  if (folder == nullptr) return nullptr;
  openremap_volume volume{};
  if (openremap_volume_of(folder->fd(), &volume) != 0) {
    *failure = {"--device=" + options.device + ": its file system does not lie on one NVMe namespace", true};
    return nullptr;
  }
  DevicePointer device = OpenNode(NodeOf(volume), OPENREMAP_ACCESS_SHARED, failure);
  if (device == nullptr) return nullptr;
  return std::make_unique<FolderBenchDevice>(std::move(device), volume, std::move(folder));
}

}  // namespace

std::unique_ptr<BenchDevice> OpenNodeBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (!NoSimulation(options, failure)) return nullptr;
  struct stat found {};
  if (stat(options.device.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) return OpenFolder(options, failure);
  return OpenRaw(options.device, options, failure);
}

}  // namespace openremap
