// SPDX-License-Identifier: Apache-2.0
//
// The frame of a run: a new database is loaded, the workload is measured between two readings of the device, and then
// everything is read back from the device.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_MEASURED_RUN_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_MEASURED_RUN_H_

#include <cstdint>
#include <string>

#include "bench/measure/host_cpu.h"
#include "bench/measure/progress.h"
#include "bench/options/options.h"
#include "bench/run/bench_database.h"
#include "bench/run/bench_result.h"
#include "bench_device.h"
#include "leveldb/status.h"

namespace openremap {

class MeasuredRun {
 public:
  virtual ~MeasuredRun() = default;
  MeasuredRun(const MeasuredRun &) = delete;
  MeasuredRun &operator=(const MeasuredRun &) = delete;

  // As RunBench(). Not twice.
  leveldb::Status Execute();

 protected:
  // All outlive this. `entries`: what is read back, as "keys".
  MeasuredRun(const BenchOptions &options, BenchDevice *device, BenchDatabase *database, Progress *progress,
              BenchResult *result, const char *entries);

  // What the workload needs to be there.
  virtual leveldb::Status Load() = 0;
  virtual leveldb::Status RunWorkload() = 0;
  // Around it, for further figures. The second one has the result but for live_bytes and keys_expected, which it sets.
  virtual void BeginMeasuring() {}
  virtual void EndMeasuring() = 0;
  // The database was opened anew: compares all that it holds.
  virtual leveldb::Status ReadBack() = 0;

  // A call of the database.
  template <class Function>
  void Call(Function call) {
    if (measuring_) {
      const uint64_t begin = device_->NowNs();
      nanoseconds_ += cpu_.Foreground(call);
      device_nanoseconds_ += device_->NowNs() - begin;
    } else {
      call();
    }
  }
  // What the calls of the database have scheduled.
  void RunPending();

  // A write, synced in its turn, or always: a Function is called with the options.
  template <class Function>
  leveldb::Status Write(Function function, bool sync = false) {
    const bool turn = measuring_ && options_.sync_every != 0 && (writes_ + 1) % options_.sync_every == 0;
    leveldb::WriteOptions write;
    write.sync = turn || sync;
    leveldb::Status s;
    Call([&] { s = function(write); });
    if (measuring_) writes_++;
    if (s.ok() && turn) progress_->Synced(writes_);
    RunPending();
    return s;
  }

  // One operation of the workload, with its latency.
  template <class Function>
  leveldb::Status Timed(OperationKind kind, Function function) {
    nanoseconds_ = 0;
    device_nanoseconds_ = 0;
    leveldb::Status s = function();
    if (measuring_) {
      result_->operations++;
      result_->latencies.at(static_cast<size_t>(kind)).Add(static_cast<uint64_t>(nanoseconds_));
    }
    return s;
  }

  // Of what was generated, and how it differs from what it should be like; empty: it does not.
  static leveldb::Status Generated(const char *what, const std::string &deviation);
  // Something was read that is not what was put.
  void Mismatch(const std::string &key);

  // Time of the device that the database's calls of the last operation took, without what they scheduled.
  uint64_t device_nanoseconds() const { return device_nanoseconds_; }

  bool measuring() const { return measuring_; }
  leveldb::DB *db() const { return database_->db(); }

  const BenchOptions &options_;
  BenchDevice *const device_;
  BenchDatabase *const database_;
  Progress *const progress_;
  BenchResult *const result_;

 private:
  leveldb::Status Measure();
  leveldb::Status Verify();

  const char *const entries_;
  HostCpu cpu_;
  int64_t nanoseconds_ = 0;  // wall time of the database's calls, of this operation
  uint64_t device_nanoseconds_ = 0;
  bool measuring_ = false;
  uint64_t writes_ = 0;  // measured ones
  std::string first_mismatch_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_MEASURED_RUN_H_
