// SPDX-License-Identifier: Apache-2.0
#include "board_function.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "etherbone_link.h"
#include "orm_regs.h"

namespace orm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kBar0Bytes = 16 * 1024;
constexpr unsigned kTries = 8;
constexpr uint32_t kFunctionReset = 8;  // of board_control (soc/boards/link.py)
// An answer of the board takes far less than a millisecond. A simulation of it has little to do with real time.
constexpr std::chrono::milliseconds kPatience{200}, kSlowPatience{5000};
// Board time without a message after which doorbells are rung again.
constexpr uint64_t kRingAgainNs = 250000000;

class Board {
 public:
  Board(const BoardName &name, const BoardFacts &facts, const pcie_host &host)
      : facts_(facts), host_(host), slower_(name.slower), link_(link_options(name, facts)) {}

  uint32_t bar0_read(uint64_t offset) { return link_.read(facts_.bar + uint32_t(offset)); }

  void bar0_write(uint64_t offset, uint32_t value) {
    const auto at = facts_.bar + uint32_t(offset);
    if (offset >= ORM_BAR0_DOORBELL(0)) {
      rung_[at] = value;
      ring(at, value);
    } else if (reads_back(offset)) {
      if (offset == ORM_BAR0_CC && (value & ORM_BAR0_CC_EN_MASK) == 0) rung_.clear();
      until([&] { link_.write(at, value); }, [&] { return link_.read(at) == value; }, "a register");
    } else {
      link_.write(at, value);
    }
  }

  int64_t run(uint64_t max_ns) {
    const uint64_t begin = now_ns();
    for (;;) {
      const uint32_t vectors = link_.read(facts_.messages);
      if (vectors != 0) {
        // Once. If it gets lost, the next look finds the same messages, which does no harm.
        link_.write(facts_.taken, vectors);
        last_sign_ = now_ns();
        for (unsigned v = 0; v < 32; ++v) {
          if ((vectors >> v & 1) != 0) host_.msix(host_.ctx, v);
        }
      }
      const uint64_t now = now_ns();
      if (vectors != 0 || now - begin >= max_ns) return int64_t(std::max<uint64_t>(now - begin, 1));
      if (now - last_sign_ >= kRingAgainNs) ring_again();
    }
  }

