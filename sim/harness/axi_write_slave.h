// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_AXI_WRITE_SLAVE_H
#define OPENREMAP_AXI_WRITE_SLAVE_H

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "axi_rules.h"
#include "bus_stalls.h"

namespace orm {

/// Slave end of the AW, W and B channels: in order, one beat a cycle (but for `stalls`), several bursts under way. Data
/// comes after its address; with stalls a burst's may come before it, too.
///
/// `Pins` binds the port of a Verilated model (see top_pins.h). `Memory` is what is written to:
///   bool     write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len);  // false: an error
///   unsigned error() const;                            // the response to the access that was refused last
///   void     answered();                               // the response of the oldest successful write goes out
///   uint64_t write_cycles(size_t len) const;           // from the last beat to the response
/// `strobe` has one byte for each data byte; nullptr: all bytes are written.
///
/// Each cycle is `sample` before the clock edge, on settled signals, then `drive` after it.
template <class Pins, class Memory>
class AxiWriteSlave {
 public:
  static constexpr unsigned kOutstanding = 16;

  AxiWriteSlave(const char *port, Pins pins, Memory &memory, const BusStalls &stalls = BusStalls())
      : pins_(pins), memory_(memory), stalls_(stalls), port_(port), aw_checker_(port, "AW"), w_checker_(port, "W") {}

  void reset() {
    pins_.set_aw_ready(true);
    pins_.set_w_ready(false);
    pins_.drive_b(false, kAxiOkay);
  }

  void sample(uint64_t cycle) {
    if (pins_.w_valid()) {
      accept_data(cycle);
    } else {
      w_checker_.absent();
    }
    if (pins_.aw_valid()) {
      accept_address();
    } else {
      aw_checker_.absent();
    }
    if (early_ && aw_count_ != 0) finish(cycle);
    if (b_valid_ && pins_.b_ready()) {
      b_valid_ = false;
      dirty_ = true;
      b_head_ = (b_head_ + 1) % kOutstanding;
      --b_count_;
    }
    if (b_count_ != 0 && !b_valid_ && responses_[b_head_].ready_cycle <= cycle &&
        !stalls_.holds(BusStalls::kAnswer, cycle)) {
      b_valid_ = true;
      dirty_ = true;
      // From here the controller may take it any moment: what it promises must hold already.
      if (responses_[b_head_].resp == kAxiOkay) memory_.answered();
    }
    if (stalls_.on()) {
      aw_held_ = stalls_.holds(BusStalls::kAddress, cycle);
      w_held_ = stalls_.holds(BusStalls::kWriteData, cycle);
      takes_early_ = stalls_.holds(BusStalls::kEarly, cycle);
      dirty_ = true;
    }
  }

  void drive() {
    if (!dirty_) return;
    dirty_ = false;
    // A burst under way needs a place for its response, so accepted addresses and responses share one budget.
    aw_ready_ = aw_count_ + b_count_ < kOutstanding && !aw_held_;
    w_ready_ = !early_ && !w_held_ && (aw_count_ != 0 || takes_early_);
    pins_.set_aw_ready(aw_ready_);
    pins_.set_w_ready(w_ready_);
    pins_.drive_b(b_valid_, b_valid_ ? responses_[b_head_].resp : kAxiOkay);
  }

  bool idle() const { return aw_count_ == 0 && b_count_ == 0 && beat_number_ == 0; }
  bool silent() const { return !pins_.aw_valid() && !pins_.w_valid(); }

 private:
  struct DataBeat {
    std::array<uint8_t, kBeatBytes> data;
    uint32_t strobe;
    bool last;
    bool operator==(const DataBeat &o) const { return data == o.data && strobe == o.strobe && last == o.last; }
  };
  struct Response {
    uint64_t ready_cycle;
    unsigned resp;
  };

  void accept_address() {
    const AxiBurst b = pins_.aw();
    aw_checker_.present(b, aw_ready_);
    if (!aw_ready_) return;
    check_burst(port_, "AW", b);
    addresses_[(aw_head_ + aw_count_) % kOutstanding] = b;
    ++aw_count_;
    dirty_ = true;
  }

  void accept_data(uint64_t cycle) {
    DataBeat beat;
    pins_.w(beat.data.data(), &beat.strobe, &beat.last);
    w_checker_.present(beat, w_ready_);
    if (!w_ready_) return;
    const size_t at = beat_number_ * kBeatBytes;
    if (at == kMaxBurstBytes) throw PortViolation(std::string(port_) + " W: longer than any burst");
    std::memcpy(data_.data() + at, beat.data.data(), kBeatBytes);
    if (beat.strobe != 0xFFFF || partial_) add_strobe(at, beat.strobe);
    ++beat_number_;
    early_ = beat.last && aw_count_ == 0;
    if (early_) return;
    if (aw_count_ != 0) check_last(beat.last);
    if (beat.last) finish(cycle);
  }

  void check_last(bool last) const {
    const uint32_t beats = addresses_[aw_head_].beats;
    if (last == (beat_number_ == beats)) return;
    throw PortViolation(std::string(port_) + " W: last is wrong at beat " + std::to_string(beat_number_) + " of " +
                        std::to_string(beats));
  }

  /// The burst at the head has its address and all of its data.
  void finish(uint64_t cycle) {
    check_last(true);
    const AxiBurst &b = addresses_[aw_head_];
    const size_t len = b.beats * kBeatBytes;
    const bool ok = memory_.write(b.addr, data_.data(), partial_ ? strobe_.data() : nullptr, len);
    const unsigned resp = ok ? kAxiOkay : memory_.error();
    const uint64_t ready_cycle = cycle + memory_.write_cycles(len) + stalls_.extra(cycle);
    responses_[(b_head_ + b_count_) % kOutstanding] = {ready_cycle, resp};
    ++b_count_;
    aw_head_ = (aw_head_ + 1) % kOutstanding;
    --aw_count_;
    beat_number_ = 0;
    partial_ = false;
    early_ = false;
    dirty_ = true;
  }

  void add_strobe(size_t at, uint32_t strobe) {
    if (!partial_) {
      partial_ = true;
      std::fill_n(strobe_.begin(), at, uint8_t(1));
    }
    for (size_t i = 0; i < kBeatBytes; ++i) strobe_[at + i] = uint8_t((strobe >> i) & 1);
  }

  Pins pins_;
  Memory &memory_;
  BusStalls stalls_;
  const char *port_;
  StableChecker<AxiBurst> aw_checker_;
  StableChecker<DataBeat> w_checker_;
  std::array<AxiBurst, kOutstanding> addresses_{};
  std::array<Response, kOutstanding> responses_{};
  unsigned aw_head_ = 0;
  unsigned aw_count_ = 0;
  unsigned b_head_ = 0;
  unsigned b_count_ = 0;
  uint32_t beat_number_ = 0;
  bool partial_ = false;
  bool aw_ready_ = true;
  bool w_ready_ = false;
  bool aw_held_ = false;
  bool w_held_ = false;
  bool takes_early_ = false;
  bool early_ = false;  // all of a burst's data is there, its address not
  bool b_valid_ = false;
  bool dirty_ = false;
  std::array<uint8_t, kMaxBurstBytes> data_{};
  std::array<uint8_t, kMaxBurstBytes> strobe_{};
};

}  // namespace orm
#endif  // OPENREMAP_AXI_WRITE_SLAVE_H
