// SPDX-License-Identifier: Apache-2.0
#include "vfio_loop.h"

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace orm::vfio {
namespace {

constexpr uint64_t kLongSliceNs = 200'000;  // real time
constexpr uint64_t kLeastNs = 100, kMostNs = 10'000'000;
// Consecutive calls of `run` without any event, after which only the client can wake the device.
constexpr unsigned kIdleRuns = 4;
constexpr uint64_t kRunsPerLook = 256;  // runs after which a device that is never idle checks whether to stop

uint64_t wall_ns() {
  return uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

void Slices::took(uint64_t ran, uint64_t wall) {
  if (wall > kLongSliceNs) {
    ns_ = std::max(ns_ / 2, kLeastNs);
  } else if (wall < kLongSliceNs / 4 && ran >= ns_) {
    ns_ = std::min(ns_ * 2, kMostNs);
  }
}

bool serve_and_run(Server *server, pcie_function *function, const Guest &guest, int stop_fd) {
  Slices slices;
  unsigned idle = 0;
  uint64_t runs = 0;
  pollfd wait[2] = {{server->fd(), POLLIN, 0}, {stop_fd, POLLIN, 0}};
  try {
    while (true) {
      if (server->serve() != 0) idle = 0;
      if (idle >= kIdleRuns) {
        poll(wait, 2, -1);
        if (wait[1].revents != 0) return false;
        idle = 0;
        continue;
      }
      const uint64_t fired = guest.fired();
      const uint64_t before = wall_ns();
      const int64_t ran = function->ops->run(function, slices.next());
      if (ran < 0) throw DeviceStopped();
      slices.took(uint64_t(ran), wall_ns() - before);
      idle = ran == 0 && guest.fired() == fired ? idle + 1 : 0;
      if (++runs % kRunsPerLook == 0 && poll(&wait[1], 1, 0) > 0) return false;
    }
  } catch (const Disconnected &) {
    return true;
  }
}

}  // namespace orm::vfio
