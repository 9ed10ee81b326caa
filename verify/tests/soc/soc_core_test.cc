// SPDX-License-Identifier: Apache-2.0
//
// The SoC in the harness, with a program of a few instructions in its ROM: time that jumps is time that passed, stalls
// follow the seed, and a power cut in the middle of any of the CPU's stores leaves what was answered.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core_kinds.h"
#include "media_events.h"
#include "orm_soc.h"
#include "rtl_device.h"

namespace orm {
namespace {

// RV32I, as far as the program needs it.
constexpr uint32_t lui(uint32_t rd, uint32_t value) { return (value & 0xFFFFF000) | rd << 7 | 0x37; }
constexpr uint32_t addi(uint32_t rd, uint32_t rs, int32_t n) { return uint32_t(n) << 20 | rs << 15 | rd << 7 | 0x13; }
constexpr uint32_t lw(uint32_t rd, uint32_t rs, uint32_t at) { return at << 20 | rs << 15 | 2 << 12 | rd << 7 | 0x03; }
constexpr uint32_t sw(uint32_t value, uint32_t rs, uint32_t at) {
  return (at >> 5) << 25 | value << 20 | rs << 15 | 2 << 12 | (at & 31) << 7 | 0x23;
}
constexpr uint32_t bnez(uint32_t rs, int32_t by) {
  const uint32_t u = uint32_t(by);
  return (u >> 12 & 1) << 31 | (u >> 5 & 63) << 25 | rs << 15 | 1 << 12 | (u >> 1 & 15) << 8 | (u >> 11 & 1) << 7 |
         0x63;
}
constexpr uint32_t jump_back(uint32_t bytes) {
  const uint32_t u = 0u - bytes;
  return (u >> 20 & 1) << 31 | (u >> 1 & 0x3FF) << 21 | (u >> 11 & 1) << 20 | (u >> 12 & 0xFF) << 12 | 0x6F;
}

constexpr uint32_t kTurns = 6;
constexpr uint32_t kWaitCycles = 0x2000;
constexpr uint32_t kDone = ORM_SOC_STATE_RUNNING;

/// In each of its turns the program waits, and stores the time: to DRAM, and with the number of turns that are left to
/// a unit of NVRAM. Then it sends a character, which shows that NVRAM has answered. At the end it waits for nothing.
std::vector<uint32_t> program() {
  constexpr uint32_t kUart = 5, kRegs = 6, kLeft = 7, kWait = 8, kTime = 9, kDram = 10, kNvram = 11, kChar = 12;
  constexpr uint32_t kRegsBase = ORM_SOC_CSR_BASE + ORM_SOC_TIME_LO;
  const auto reg = [](uint32_t r) { return r - ORM_SOC_TIME_LO; };
  std::vector<uint32_t> code = {lui(kUart, ORM_SOC_CSR_BASE),    lui(kRegs, kRegsBase),
                                lui(kDram, ORM_SOC_DRAM_BASE),   lui(kNvram, ORM_SOC_NVRAM_BASE),
                                addi(kLeft, 0, int32_t(kTurns)), lui(kWait, kWaitCycles)};
  const std::vector<uint32_t> turn = {
      sw(kWait, kRegs, reg(ORM_SOC_WAIT_CYCLES)),
      lw(0, kRegs, reg(ORM_SOC_WAIT)),
      lw(kTime, kRegs, reg(ORM_SOC_TIME_LO)),
      sw(kTime, kDram, 0),
      sw(kTime, kNvram, 0),
      sw(kLeft, kNvram, 4),
      addi(kChar, kLeft, '0'),
      sw(kChar, kUart, ORM_SOC_UART_RXTX),
      addi(kDram, kDram, 64),
      addi(kNvram, kNvram, 8),
      addi(kLeft, kLeft, -1),
  };
  code.insert(code.end(), turn.begin(), turn.end());
  code.push_back(bnez(kLeft, -4 * int32_t(turn.size())));
  for (const uint32_t last :
       {addi(kTime, 0, int32_t(kDone)), sw(kTime, kRegs, reg(ORM_SOC_STATE)), lui(kWait, UINT32_MAX),
        sw(kWait, kRegs, reg(ORM_SOC_WAIT_CYCLES)), lw(0, kRegs, reg(ORM_SOC_WAIT)), jump_back(8)}) {
    code.push_back(last);
  }
  return code;
}

/// What the program shows of itself.
class Shown final : public Firmware {
 public:
  explicit Shown(const CpuLink &cpu) : cpu_(cpu) {}
  uint64_t poll() override { return kIdle; }
  Phase phase() const override { return cpu_.state == kDone ? Phase::kRunning : Phase::kStarting; }
  std::string describe() const override { return "a test's program"; }

