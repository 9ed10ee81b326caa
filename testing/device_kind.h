// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TEST_DEVICE_KIND_H
#define OPENREMAP_TEST_DEVICE_KIND_H

#include <gtest/gtest.h>

#include <cstring>

#include "pcie_function.h"

namespace openremap {

/// The fast model and the RTL with as many slots, but four slots per page. Sanitized builds have no such RTL.
constexpr char kWideModel[] = "wide_model";
constexpr char kWideRtl[] = "wide_rtl";

/// The fast model whose firmware has a data cache: lines stay until firmware moves them, or they leave at random, too.
constexpr char kKeepModel[] = "keep_model";
constexpr char kEvictModel[] = "evict_model";

/// The fast model, and the RTL, whose firmware runs in QEMU.
constexpr char kRemoteModel[] = "remote_model";
constexpr char kRemoteRtl[] = "remote_rtl";

inline bool IsWide(const char *name) { return std::strcmp(name, kWideModel) == 0 || std::strcmp(name, kWideRtl) == 0; }

inline bool IsCached(const char *name) {
  return std::strcmp(name, kKeepModel) == 0 || std::strcmp(name, kEvictModel) == 0;
}

inline bool IsRemote(const char *name) {
  return std::strcmp(name, kRemoteModel) == 0 || std::strcmp(name, kRemoteRtl) == 0;
}

/// The devices for tests of the whole controller. Sanitized builds leave out the RTL, where it is slow: of its
/// simulation only the harness is hand-written. rtl_device_test runs that with sanitizers; in the suite sanitized-all
/// device_test, lockstep and fuzz do, too.
inline auto EveryKind() {
#ifdef __SANITIZE_ADDRESS__
  return ::testing::Values("model", kWideModel);
#else
  return ::testing::Values("rtl", "model", kWideModel);
#endif
}

/// EveryKind and the RTL with wide pages: for short tests in which the slots per page matter.
inline auto EveryKindAndWideRtl() {
#ifdef __SANITIZE_ADDRESS__
  return ::testing::Values("model", kWideModel);
#else
  return ::testing::Values("rtl", "model", kWideRtl, kWideModel);
#endif
}

/// For tests in which firmware takes part: what it shares with the controller is in DRAM.
inline auto CachedKinds() { return ::testing::Values(kKeepModel, kEvictModel); }

/// For tests that count the cycles of the hardware: the firmware takes none. Whatever the environment says.
inline void HardwareAlone(pcie_device_options *device) { device->firmware_cpu = "none"; }

/// Sets the options for the device that a test's parameter names: "rtl", "model" or one of the names above.
inline void ChooseDevice(const char *name, pcie_device_options *device) {
  device->kind = std::strcmp(name, kWideModel) == 0 || IsCached(name) ? "model" : IsWide(name) ? "rtl" : name;
  if (IsRemote(name)) {
    device->kind = std::strcmp(name, kRemoteRtl) == 0 ? "rtl" : "model";
    device->firmware = "remote";
    device->cache = device->firmware_cpu = "none";  // whatever the environment says
  }
  if (IsWide(name)) device->geometry = PCIE_WIDE_GEOMETRY;
  if (IsCached(name)) device->cache = std::strcmp(name, kKeepModel) == 0 ? "keep" : "evict";
}

}  // namespace openremap

#endif  // OPENREMAP_TEST_DEVICE_KIND_H
