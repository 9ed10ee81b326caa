// SPDX-License-Identifier: Apache-2.0
// The main loop of ports for bare metal, on the mock device: when it waits, and what becomes of traps.
#include "ports/bare/runner.h"

#include <csetjmp>
#include <string>
#include <utility>

#include "firmware_limits.h"
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class RunnerTest : public FwTest {
 protected:
  static constexpr uint32_t kLog = MockDevice::kNvCounters + ORM_NV_CRASH_OFFSET;

  struct Wait {
    uint64_t ns;
    bool idle;
  };
  std::vector<Wait> waits;
  std::vector<enum fw_phase> told;
  std::string sent, step;
  bool uart_full = false;
  int stops = 0;
  jmp_buf halted;
  static inline RunnerTest *running = nullptr;  // a member of struct platform has the device's context
  machine m{};
  platform port{};
  void (*write)(void *, uint32_t, const void *, size_t) = nullptr;
  void (*in_nvram)(runner *) = nullptr;  // called at the next write of NVRAM, before it
  void (*settling)(runner *) = nullptr;  // called once at the end of a poll
  runner r;

  void SetUp() override {
    m.ctx = this;
    m.wait = [](void *ctx, uint64_t ns, bool idle) { self(ctx).waits.push_back({ns, idle}); };
    m.tell = [](void *ctx, enum fw_phase phase, const char *doing) {
      if (self(ctx).told.empty() || self(ctx).told.back() != phase) self(ctx).told.push_back(phase);
      self(ctx).step = doing;
    };
    m.watchdog_stop = [](void *ctx) { self(ctx).stops++; };
    m.halt = [](void *ctx) { longjmp(self(ctx).halted, 1); };
    memory.assign(FW_CONTEXT_BYTES / sizeof(std::max_align_t), {});
    port = *dev.port();
    write = port.nvram_write;
    running = this;
    port.nvram_write = [](void *ctx, uint32_t addr, const void *buf, size_t len) {
      if (void (*what)(runner *) = std::exchange(running->in_nvram, nullptr)) what(&running->r);
      running->write(ctx, addr, buf, len);
    };
    port.settle = [](void *) {
      if (void (*what)(runner *) = std::exchange(running->settling, nullptr)) what(&running->r);
    };
    runner_init(&r, memory.data(), &port, &m, [](void *ctx, char c) {
      if (self(ctx).uart_full) return false;
      self(ctx).sent += c;
      return true;
    });
    fw_ = r.fw;
  }
  static RunnerTest &self(void *ctx) { return *static_cast<RunnerTest *>(ctx); }

  void until_it_rests() {
    for (int i = 0; i < 200000; i++) {
      waits.clear();
      runner_step(&r);
      if (!waits.empty() && waits.back().idle && !dev.irq()) return;
    }
    FAIL() << "it does not come to rest";
  }
  orm_crash_log log() {
    orm_crash_log l;
    EXPECT_TRUE(orm_crash_log_open(&l, &dev.nvram[kLog]));
    return l;
  }
  // The next access to a register calls `what`.
  void at_an_access(void (*what)(runner *)) {
    dev.on_access = [this, what](uint32_t) {
      dev.on_access = nullptr;
      what(&r);
    };
  }
  void expect_stopped_without_a_log() {
    EXPECT_EQ(fw_phase(fw_), FW_FATAL);
    EXPECT_EQ(told.back(), FW_FATAL);
    EXPECT_NE(dev.reg[ORM_FW_NVME_CSTS] & ORM_FW_NVME_CSTS_CFS_MASK, 0u);
    orm_crash_log l;
    EXPECT_FALSE(orm_crash_log_open(&l, &dev.nvram[kLog]));
  }
  // Runs `what`, which must halt the machine.
  template <class Code>
  bool halts(Code &&what) {
    if (setjmp(halted) != 0) return true;
    what();
    return false;
  }
};

TEST_F(RunnerTest, StartsTellsAndRests) {
  EXPECT_EQ(told, std::vector<enum fw_phase>{FW_STARTING});
  until_it_rests();
  EXPECT_EQ(told, (std::vector<enum fw_phase>{FW_STARTING, FW_RUNNING}));
  const std::string line = "<1>firmware: running, " + std::to_string(dev.now_ns / 1000) + " us after power-on\n";
  EXPECT_NE(sent.find(line), std::string::npos) << sent;
  EXPECT_EQ(step, "running");
  ASSERT_FALSE(waits.empty());
  EXPECT_TRUE(waits.back().idle);
  EXPECT_EQ(waits.back().ns, FW_POLL_MOST_NS);
  EXPECT_GT(stops, 0) << "the watchdog does not bite between polls";
}

