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
#include "device_target.h"
#include "hdd_target.h"
#include "hybrid_target.h"
#include "merged_trace.h"
#include "output.h"
#include "pcie_function.h"
#include "progress_line.h"
#include "replay.h"
#include "replay_report.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr int kFailed = 1;

struct Options {
  std::vector<std::string> traces;
  std::string device = "model";
  std::string placement = "recorded";
  std::string deallocate = "on";
  std::string geometry;
  uint32_t superblocks = 0;
  uint32_t over_provision = 0;
  uint32_t handles = 0;
  MergeOptions merge;
  HddCost hdd;
  HybridFtlOptions hybrid;
  bool read_back = true;
  std::string json;
};

struct DeviceCloser {
  void operator()(openremap_device *device) const { openremap_close(device); }
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
  orm::ProgressLine progress;
  MergedTrace trace;
  Status s = trace.Open(o.traces, merge,
                        [&progress](uint64_t records) { progress.show("records checked", records, records); });
  progress.clear();
  if (!s.ok()) return Complain(s.ToString(), kFailed);
  if (o.device == "hybrid" && trace.UsedPages() > HybridFtl::kMostPages) {
    return Complain("the traces use " + std::to_string(trace.UsedPages()) + " pages: the model has at most " +
                        std::to_string(HybridFtl::kMostPages),
                    orm::command_line::kWrongUse);
  }

  std::unique_ptr<openremap_device, DeviceCloser> device;
  std::unique_ptr<ReplayTarget> target;
  if (o.device == "hdd") {
    target = std::make_unique<HddTarget>(o.hdd);
  } else if (o.device == "hybrid") {
    HybridFtlOptions hybrid = o.hybrid;
    hybrid.pages = std::max<uint64_t>(1, trace.UsedPages());
    target = std::make_unique<HybridTarget>(hybrid);
  } else {
    openremap_options open{};
    open.create = pcie_device_create;
    open.device.kind = o.device.c_str();
    open.device.geometry = o.geometry.empty() ? nullptr : o.geometry.c_str();
    open.device.superblocks = o.superblocks;
    open.device.over_provision_pct = o.over_provision;
    open.device.placement_handles = o.handles;
    openremap_device *opened = nullptr;
    char error[256] = "";
    const int rc = openremap_open(&open, &opened, error, sizeof(error));
    if (rc != 0) return Complain(error, rc == -EINVAL ? orm::command_line::kWrongUse : kFailed);
    device.reset(opened);
    target = std::make_unique<DeviceTarget>(opened);
  }

  s = trace.Begin(target->Pages(), target->Placements());
  if (s.IsInvalidArgument()) return Complain(s.ToString(), orm::command_line::kWrongUse);
  ReplayResult result;
  const uint64_t records = trace.Records();
  if (s.ok()) {
    s = Replay(
        &trace, target.get(), o.read_back,
        [&progress, records](uint64_t done) { progress.show("records", done, std::max(done, records)); }, &result);
  }
  progress.clear();
  if (!s.ok()) return Complain(s.ToString(), kFailed);
  const ReplayDescription description = {o.device, o.traces, trace.UsedPages()};
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
  app.add_option("--chunk", o.merge.chunk, "records of a trace before it is the next one's turn")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--split", o.merge.split, "pages: longer records are cut before they are merged; 0: none are")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--placement", o.placement, "placement handles: the recorded ones; one for each trace; none")
      ->check(CLI::IsMember({"recorded", "trace", "none"}))
      ->capture_default_str();
  app.add_option("--deallocate", o.deallocate, "off: Deallocate commands are left out")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--geometry", o.geometry, "flash of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]");
  app.add_option("--superblocks", o.superblocks, "superblocks of the simulated flash in use; 0: all")
      ->check(CLI::Range(0u, UINT32_MAX))
      ->capture_default_str();
  app.add_option("--over-provisioning", o.over_provision,
                 "percentage of the usable flash that the namespace does not offer; 0: the device's default")
      ->check(CLI::Range(0u, 99u))
      ->capture_default_str();
  app.add_option("--placement-handles", o.handles, "placement handles of the namespace; 0: as many as cost it nothing")
      ->check(CLI::Range(0u, 128u))
      ->capture_default_str();
  app.add_option("--hdd-rate", o.hdd.megabytes_per_second, "hdd: MB/s (10^6 bytes) of a stream")
      ->check(positive)
      ->capture_default_str();
  app.add_option("--hdd-seek", o.hdd.seek_ms, "hdd: milliseconds of a discontinuity")
      ->check(CLI::Range(0.0, 1e9) & number)
      ->capture_default_str();
  app.add_option("--hybrid-block", o.hybrid.block_pages, "hybrid: pages of a flash block")
      ->check(CLI::Range(1u, 1u << 20))
      ->capture_default_str();
  app.add_option("--hybrid-log", o.hybrid.log_percent, "hybrid: log blocks, in percent of the logical blocks")
      ->check(CLI::Range(0u, 1000u))
      ->capture_default_str();
  app.add_flag("!--no-read-back", o.read_back, "do not read and compare all pages at the end");
  app.add_option("--json", o.json, "file for the results as JSON; -: standard output, instead of the text")
      ->check([](const std::string &path) { return path == "-" ? std::string() : orm::output::unwritable(path); });
  // What another target has is not ignored, and no input is overwritten.
  app.callback([&app, &o] {
    for (const std::string &trace : o.traces) {
      std::error_code error;  // of files that are not there
      if (std::filesystem::equivalent(trace, o.json, error))
        throw CLI::ValidationError("--json", o.json + ": is a trace");
    }
    const bool simulated = o.device == "model" || o.device == "rtl" || o.device == "soc";
    for (const char *name : {"--geometry", "--superblocks", "--over-provisioning", "--placement-handles"}) {
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
