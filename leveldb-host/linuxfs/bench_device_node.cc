// SPDX-License-Identifier: Apache-2.0
//
// db_bench on a device that Linux drives: a folder of a file system on it (LinuxRemapEnv), or its raw namespace
// (PageFS).
#include <sys/stat.h>

#include <cstring>
#include <utility>

#include "bench_device.h"
#include "bench_folder.h"
#include "linux_remap_env.h"
#include "openremap_stats.h"
#include "pagefs/device/nvme_page_device.h"
#include "pagefs/fs/page_fs_env.h"

namespace openremap {
namespace {

using leveldb::Status;

struct DeviceCloser {
  void operator()(openremap_device *device) const { openremap_close(device); }
};

// The namespace, its figures, and what both kinds have in common.
class NodeBenchDevice : public BenchDevice {
 public:
  explicit NodeBenchDevice(openremap_device *device) : device_(device), pages_(device) {}

  Status ReadStats(DeviceStats *stats) override {
    Status s = Settle();
    if (s.ok()) s = pages_.Flush();  // programs what the write buffers hold, so that it is counted
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
    stats->used_pages = UsedPages();
    stats->device_seconds = static_cast<double>(log.device_ns) * 1e-9;
    return s;
  }

  std::vector<std::pair<std::string, std::string>> Geometry() const override {
    const openremap_info *info = openremap_get_info(device_.get());
    return {{"device", "\"" + Kind() + "\""},
            {"model", "\"" + std::string(info->model) + "\""},
            {"page_bytes", std::to_string(kPageBytes)},
            {"namespace_bytes", std::to_string(info->pages * kPageBytes)}};
  }

 protected:
  // What was written and lies in the kernel's memory reaches the device.
  virtual Status Settle() = 0;
  virtual uint64_t UsedPages() const = 0;
  virtual std::string Kind() const = 0;
  PageDevice *pages() { return &pages_; }

 private:
  std::unique_ptr<openremap_device, DeviceCloser> device_;
  NvmePageDevice pages_;
};

class FolderBenchDevice : public NodeBenchDevice {
 public:
  FolderBenchDevice(openremap_device *device, const openremap_volume &volume, std::unique_ptr<BenchFolder> folder)
      : NodeBenchDevice(device), places_(volume), env_(pages(), &places_), folder_(std::move(folder)) {}

  leveldb::Env *env() override { return &env_; }
  std::string DbName() const override { return folder_->DbName(); }
  uint64_t FreeBytes() const override { return folder_->FreeBytes(); }
  Status ForgetCached() override { return folder_->ForgetCached(); }

 protected:
  Status Settle() override { return folder_->Settle(); }
  uint64_t UsedPages() const override { return folder_->UsedPages(); }
  std::string Kind() const override { return "folder"; }

 private:
  LinuxFilePlaces places_;
  LinuxRemapEnv env_;
  const std::unique_ptr<BenchFolder> folder_;
};

class RawBenchDevice : public NodeBenchDevice {
 public:
  using NodeBenchDevice::NodeBenchDevice;

  Status Mount(bool placement) {
    PageFsOptions options;
    options.placement = placement;
    std::unique_ptr<PageFs> fs;
    Status s = PageFs::Open(pages(), &fs, options);
    if (s.ok()) env_ = std::make_unique<PageFsEnv>(std::move(fs));
    return s;
  }
  bool Empty() const { return env_->fs()->Names().empty(); }

  leveldb::Env *env() override { return env_.get(); }
  uint64_t FreeBytes() const override { return env_->fs()->GetStats().free_pages * kPageBytes; }
  Status ReadStats(DeviceStats *stats) override {
    Status s = NodeBenchDevice::ReadStats(stats);
    if (!s.ok()) return s;
    const PageFsSpace space = env_->fs()->GetSpace();
    stats->fs_metadata_pages = env_->fs()->GetStats().metadata_pages_written;
    stats->free_pages = space.free_pages;
    stats->largest_free_pages = space.largest_run_pages;
    return s;
  }

 protected:
  Status Settle() override { return Status::OK(); }
  uint64_t UsedPages() const override { return env_->fs()->GetStats().used_pages; }
  std::string Kind() const override { return "node"; }

 private:
  std::unique_ptr<PageFsEnv> env_;
};

openremap_device *OpenNode(const std::string &node, OpenFailure *failure) {
  openremap_options options{};
  options.node = node.c_str();
  openremap_device *device = nullptr;
  char text[256] = "";
  const int rc = openremap_open(&options, &device, text, sizeof(text));
  if (rc != 0) *failure = {text[0] != '\0' ? text : openremap_describe(rc, text, sizeof(text)), rc == -ENODEV};
  return device;
}

std::unique_ptr<BenchDevice> OpenRaw(const std::string &node, const BenchDeviceOptions &options, OpenFailure *failure) {
  openremap_device *device = OpenNode(node, failure);
  if (device == nullptr) return nullptr;
  auto bench = std::make_unique<RawBenchDevice>(device);
  const Status s = bench->Mount(options.placement);
  if (!s.ok()) {
    *failure = {node + ": " + s.ToString(), false};
    return nullptr;
  }
  if (bench->Empty() && options.existing) {
    *failure = {"--device=" + node + ": holds no database", true};
    return nullptr;
  }
  if (!bench->Empty() && !options.existing) {
    *failure = {"--device=" + node + ": holds a database already; deallocate its first pages, or format it", true};
    return nullptr;
  }
  return bench;
}

// The character device of a namespace, nvme0n1: ng0n1.
std::string NodeOf(const openremap_volume &volume) { return std::string("/dev/ng") + (volume.name + strlen("nvme")); }

std::unique_ptr<BenchDevice> OpenFolder(const BenchDeviceOptions &options, OpenFailure *failure) {
  std::unique_ptr<BenchFolder> folder = BenchFolder::Open(options.device, options, failure);
  if (folder == nullptr) return nullptr;
  openremap_volume volume{};
  if (openremap_volume_of(folder->fd(), &volume) != 0) {
    *failure = {"--device=" + options.device + ": its file system does not lie on one NVMe namespace", true};
    return nullptr;
  }
  openremap_device *device = OpenNode(NodeOf(volume), failure);
  if (device == nullptr) return nullptr;
  return std::make_unique<FolderBenchDevice>(device, volume, std::move(folder));
}

}  // namespace

std::unique_ptr<BenchDevice> OpenNodeBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (!NoSimulation(options, failure)) return nullptr;
  struct stat found {};
  if (stat(options.device.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) return OpenFolder(options, failure);
  return OpenRaw(options.device, options, failure);
}

}  // namespace openremap
