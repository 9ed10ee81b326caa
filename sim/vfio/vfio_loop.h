// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VFIO_LOOP_H
#define OPENREMAP_VFIO_LOOP_H

#include <cstdint>

#include "listener.h"
#include "pcie_function.h"
#include "vfio_guest.h"
#include "vfio_server.h"

namespace orm::vfio {

/// Chooses the slices of device time so that each takes little real time, whatever the speed of the device, and a
/// message never waits long.
class Slices {
 public:
  /// Real time of a slice, in ns, beyond which slices get shorter.
  explicit Slices(uint64_t long_wall_ns = 200'000) : long_wall_ns_(long_wall_ns) {}
  /// Device time of the next slice, in ns.
  uint64_t next() const { return ns_; }
  /// Reports that `ran` ns of device time took `wall_ns` of real time.
  void took(uint64_t ran, uint64_t wall_ns);

 private:
  uint64_t long_wall_ns_;
  uint64_t ns_ = 10'000;
};

/// How long an idle device may sleep when its client rings by stores, which wake nobody: not at all at first, since a
/// client that was active will ring soon, then longer and longer.
class Naps {
 public:
  static constexpr uint64_t kAwakeNs = 200'000;  // without a sleep after something to do
  static constexpr uint64_t kLeastNs = 20'000, kMostNs = 1'000'000;

  /// There was something to do.
  void active(uint64_t now_ns) { active_ = now_ns, nap_ = kLeastNs; }
  uint64_t quiet_ns(uint64_t now_ns) const { return now_ns - active_; }
  /// Length of the sleep to begin now, in ns; 0: look again at once.
  uint64_t next(uint64_t now_ns);

 private:
  uint64_t active_ = 0;
  uint64_t nap_ = kLeastNs;
};

/// How long a device with nothing to do looks for stores of a host with shadow doorbells before it sleeps, after which
/// the host rings by a message. That is long while the host takes no longer from one command to the next. A host that
/// takes longer, on a machine that is busy, would only lose the processor that looks.
class Looks {
 public:
  static constexpr uint64_t kLeastNs = 50'000, kMostNs = 250'000;
  /// Commands after a longer time, one after the other, that end the long looks.
  static constexpr unsigned kMostVain = 4;

  /// The host has given something to do, `quiet_ns` after the time before.
  void active(uint64_t quiet_ns);
  uint64_t ns() const { return vain_ < kMostVain ? kMostNs : kLeastNs; }

 private:
  unsigned vain_ = 0;
};

/// Consecutive runs of the function without any event, after which only the client can wake the device.
constexpr unsigned kIdleRuns = 4;
/// Runs after which a device that is never idle looks for another client, and for the end.
constexpr uint64_t kRunsPerLook = 256;

/// Serves the client and runs the function until the client disconnects, or until `stop_fd` is readable (returns
/// false). Clients that connect to `listener` (may be null) meanwhile are turned away. Throws what Server::serve
/// throws, except Disconnected. Delivers the interrupts that `guest` holds (InterruptHold).
bool serve_and_run(Server *server, pcie_function *function, Guest *guest, int stop_fd, Listener *listener = nullptr);

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_LOOP_H
