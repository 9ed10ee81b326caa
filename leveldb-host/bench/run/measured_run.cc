// SPDX-License-Identifier: Apache-2.0
#include "bench/run/measured_run.h"

#include <chrono>
#include <cstdio>

#include "bench/measure/counters.h"
#include "bench/measure/table_levels.h"
#include "leveldb/db.h"
#include "remap_env.h"

namespace openremap {

using leveldb::Status;

MeasuredRun::MeasuredRun(const BenchOptions &options, BenchDevice *device, BenchDatabase *database, Progress *progress,
                         BenchResult *result, const char *entries)
    : options_(options),
      device_(device),
      database_(database),
      progress_(progress),
      result_(result),
      entries_(entries),
      cpu_([device] { return device->SimSeconds(); }) {}

Status MeasuredRun::Execute() {
  const auto start = std::chrono::steady_clock::now();
  Status s = database_->Open(/*create=*/true);
  if (s.ok()) s = Load();
  if (s.ok()) s = Measure();
  if (s.ok()) s = Verify();
  database_->Close();
  result_->wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (s.ok() && result_->verify_mismatches != 0) {
    s = Status::Corruption(std::to_string(result_->verify_mismatches) + " " + entries_ +
                           " read back wrong, the first is " + first_mismatch_);
  }
  return s;
}

void MeasuredRun::RunPending() {
  if (!measuring_) {
    database_->RunPending();
  } else if (database_->HasPending()) {
    nanoseconds_ += cpu_.Background([this] { database_->RunPending(); });
  }
}

Status MeasuredRun::Measure() {
  DeviceStats begin, end;
  Status s = device_->ReadStats(&begin);
  if (!s.ok()) return s;
  BeginMeasuring();
  cpu_.Begin();
  device_->Listen([this](DeviceCall call, uint64_t nanoseconds) {
    result_->device_latencies.at(static_cast<size_t>(call)).Add(nanoseconds);
  });
  measuring_ = true;
  s = RunWorkload();
  measuring_ = false;
  device_->Listen(nullptr);
  cpu_.End();
  result_->full = IsNoSpaceLeft(s);
  if (!s.ok() && !result_->full) return s;
  const Status read = device_->ReadStats(&end);
  if (!read.ok()) return read;
  result_->device = Difference(end, begin);
  result_->host_cpu_seconds = cpu_.seconds();
  result_->background_cpu_seconds = cpu_.background_seconds();
  std::string tables;
  if (!db()->GetProperty("leveldb.sstables", &tables)) tables.clear();
  result_->levels.clear();
  for (const TableLevel &level : ParseTableLevels(tables, CompactionStatistics::kLevels)) {
    result_->levels.push_back({level.files, level.bytes, {}});
  }
  EndMeasuring();
  return s;
}

Status MeasuredRun::Generated(const char *what, const std::string &deviation) {
  return deviation.empty() ? Status::OK() : Status::InvalidArgument(std::string("generated ") + what, deviation);
}

void MeasuredRun::Mismatch(const std::string &key) {
  if (result_->verify_mismatches++ != 0) return;
  for (const char c : key) {
    char code[5];  // \xNN
    std::snprintf(code, sizeof(code), "\\x%02x", static_cast<unsigned char>(c));
    first_mismatch_ += c >= ' ' && c <= '~' ? std::string(1, c) : code;
  }
}

// All that the device was given must come back from it, so the database is opened anew: no memtable, no cache.
Status MeasuredRun::Verify() {
  database_->Close();
  DeviceStats begin, end;
  Status s = options_.trace_verify ? Status::OK() : device_->EndRecording();
  if (s.ok()) s = device_->ReadStats(&begin);
  if (s.ok()) s = device_->ForgetCached();
  if (s.ok()) s = database_->Open(/*create=*/false);
  if (s.ok()) s = ReadBack();
  if (s.ok()) s = device_->ReadStats(&end);
  if (s.ok()) {
    result_->verify = Difference(end, begin);
    progress_->End();
  }
  return s;
}

}  // namespace openremap
