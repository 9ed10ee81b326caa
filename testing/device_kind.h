// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TEST_DEVICE_KIND_H
#define OPENREMAP_TEST_DEVICE_KIND_H

#include <gtest/gtest.h>

#include <cstring>

#include "pcie_function.h"

namespace openremap {

/// The fast model, and the RTL, with the same slots in pages of four. Sanitized builds have no such RTL.
constexpr char kWideModel[] = "wide_model";
constexpr char kWideRtl[] = "wide_rtl";

inline bool IsWide(const char *name) { return std::strcmp(name, kWideModel) == 0 || std::strcmp(name, kWideRtl) == 0; }

/// The devices that tests of the whole controller run on. With sanitizers not the RTL: it is slow then, and what is
/// ours of it is the harness, which device_test, lockstep and fuzz drive with sanitizers, too.
inline auto EveryKind() {
#ifdef __SANITIZE_ADDRESS__
  return ::testing::Values("model", kWideModel);
#else
  return ::testing::Values("rtl", "model", kWideModel);
#endif
}

/// Where pages of several slots matter, and the RTL can be waited for twice.
inline auto EveryKindAndWideRtl() {
#ifdef __SANITIZE_ADDRESS__
  return ::testing::Values("model", kWideModel);
#else
  return ::testing::Values("rtl", "model", kWideRtl, kWideModel);
#endif
}

/// The device that a parameter of a test names: "rtl", "model", kWideModel or kWideRtl.
inline void ChooseDevice(const char *name, pcie_device_options *device) {
  device->kind = std::strcmp(name, kWideModel) == 0 ? "model" : IsWide(name) ? "rtl" : name;
  if (IsWide(name)) device->geometry = PCIE_WIDE_GEOMETRY;
}

}  // namespace openremap

#endif  // OPENREMAP_TEST_DEVICE_KIND_H
