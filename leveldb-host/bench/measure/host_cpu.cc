// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/host_cpu.h"

#include <algorithm>
#include <array>
#include <utility>

namespace openremap {

HostCpu::HostCpu(std::function<double()> sim_seconds) : sim_seconds_(std::move(sim_seconds)) {
  // The median: some of them are interrupted.
  std::array<int64_t, 1001> samples;
  for (int64_t &sample : samples) {
    Spent one;
    Measure([] {}, &one);
    sample = one.cpu;
  }
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
  nothing_ = samples[samples.size() / 2];
}

int64_t HostCpu::Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double HostCpu::WithoutSimulator(const Spent &spent, double sim_seconds) const {
  const double cpu = static_cast<double>(spent.cpu - spent.calls * nothing_) * 1e-9;
  const double wall = static_cast<double>(spent.wall) * 1e-9;
  return wall <= 0 ? 0 : std::max(0.0, cpu * (1 - sim_seconds / wall));
}

void HostCpu::Begin() {
  foreground_ = Spent();
  background_seconds_ = background_sim_seconds_ = 0;
  sim_begin_ = sim_seconds_();
}

void HostCpu::End() { sim_total_ = sim_seconds_() - sim_begin_; }

}  // namespace openremap