  uint64_t now_ns() const {
    return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun_).count()) / slower_;
  }

  void reset() {
    rung_.clear();
    const uint32_t control = link_.read(facts_.control) & ~kFunctionReset;
    // CC reads 0 after a reset, and something else in a controller that is in use.
    until([&] { link_.write(facts_.control, control | kFunctionReset); },
          [&] { return link_.read(facts_.bar + ORM_BAR0_CC) == 0; }, "the function's reset");
  }

  void shared(uint64_t *base, uint64_t *bytes) const {
    *base = facts_.memory;
    *bytes = facts_.memory_bytes;
  }

  bool outside(uint64_t addr, size_t len) const {
    return addr < facts_.memory || addr - facts_.memory > facts_.memory_bytes ||
           len > facts_.memory_bytes - (addr - facts_.memory);
  }

  void shared_write(uint64_t addr, const void *buf, uint32_t len) {
    const uint64_t first = addr / 4 * 4;
    std::vector<uint32_t> words = around(addr, len);
    // Bytes beside the range stay.
    if (first != addr) words.front() = link_.read(uint32_t(first));
    if ((addr + len) % 4 != 0) words.back() = link_.read(uint32_t(first + 4 * (words.size() - 1)));
    std::memcpy(reinterpret_cast<uint8_t *>(words.data()) + (addr - first), buf, len);
    link_.store(uint32_t(first), words.data(), words.size());
  }

  void shared_read(uint64_t addr, void *buf, uint32_t len) {
    const uint64_t first = addr / 4 * 4;
    std::vector<uint32_t> words = around(addr, len);
    link_.read(uint32_t(first), words.data(), words.size());
    std::memcpy(buf, reinterpret_cast<const uint8_t *>(words.data()) + (addr - first), len);
  }

  const EtherboneLink::Counts &counts() const { return link_.counts(); }

 private:
  static EtherboneLink::Options link_options(const BoardName &name, const BoardFacts &facts) {
    EtherboneLink::Options options;
    options.host = name.host;
    options.port = name.port != 0 ? name.port : facts.port;
    options.words = facts.words;
    options.patience = name.slower == 1 ? kPatience : kSlowPatience;
    options.tries = kTries;
    return options;
  }

  /// Registers of the standard that read as they were written and may be written twice.
  static bool reads_back(uint64_t offset) {
    return offset == ORM_BAR0_CC || offset == ORM_BAR0_AQA ||
           (offset >= ORM_BAR0_ASQ_LO && offset < ORM_BAR0_ACQ_LO + 8);
  }

  /// Room for the words that have any of the bytes. Words of memory are little-endian, as this machine's are.
  static std::vector<uint32_t> around(uint64_t addr, uint32_t len) {
    return std::vector<uint32_t>((addr % 4 + len + 3) / 4);
  }

  template <class Do, class Done>
  void until(Do &&act, Done &&done, const char *what) {
    for (unsigned t = 0; t < kTries; ++t) {
      act();
      if (done()) return;
    }
    throw LinkError(std::string("the board does not take ") + what + "; has it been started?");
  }

  /// The read behind the write is answered after it: the doorbell has been rung, or its packet is lost. So none comes
  /// late, when a newer value has been written.
  void ring(uint32_t at, uint32_t value) {
    link_.write(at, value);
    (void)link_.read(facts_.messages);
    last_sign_ = now_ns();
  }

  /// A packet may have been lost. A doorbell that has this value already does nothing (docs/design/nvme.md).
  void ring_again() {
    for (const auto &[at, value] : rung_) ring(at, value);
    last_sign_ = now_ns();
  }

  const BoardFacts facts_;
  const pcie_host &host_;
  const unsigned slower_;
  const Clock::time_point begun_ = Clock::now();
  EtherboneLink link_;
  std::map<uint32_t, uint32_t> rung_;  // the last value of each doorbell since the controller was enabled
  uint64_t last_sign_ = 0;             // when the last message came or a doorbell was rung
};

struct BoardFunction {
  pcie_function base;  // first: the seam's pointer is a pointer to the whole
  std::unique_ptr<Board> board;
  bool dead = false;
};

BoardFunction &self(pcie_function *fn) { return *reinterpret_cast<BoardFunction *>(fn); }

template <class Action>
int64_t guarded(pcie_function *fn, Action &&action) {
  BoardFunction &f = self(fn);
  if (f.dead) return -EIO;
  try {
    return action(*f.board);
  } catch (const std::exception &e) {
    f.dead = true;
    std::fprintf(stderr, "%s\n", e.what());
    return -EIO;
  }
}

bool bad_access(uint64_t offset, unsigned size) {
  return (size != 4 && size != 8) || offset % size != 0 || offset > kBar0Bytes - size;
}

int bar0_read(pcie_function *fn, uint64_t offset, unsigned size, uint64_t *value) {
  if (bad_access(offset, size)) return -EINVAL;
  return int(guarded(fn, [&](Board &b) {
    *value = b.bar0_read(offset);
    if (size == 8) *value |= uint64_t(b.bar0_read(offset + 4)) << 32;
    return 0;
  }));
}

int bar0_write(pcie_function *fn, uint64_t offset, unsigned size, uint64_t value) {
  if (bad_access(offset, size)) return -EINVAL;
  return int(guarded(fn, [&](Board &b) {
    b.bar0_write(offset, uint32_t(value));
    if (size == 8) b.bar0_write(offset + 4, uint32_t(value >> 32));
    return 0;
  }));
}

