// SPDX-License-Identifier: Apache-2.0
#include "bench/run/bench_program.h"

#include <cstdio>
#include <memory>
#include <new>
#include <utility>

#include "bench/files/output_file.h"
#include "bench/files/trace.h"
#include "bench/options/parse_options.h"
#include "bench/report.h"
#include "bench/run/bench_check.h"

namespace openremap {

using leveldb::Status;

namespace {

const std::string kOutput = "/dev/stdout";  // what --json=- is beside other files

// All that can be wrong with the files that options name, found out before anything runs; if so, *error is one line.
bool Prepare(BenchOptions *options, std::string *error) {
  if (!options->replay.empty()) {
    Status read;
    const auto trace = TraceReader::Open(options->replay, &read);
    if (trace == nullptr) {
      *error = "--replay=" + options->replay + ": " + read.ToString();
      return false;
    }
    trace->Apply(options);
    if (!CheckBenchOptions(*options, error)) return false;
  }
  const std::pair<std::string, std::string> files[] = {{"--json=", options->json == "-" ? kOutput : options->json},
                                                       {"--trace=", options->trace},
                                                       {"--replay=", options->replay},
                                                       {"--record-file=", options->device.record_file},
                                                       {"--trace-pages=", options->device.page_trace_file},
                                                       {"--trace-file=", options->device.trace_file}};
  for (const auto &[name, file] : files) {
    if (!options->device.image_dir.empty() && !file.empty() && file != kOutput &&
        LiesIn(options->device.image_dir, file)) {
      *error = name + file + ": lies in --image-dir=" + options->device.image_dir;
      return false;
    }
    for (const auto &[other_name, other] : files) {
      if (name == other_name) break;
      if (file.empty() || other.empty() || !IsSameFile(other, file)) continue;
      *error = name + file + ": is the file of " + other_name + other;
      return false;
    }
  }
  std::string reason;
  if (!options->trace.empty() && !CanWriteInPlace(options->trace, &reason)) {
    *error = "--trace=" + options->trace + ": " + reason;
    return false;
  }
  return CanWriteReport(options->json, error);
}

Status Run(const BenchProgram &program, const BenchOptions &options, BenchDevice *device, std::string *report,
           bool *full) {
  BenchResult result;
  Progress progress;
  Status s = program.run(options, device, &progress, &result);
  *report = ReportJson(options, *device, result, program.members ? program.members() : "");
  *full = result.full;
  return s;
}

Status Check(const BenchOptions &options, BenchDevice *device, std::string *report) {
  CheckResult result;
  Progress progress;
  Status s = RunCheck(options, device, &progress, &result);
  *report = CheckJson(options, result);
  return s;
}

int RunOptions(const BenchProgram &program, BenchOptions options) {
  const auto complain = [&program](const std::string &reason, int code) {
    return BenchComplain(program.name, reason, code);
  };
  std::string error;
  if (!Prepare(&options, &error)) return complain(error, kBenchBadOption);
  options.device.precondition_seed = options.seed;
  OpenFailure failure;
  std::unique_ptr<BenchDevice> device;
  Progress preconditioning;
  uint32_t round = 0;
  options.device.on_precondition = [&](const PreconditionStep &step) {
    if (step.round != round) {
      if (round != 0) preconditioning.End();
      round = step.round;
      preconditioning.Begin("precondition, round " + std::to_string(round), step.pages);
    }
    preconditioning.Done(step.done);
  };
  for (const bool trial : {true, false}) {
    if (trial && !options.device.MakesFiles()) continue;
    BenchDeviceOptions opened = options.device;
    opened.trial = trial;
    device = nullptr;  // the images have one user at a time
    device = OpenBenchDevice(opened, &failure);
    if (round != 0) preconditioning.End();
    if (device == nullptr) return complain(failure.reason, failure.bad_option ? kBenchBadOption : kBenchFailed);
    if (!options.check && !program.fits(options, device->FreeBytes(), &error)) return complain(error, kBenchBadOption);
  }

  std::string report;
  bool full = false;
  const Status run =
      options.check ? Check(options, device.get(), &report) : Run(program, options, device.get(), &report, &full);
  // A run that read something wrong, or had no space left, still tells what it measured.
  if (run.ok() || run.IsCorruption() || full) {
    Status written = WriteReport(options.json, report);
    if (!written.ok()) return complain(written.ToString(), kBenchFailed);
  }
  const Status recorded = device->EndRecording();
  if (!recorded.ok()) return complain(recorded.ToString(), kBenchFailed);
  return run.ok() ? kBenchOk : complain(run.ToString(), full ? kBenchFull : kBenchFailed);
}

}  // namespace

int BenchComplain(const std::string &name, const std::string &reason, int code) {
  std::fprintf(stderr, "%s: %s\n", name.c_str(), reason.c_str());
  return code;
}

int BenchSay(const std::string &name, const std::string &text) {
  const Status written = WriteReport("-", text);
  return written.ok() ? kBenchOk : BenchComplain(name, written.ToString(), kBenchFailed);
}

int RunBenchProgram(const BenchProgram &program, BenchOptions options) {
  try {
    return RunOptions(program, std::move(options));
  } catch (const std::bad_alloc &) {
    return BenchComplain(
        program.name, "not enough memory; less takes a smaller --num or --operations, or flash in files (--image-dir)",
        kBenchFailed);
  }
}

}  // namespace openremap
