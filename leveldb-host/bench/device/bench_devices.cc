// SPDX-License-Identifier: Apache-2.0
#include "bench_device.h"

namespace openremap {

namespace {

const std::string kReflink = "reflink:";

bool IsReflink(const std::string &device) { return device.compare(0, kReflink.size(), kReflink) == 0; }

}  // namespace

std::string BenchDeviceNames() {
#ifdef OPENREMAP_WITH_PAGEFS
  return "rtl|model|soc|mem";
#else
  return "mem";
#endif
}

std::string BenchDevicePaths() {
#ifdef OPENREMAP_WITH_NODE
  return kReflink + "FOLDER|a folder on an NVMe namespace|/dev/ngXnY";
#else
  return kReflink + "FOLDER";
#endif
}

bool IsBenchDevicePath(const std::string &device) {
#ifdef OPENREMAP_WITH_NODE
  if (device.find('/') != std::string::npos) return true;
#endif
  return IsReflink(device);
}

std::unique_ptr<BenchDevice> OpenBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure) {
#ifdef OPENREMAP_WITH_PAGEFS
  if (options.device == "rtl" || options.device == "model" || options.device == "soc")
    return OpenPageFsBenchDevice(options, failure);
#endif
  if (IsReflink(options.device)) {
    return OpenReflinkBenchDevice(options.device.substr(kReflink.size()), options, failure);
  }
#ifdef OPENREMAP_WITH_NODE
  if (options.device.find('/') != std::string::npos) return OpenNodeBenchDevice(options, failure);
#endif
  if (options.device == "mem") return OpenMemoryBenchDevice(options, failure);
  *failure = {"no device " + options.device + " in this build (" + BenchDeviceNames() + ")", true};
  return nullptr;
}

}  // namespace openremap