int64_t run(pcie_function *fn, uint64_t max_ns) {
  return guarded(fn, [&](Board &b) { return b.run(max_ns); });
}

uint64_t now_ns(pcie_function *fn) { return self(fn).board->now_ns(); }

int reset(pcie_function *fn) {
  return int(guarded(fn, [](Board &b) {
    b.reset();
    return 0;
  }));
}

int no_power_switch(pcie_function *) { return -ENOTSUP; }

int sim_stats(pcie_function *fn, char *buf, size_t len) {
  const EtherboneLink::Counts &c = self(fn).board->counts();
  const auto u = [](uint64_t v) { return static_cast<unsigned long long>(v); };
  return std::snprintf(
      buf, len,
      "\"link\": {\"sent\": %llu, \"answers\": %llu, \"repeats\": %llu, \"strays\": %llu}, \"wall_seconds\": %.6f",
      u(c.sent), u(c.answers), u(c.repeats), u(c.strays), double(now_ns(fn)) / 1e9);
}

void shared_memory(pcie_function *fn, uint64_t *base, uint64_t *bytes) { self(fn).board->shared(base, bytes); }

int shared_write(pcie_function *fn, uint64_t addr, const void *buf, size_t len) {
  if (self(fn).board->outside(addr, len)) return -EFAULT;
  if (len == 0) return 0;
  return int(guarded(fn, [&](Board &b) {
    b.shared_write(addr, buf, uint32_t(len));
    return 0;
  }));
}

int shared_read(pcie_function *fn, uint64_t addr, void *buf, size_t len) {
  if (self(fn).board->outside(addr, len)) return -EFAULT;
  if (len == 0) return 0;
  return int(guarded(fn, [&](Board &b) {
    b.shared_read(addr, buf, uint32_t(len));
    return 0;
  }));
}

void close(pcie_function *fn) { delete &self(fn); }

constexpr pcie_function_ops kOps = {bar0_read,       bar0_write, run,   now_ns,        reset,        no_power_switch,
                                    no_power_switch, sim_stats,  close, shared_memory, shared_write, shared_read};

void refuse(bool given, const char *option) {
  if (given) throw BoardError(std::string("device: a board has no ") + option);
}

std::string facts_of(const BoardName &name) { return name.facts.empty() ? ORM_BOARD_FACTS : name.facts; }

}  // namespace

void check_board(const pcie_device_options &o) {
  refuse(o.image_dir != nullptr || o.images_unchanged != 0 || o.reserve_image != 0, "image");
  refuse(o.trace_file != nullptr, "waveform");
  refuse(o.geometry != nullptr || o.superblocks != 0, "other geometry than that of its bitstream");
  refuse(o.over_provision_pct != 0, "other over-provisioning than it was started with");
  refuse(o.placement_handles != 0 || o.remap_segments != 0, "other placement handles or segments than its own");
  refuse(o.nand_faults != nullptr || o.instant_nand != 0, "other flash than its own");
  refuse(o.bus_stalls != 0 || o.no_time_skip != 0 || o.cache != nullptr, "simulated bus or cache");
  refuse(o.firmware != nullptr || o.firmware_cpu != nullptr || o.firmware_remaps != 0, "other firmware than its own");
  refuse(o.serial != nullptr || o.new_identity != 0, "other identity than it was started with");
  (void)read_facts(facts_of(parse_board(o.kind)));
}

pcie_function *make_board(const pcie_device_options &options, const pcie_host &host) {
  check_board(options);
  const BoardName name = parse_board(options.kind);
  auto function = std::make_unique<BoardFunction>();
  function->base.ops = &kOps;
  function->board = std::make_unique<Board>(name, read_facts(facts_of(name)), host);
  // A board that is not there, or not started, is told now.
  if (function->board->bar0_read(ORM_BAR0_VS) == 0) {
    throw LinkError("board " + name.host + ": has no controller; ./openremap board start ecpix5 starts it");
  }
  return &function.release()->base;
}

}  // namespace orm
