// SPDX-License-Identifier: Apache-2.0
#include "replay_device.h"

#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "openremap_precondition.h"
#include "page_stamps.h"

namespace openremap {

using leveldb::Status;

namespace {

// The blocks of a die in CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]; 0: it is no geometry.
uint32_t BlocksOf(const char *geometry) {
  uint32_t blocks = 0;
  return std::sscanf(geometry, "%*ux%*ux%" SCNu32, &blocks) == 1 ? blocks : 0;
}

// Pages of the namespace with this many superblocks; 0: there is no such device, *why.
uint64_t PagesWith(const ReplayDeviceOptions &options, uint32_t superblocks, std::string *why) {
  openremap_options open = options.open;
  open.device.superblocks = superblocks;
  open.device.image_dir = nullptr;
  openremap_device *device = nullptr;
  char error[256] = "";
  if (openremap_open(&open, &device, error, sizeof(error)) != 0) {
    *why = error;
    return 0;
  }
  const uint64_t pages = NvmePageDevice(device).Pages();
  openremap_close(device);
  return pages;
}

}  // namespace

Status SuperblocksFor(const ReplayDeviceOptions &options, uint64_t pages, uint32_t *superblocks) {
  std::string why;
  const uint32_t all = BlocksOf(options.open.device.geometry);
  const uint64_t most = PagesWith(options, all, &why);
  if (most == 0) return Status::InvalidArgument(why);
  if (most < pages) {
    return Status::InvalidArgument("--fill: a namespace of " + std::to_string(pages) + " pages is needed",
                                   "the geometry has " + std::to_string(most));
  }
  uint32_t low = 0, high = all;  // too few, and enough
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    (PagesWith(options, middle, &why) < pages ? low : high) = middle;
  }
  *superblocks = high;
  return Status::OK();
}

Status ReplayDevice::Open(const ReplayDeviceOptions &options, std::unique_ptr<ReplayDevice> *result) {
  const char *const folder = options.open.device.image_dir;
  const bool there = folder != nullptr && access((std::string(folder) + "/flash.img").c_str(), F_OK) == 0;
  openremap_device *opened = nullptr;
  char error[256] = "";
  const int rc = openremap_open(&options.open, &opened, error, sizeof(error));
  if (rc != 0) return rc == -EINVAL ? Status::InvalidArgument(error) : Status::IOError(error);
  std::unique_ptr<ReplayDevice> device(new ReplayDevice);
  device->device_.reset(opened);
  device->target_ = std::make_unique<DeviceTarget>(opened, there || options.precondition);
  Status s;
  if (there) {
    std::string page(kPageBytes, '\0');
    s = NvmePageDevice(opened).Read(0, 1, &page[0]);
    if (s.ok() && !IsPageOf(kNoStamp, page.data())) {
      s = Status::InvalidArgument(folder, "holds a file system; name a new folder, or one that was preconditioned");
    }
  }
  if (s.ok() && options.precondition) s = device->Precondition(options);
  if (s.ok() && device->target_->FirstStamp() == kAnyStamp) s = device->target_->CountFromNow();
  if (s.ok()) *result = std::move(device);
  return s;
}

Status ReplayDevice::Precondition(const ReplayDeviceOptions &options) {
  const auto tell = [](void *arg, uint32_t round, uint64_t done, uint64_t pages) {
    const auto &progress = static_cast<const ReplayDeviceOptions *>(arg)->progress;
    if (progress) progress(round, done, pages);
  };
  ReplayDeviceOptions told = options;
  openremap_precondition_result result;
  const int rc = openremap_precondition(device_.get(), options.seed, tell, &told, &result);
  if (rc != 0) {
    char words[160];
    return Status::IOError("--precondition", openremap_describe(rc, words, sizeof(words)));
  }
  rounds_.assign(result.write_amplification, result.write_amplification + result.rounds);
  if (result.steady) return Status::OK();
  char words[OPENREMAP_PRECONDITION_TEXT_BYTES];
  return Status::IOError("--precondition", openremap_precondition_text(&result, words, sizeof(words)));
}

}  // namespace openremap
