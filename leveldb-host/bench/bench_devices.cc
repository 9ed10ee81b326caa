// SPDX-License-Identifier: Apache-2.0
#include "bench_device.h"

namespace openremap {

std::string BenchDeviceNames() {
#ifdef OPENREMAP_WITH_PAGEFS
  return "rtl|mem";
#else
  return "mem";
#endif
}

std::unique_ptr<BenchDevice> OpenBenchDevice(const BenchDeviceOptions &options, std::string *error) {
#ifdef OPENREMAP_WITH_PAGEFS
  if (options.device == "rtl") return OpenPageFsBenchDevice(options, error);
#endif
  if (options.device == "mem") return OpenMemoryBenchDevice(options, error);
  *error = "no device " + options.device + " in this build (" + BenchDeviceNames() + ")";
  return nullptr;
}

}  // namespace openremap
