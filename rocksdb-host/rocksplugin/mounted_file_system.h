// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ROCKSPLUGIN_MOUNTED_FILE_SYSTEM_H_
#define OPENREMAP_ROCKSPLUGIN_MOUNTED_FILE_SYSTEM_H_

#include <memory>

#include "leveldb/status.h"
#include "openremap.h"
#include "pagefs/device/nvme_page_device.h"
#include "pagefs/fs/page_fs_env.h"
#include "rocksdb/file_system.h"
#include "rocksplugin/plugin_uri.h"

namespace openremap {

// PageFileSystem with the device below it: opened and mounted here, unmounted and closed with this object.
class MountedFileSystem : public rocksdb::FileSystemWrapper {
 public:
  // The device gets a file system if it is blank. On error *result is not set.
  static leveldb::Status Open(const PluginTarget &target, std::unique_ptr<MountedFileSystem> *result);
  ~MountedFileSystem() override;

  static const char *kClassName() { return "MountedPageFileSystem"; }
  const char *Name() const override { return kClassName(); }

 private:
  struct DeviceCloser {
    void operator()(openremap_device *device) const { (void)openremap_close(device); }
  };
  using Device = std::unique_ptr<openremap_device, DeviceCloser>;

  MountedFileSystem(Device device, std::unique_ptr<NvmePageDevice> pages, std::unique_ptr<PageFsEnv> env);

  // In order of construction: the file system goes first.
  const Device device_;
  const std::unique_ptr<NvmePageDevice> pages_;
  const std::unique_ptr<PageFsEnv> env_;
};

}  // namespace openremap

#endif  // OPENREMAP_ROCKSPLUGIN_MOUNTED_FILE_SYSTEM_H_