TEST_F(RunnerTest, TextOnItsWayToTheConsoleShortensTheWait) {
  uart_full = true;
  for (int i = 0; i < 200000 && fw_phase(r.fw) != FW_RUNNING; i++) runner_step(&r);
  for (int i = 0; i < 10; i++) runner_step(&r);
  EXPECT_FALSE(waits.back().idle);
  EXPECT_EQ(waits.back().ns, RUNNER_CONSOLE_NS);
  uart_full = false;
  runner_step(&r);
  EXPECT_TRUE(waits.back().idle);
  EXPECT_NE(sent.find("running"), std::string::npos);
}

TEST_F(RunnerTest, ATrapInAPollLeavesACrashLogAndTheLoopGoesOn) {
  until_it_rests();
  at_an_access([](runner *its) { runner_fault(its, "load fault", 0x1234, 0x5678); });
  runner_step(&r);
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_EQ(told.back(), FW_FATAL);
  EXPECT_EQ(log().cause, ORM_CRASH_FAULT);
  EXPECT_EQ(log().line, 0x1234u);
  EXPECT_NE(sent.find("<0>trap: load fault at 00001234, address 00005678\n"), std::string::npos) << sent;
  runner_step(&r);
  EXPECT_TRUE(waits.back().idle);
}

// What goes wrong while the crash log is on its way to NVRAM.
TEST_F(RunnerTest, ATrapInACrashLogStillStopsTheController) {
  until_it_rests();
  in_nvram = [](runner *its) { runner_fault(its, "store fault", 3, 4); };
  at_an_access([](runner *its) { runner_fault(its, "load fault", 1, 2); });
  runner_step(&r);
  expect_stopped_without_a_log();
  EXPECT_NE(sent.find("store fault"), std::string::npos) << sent;
}

TEST_F(RunnerTest, ACrashLogThatHangsStillStopsTheController) {
  until_it_rests();
  const uint64_t pets = dev.pets;
  in_nvram = runner_bite;
  at_an_access(runner_bite);
  runner_step(&r);
  EXPECT_EQ(dev.pets, pets + 3) << "the poll, the crash log and what comes after it have the watchdog's time each";
  expect_stopped_without_a_log();
  EXPECT_NE(sent.find("the watchdog, while a crash log was written"), std::string::npos) << sent;
}

TEST_F(RunnerTest, AThirdTrapHalts) {
  until_it_rests();
  dev.on_access = [this](uint32_t) {
    runner_fault(&r, r.faults > 0 ? "store fault" : "load fault", 1, 2);  // also when the controller is to be stopped
  };
  EXPECT_TRUE(halts([&] { runner_step(&r); }));
  EXPECT_EQ(told.back(), FW_FATAL);
  EXPECT_NE(sent.find("store fault"), std::string::npos) << sent;
}

TEST_F(RunnerTest, ATrapOutsideOfAPollHalts) {
  until_it_rests();
  EXPECT_TRUE(halts([&] { runner_fault(&r, "undefined instruction", 1, 0); }));
  EXPECT_EQ(told.back(), FW_FATAL);
  EXPECT_NE(sent.find("undefined instruction"), std::string::npos);
  expect_stopped_without_a_log();
}

TEST_F(RunnerTest, ATrapThatStoppingTheControllerCausesHaltsAllTheSame) {
  until_it_rests();
  dev.on_access = [this](uint32_t) { runner_fault(&r, "store fault", 1, 2); };
  EXPECT_TRUE(halts([&] { runner_fault(&r, "undefined instruction", 1, 0); }));
  EXPECT_EQ(told.back(), FW_FATAL);
  EXPECT_NE(sent.find("store fault"), std::string::npos) << sent;
}

// A store of the poll is on its way when the poll has done all else.
TEST_F(RunnerTest, AStoreThatIsLostAtTheEndOfAPollLeavesACrashLog) {
  until_it_rests();
  settling = [](runner *its) { runner_fault(its, "lost store", 7, 8); };
  runner_step(&r);
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_EQ(log().cause, ORM_CRASH_FAULT);
  EXPECT_EQ(log().line, 7u);
  runner_step(&r);
  EXPECT_TRUE(waits.back().idle);
}

TEST_F(RunnerTest, TheWatchdogEndsAPollAndNothingElse) {
  until_it_rests();
  runner_bite(&r);  // comes back: the poll has just ended
  EXPECT_EQ(fw_phase(fw_), FW_RUNNING);
  at_an_access(runner_bite);
  runner_step(&r);
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_EQ(log().cause, ORM_CRASH_WATCHDOG);
}

TEST_F(RunnerTest, TheWatchdogHaltsAControllerThatCannotBeStopped) {
  until_it_rests();
  dev.on_access = [this](uint32_t) { runner_bite(&r); };
  EXPECT_TRUE(halts([&] { runner_step(&r); }));
  EXPECT_EQ(told.back(), FW_FATAL);
  EXPECT_NE(sent.find("the watchdog, while a crash log was written"), std::string::npos) << sent;
}

}  // namespace
}  // namespace orm_test
