// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/host_cpu.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace openremap {
namespace {

double ThreadCpu() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Uses the given CPU time, however busy the machine is.
void Work(double seconds) {
  const double end = ThreadCpu() + seconds;
  while (ThreadCpu() < end) continue;
}

double WallNow() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A simulator that uses the given CPU time, and measures it.
struct Simulator {
  void Run(double seconds) {
    const double begin = WallNow();
    Work(seconds);
    spent += WallNow() - begin;
  }
  double spent = 0;
};

TEST(HostCpuTest, OnlyCallsAreCounted) {
  HostCpu cpu([] { return 0.0; });
  cpu.Begin();
  Work(0.05);
  for (int i = 0; i < 10; i++) cpu.Foreground([] { Work(0.002); });
  EXPECT_GE(cpu.Background([] { Work(0.01); }), 9'000'000) << "wall time";
  Work(0.05);
  cpu.End();
  EXPECT_NEAR(cpu.seconds(), 0.03, 0.005);
  EXPECT_NEAR(cpu.background_seconds(), 0.01, 0.003);
}

TEST(HostCpuTest, WaitingIsNoCpuTime) {
  HostCpu cpu([] { return 0.0; });
  cpu.Begin();
  const int64_t took = cpu.Foreground([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  cpu.Background([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  cpu.End();
  EXPECT_GE(took, 20'000'000);
  EXPECT_LT(cpu.seconds(), 0.005);
}

// What HostCpu has to find: the thread has the same share of a CPU inside the simulator as beside it. On a busy machine
// this is not the time that Work took.
struct Expected {
  template <class Function>
  void Run(const Simulator &simulator, Function call) {
    const double cpu_begin = ThreadCpu(), wall_begin = WallNow(), inside_begin = simulator.spent;
    call();
    inside += simulator.spent - inside_begin;
    wall += WallNow() - wall_begin;
    cpu += ThreadCpu() - cpu_begin;
  }
  double Seconds() const { return cpu * (1 - inside / wall); }
  double cpu = 0, wall = 0, inside = 0;
};

TEST(HostCpuTest, TheSimulatorIsLeftOut) {
  Simulator simulator;
  HostCpu cpu([&simulator] { return simulator.spent; });
  simulator.Run(0.01);  // before
  cpu.Begin();
  Expected foreground;
  double background = 0;
  for (int i = 0; i < 5; i++) {
    cpu.Foreground([&] {
      foreground.Run(simulator, [&simulator] {
        simulator.Run(0.006);
        Work(0.002);
      });
    });
    Expected one;
    cpu.Background([&] {
      one.Run(simulator, [&simulator] {
        Work(0.004);
        simulator.Run(0.01);
      });
    });
    background += one.Seconds();
  }
  cpu.End();
  simulator.Run(0.01);  // after
  EXPECT_NEAR(cpu.background_seconds(), background, 0.003);
  EXPECT_NEAR(cpu.seconds(), foreground.Seconds() + background, 0.005);
  cpu.Begin();
  cpu.Foreground([&simulator] { simulator.Run(0.02); });
  cpu.End();
  EXPECT_LT(cpu.seconds(), 0.004) << "begun anew";
  EXPECT_EQ(cpu.background_seconds(), 0);
}

// Reading the clock takes longer than the measured work.
TEST(HostCpuTest, MeasuringIsLeftOut) {
  HostCpu cpu([] { return 0.0; });
  constexpr int kCalls = 50000;
  const double before = ThreadCpu();
  cpu.Begin();
  for (int i = 0; i < kCalls; i++) cpu.Foreground([] {});
  cpu.End();
  const double all = ThreadCpu() - before;
  EXPECT_LT(cpu.seconds(), all / 4) << all;
}

}  // namespace
}  // namespace openremap
