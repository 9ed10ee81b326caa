// SPDX-License-Identifier: Apache-2.0
//
// db_bench: one workload, one mode, one device, one JSON object.
#include <cstdio>
#include <memory>
#include <string>

#include "bench_device.h"
#include "bench_run.h"
#include "capacity.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "trace.h"

namespace {

constexpr int kOk = 0, kFailed = 1, kBadOption = 2;

int Complain(const std::string &reason, int code) {
  std::fprintf(stderr, "db_bench: %s\n", reason.c_str());
  return code;
}

}  // namespace

int main(int argc, char **argv) {
  openremap::BenchOptions options;
  std::string error;
  switch (openremap::ParseBenchOptions(argc, argv, &options, &error)) {
    case openremap::ParseResult::kHelp:
      std::fputs(openremap::BenchUsage().c_str(), stdout);
      return kOk;
    case openremap::ParseResult::kError:
      return Complain(error, kBadOption);
    case openremap::ParseResult::kRun:
      break;
  }
  if (!options.replay.empty()) {
    leveldb::Status read;
    const auto trace = openremap::TraceReader::Open(options.replay, &read);
    if (trace == nullptr) return Complain("--replay=" + options.replay + ": " + read.ToString(), kBadOption);
    trace->Apply(&options);
  }
  if (!openremap::CanWriteReport(options.json, &error)) return Complain(error, kBadOption);
  openremap::OpenFailure failure;
  std::unique_ptr<openremap::BenchDevice> device = openremap::OpenBenchDevice(options.device, &failure);
  if (device == nullptr) return Complain(failure.reason, failure.bad_option ? kBadOption : kFailed);
  if (!openremap::Fits(options, device->FreeBytes(), &error)) return Complain(error, kBadOption);

  openremap::BenchResult result;
  leveldb::Status run;
  {
    openremap::Progress progress;
    run = openremap::RunBench(options, device.get(), &progress, &result);
  }
  // A run that read something wrong still tells what it measured.
  if (run.ok() || run.IsCorruption()) {
    leveldb::Status written = openremap::WriteReport(options.json, openremap::ReportJson(options, *device, result));
    if (!written.ok()) return Complain(written.ToString(), kFailed);
  }
  const leveldb::Status recorded = device->EndRecording();
  if (!recorded.ok()) return Complain(recorded.ToString(), kFailed);
  return run.ok() ? kOk : Complain(run.ToString(), kFailed);
}
