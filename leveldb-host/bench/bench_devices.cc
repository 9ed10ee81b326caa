// SPDX-License-Identifier: Apache-2.0
#include "bench_device.h"

namespace openremap {

std::string BenchDeviceNames() {
#ifdef OPENREMAP_WITH_PAGEFS
  return "rtl|model|mem";
#else
  return "mem";
#endif
}

std::string BenchDevicePaths() {
#ifdef OPENREMAP_WITH_NODE
  return "a folder on an NVMe namespace|/dev/ngXnY";
#else
  return "";
#endif
}

std::unique_ptr<BenchDevice> OpenBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure) {
#ifdef OPENREMAP_WITH_PAGEFS
  if (options.device == "rtl" || options.device == "model") return OpenPageFsBenchDevice(options, failure);
#endif
#ifdef OPENREMAP_WITH_NODE
  if (options.device.find('/') != std::string::npos) return OpenNodeBenchDevice(options, failure);
#endif
  if (options.device == "mem") return OpenMemoryBenchDevice(options, failure);
  *failure = {"no device " + options.device + " in this build (" + BenchDeviceNames() + ")", true};
  return nullptr;
}

}  // namespace openremap
