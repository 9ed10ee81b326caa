// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_DEVICE_REST_H
#define OPENREMAP_DEVICE_REST_H

#include <cstdint>

#include "openremap.h"
#include "pcie_debug.h"
#include "pcie_function.h"

namespace orm::tools {

/// Lets a device finish what it does by itself (programs, garbage collection), for at most `most_ms` of device time.
/// Returns whether it has.
inline bool device_rests(openremap_device *dev, int most_ms) {
  constexpr uint64_t kRestNs = 1'000'000;
  constexpr int kQuietRests = 40;  // longer than firmware waits after a failed collection (gc.c)
  pcie_function *fn = openremap_pcie_function(dev);
  // A pending interrupt ends a run before any time has passed, so only the second such run in a row means that the
  // device is idle. Firmware that only polls whether it can continue is at rest as well: nothing happens at the
  // media.
  int idle = 0, quiet = 0;
  uint64_t events = pcie_device_media_events(fn);
  for (int i = 0; i < most_ms && idle < 2 && quiet < kQuietRests; ++i) {
    idle = fn->ops->run(fn, kRestNs) > 0 ? 0 : idle + 1;
    const uint64_t now = pcie_device_media_events(fn);
    quiet = now == events ? quiet + 1 : 0;
    events = now;
  }
  return idle == 2 || quiet == kQuietRests;
}

}  // namespace orm::tools
#endif  // OPENREMAP_DEVICE_REST_H
