// SPDX-License-Identifier: Apache-2.0
//
// ioreplay - replays traces of pages (pagefs/trace/page_trace.h) onto a simulated device, a disk or another FTL
// (docs/using/ioreplay.md).
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "command_line.h"
#include "gen/replay_options.h"
#include "hdd_target.h"
#include "hybrid_target.h"
#include "merged_trace.h"
#include "output.h"
#include "pcie_function.h"
#include "progress_line.h"
#include "replay.h"
#include "replay_device.h"
#include "replay_report.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr int kFailed = 1;

// An option that is a number, with its range, default and text.
template <typename T>
void AddNumber(CLI::App *app, const replaying::ReplayNumber<T> &number, T *value) {
  app->add_option(number.option, *value, number.text)
      ->check(CLI::Range(number.low, number.high))
      ->capture_default_str();
}

struct Options {
  std::vector<std::string> traces;
  std::string device = "model";
  std::string placement = "recorded";
  std::string deallocate = "on";
  std::string geometry;
  uint32_t superblocks = replaying::kSuperblocks.initial;
  uint32_t fill = replaying::kFill.initial;
  uint32_t over_provision = replaying::kOverProvisioning.initial;
  uint32_t handles = replaying::kPlacementHandles.initial;
  std::string image_dir;
  bool precondition = false;
  uint64_t seed = replaying::kSeed.initial;
  MergeOptions merge;
  HddCost hdd;
  HybridFtlOptions hybrid;
  ReplayOptions replay;
  std::vector<std::string> side;
  std::string json;
};

int Complain(const std::string &what, int code) {
  std::fprintf(stderr, "ioreplay: %s\n", what.c_str());
  return code;
}

// Writes the JSON to the file, or to standard output for "-".
void Write(const std::string &path, const std::string &json) {
  std::FILE *const file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  if (file == nullptr) throw std::runtime_error(path + ": " + std::strerror(errno));
  std::fputs(json.c_str(), file);
  orm::output::flush(file, path == "-" ? "standard output" : path);
  if (file != stdout) std::fclose(file);
}

