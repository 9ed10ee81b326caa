// SPDX-License-Identifier: Apache-2.0
#include "measure/hwbench_lookup.h"

#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "Vopenremap_map_unit.h"
#include "axi_read_slave.h"
#include "orm_formats.h"
#include "seeded_random.h"

namespace orm::hwbench {
namespace {

using Top = Vopenremap_map_unit;

constexpr uint32_t kLpns = 8192;         // of the Verilated configuration
constexpr uint32_t kSlots = 8192;        // the same
constexpr uint32_t kEntryBytes = 4;      // of the L2P, at the start of DRAM
constexpr uint64_t kPatience = 100'000;  // time-out of an answer, in cycles
constexpr uint32_t slot_of(uint32_t lpn) { return (lpn * 5 + 3) % kSlots; }

/// Adapter of the read port of MapUnit's L2P to the memory model's pins. Look-ups do not read REF.
class Pins {
 public:
  explicit Pins(Top &top) : t_(top) {}
  bool ar_valid() const { return t_.io_l2p_rd_ar_valid != 0; }
  AxiBurst ar() const { return {t_.io_l2p_rd_ar_bits_addr, t_.io_l2p_rd_ar_bits_len + 1u}; }
  void set_ar_ready(bool ready) { t_.io_l2p_rd_ar_ready = ready; }
  bool r_ready() const { return t_.io_l2p_rd_r_ready != 0; }
  void drive_r(bool valid, const uint8_t *data, unsigned resp, bool last) {
    t_.io_l2p_rd_r_valid = valid;
    std::memcpy(&t_.io_l2p_rd_r_bits_data, data, kBeatBytes);
    t_.io_l2p_rd_r_bits_resp = uint8_t(resp);
    t_.io_l2p_rd_r_bits_last = last;
  }

 private:
  Top &t_;
};

/// The L2P: each LPN is mapped to slot_of.
struct Table {
  bool read(uint64_t addr, uint8_t *out, size_t len) const {
    if (addr % kEntryBytes != 0 || addr + len > uint64_t{kLpns} * kEntryBytes) return false;
    for (size_t i = 0; i < len; i += kEntryBytes) {
      const uint32_t slot = slot_of(uint32_t((addr + i) / kEntryBytes));
      std::memcpy(out + i, &slot, kEntryBytes);
    }
    return true;
  }
  uint64_t read_cycles(size_t) const { return kDramCycles; }
  unsigned error() const { return kAxiSlverr; }
};

class Bench {
 public:
  Bench() : slave_("MapUnit DRAM", Pins(top_), table_) {
    top_.reset = 1;
    slave_.reset();
    for (int i = 0; i < 4; ++i) clock(0);
    top_.reset = 0;
    for (int i = 0; i < 200; ++i) clock(0);  // the caches clear their tags
  }
  ~Bench() { top_.final(); }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  /// Looks up all LPNs, with as many in flight as the unit accepts. Returns the cycles until the last answer.
  uint64_t run(const std::vector<uint32_t> &lpns) {
    const uint64_t begin = cycle_;
    size_t asked = 0, answered = 0;
    uint64_t last = cycle_;
    while (answered < lpns.size()) {
      top_.io_client_3_req_valid = asked < lpns.size();
      top_.io_client_3_req_bits_op = 0;  // MapOp.lookup
      top_.io_client_3_req_bits_lpn = asked < lpns.size() ? lpns[asked] : 0;
      top_.io_client_3_resp_ready = 1;
      settle();
      const bool asks = top_.io_client_3_req_valid && top_.io_client_3_req_ready;
      if (top_.io_client_3_resp_valid) {
        if (!top_.io_client_3_resp_bits_mapped || top_.io_client_3_resp_bits_slot != slot_of(lpns[answered])) {
          throw std::runtime_error("lookup: wrong answer for LPN " + std::to_string(lpns[answered]));
        }
        ++answered;
        last = cycle_;
      }
      asked += asks;
      edge();
      if (cycle_ - last > kPatience) throw std::runtime_error("lookup: no answer");
    }
    top_.io_client_3_req_valid = 0;
    return cycle_ - begin;
  }

 private:
  void settle() {
    top_.clock = 0;
    top_.eval();
  }
  void edge() {
    slave_.sample(cycle_);
    top_.clock = 1;
    top_.eval();
    slave_.drive();
    ++cycle_;
  }
  void clock(uint8_t valid) {
    top_.io_client_3_req_valid = valid;
    settle();
    edge();
  }

  Top top_{};
  Table table_;
  AxiReadSlave<Pins, Table> slave_;
  uint64_t cycle_ = 0;
};

}  // namespace

std::vector<Result> lookups(uint64_t count, uint64_t seed) {
  SeededRandom random(seed);
  const auto many = [&](const std::function<uint32_t(uint64_t)> &lpn) {
    std::vector<uint32_t> lpns(count);
    for (uint64_t i = 0; i < count; ++i) lpns[i] = lpn(i);
    return lpns;
  };
  struct Case {
    const char *name;
    std::vector<uint32_t> warm, measured;
  };
  constexpr uint32_t kCached = 64;  // LPNs in a few lines
  const auto cached = many([&](uint64_t i) { return uint32_t(i % kCached); });
  const auto in_order = many([&](uint64_t i) { return uint32_t(i % kLpns); });
  const auto at_random = many([&](uint64_t) { return uint32_t(random.below(kLpns)); });
  std::vector<Result> results;
  for (const Case &c : {Case{"lookup_cached", cached, cached}, Case{"lookup_sequential", {}, in_order},
                        Case{"lookup_random", {}, at_random}}) {
    Bench bench;
    if (!c.warm.empty()) bench.run(c.warm);
    Result result{c.name, count, count, bench.run(c.measured), 0, 0, 0, {}};
    Bench alone;
    if (!c.warm.empty()) alone.run(c.warm);
    for (uint32_t lpn : c.measured) result.latencies.push_back(alone.run({lpn}));
    std::sort(result.latencies.begin(), result.latencies.end());
    results.push_back(result);
  }
  return results;
}

}  // namespace orm::hwbench
