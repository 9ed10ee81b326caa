// SPDX-License-Identifier: Apache-2.0
//
// db_bench: one workload, one mode, one device, one JSON object.
#include <cstdio>
#include <memory>
#include <new>
#include <string>

#include "bench/files/output_file.h"
#include "bench/files/trace.h"
#include "bench/measure/progress.h"
#include "bench/options/option_help.h"
#include "bench/options/parse_options.h"
#include "bench/report.h"
#include "bench/run/bench_check.h"
#include "bench/run/bench_run.h"
#include "bench/run/capacity.h"
#include "bench_device.h"

namespace {

constexpr int kOk = 0, kFailed = 1, kBadOption = 2;
const std::string kOutput = "/dev/stdout";  // what --json=- is beside other files

int Complain(const std::string &reason, int code) {
  std::fprintf(stderr, "db_bench: %s\n", reason.c_str());
  return code;
}

// All that can be wrong with the files that options name, found out before anything runs; if so, *error is one line.
bool Prepare(openremap::BenchOptions *options, std::string *error) {
  if (!options->replay.empty()) {
    leveldb::Status read;
    const auto trace = openremap::TraceReader::Open(options->replay, &read);
    if (trace == nullptr) {
      *error = "--replay=" + options->replay + ": " + read.ToString();
      return false;
    }
    trace->Apply(options);
    if (!openremap::CheckBenchOptions(*options, error)) return false;
  }
  const std::pair<std::string, std::string> files[] = {{"--json=", options->json == "-" ? kOutput : options->json},
                                                       {"--trace=", options->trace},
                                                       {"--replay=", options->replay},
                                                       {"--record-file=", options->device.record_file},
                                                       {"--trace-pages=", options->device.page_trace_file},
                                                       {"--trace-file=", options->device.trace_file}};
  for (const auto &[name, file] : files) {
    if (!options->device.image_dir.empty() && !file.empty() && file != kOutput &&
        openremap::LiesIn(options->device.image_dir, file)) {
      *error = name + file + ": lies in --image-dir=" + options->device.image_dir;
      return false;
    }
    for (const auto &[other_name, other] : files) {
      if (name == other_name) break;
      if (file.empty() || other.empty() || !openremap::IsSameFile(other, file)) continue;
      *error = name + file + ": is the file of " + other_name + other;
      return false;
    }
  }
  std::string reason;
  if (!options->trace.empty() && !openremap::CanWriteInPlace(options->trace, &reason)) {
    *error = "--trace=" + options->trace + ": " + reason;
    return false;
  }
  return openremap::CanWriteReport(options->json, error);
}

leveldb::Status Run(const openremap::BenchOptions &options, openremap::BenchDevice *device, std::string *report) {
  openremap::BenchResult result;
  openremap::Progress progress;
  leveldb::Status s = openremap::RunBench(options, device, &progress, &result);
  *report = openremap::ReportJson(options, *device, result);
  return s;
}

leveldb::Status Check(const openremap::BenchOptions &options, openremap::BenchDevice *device, std::string *report) {
  openremap::CheckResult result;
  openremap::Progress progress;
  leveldb::Status s = openremap::RunCheck(options, device, &progress, &result);
  *report = openremap::CheckJson(options, result);
  return s;
}

int Say(const std::string &text) {
  const leveldb::Status written = openremap::WriteReport("-", text);
  return written.ok() ? kOk : Complain(written.ToString(), kFailed);
}

int Main(int argc, char **argv) {
  openremap::BenchOptions options;
  std::string error;
  switch (openremap::ParseBenchOptions(argc, argv, &options, &error)) {
    case openremap::ParseResult::kHelp:
      return Say(openremap::BenchUsage());
    case openremap::ParseResult::kDescribe:
      return Say(openremap::BenchDescription());
    case openremap::ParseResult::kError:
      return Complain(error, kBadOption);
    case openremap::ParseResult::kRun:
      break;
  }
  if (!Prepare(&options, &error)) return Complain(error, kBadOption);
  options.device.precondition_seed = options.seed;
  openremap::OpenFailure failure;
  std::unique_ptr<openremap::BenchDevice> device;
  openremap::Progress preconditioning;
  uint32_t round = 0;
  options.device.on_precondition = [&](const openremap::PreconditionStep &step) {
    if (step.round != round) {
      if (round != 0) preconditioning.End();
      round = step.round;
      preconditioning.Begin("precondition, round " + std::to_string(round), step.pages);
    }
    preconditioning.Done(step.done);
  };
  for (const bool trial : {true, false}) {
    if (trial && !options.device.MakesFiles()) continue;
    openremap::BenchDeviceOptions opened = options.device;
    opened.trial = trial;
    device = nullptr;  // the images have one user at a time
    device = openremap::OpenBenchDevice(opened, &failure);
    if (round != 0) preconditioning.End();
    if (device == nullptr) return Complain(failure.reason, failure.bad_option ? kBadOption : kFailed);
    if (!options.check && !openremap::Fits(options, device->FreeBytes(), &error)) return Complain(error, kBadOption);
  }

  std::string report;
  const leveldb::Status run =
      options.check ? Check(options, device.get(), &report) : Run(options, device.get(), &report);
  // A run that read something wrong still tells what it measured.
  if (run.ok() || run.IsCorruption()) {
    leveldb::Status written = openremap::WriteReport(options.json, report);
    if (!written.ok()) return Complain(written.ToString(), kFailed);
  }
  const leveldb::Status recorded = device->EndRecording();
  if (!recorded.ok()) return Complain(recorded.ToString(), kFailed);
  return run.ok() ? kOk : Complain(run.ToString(), kFailed);
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return Main(argc, argv);
  } catch (const std::bad_alloc &) {
    return Complain("not enough memory; less takes a smaller --num or --operations, or flash in files (--image-dir)",
                    kFailed);
  }
}
