// SPDX-License-Identifier: Apache-2.0
//
// CPU time of LevelDB, the file layer and the driver, without the benchmark and the simulator.
//
// Reads the CPU clock of this thread before and after each call. That covers everything, because background work runs
// inline and drivers poll on the calling thread; the only other thread is the benchmark's progress output. A reading is
// a system call of about 0.6 us, while a put takes about 3 us. So the time of an empty call is measured first and
// subtracted from each call. Measuring lengthens a run, but not the reported time.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_HOST_CPU_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_HOST_CPU_H_

#include <cstdint>
#include <ctime>
#include <functional>

namespace openremap {

class HostCpu {
 public:
  // `sim_seconds`: wall time that has been spent inside the simulator. It is asked for around background work only.
  explicit HostCpu(std::function<double()> sim_seconds);

  // What is between is measured; the simulator runs in measured calls only.
  void Begin();
  void End();

  // Calls, and returns the wall time of that in nanoseconds.
  template <class Function>
  int64_t Foreground(Function call) {
    return Measure(call, &foreground_);
  }
  template <class Function>
  int64_t Background(Function call) {
    const double before = sim_seconds_();
    Spent one;
    const int64_t took = Measure(call, &one);
    const double inside = sim_seconds_() - before;
    background_sim_seconds_ += inside;
    background_seconds_ += WithoutSimulator(one, inside);
    return took;
  }

  // After End.
  double seconds() const {
    return WithoutSimulator(foreground_, sim_total_ - background_sim_seconds_) + background_seconds_;
  }
  double background_seconds() const { return background_seconds_; }

 private:
  struct Spent {
    int64_t cpu = 0;  // nanoseconds
    int64_t wall = 0;
    int64_t calls = 0;
  };

  static int64_t Now(clockid_t clock);
  // The thread has the same share of a CPU inside the simulator as beside it: reading its CPU clock there, at each of
  // the simulator's calls, would cost as much as they do.
  double WithoutSimulator(const Spent &spent, double sim_seconds) const;

  template <class Function>
  static int64_t Measure(Function call, Spent *sum) {
    const int64_t cpu = Now(CLOCK_THREAD_CPUTIME_ID);
    const int64_t begin = Now(CLOCK_MONOTONIC);
    call();
    const int64_t took = Now(CLOCK_MONOTONIC) - begin;
    sum->cpu += Now(CLOCK_THREAD_CPUTIME_ID) - cpu;
    sum->wall += took;
    sum->calls++;
    return took;
  }

  const std::function<double()> sim_seconds_;
  int64_t nothing_ = 0;  // CPU time, in nanoseconds, at which a call of nothing is measured
  double sim_begin_ = 0, sim_total_ = 0;
  Spent foreground_;
  double background_seconds_ = 0;
  double background_sim_seconds_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_HOST_CPU_H_
