// SPDX-License-Identifier: Apache-2.0
#include "vfio_loop.h"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include "interrupt_hold.h"

namespace orm::vfio {
namespace {

constexpr uint64_t kPolledSliceNs = 20'000;  // of real time, when doorbells are only seen between slices
constexpr uint64_t kLeastNs = 100, kMostNs = 10'000'000;
// Heads of completion queues come without events. A device that waits for room in one looks again after this time.
constexpr int64_t kLookNs = 10'000'000;

uint64_t wall_ns() {
  return uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

void Slices::took(uint64_t ran, uint64_t wall) {
  if (wall > long_wall_ns_) {
    ns_ = std::max(ns_ / 2, kLeastNs);
  } else if (wall < long_wall_ns_ / 4 && ran >= ns_) {
    ns_ = std::min(ns_ * 2, kMostNs);
  }
}

uint64_t Naps::next(uint64_t now_ns) {
  if (now_ns - active_ < kAwakeNs) return 0;
  const uint64_t nap = nap_;
  nap_ = std::min(nap_ * 2, kMostNs);
  return nap;
}

void Looks::active(uint64_t quiet_ns) {
  if (quiet_ns <= kLeastNs) return;  // any look is long enough
  vain_ = quiet_ns <= kMostNs ? 0 : std::min(vain_ + 1, kMostVain);
}

namespace {

/// One client's time with the function.
class Loop {
 public:
  Loop(Server *server, pcie_function *function, Guest *guest, int stop_fd, Listener *listener)
      : server_(server),
        function_(function),
        guest_(guest),
        listener_(listener),
        wait_{{server->fd(), POLLIN, 0}, {stop_fd, POLLIN, 0}, {listener != nullptr ? listener->fd() : -1, POLLIN, 0}} {
    server->end_by(stop_fd);
  }
  ~Loop() { server_->end_by(-1); }
  Loop(const Loop &) = delete;
  Loop &operator=(const Loop &) = delete;

  /// Until it is to stop. Throws Disconnected.
  void run() {
    while (true) {
      serve();
      if (more_ && !look(0)) return;
      if (guest_->holds_interrupts()) interrupt();
      if (idle_ < kIdleRuns) {
        slice();
        if (++runs_ % kRunsPerLook == 0 && !look(0)) return;
      } else if (guest_->held() != 0) {
        sched_yield();  // for InterruptHold::kMostNs at most
      } else if (!sleep()) {
        return;
      }
    }
  }

 private:
  /// Takes the messages and doorbells that there are. Any of them may be work, so the device is awake then, wherever
  /// they were taken.
  bool serve() {
    const unsigned served = server_->serve();
    more_ = served == Server::kMostAtOnce;
    return awake(server_->ring() + served);
  }
  bool awake(unsigned taken) {
    if (taken == 0) return false;
    idle_ = 0;
    const uint64_t now = wall_ns();
    looks_.active(naps_.quiet_ns(now));
    naps_.active(now);
    if (asks_) ask_for_events(false);
    return true;
  }

  /// Delivers the interrupts whose time has come. The queue of a vector has its number, as Linux makes them. Of a host
  /// that makes them otherwise holding gains nothing, which InterruptHold notices.
  void interrupt() {
    const uint32_t rung = server_->take_rung();
    const uint32_t held = guest_->held();
    if ((rung | held) == 0) return;
    const uint64_t now = wall_ns();
    for (unsigned vector = 1; vector < PciConfig::kVectors; ++vector) {
      InterruptHold &hold = holds_[vector];
      const bool waits = (held >> vector & 1) != 0;
      // What was raised came before what was rung: the function runs between two looks at the host.
      if (waits) {
        hold.raised(now);
      } else {
        hold.told();
      }
      if ((rung >> vector & 1) != 0) hold.submitted(now);
      if (!waits || !hold.due(now)) continue;
      hold.told();
      guest_->deliver(vector);
    }
  }

  void slice() {
    Slices &slices = server_->rings_by_stores() || guest_->held() != 0 ? short_ : long_;
    const uint64_t fired = guest_->fired();
    const uint64_t before = wall_ns();
    const int64_t ran = function_->ops->run(function_, slices.next());
    if (ran < 0) throw DeviceStopped();
    slices.took(uint64_t(ran), wall_ns() - before);
    idle_ = ran == 0 && guest_->fired() == fired ? idle_ + 1 : 0;
  }

  void ask_for_events(bool ask) {
    asks_ = ask;
    if (DoorbellBuffer *shadows = server_->shadows()) shadows->ask_for_events(ask);
  }

  /// The device is idle: only the client can wake it up. False: it is to stop.
  bool sleep() {
    if (!server_->rings_by_stores() && server_->shadows() == nullptr) return look(-1);
    if (!server_->rings_by_stores()) {
      if (!asks_ && naps_.quiet_ns(wall_ns()) < looks_.ns()) {
        sched_yield();
        return true;
      }
      // From now on the host rings by messages, and what it stored before it saw that is taken here.
      if (!asks_) ask_for_events(true);
      return awake(server_->ring()) || look(kLookNs);
    }
    const uint64_t nap = naps_.next(wall_ns());
    if (nap != 0) return look(int64_t(nap));
    sched_yield();  // a client that polls as well may be on the same processor
    return ++polls_ % kRunsPerLook != 0 || look(0);
  }

  /// Waits for an event, for `ns` at most (-1: as long as it takes), and sees to the listener.
  bool look(int64_t ns) {
    const timespec time = {time_t(ns / 1'000'000'000), long(ns % 1'000'000'000)};
    if (ppoll(wait_, 3, ns < 0 ? nullptr : &time, nullptr) <= 0) return true;
    if (wait_[1].revents != 0) return false;
    if (wait_[2].revents != 0) {
      serve();  // the client may have gone before the other one came, which then is the next
      listener_->turn_away();
    }
    return true;
  }

  Server *server_;
  pcie_function *function_;
  Guest *guest_;
  Listener *listener_;
  pollfd wait_[3];
  Slices long_, short_{kPolledSliceNs};
  Naps naps_;
  Looks looks_;
  std::array<InterruptHold, PciConfig::kVectors> holds_;
  unsigned idle_ = 0;
  bool asks_ = true;  // for events, as the buffers do when the host gives them
  uint64_t runs_ = 0, polls_ = 0;
  bool more_ = false;  // messages may have arrived that were not served
};

}  // namespace

bool serve_and_run(Server *server, pcie_function *function, Guest *guest, int stop_fd, Listener *listener) {
  try {
    Loop(server, function, guest, stop_fd, listener).run();
    return false;
  } catch (const Disconnected &) {
    return true;
  } catch (const ToEnd &) {
    return false;
  }
}

}  // namespace orm::vfio