int Run(const Options &o) {
  MergeOptions merge = o.merge;
  merge.deallocate = o.deallocate == "on";
  merge.placement = o.placement == "trace"  ? ReplayPlacement::kTrace
                    : o.placement == "none" ? ReplayPlacement::kNone
                                            : ReplayPlacement::kRecorded;
  ReplayOptions replay = o.replay;
  for (size_t kind = 0; kind < kPageKinds; kind++) {
    replay.side[kind] = std::find(o.side.begin(), o.side.end(), kPageKindNames[kind]) != o.side.end();
  }
  orm::ProgressLine progress;
  MergedTrace trace;
  Status s = trace.Open(o.traces, merge,
                        [&progress](uint64_t records) { progress.show("records checked", records, records); });
  progress.clear();
  if (s.ok() && !o.side.empty() && !trace.HasKinds()) {
    s = Status::InvalidArgument("--side", "a trace is of an earlier version, which does not tell kinds of files");
  }
  if (!s.ok()) return Complain(s.ToString(), s.IsInvalidArgument() ? orm::command_line::kWrongUse : kFailed);
  if (o.device == "hybrid" && trace.UsedPages() > HybridFtl::kMostPages) {
    return Complain("the traces use " + std::to_string(trace.UsedPages()) + " pages: the model has at most " +
                        std::to_string(HybridFtl::kMostPages),
                    orm::command_line::kWrongUse);
  }

  std::unique_ptr<ReplayDevice> device;
  std::unique_ptr<ReplayTarget> counting;
  ReplayTarget *target = nullptr;
  if (o.device == "hdd") {
    counting = std::make_unique<HddTarget>(o.hdd);
    target = counting.get();
  } else if (o.device == "hybrid") {
    HybridFtlOptions hybrid = o.hybrid;
    hybrid.pages = std::max<uint64_t>(1, trace.UsedPages());
    counting = std::make_unique<HybridTarget>(hybrid);
    target = counting.get();
  } else {
    ReplayDeviceOptions options;
    options.open.create = pcie_device_create;
    options.open.device.kind = o.device.c_str();
    options.open.device.geometry = o.geometry.empty() ? nullptr : o.geometry.c_str();
    options.open.device.superblocks = o.superblocks;
    options.open.device.over_provision_pct = o.over_provision;
    options.open.device.placement_handles = o.handles;
    options.open.device.image_dir = o.image_dir.empty() ? nullptr : o.image_dir.c_str();
    options.precondition = o.precondition;
    options.seed = o.seed;
    if (o.fill != 0) {
      const uint64_t pages = trace.UsedPages() * 100 / o.fill + (trace.UsedPages() * 100 % o.fill != 0 ? 1 : 0);
      s = SuperblocksFor(options, pages, &options.open.device.superblocks);
      if (!s.ok()) return Complain(s.ToString(), orm::command_line::kWrongUse);
    }
    options.progress = [&progress](uint32_t round, uint64_t done, uint64_t pages) {
      progress.show("pages of round " + std::to_string(round) + " of preconditioning", done, pages);
    };
    s = ReplayDevice::Open(options, &device);
    progress.clear();
    if (!s.ok()) return Complain(s.ToString(), s.IsInvalidArgument() ? orm::command_line::kWrongUse : kFailed);
    target = device->target();
  }

  s = trace.Begin(target->Pages(), target->Placements());
  if (s.IsInvalidArgument()) return Complain(s.ToString(), orm::command_line::kWrongUse);
  ReplayResult result;
  const uint64_t records = trace.Records();
  if (s.ok()) {
    s = Replay(
        &trace, target, replay,
        [&progress, records](uint64_t done) { progress.show("records", done, std::max(done, records)); }, &result);
  }
  progress.clear();
  if (!s.ok()) return Complain(s.ToString(), kFailed);
  const ReplayDescription description = {o.device, o.traces, trace.UsedPages(),
                                         device != nullptr ? device->rounds() : std::vector<double>()};
  if (o.json != "-") std::fputs(ReplayText(description, result).c_str(), stdout);
  if (!o.json.empty()) Write(o.json, ReplayJson(description, result));
  orm::output::flush();
  if (result.wrong_pages == 0) return 0;
  return Complain(std::to_string(result.wrong_pages) + " pages with wrong contents", kFailed);
}

}  // namespace
}  // namespace openremap

