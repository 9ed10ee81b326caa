// SPDX-License-Identifier: Apache-2.0
//
// A new device of the fast model for a run of rocksdb_bench.
#ifndef OPENREMAP_TESTS_MODEL_DEVICE_H_
#define OPENREMAP_TESTS_MODEL_DEVICE_H_

#include <gtest/gtest.h>

#include <memory>

#include "bench_device.h"

namespace openremap {

inline std::unique_ptr<BenchDevice> OpenModel(BenchDeviceOptions options = {}) {
  options.device = "model";
  OpenFailure failure;
  std::unique_ptr<BenchDevice> device = OpenBenchDevice(options, &failure);
  EXPECT_NE(device, nullptr) << failure.reason;
  return device;
}

}  // namespace openremap

#endif  // OPENREMAP_TESTS_MODEL_DEVICE_H_