 private:
  const CpuLink &cpu_;
};

struct Soc {
  explicit Soc(RtlDeviceOptions options = {}) {
    host.dma_read = [](void *, uint64_t, void *, size_t) { return -EFAULT; };
    host.dma_write = [](void *, uint64_t, const void *, size_t) { return -EFAULT; };
    host.msix = [](void *, unsigned) {};
    cpu->rom = program();
    cpu->board = {0};
    cpu->console = [this](char c) { text += c; };
    options.cpu = cpu;
    device = std::make_unique<RtlDevice>(
        options, soc_core(), [this](Machine &) { return std::make_unique<Shown>(*cpu); }, host);
  }

  uint64_t nvram(uint32_t turn) const {
    uint64_t unit = 0;
    std::memcpy(&unit, device->nvram().data() + 8 * size_t(turn), sizeof unit);
    return unit;
  }
  uint32_t dram(uint32_t turn) const {
    uint32_t word = 0;
    std::memcpy(&word, device->dram().data() + 64 * size_t(turn), sizeof word);
    return word;
  }

  pcie_host host{};
  std::shared_ptr<CpuLink> cpu = std::make_shared<CpuLink>();
  std::string text;
  std::unique_ptr<RtlDevice> device;
};

struct Times {
  std::vector<uint32_t> stored;  // by the program, one a turn
  uint64_t end = 0, evaluated = 0;
};

Times run(const RtlDeviceOptions &options) {
  Soc soc(options);
  soc.device->power_on();
  soc.device->finish_start_up();
  EXPECT_EQ(soc.text, "654321");
  Times times{{}, soc.device->clock().cycle, soc.device->clock().evaluated};
  for (uint32_t turn = 0; turn < kTurns; ++turn) {
    EXPECT_EQ(soc.nvram(turn), uint64_t(kTurns - turn) << 32 | soc.dram(turn)) << "turn " << turn;
    times.stored.push_back(soc.dram(turn));
  }
  return times;
}

RtlDeviceOptions options(bool skip, bool stalls, uint64_t seed) {
  RtlDeviceOptions o;
  o.time_skip = skip;
  o.bus_stalls = stalls;
  o.seed = seed;
  return o;
}

TEST(SocCore, SkippedTimeIsTimeThatPassed) {
  for (const bool stalls : {false, true}) {
    const Times all = run(options(false, stalls, 3)), skipped = run(options(true, stalls, 3));
    EXPECT_EQ(all.stored, skipped.stored) << "to the cycle";
    EXPECT_EQ(all.end, skipped.end);
    EXPECT_EQ(all.evaluated, all.end);
    EXPECT_GT(all.evaluated, uint64_t(kTurns - 1) * kWaitCycles) << "the first wait ends as the sensor shows something";
    EXPECT_LT(skipped.evaluated, all.evaluated / 4);
    for (uint32_t turn = 1; turn < kTurns; ++turn) {
      EXPECT_GE(all.stored[turn] - all.stored[turn - 1], kWaitCycles) << "the wait is as long as it was to be";
    }
  }
}

TEST(SocCore, TheLoadOfTheRomTakesNoTime) {
  Soc soc;
  soc.device->power_on();
  const uint64_t small = soc.device->clock().cycle;
  Soc large;
  large.cpu->rom.resize(20'000, 0);
  large.device->power_on();
  EXPECT_EQ(large.device->clock().cycle, small);
  EXPECT_LT(small, 100u);
}

TEST(SocCore, StallsFollowTheSeed) {
  const Times never = run(options(true, false, 1)), one = run(options(true, true, 1));
  EXPECT_EQ(run(options(true, false, 2)).stored, never.stored) << "without stalls the seed changes no time";
  EXPECT_EQ(run(options(true, true, 1)).stored, one.stored);
  EXPECT_NE(run(options(true, true, 2)).stored, one.stored);
  EXPECT_GT(one.end, never.end) << "stalls take time";
}

TEST(SocCore, AStoreThatIsCutLosesNothingThatWasAnswered) {
  uint64_t stores = 0;
  {
    Soc soc;
    soc.device->power_on();
    soc.device->finish_start_up();
    stores = soc.device->cpu_stores()->count();
  }
  ASSERT_EQ(stores, 2 * kTurns) << "a turn stores to DRAM, and a unit to NVRAM";
  std::set<std::string> seen;
  for (uint64_t cut = 1; cut <= stores; ++cut) {
    Soc soc;
    soc.device->cpu_stores()->cut_before(cut);
    soc.device->power_on();
    EXPECT_THROW(soc.device->finish_start_up(), PowerGone) << cut;
    soc.device->power_cut();
    const size_t answered = soc.text.size();
    EXPECT_EQ(answered, (cut - 1) / 2) << "turns before that of the store";
    for (uint32_t turn = 0; turn < kTurns; ++turn) {
      const uint64_t unit = soc.nvram(turn);
      if (turn < answered) {
        EXPECT_EQ(unit >> 32, kTurns - turn) << "cut " << cut << ", turn " << turn << ": it was answered";
        EXPECT_NE(uint32_t(unit), 0u);
      } else if (turn > answered) {
        EXPECT_EQ(unit, 0u) << "cut " << cut << ", turn " << turn << ": it was not made";
      } else {
        // Of the two stores of the turn, which DRAM and NVRAM may get in either order.
        EXPECT_TRUE(unit == 0 || (unit >> 32 == kTurns - turn && uint32_t(unit) != 0))
            << "cut " << cut << ", turn " << turn << ": " << unit << " is a half";
      }
    }
    seen.insert(soc.text);
  }
  EXPECT_EQ(seen.size(), kTurns);
}

TEST(SocCore, AnEventOfAStoreToNvramIsItsStartOrItsAnswer) {
  uint64_t events = 0;
  {
    Soc soc;
    soc.device->power_on();
    soc.device->finish_start_up();
    events = soc.device->media().count();
  }
  ASSERT_EQ(events, 2 * kTurns);
  bool kept = false, lost = false;
  for (uint64_t cut = 1; cut <= events; ++cut) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      Soc soc(options(true, false, seed));
      soc.device->media().cut_before(cut);
      soc.device->power_on();
      EXPECT_THROW(soc.device->finish_start_up(), PowerGone) << cut;
      soc.device->power_cut();
      const uint32_t turn = uint32_t(cut - 1) / 2;
      EXPECT_EQ(soc.text.size(), turn) << "the program goes on after the answer only";
      for (uint32_t before = 0; before < turn; ++before) EXPECT_EQ(soc.nvram(before) >> 32, kTurns - before);
      const uint64_t unit = soc.nvram(turn);
      if (cut % 2 != 0) {
        EXPECT_EQ(unit, 0u) << "before its start";
      } else {
        EXPECT_TRUE(unit == 0 || unit >> 32 == kTurns - turn) << "as a whole or not at all";
        (unit == 0 ? lost : kept) = true;
      }
    }
  }
  EXPECT_TRUE(kept && lost) << "chance decides about what was not answered";
}

}  // namespace
}  // namespace orm
