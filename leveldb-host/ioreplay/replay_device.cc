// SPDX-License-Identifier: Apache-2.0
#include "replay_device.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "openremap_precondition.h"
#include "page_stamps.h"

namespace openremap {

using leveldb::Status;

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
