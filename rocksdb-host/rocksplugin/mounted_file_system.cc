// SPDX-License-Identifier: Apache-2.0
#include "rocksplugin/mounted_file_system.h"

#include <string>
#include <utility>

#include "rocksfs/page_file_system.h"

namespace openremap {

using leveldb::Status;

MountedFileSystem::MountedFileSystem(Device device, std::unique_ptr<NvmePageDevice> pages,
                                     std::unique_ptr<PageFsEnv> env)
    : FileSystemWrapper(std::make_shared<PageFileSystem>(env.get())),
      device_(std::move(device)),
      pages_(std::move(pages)),
      env_(std::move(env)) {}

MountedFileSystem::~MountedFileSystem() = default;

Status MountedFileSystem::Open(const PluginTarget &target, std::unique_ptr<MountedFileSystem> *result) {
  openremap_options options{};
  const std::string where = target.kind.empty() ? target.node : target.kind + target.image_dir;
  if (target.kind.empty()) {
    options.node = target.node.c_str();
    options.access = OPENREMAP_ACCESS_ALONE;
  } else {
    options.create = pcie_device_create;
    options.device.kind = target.kind.c_str();
    options.device.image_dir = target.image_dir.empty() ? nullptr : target.image_dir.c_str();
    options.device.geometry = target.geometry.empty() ? nullptr : target.geometry.c_str();
    options.device.superblocks = target.superblocks;
  }
  openremap_device *opened = nullptr;
  char text[300] = "";
  const int rc = openremap_open(&options, &opened, text, sizeof(text));
  Device device(opened);
  if (rc != 0) return Status::IOError(where, text[0] != '\0' ? text : openremap_describe(rc, text, sizeof(text)));
  if (const char *refusal = openremap_refusal(opened)) return Status::NotSupported(where, refusal);
  auto pages = std::make_unique<NvmePageDevice>(opened);
  std::unique_ptr<PageFs> fs;
  PageFsOptions mount = target.mount;
  // Images are PageFS's alone, and may have been brought to a steady state.
  mount.format = target.kind.empty() ? Format::kIfBlank : Format::kIfFirstPageBlank;
  const Status s = PageFs::Open(pages.get(), &fs, mount);
  if (!s.ok()) return s;
  auto env = std::make_unique<PageFsEnv>(std::move(fs));
  result->reset(new MountedFileSystem(std::move(device), std::move(pages), std::move(env)));
  return s;
}

}  // namespace openremap
