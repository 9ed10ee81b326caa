// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VFIO_LOOP_H
#define OPENREMAP_VFIO_LOOP_H

#include <cstdint>

#include "pcie_function.h"
#include "vfio_guest.h"
#include "vfio_server.h"

namespace orm::vfio {

/// Lets the device's time pass in slices so short that a message never waits long, whatever a device takes for them.
class Slices {
 public:
  /// Device time, ns, that the next slice may take.
  uint64_t next() const { return ns_; }
  /// `ran` of them took `wall_ns` of real time.
  void took(uint64_t ran, uint64_t wall_ns);

 private:
  uint64_t ns_ = 10'000;
};

/// Serves the client and runs the function until the client goes, or `stop_fd` can be read; false then. Throws what
/// Server::serve throws, Disconnected excepted.
bool serve_and_run(Server *server, pcie_function *function, const Guest &guest, int stop_fd);

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_LOOP_H
