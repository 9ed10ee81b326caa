// SPDX-License-Identifier: Apache-2.0
//
// Linked into upstream's tests a second time, with the linker's `--wrap` of Env::Default(). What they take for the
// operating system's files is then PageFS on the fast model of the controller.
#include "pagefs_environment.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pagefs/device/nvme_page_device.h"
#include "pagefs/fs/page_fs_env.h"

namespace {

using leveldb::Status;

// 512 MiB: four times the live data of the largest test (100 MiB of puts, and their deletions). Memory is allocated as
// it is written.
constexpr char kGeometry[] = "4x2x64x256";

// Upstream's tests expect that a directory lists itself and its parent among its children, as the operating system
// does.
class DottedPageFsEnv : public openremap::PageFsEnv {
 public:
  using PageFsEnv::PageFsEnv;

  Status GetChildren(const std::string &dir, std::vector<std::string> *result) override {
    Status s = PageFsEnv::GetChildren(dir, result);
    if (s.ok()) result->insert(result->begin(), {".", ".."});
    return s;
  }
};

}  // namespace

namespace upstream {

void Fail(const std::string &why) {
  std::fprintf(stderr, "upstream's tests on PageFS: %s\n", why.c_str());
  std::_Exit(2);
}

}  // namespace upstream

extern "C" {
// leveldb::Env::Default() in the Itanium ABI.
leveldb::Env *__real__ZN7leveldb3Env7DefaultEv();
leveldb::Env *__wrap__ZN7leveldb3Env7DefaultEv();
}

leveldb::Env *__wrap__ZN7leveldb3Env7DefaultEv() {
  // Never closed: background threads may still use it when the program ends.
  static leveldb::Env *const env = [] {
    openremap_options options{};
    options.create = pcie_device_create;
    options.device.kind = "model";
    options.device.geometry = kGeometry;
    openremap_device *device = nullptr;
    char error[300] = "";
    if (openremap_open(&options, &device, error, sizeof(error)) != 0) upstream::Fail(error);
    std::unique_ptr<openremap::PageFs> fs;
    const Status s = openremap::PageFs::Open(new openremap::NvmePageDevice(device), &fs);
    if (!s.ok()) upstream::Fail(s.ToString());
    return new DottedPageFsEnv(std::move(fs), __real__ZN7leveldb3Env7DefaultEv());
  }();
  return env;
}

namespace {

// If the name above were wrong, the tests would silently run on the operating system's files.
const bool wrapped = [] {
  if (leveldb::Env::Default() != __wrap__ZN7leveldb3Env7DefaultEv()) upstream::Fail("Env::Default() is not wrapped");
  return true;
}();

}  // namespace
