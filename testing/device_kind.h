// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TEST_DEVICE_KIND_H
#define OPENREMAP_TEST_DEVICE_KIND_H

#include <cstring>

#include "pcie_function.h"

namespace openremap {

/// The fast model with the same slots in pages of four.
constexpr char kWideModel[] = "wide_model";

/// The device that a parameter of a test names: "rtl", "model" or kWideModel.
inline void ChooseDevice(const char *name, pcie_device_options *device) {
  const bool wide = std::strcmp(name, kWideModel) == 0;
  device->kind = wide ? "model" : name;
  if (wide) device->geometry = "2x2x64x8x4";
}

}  // namespace openremap

#endif  // OPENREMAP_TEST_DEVICE_KIND_H
