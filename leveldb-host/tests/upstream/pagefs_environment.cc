// SPDX-License-Identifier: Apache-2.0
//
// Linked into upstream's tests a second time, with the linker's `--wrap` of Env::Default(): what they take for the
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

// 512 MiB: four times what the largest test has at once (100 MiB of puts, and their deletions). Memory is taken as it
// is written.
constexpr char kGeometry[] = "4x2x64x256";

// Upstream's tests know of the operating system that a directory has itself and the one above among its children.
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

// Were the name above another one here, the tests would run on the operating system's files, and nobody would know.
const bool wrapped = [] {
  if (leveldb::Env::Default() != __wrap__ZN7leveldb3Env7DefaultEv()) upstream::Fail("Env::Default() is not wrapped");
  return true;
}();

}  // namespace