int main(int argc, char **argv) {
  openremap::Options o;
  CLI::App app(
      "Replays traces of pages, as db_bench --trace-pages writes them, and reports what they cost. Several traces are "
      "merged as if their writers shared the device. Exit code: 0; 1 for wrong contents, a damaged trace or a failing "
      "device; 2 for wrong use.",
      "ioreplay");
  // CLI::Range alone lets pass what is no number: it compares neither way.
  const CLI::Validator number(
      [](const std::string &text) { return std::isnan(std::strtod(text.c_str(), nullptr)) ? "not a number" : ""; }, "");
  const auto positive = CLI::Range(1e-6, 1e9) & number;
  app.add_option("TRACE", o.traces, "files of traces")->required();
  app.add_option("--device", o.device,
                 "model: the fast model; rtl: the Verilated controller; soc: that with a CPU that runs the firmware; "
                 "hdd: a disk that streams and seeks (a cost "
                 "model); hybrid: an FTL with a hybrid mapping after FASTer (a model that counts)")
      ->check(CLI::IsMember({"model", "rtl", "soc", "hdd", "hybrid"}))
      ->capture_default_str();
  openremap::AddNumber(&app, openremap::replaying::kChunk, &o.merge.chunk);
  openremap::AddNumber(&app, openremap::replaying::kSplit, &o.merge.split);
  openremap::AddNumber(&app, openremap::replaying::kWhole, &o.merge.whole);
  openremap::AddNumber(&app, openremap::replaying::kWindow, &o.replay.window_pages);
  app.add_option("--side", o.side,
                 "kinds of files that lie on a side device, which is not replayed, as a list: log, other (manifest, "
                 "CURRENT, info log), metadata (of the file system)")
      ->delimiter(',')
      ->check(CLI::IsMember({"log", "other", "metadata"}));
  app.add_option("--placement", o.placement, "placement handles: the recorded ones; one for each trace; none")
      ->check(CLI::IsMember({"recorded", "trace", "none"}))
      ->capture_default_str();
  app.add_option("--deallocate", o.deallocate, "off: Deallocate commands are left out")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--geometry", o.geometry, "flash of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]");
  openremap::AddNumber(&app, openremap::replaying::kSuperblocks, &o.superblocks);
  openremap::AddNumber(&app, openremap::replaying::kFill, &o.fill);
  openremap::AddNumber(&app, openremap::replaying::kOverProvisioning, &o.over_provision);
  openremap::AddNumber(&app, openremap::replaying::kPlacementHandles, &o.handles);
  app.add_option("--image-dir", o.image_dir,
                 "keep the flash and NVRAM images of the simulated device in this folder; images that are there, as "
                 "preconditioning leaves them, are used and changed");
  app.add_flag("--precondition", o.precondition,
               "bring the simulated device to a steady state first (SNIA PTS); what that costs is in no figure");
  openremap::AddNumber(&app, openremap::replaying::kSeed, &o.seed);
  app.add_option("--hdd-rate", o.hdd.megabytes_per_second, "hdd: MB/s (10^6 bytes) of a stream")
      ->check(positive)
      ->capture_default_str();
  app.add_option("--hdd-seek", o.hdd.seek_ms, "hdd: milliseconds of a discontinuity")
      ->check(CLI::Range(0.0, 1e9) & number)
      ->capture_default_str();
  openremap::AddNumber(&app, openremap::replaying::kHybridBlock, &o.hybrid.block_pages);
  openremap::AddNumber(&app, openremap::replaying::kHybridLog, &o.hybrid.log_percent);
  app.add_flag("!--no-read-back", o.replay.read_back, "do not read and compare all pages at the end");
  app.add_option("--json", o.json, "file for the results as JSON; -: standard output, instead of the text")
      ->check([](const std::string &path) { return path == "-" ? std::string() : orm::output::unwritable(path); });
  // What another target has is not ignored, and no input is overwritten.
  app.callback([&app, &o] {
    for (const std::string &trace : o.traces) {
      std::error_code error;  // of files that are not there
      if (std::filesystem::equivalent(trace, o.json, error))
        throw CLI::ValidationError("--json", o.json + ": is a trace");
    }
    if (app.count("--seed") != 0 && !o.precondition) throw CLI::ValidationError("--seed", "only with --precondition");
    if (o.fill != 0) {
      if (o.device != "model" || o.geometry.empty()) throw CLI::ValidationError("--fill", "needs a --geometry");
      for (const char *name : {"--superblocks", "--image-dir"}) {
        if (app.count(name) != 0) throw CLI::ValidationError(name, "not with --fill");
      }
    }
    if (o.device == "hdd" && app.count("--window") != 0) {
      throw CLI::ValidationError("--window", "not with --device hdd, which has no flash");
    }
    const bool simulated = o.device == "model" || o.device == "rtl" || o.device == "soc";
    for (const char *name : {"--geometry", "--superblocks", "--over-provisioning", "--placement-handles", "--image-dir",
                             "--precondition", "--seed"}) {
      if (!simulated && app.count(name) != 0) throw CLI::ValidationError(name, "only with --device model, rtl or soc");
    }
    for (const std::string target : {"hdd", "hybrid"}) {
      for (const CLI::Option *option : app.get_options()) {
        const bool of_target = option->get_name().rfind("--" + target + "-", 0) == 0;
        if (of_target && option->count() != 0 && o.device != target) {
          throw CLI::ValidationError(option->get_name(), "only with --device " + target);
        }
      }
    }
  });
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  try {
    return openremap::Run(o);
  } catch (const std::bad_alloc &) {
    return openremap::Complain("out of memory", openremap::kFailed);
  } catch (const std::exception &e) {
    return openremap::Complain(e.what(), openremap::kFailed);
  }
}
