// SPDX-License-Identifier: Apache-2.0
#include "rtl_device.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "harness/standin.h"
#include "sim_error.h"
#include "temp_dir.h"

// Verilator's FST writer does not free its variables; read by LeakSanitizer where it is in the build.
extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__lsan_default_suppressions() { return "leak:fst::\nleak:VerilatedFst"; }

namespace orm {
namespace {

namespace fs = std::filesystem;
using namespace standin;

/// A device around the stand-in controller, and what its firmware would do, called from the test.
class Bench {
 public:
  explicit Bench(RtlDeviceOptions options = {}, CoreKind kind = standin_core(),
                 std::function<uint64_t(Machine &)> script = nullptr, uint64_t computes_ns = 0)
      : device(
            options, kind,
            [this, script, computes_ns](Machine &m) {
              machine = &m;
              return std::make_unique<ScriptedFirmware>(m, script, computes_ns);
            },
            host.host) {
    device.power_on();
  }

  void wait() {
    while ((machine->mmio_read(kStatus) >> 31) != 0) device.run(100);
  }
  uint32_t response() { return machine->mmio_read(kStatus) & 3; }
  void set_addr(uint64_t addr) {
    machine->mmio_write(kAddrLo, uint32_t(addr));
    machine->mmio_write(kAddrHi, uint32_t(addr >> 32));
  }
  void transfer(uint32_t op, Bus bus, uint64_t addr, uint32_t beats) {
    start(op, bus, addr, beats);
    wait();
  }
  void start(uint32_t op, Bus bus, uint64_t addr, uint32_t beats) {
    set_addr(addr);
    machine->mmio_write(kGo, op | bus << 4 | (beats - 1) << 8);
  }
  void fill_buffer(uint32_t seed, uint32_t words) {
    for (uint32_t i = 0; i < words; ++i) machine->mmio_write(kBuffer + 4 * i, seed * 0x01000193 + i * 0x9E3779B9);
  }
  bool buffer_is(uint32_t seed, uint32_t words) {
    for (uint32_t i = 0; i < words; ++i) {
      if (machine->mmio_read(kBuffer + 4 * i) != seed * 0x01000193 + i * 0x9E3779B9) return false;
    }
    return true;
  }
  /// Starts an operation; its data phase, if any, is over when this returns.
  void nand(NandOp op, const NandAddress &at) {
    machine->mmio_write(kNand, uint32_t(op) | at.die << 4 | at.block << 8 | at.page << 16 | at.channel << 31);
    wait();
  }
  /// Waits for the result of a die and takes it.
  NandStatus result(const NandAddress &at) {
    const uint32_t index = at.channel * 2 + at.die;
    for (int i = 0; i < 1000; ++i) {
      const uint32_t byte = machine->mmio_read(kResults) >> (8 * index) & 0xFF;
      if ((byte & 0x80) != 0) {
        machine->mmio_write(kResultClear, index);
        return NandStatus(byte >> 2 & 3);
      }
      device.run(10'000);
    }
    throw std::runtime_error("no NAND result");
  }

  FakeHost host;
  Machine *machine = nullptr;
  RtlDevice device;
};

constexpr uint32_t kSlotDwords = (4096 + 32) / 4;

TEST(RtlDevice, SizesItsMemoriesByTheCapabilitiesOfTheRtl) {
  Bench b;
  EXPECT_EQ(b.device.nand().geometry().channels, 2u);
  EXPECT_EQ(b.device.nand().geometry().dies_per_channel, 2u);
  EXPECT_EQ(b.device.nand().geometry().pages_per_block, 4u);
  EXPECT_EQ(b.device.nand().geometry().blocks_per_die, 4u);
  EXPECT_EQ(b.device.dram().size(), 8192u);
  EXPECT_EQ(b.device.nvram().size(), 4096u);
}

TEST(RtlDevice, MovesBurstsBetweenTheMemories) {
  Bench b;
  for (size_t i = 0; i < 4096; ++i) b.host.memory[i] = uint8_t(i * 7 + i / 256);
  b.transfer(kOpRead, kHost, FakeHost::kBase, 256);
  EXPECT_EQ(b.response(), kAxiOkay);
  b.transfer(kOpWrite, kDram, 4096, 256);
  EXPECT_EQ(std::memcmp(b.device.dram().data() + 4096, b.host.memory.data(), 4096), 0);
  b.transfer(kOpWrite, kNvram, 512, 4);
  EXPECT_EQ(std::memcmp(b.device.nvram().data() + 512, b.host.memory.data(), 64), 0);
  b.transfer(kOpRead, kDram, 4096 + 64, 4);
  b.transfer(kOpWrite, kHost, FakeHost::kBase + 8192, 4);
  EXPECT_EQ(std::memcmp(b.host.memory.data() + 8192, b.host.memory.data() + 64, 64), 0);
  b.transfer(kOpRead, kNvram, 512, 4);
  b.transfer(kOpWrite, kHost, FakeHost::kBase + 12288, 4);
  EXPECT_EQ(std::memcmp(b.host.memory.data() + 12288, b.host.memory.data(), 64), 0);
}

TEST(RtlDevice, PartialStrobesReachTheHostAsRuns) {
  Bench b;
  b.fill_buffer(1, 4);
  b.machine->mmio_write(kStrobe, 0xF00F);
  b.transfer(kOpWrite, kHost, FakeHost::kBase + 32, 1);
  ASSERT_EQ(b.host.writes.size(), 2u);
  EXPECT_EQ(b.host.writes[0].addr, FakeHost::kBase + 32);
  EXPECT_EQ(b.host.writes[0].len, 4u);
  EXPECT_EQ(b.host.writes[1].addr, FakeHost::kBase + 44);
  EXPECT_EQ(b.host.writes[1].len, 4u);
  for (size_t i = 4; i < 12; ++i) EXPECT_EQ(b.host.memory[32 + i], 0) << i;
}

TEST(RtlDevice, AccessOutsideAMemoryGetsAnErrorResponse) {
  Bench b;
  b.transfer(kOpRead, kHost, FakeHost::kBase + FakeHost::kBytes, 1);
  EXPECT_EQ(b.response(), kAxiSlverr);
  b.transfer(kOpWrite, kHost, 0, 1);
  EXPECT_EQ(b.response(), kAxiSlverr);
  b.transfer(kOpRead, kDram, 8192, 1);
  EXPECT_EQ(b.response(), kAxiSlverr);
  b.transfer(kOpWrite, kNvram, 4096, 1);
  EXPECT_EQ(b.response(), kAxiSlverr);
  b.transfer(kOpWrite, kNvram, 0, 1);
  EXPECT_EQ(b.response(), kAxiOkay);
}

TEST(RtlDevice, AFaultHitsOneAccessOfItsKindInItsRange) {
  Bench b;
  b.fill_buffer(1, 4);
  for (const bool nvram : {false, true}) {
    const Bus bus = nvram ? kNvram : kDram;
    EXPECT_TRUE(b.device.fail_access(nvram, {true, 2, 0x200, 0x240, kAxiDecerr}));
    const auto response = [&](uint32_t op, uint64_t addr, uint32_t beats) {
      b.transfer(op, bus, addr, beats);
      return b.response();
    };
    EXPECT_EQ(response(kOpWrite, 0x240, 1), kAxiOkay) << "behind it";
    EXPECT_EQ(response(kOpWrite, 0x1F0, 1), kAxiOkay) << "before it";
    EXPECT_EQ(response(kOpWrite, 0x1F0, 2), kAxiOkay) << "the first";
    EXPECT_EQ(response(kOpRead, 0x200, 1), kAxiOkay) << "a read";
    b.fill_buffer(7, 4);
    EXPECT_EQ(response(kOpWrite, 0x230, 2), kAxiDecerr);
    EXPECT_EQ(response(kOpWrite, 0x230, 2), kAxiOkay) << "once";
    EXPECT_TRUE(b.device.fail_access(nvram, {false, 1, 0, UINT64_MAX, kAxiSlverr}));
    EXPECT_EQ(response(kOpRead, 0x200, 1), kAxiSlverr);
    EXPECT_EQ(response(kOpRead, 0x200, 1), kAxiOkay);
    EXPECT_TRUE(b.device.fail_access(nvram, {true, 1, 0, UINT64_MAX, kAxiSlverr}));
    EXPECT_TRUE(b.device.fail_access(nvram, {}));
    EXPECT_EQ(response(kOpWrite, 0x200, 1), kAxiOkay) << "a fault that was taken back";
  }
}

TEST(RtlDevice, NoInterruptIsLostWhileTheHostHoldsThemBack) {
  RtlDeviceOptions options;
  options.bus_stalls = true;
  options.seed = 5;
  Bench b(options);
  std::vector<unsigned> wanted;
  for (unsigned i = 0; i < 200; ++i) {
    wanted.push_back(i * 5 % 8);
    b.machine->mmio_write(kGo, kOpMsix | wanted.back() << 16);
    for (unsigned tries = 0; b.host.vectors.size() < wanted.size() && tries < 1000; ++tries) b.device.run(1'000);
    ASSERT_EQ(b.host.vectors, wanted);
  }
}

TEST(RtlDevice, LatenciesAreThoseOfTheMemories) {
  Bench b;
  const auto ns = [&b](uint32_t op, Bus bus, uint64_t addr, uint32_t beats) {
    b.set_addr(addr);
    const uint64_t before = b.device.clock().now_ns();
    b.machine->mmio_write(kGo, op | bus << 4 | (beats - 1) << 8);
    while ((b.machine->mmio_read(kStatus) >> 31) != 0) {
    }
    return b.device.clock().now_ns() - before;
  };
  // A register access takes a few cycles, so these are bounds: the latency, the beats, and less than 100 ns of
  // overhead.
  const auto near = [](uint64_t measured, uint64_t expected) {
    return measured >= expected && measured <= expected + 100;
  };
  EXPECT_TRUE(near(ns(kOpRead, kHost, FakeHost::kBase, 1), 500));
  EXPECT_TRUE(near(ns(kOpRead, kHost, FakeHost::kBase, 100), 500 + 1000));
  EXPECT_TRUE(near(ns(kOpRead, kDram, 0, 1), 200));
  EXPECT_TRUE(near(ns(kOpWrite, kNvram, 0, 1), 500));
  EXPECT_TRUE(near(ns(kOpWrite, kNvram, 0, 8), 2 * 500 + 80));
  EXPECT_TRUE(near(ns(kOpRead, kNvram, 0, 4), 50 + 40));
}

TEST(RtlDevice, Bar0) {
  Bench b;
  b.device.bar0_write(0, 0x12345678);
  EXPECT_EQ(b.device.bar0_read(0), 0x12345678u);
  EXPECT_EQ(b.device.bar0_read(0x40), UINT32_MAX) << "no such register";
  b.device.bar0_write(0x40, 1);
  EXPECT_EQ(b.device.bar0_read(0), 0x12345678u);
  b.device.function_reset();
  EXPECT_EQ(b.device.bar0_read(0), 0u);
}

TEST(RtlDevice, RunReturnsAtAnInterruptAndWhenIdle) {
  Bench b;
  b.device.run(1'000);  // the firmware's first poll
  EXPECT_EQ(b.device.run(1'000'000), 0u) << "nothing is under way";
  b.nand(NandOp::kErase, {0, 0, 0, 0});
  const uint64_t passed = b.device.run(1'000'000);
  EXPECT_EQ(passed, 1'000'000u) << "an erase takes 2 ms";
  b.machine->mmio_write(kGo, kOpMsix | 5 << 16);
  b.device.run(1'000'000);
  EXPECT_EQ(b.host.vectors, std::vector<unsigned>{5});
  EXPECT_LT(b.device.clock().now_ns(), 1'100'000u);
}

TEST(RtlDevice, AnInterruptWaitsForAFirmwareThatComputes) {
  std::vector<uint64_t> polls;
  Bench b(
      {}, standin_core(),
      [&polls](Machine &m) {
        polls.push_back(m.power_on_ns());
        if (polls.size() == 1) m.mmio_write(kIrqEnable, 1);
        m.mmio_write(kResultClear, 0);
        return Firmware::kIdle;
      },
      50'000);
  b.device.run(20'000);
  EXPECT_TRUE(polls.empty()) << "it computes first";
  b.device.bar0_write(0, 1);
  EXPECT_EQ(b.device.bar0_read(0), 1u) << "the device goes on meanwhile";
  EXPECT_TRUE(polls.empty());
  b.device.set_temperature(330);
  EXPECT_TRUE(polls.empty());
  EXPECT_EQ(b.device.run(1'000'000) / 1'000, 80u) << "the rest of the poll, and the one that the temperature begins";
  ASSERT_EQ(polls.size(), 2u);
  EXPECT_EQ(polls[0] / 1'000, 50u);
  b.nand(NandOp::kErase, {0, 0, 0, 0});
  b.device.run(2'010'000);  // it ends after 2 ms
  EXPECT_EQ(polls.size(), 2u) << "the interrupt is high";
  (void)b.machine->mmio_read(kStatus);
  EXPECT_EQ(polls.size(), 3u) << "a checker waits for the end of the poll";
  b.device.run(20'000);
  b.device.power_cut();
}

TEST(RtlDevice, NandDataComesBack) {
  Bench b;
  const NandAddress at{1, 1, 2, 0};
  b.fill_buffer(3, kSlotDwords);
  b.nand(NandOp::kProgram, at);
  const uint64_t start = b.device.clock().now_ns();
  EXPECT_EQ(b.result(at), NandStatus::kOk);
  EXPECT_NEAR(double(b.device.clock().now_ns() - start), 200'000, 11'000);
  b.fill_buffer(4, kSlotDwords);
  b.nand(NandOp::kRead, at);
  EXPECT_EQ(b.result(at), NandStatus::kOk);
  b.nand(NandOp::kTransfer, at);
  EXPECT_TRUE(b.buffer_is(3, kSlotDwords));
  b.nand(NandOp::kProbe, {1, 1, 2, 1});
  EXPECT_EQ(b.result(at), NandStatus::kErased);
}

TEST(RtlDevice, IllegalNandOperationsEndTheSimulation) {
  Bench read;
  EXPECT_THROW(read.nand(NandOp::kRead, {0, 0, 0, 0}), NandViolation);
  Bench order;
  EXPECT_THROW(order.nand(NandOp::kProgram, {0, 0, 0, 1}), NandViolation);
  Bench transfer;
  EXPECT_THROW(transfer.nand(NandOp::kTransfer, {0, 1, 0, 0}), NandViolation);
  Bench busy;
  busy.nand(NandOp::kErase, {0, 0, 0, 0});
  EXPECT_THROW(busy.nand(NandOp::kProbe, {0, 0, 1, 0}), NandViolation);
  Bench outside;
  EXPECT_THROW(outside.nand(NandOp::kErase, {0, 0, 4, 0}), NandViolation);
}

TEST(RtlDevice, PortViolationsEndTheSimulation) {
  Bench boundary;
  EXPECT_THROW(boundary.transfer(kOpRead, kDram, 4096 - 16, 2), PortViolation);
  Bench misaligned;
  EXPECT_THROW(misaligned.transfer(kOpWrite, kDram, 8, 1), PortViolation);
  Bench retracted;
  EXPECT_THROW(retracted.transfer(kOpRetract, kDram, 0, 1), PortViolation);
}

TEST(RtlDevice, AFailedAssertionEndsTheSimulationWithItsText) {
  Bench b;
  try {
    b.machine->mmio_write(kGo, kOpAssert);
    b.device.run(1000);
    FAIL() << "went on";
  } catch (const RtlStopped &e) {
    EXPECT_NE(std::string(e.what()).find("told to fail"), std::string::npos) << e.what();
  }
}

TEST(RtlDevice, AFailedAssertionIsThatOfItsOwnDevice) {
  auto first = std::make_unique<Bench>();
  Bench second;
  EXPECT_THROW(
      {
        first->machine->mmio_write(kGo, kOpAssert);
        first->device.run(1000);
      },
      RtlStopped);
  second.fill_buffer(7, 4);
  EXPECT_TRUE(second.buffer_is(7, 4)) << "it has not noticed";
  auto third = std::make_unique<Bench>();
  third.reset();  // before those that are older
  first.reset();
  EXPECT_TRUE(second.buffer_is(7, 4));
}

TEST(RtlDevice, AnAccessToNoFirmwareRegisterEndsTheSimulation) {
  Bench b;
  EXPECT_THROW(b.machine->mmio_read(0x8000), RtlStopped);
}

TEST(RtlDevice, PowerCutTearsWhatIsUnderWay) {
  Bench b;
  const NandAddress done{0, 0, 0, 0}, torn{0, 1, 0, 0};
  b.fill_buffer(1, kSlotDwords);
  b.nand(NandOp::kProgram, done);
  EXPECT_EQ(b.result(done), NandStatus::kOk);
  b.nand(NandOp::kProgram, torn);
  b.device.run(100'000);
  b.transfer(kOpWrite, kDram, 0, 1);
  const uint64_t before = b.device.clock().now_ns();
  b.device.power_cut();
  EXPECT_FALSE(b.device.powered());
  b.device.power_on();
  EXPECT_GE(b.device.clock().now_ns(), before) << "device time is monotonic";
  EXPECT_EQ(b.device.dram().data()[0], DramModel::kPattern);
  b.nand(NandOp::kProbe, done);
  EXPECT_EQ(b.result(done), NandStatus::kOk);
  b.nand(NandOp::kProbe, torn);
  EXPECT_EQ(b.result(torn), NandStatus::kUncorrectable);
  b.nand(NandOp::kRead, done);
  EXPECT_EQ(b.result(done), NandStatus::kOk);
  b.nand(NandOp::kTransfer, done);
  EXPECT_TRUE(b.buffer_is(1, kSlotDwords));
}

TEST(RtlDevice, NvramKeepsWhatWasAnsweredAndTearsTheRestByUnits) {
  unsigned kept = 0, lost = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RtlDeviceOptions options;
    options.seed = seed;
    Bench b(options);
    b.fill_buffer(1, 16);
    b.transfer(kOpWrite, kNvram, 0, 4);
    std::vector<uint8_t> first(b.device.nvram().data(), b.device.nvram().data() + 64);
    b.fill_buffer(2, 16);
    b.start(kOpWrite, kNvram, 0, 4);
    b.device.run(200);  // the data is there, the answer not yet
    ASSERT_EQ(b.device.nvram().unanswered(), 1u);
    std::vector<uint8_t> second(b.device.nvram().data(), b.device.nvram().data() + 64);
    ASSERT_NE(first, second);
    b.device.power_cut();
    for (size_t unit = 0; unit < 64; unit += 8) {
      const uint8_t *now = b.device.nvram().data() + unit;
      if (std::memcmp(now, first.data() + unit, 8) == 0) {
        ++lost;
      } else {
        EXPECT_EQ(std::memcmp(now, second.data() + unit, 8), 0) << "torn inside 8 bytes";
        ++kept;
      }
    }
  }
  EXPECT_GT(kept, 0u);
  EXPECT_GT(lost, 0u);
}

TEST(RtlDevice, ImagesKeepFlashAndNvram) {
  TempDir dir;
  RtlDeviceOptions options;
  options.image_dir = dir.path;
  const NandAddress at{0, 1, 3, 0};
  {
    Bench b(options);
    b.fill_buffer(9, kSlotDwords);
    b.nand(NandOp::kProgram, at);
    EXPECT_EQ(b.result(at), NandStatus::kOk);
    b.transfer(kOpWrite, kNvram, 64, 2);
    EXPECT_THROW(Bench second(options), ImageError) << "in use";
  }
  {
    Bench b(options);
    b.nand(NandOp::kRead, at);
    EXPECT_EQ(b.result(at), NandStatus::kOk);
    b.nand(NandOp::kTransfer, at);
    EXPECT_TRUE(b.buffer_is(9, kSlotDwords));
    b.fill_buffer(0, 8);
    b.transfer(kOpRead, kNvram, 64, 2);
    EXPECT_TRUE(b.buffer_is(9, 8));
    EXPECT_THROW(b.nand(NandOp::kProgram, at), NandViolation) << "frontiers are kept too";
  }
}

/// A firmware that works by interrupts only: programs pages of all dies, erases, reads back, counts.
class Workload {
 public:
  uint64_t operator()(Machine &m) {
    if (!started_) {
      started_ = true;
      m.mmio_write(kIrqEnable, 1);
      for (uint32_t i = 0; i < 4; ++i) next(m, i);
      return Firmware::kIdle;
    }
    const uint32_t results = m.mmio_read(kResults);
    for (uint32_t i = 0; i < 4; ++i) {
      if ((results >> (8 * i) & 0x80) == 0) continue;
      m.mmio_write(kResultClear, i);
      digest_ = digest_ * 31 + (results >> (8 * i) & 0xFF) + m.power_on_ns();
      next(m, i);
    }
    // Now and then by the clock instead of by interrupt.
    return steps_ % 7 == 3 ? 12'340 : Firmware::kIdle;
  }
  uint64_t digest() const { return digest_; }
  uint32_t steps() const { return steps_; }

 private:
  void next(Machine &m, uint32_t die) {
    const uint32_t step = step_[die]++;
    ++steps_;
    if (step >= 12) return;
    const uint32_t place = (die & 1) << 4 | (die >> 1) << 31;
    // Erase block 1, then program and read its pages 0..3, with a probe in between.
    const uint32_t page = step == 0 ? 0 : (step - 1) / 2;
    uint32_t op = uint32_t(NandOp::kErase);
    if (step > 8) {
      op = uint32_t(NandOp::kProbe);
    } else if (step != 0) {
      op = step % 2 == 1 ? uint32_t(NandOp::kProgram) : uint32_t(NandOp::kRead);
    }
    m.mmio_write(kBuffer, step + die * 1000);
    m.mmio_write(kNand, op | place | 1 << 8 | (step > 8 ? 0 : page) << 16);
    while ((m.mmio_read(kStatus) >> 31) != 0) {
    }
  }
  bool started_ = false;
  uint32_t step_[4] = {};
  uint32_t steps_ = 0;
  uint64_t digest_ = 0;
};

#ifndef __SANITIZE_ADDRESS__  // a minute, all of it the Verilated controller's
struct Outcome {
  uint64_t cycles, evaluated, digest, stall;
  std::vector<uint64_t> run_returns;
  bool operator==(const Outcome &o) const {
    return cycles == o.cycles && digest == o.digest && stall == o.stall && run_returns == o.run_returns;
  }
};

Outcome run_workload(bool time_skip, uint64_t computes_ns = 0) {
  RtlDeviceOptions options;
  options.time_skip = time_skip;
  auto workload = std::make_shared<Workload>();
  Bench b(
      options, standin_core(), [workload](Machine &m) { return (*workload)(m); }, computes_ns);
  Outcome outcome{};
  for (int i = 0; i < 12; ++i) outcome.run_returns.push_back(b.device.run(777'770));
  b.device.bar0_write(0x1000, 5);
  b.machine->mmio_write(kBarClear, 0);
  outcome.run_returns.push_back(b.device.run(100'000'000));
  EXPECT_GE(workload->steps(), 48u) << "the workload came to its end";
  outcome.cycles = b.device.clock().cycle;
  outcome.evaluated = b.device.clock().evaluated;
  outcome.digest = workload->digest();
  outcome.stall = b.machine->mmio_read(kStall);
  return outcome;
}

TEST(RtlDevice, SkippingTimeChangesNothingButTheSpeed) {
  const Outcome all = run_workload(false);
  const Outcome skipped = run_workload(true);
  EXPECT_EQ(all.cycles, skipped.cycles);
  EXPECT_EQ(all.digest, skipped.digest);
  EXPECT_EQ(all.stall, skipped.stall);
  EXPECT_EQ(all.run_returns, skipped.run_returns);
  EXPECT_EQ(all.evaluated, all.cycles);
  EXPECT_GT(all.stall, 100'000u) << "there was time to skip";
  EXPECT_LT(skipped.evaluated, all.evaluated / 5);
  EXPECT_EQ(skipped, run_workload(true)) << "and a run repeats";
}

TEST(RtlDevice, SkippingTimeChangesNothingWhileTheFirmwareComputes) {
  constexpr uint64_t kComputesNs = 100'000;
  const Outcome all = run_workload(false, kComputesNs);
  const Outcome skipped = run_workload(true, kComputesNs);
  EXPECT_EQ(all, skipped);
  EXPECT_LT(skipped.evaluated, all.evaluated / 5);
  EXPECT_NE(skipped.digest, run_workload(true).digest) << "it took its time";
}
#endif

TEST(RtlDevice, TracesAreWritten) {
  TempDir dir;
  const std::vector<std::pair<std::string, CoreKind>> formats = {{"vcd", standin_vcd_core()},
                                                                 {"fst", standin_fst_core()}};
  for (const auto &[format, kind] : formats) {
    RtlDeviceOptions options;
    options.trace_file = dir.path + "/wave." + format;
    testing::internal::CaptureStderr();
    {
      Bench b(options, kind);
      b.device.bar0_write(0, 1);
      b.device.power_cut();
      b.device.power_on();
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "each half cycle is written once";
    EXPECT_GT(fs::file_size(options.trace_file), 500u) << format;
    EXPECT_GT(fs::file_size(dir.path + "/wave.2." + format), 500u) << format;
  }
  std::ifstream vcd(dir.path + "/wave.vcd");
  const std::string text((std::istreambuf_iterator<char>(vcd)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("s_axil_bar_awvalid"), std::string::npos);
}

TEST(RtlDevice, ATraceThatCannotBeWrittenIsRefused) {
  TempDir dir;
  RtlDeviceOptions options;
  options.trace_file = dir.path + "/missing/wave.fst";
  EXPECT_THROW(Bench(options, standin_fst_core()), OptionError);
  options.trace_file = dir.path;  // a folder
  EXPECT_THROW(Bench(options, standin_fst_core()), OptionError);
  // The next power cycle writes another file.
  options.trace_file = dir.path + "/wave.fst";
  Bench b(options, standin_fst_core());
  fs::create_directory(dir.path + "/wave.2.fst");
  b.device.power_cut();
  EXPECT_THROW(b.device.power_on(), OptionError);
}

TEST(RtlDevice, SegmentsThatNoFirmwareCanDoWithAreRefusedBeforeAnyFileIsMade) {
  TempDir dir;
  RtlDeviceOptions options;
  options.image_dir = dir.path + "/images";
  for (const uint32_t wrong : {1u, 7u, 13u, UINT32_MAX}) {  // GC keeps 4 of the 12
    options.segments = wrong;
    EXPECT_THROW(Bench(options, standin_core()), OptionError) << wrong;
  }
  EXPECT_FALSE(fs::exists(options.image_dir));
  for (const uint32_t good : {0u, 8u, 12u}) {
    options.segments = good;
    EXPECT_NO_THROW(Bench(options, standin_core())) << good;
  }
}

TEST(RtlDevice, SuperblocksThatTheHardwareHasNotAreRefusedBeforeAnyFileIsMade) {
  TempDir dir;
  RtlDeviceOptions options;
  options.image_dir = dir.path + "/images";
  options.superblocks = 1'000'000;
  EXPECT_THROW(Bench(options, standin_core()), OptionError);
  options.superblocks = 1;
  options.least_superblocks = 2;
  EXPECT_THROW(Bench(options, standin_core()), OptionError);
  EXPECT_FALSE(fs::exists(options.image_dir));
  options.superblocks = 2;
  Bench b(options, standin_core());
  EXPECT_TRUE(fs::exists(options.image_dir));
}

}  // namespace
}  // namespace orm
