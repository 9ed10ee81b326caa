// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_AXI_READ_SLAVE_H
#define OPENREMAP_AXI_READ_SLAVE_H

#include <algorithm>
#include <array>
#include <cstdint>

#include "axi_rules.h"
#include "bus_stalls.h"

namespace orm {

/// Slave end of the AR and R channels: answers in order, one beat a cycle (but for `stalls`), several bursts under way.
///
/// `Pins` binds the port of a Verilated model (see top_pins.h). `Memory` is what answers:
///   bool     read(uint64_t addr, uint8_t *out, size_t len);   // false: an error
///   unsigned error() const;                           // the response to the access that was refused last
///   uint64_t read_cycles(size_t len) const;                   // from the address to the first beat
/// A burst's bytes are read when its first beat goes out, after everything that was written in the meantime.
///
/// Each cycle is `sample` before the clock edge, on settled signals, then `drive` after it.
template <class Pins, class Memory>
class AxiReadSlave {
 public:
  static constexpr unsigned kOutstanding = 16;

  AxiReadSlave(const char *port, Pins pins, Memory &memory, const BusStalls &stalls = BusStalls())
      : pins_(pins), memory_(memory), stalls_(stalls), port_(port), ar_checker_(port, "AR") {}

  void reset() {
    pins_.set_ar_ready(true);
    pins_.drive_r(false, beat_.data(), kAxiOkay, false);
  }

  void sample(uint64_t cycle) {
    if (pins_.ar_valid()) {
      accept(cycle);
    } else {
      ar_checker_.absent();
    }
    if (r_valid_ && pins_.r_ready()) {
      r_valid_ = false;
      dirty_ = true;
      if (++beat_number_ == queue_[head_].burst.beats) {
        head_ = (head_ + 1) % kOutstanding;
        --count_;
        beat_number_ = 0;
        read_ = false;
      }
    }
    if (count_ != 0 && !r_valid_ && queue_[head_].ready_cycle <= cycle && !stalls_.holds(BusStalls::kReadData, cycle)) {
      r_valid_ = true;
      dirty_ = true;
    }
    if (stalls_.on()) {
      ar_held_ = stalls_.holds(BusStalls::kAddress, cycle);
      dirty_ = true;
    }
  }

  void drive() {
    if (!dirty_) return;
    dirty_ = false;
    ar_ready_ = count_ < kOutstanding && !ar_held_;
    pins_.set_ar_ready(ar_ready_);
    if (!r_valid_) {
      pins_.drive_r(false, beat_.data(), kAxiOkay, false);
      return;
    }
    const AxiBurst &b = queue_[head_].burst;
    if (beat_number_ == 0 && !read_) {
      resp_ = memory_.read(b.addr, data_.data(), b.beats * kBeatBytes) ? kAxiOkay : memory_.error();
    }
    read_ = true;
    if (resp_ != kAxiOkay) data_.fill(0);
    pins_.drive_r(true, data_.data() + beat_number_ * kBeatBytes, resp_, beat_number_ + 1 == b.beats);
  }

  /// Nothing accepted that is not answered.
  bool idle() const { return count_ == 0; }
  /// The controller asks for nothing.
  bool silent() const { return !pins_.ar_valid(); }

 private:
  struct Entry {
    AxiBurst burst;
    uint64_t ready_cycle;
  };

  void accept(uint64_t cycle) {
    const AxiBurst b = pins_.ar();
    ar_checker_.present(b, ar_ready_);
    if (!ar_ready_) return;
    check_burst(port_, "AR", b);
    queue_[(head_ + count_) % kOutstanding] = {
        b, cycle + memory_.read_cycles(b.beats * kBeatBytes) + stalls_.extra(cycle)};
    ++count_;
    dirty_ = true;
  }

  Pins pins_;
  Memory &memory_;
  BusStalls stalls_;
  const char *port_;
  StableChecker<AxiBurst> ar_checker_;
  std::array<Entry, kOutstanding> queue_{};
  unsigned head_ = 0;
  unsigned count_ = 0;
  uint32_t beat_number_ = 0;
  bool ar_ready_ = true;
  bool ar_held_ = false;
  bool r_valid_ = false;
  bool dirty_ = false;
  bool read_ = false;  // of the burst at the head, its bytes
  unsigned resp_ = kAxiOkay;
  std::array<uint8_t, kBeatBytes> beat_{};
  std::array<uint8_t, kMaxBurstBytes> data_{};
};

}  // namespace orm
#endif  // OPENREMAP_AXI_READ_SLAVE_H
