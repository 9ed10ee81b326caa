// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VFIO_LOOP_H
#define OPENREMAP_VFIO_LOOP_H

#include <cstdint>

#include "pcie_function.h"
#include "vfio_guest.h"
#include "vfio_server.h"

namespace orm::vfio {

/// Chooses the slices of device time so that each takes little real time, whatever the speed of the device, and a
/// message never waits long.
class Slices {
 public:
  /// Device time of the next slice, in ns.
  uint64_t next() const { return ns_; }
  /// Reports that `ran` ns of device time took `wall_ns` of real time.
  void took(uint64_t ran, uint64_t wall_ns);

 private:
  uint64_t ns_ = 10'000;
};

/// Serves the client and runs the function until the client disconnects, or until `stop_fd` is readable (returns
/// false). Throws what Server::serve throws, except Disconnected.
bool serve_and_run(Server *server, pcie_function *function, const Guest &guest, int stop_fd);

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_LOOP_H
