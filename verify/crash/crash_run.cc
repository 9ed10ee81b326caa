// SPDX-License-Identifier: Apache-2.0
#include "crash/crash_run.h"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "crash/invariants.h"
#include "crash/oracle.h"
#include "crash/summaries.h"
#include "lockstep/lockstep_ssd.h"
#include "orm_nvme.h"
#include "pcie_debug.h"
#include "pcie_function.h"
#include "temp_dir.h"

namespace orm::crash {
namespace {

using lockstep::Command;

constexpr uint64_t kParts = 1'000'000;  // separates the seeds of a long write's parts from others
constexpr uint64_t kReadPages = 32;     // pages of a read command when all pages are checked

/// The driver splits a long write into several commands, each of which is answered or refused separately. `ends` are
/// the command counts up to the end of each write.
std::vector<Command> split(const std::vector<Command> &commands, uint64_t most, std::vector<size_t> *ends) {
  std::vector<Command> all;
  for (const Command &c : commands) {
    const bool write = c.kind == lockstep::Kind::kWrite;
    if (!write || c.pages <= most) {
      all.push_back(c);
      ends->push_back(all.size());
      continue;
    }
    for (uint64_t done = 0; done < c.pages; done += most) {
      Command part = c;
      part.lpn += done;
      part.pages = std::min(most, c.pages - done);
      part.value = c.value * kParts + done / most;
      all.push_back(part);
    }
    ends->push_back(all.size());
  }
  return all;
}

/// They point into `o`.
openremap_options options_of(const RunOptions &o) {
  openremap_options options{};
  options.device.kind = o.kind;
  options.device.superblocks = o.device.superblocks;
  options.device.placement_handles = std::min(o.device.superblocks / 4, 4u);
  options.device.remap_segments = o.device.segments;
  options.device.seed = o.device.seed;
  options.device.trace_file = o.trace_file;
  if (!o.device.faults.empty()) options.device.nand_faults = o.device.faults.c_str();
  if (o.device.wide) options.device.geometry = PCIE_WIDE_GEOMETRY;
  if (!o.device.geometry.empty()) options.device.geometry = o.device.geometry.c_str();
  if (!o.device.cache.empty()) options.device.cache = o.device.cache.c_str();
  if (!o.device.firmware.empty()) options.device.firmware = o.device.firmware.c_str();
  options.create = pcie_device_create;
  return options;
}

class Run {
 public:
  Run(const std::vector<Command> &commands, const RunOptions &o) : o_(o), plan_{o.sessions, o.stores} {
    openremap_options options = options_of(o_);
    if (std::string(o.kind) == "soc") prepare(&options);
    dev_ = lockstep::open_device(options, o_.kind);
    commands_ = split(commands, openremap_get_info(dev_)->max_transfer_pages, &ends_);
  }
  ~Run() { (void)!openremap_close(dev_); }
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

  RunResult all() {
    Oracle oracle(openremap_get_info(dev_)->pages);
    result_.pages = oracle.pages();
    start_ = count();
    arm();
    while (at_ < commands_.size()) {
      if (result_.sessions == 0 && o_.before) ask();
      const Command &c = commands_[at_];
      result_.at = lockstep::to_line(c);
      const lockstep::Outcome outcome = lockstep::execute(dev_, c);
      if (!powered()) {
        if (result_.sessions++ == 0) result_.events = since_start();
        oracle.cut_during(c);
        if (!recover(&oracle, plan_.sessions.at(result_.sessions - 1))) return result_;
        arm();
        continue;  // repeat the same command
      }
      if (worn_out(outcome)) return result_;
      const std::string what = oracle.answered(c, outcome);
      if (!what.empty()) {
        wrong((result_.sessions == 0 ? "" : "after the recovery, in " + result_.at + ": ") + what);
        return result_;
      }
      if (result_.sessions == 0) {
        result_.snapshots += outcome.snapshot ? 1 : 0;
        tell(since_start());
      }
      ++at_;
    }
    cut_before(0);
    if (result_.sessions == 0) {
      result_.events = since_start();
      result_.stores = count().stores - start_.stores;
      if (openremap_get_stats(dev_, &result_.log) != 0) wrong("the device's counters cannot be read");
    }
    finish(&oracle);
    return result_;
  }

 private:
  /// A CPU in RTL takes long to format a device, which no cut is in. So the rtl does it, and changes to its image are
  /// in memory.
  void prepare(openremap_options *options) {
    lockstep::check_options(options->device);
    options->device.image_dir = image_.emplace().path.c_str();
    openremap_options first = *options;
    first.device.kind = "rtl";
    first.device.trace_file = nullptr;
    first.device.serial = "CRASH";
    (void)!openremap_close(lockstep::open_device(first, o_.kind));
    options->device.images_unchanged = 1;
  }

  pcie_function *function() const { return openremap_pcie_function(dev_); }
  Count count() const { return {pcie_device_media_events(function()), pcie_device_cpu_stores(function())}; }
  /// Those that the plan counts.
  uint64_t events() const { return plan_.stores ? count().stores : count().events; }
  uint64_t since_start() const { return events() - (plan_.stores ? start_.stores : start_.events); }
  /// Power goes instead of this event from now on; 0: it stays.
  void cut_before(uint64_t event) const {
    if (!plan_.stores)
      pcie_device_cut_before(function(), event);
    else if (pcie_device_cut_before_store(function(), event) != 0)
      throw lockstep::NoDevice(std::string(o_.kind) + ": has no CPU whose stores could be cut", true);
  }
  bool powered() const {
    uint64_t ignored = 0;
    return function()->ops->bar0_read(function(), 0, 4, &ignored) != -ENODEV;
  }

  void tell(uint64_t events) const {
    const auto end = std::lower_bound(ends_.begin(), ends_.end(), at_ + 1);
    if (o_.after && *end == at_ + 1) o_.after(size_t(end - ends_.begin()), events, dev_);
  }

  /// The parts that were carried out are unknown, so the oracle learns nothing.
  bool worn_out(const lockstep::Outcome &outcome) {
    const auto &s = outcome.statuses;
    if (o_.device.faults.empty() || std::count(s.begin(), s.end(), NVME_STATUS_WRITE_PROTECTED) == 0) return false;
    cut_before(0);  // the log tells why, and power must not go before it has
    const uint64_t before = count().events;
    orm_remap_log log{};
    const bool told = openremap_get_stats(dev_, &log) == 0;
    result_.worn_events = count().events - before;
    if (!told || log.read_only != ORM_READ_ONLY_WORN) {
      cut_before(cut_at_ == 0 ? 0 : std::max<uint64_t>(cut_at_, events() + 1) - events());
      return false;
    }
    result_.worn_out = true;
    note_bad();
    return true;
  }

  void note_bad() {
    uint8_t raw[512];
    nvme_ocp_smart_log log{};
    if (openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_OCP_SMART, 0, raw, sizeof raw) != 0) return;
    nvme_ocp_smart_log_unpack(&log, raw);
    result_.bad = log.bad_user_blocks;
  }

  const std::string &wrong(const std::string &what) {
    if (result_.wrong.empty()) result_.wrong = what;
    return result_.wrong;
  }

  /// Sets the first cut of the next session, of whose events `done` have been.
  void arm(uint64_t done = 0) {
    const Sessions &all = plan_.sessions;
    const bool any = result_.sessions < all.size() && !all[result_.sessions].empty();
    const uint64_t after = any ? all[result_.sessions].front() - done : 0;
    cut_at_ = any ? events() + after : 0;
    cut_before(after);
  }

  void ask() {
    const Count now = count();
    std::optional<Plan> plan = o_.before({now.events - start_.events, now.stores - start_.stores});
    if (!plan) return;
    plan_ = std::move(*plan);
    arm(since_start());
  }

  /// Restores the power, which may go again while the device starts.
  bool recover(Oracle *oracle, const Cuts &cuts) {
    for (size_t done = 1;; ++done) {
      ++result_.cuts;
      const uint64_t before = events();
      const bool again = done < cuts.size();
      if (again) cut_before(cuts[done]);
      const int rc = openremap_power_cycle(dev_);
      if (result_.sessions == 1) result_.starts.push_back(events() - before);
      if (rc == 0) break;
      if (!again || powered()) {
        wrong("after a power cut the device does not start: " + std::to_string(rc));
        return false;
      }
    }
    cut_before(0);
    std::vector<Digest> found;
    if (!read_all(oracle->pages(), &found)) return false;
    return wrong(oracle->recovered(found)).empty() && tables_are_right("after the recovery");
  }

  /// Compares the tables of a device with an empty write cache, after its background work has ended.
  bool tables_are_right(const char *when) {
    if (!lockstep::rest(dev_)) {
      wrong(std::string(when) + " the device does not come to rest");
      return false;
    }
    try {
      const Tables tables = read_tables(function());
      result_.summaries = summaries(tables);
      const std::vector<std::string> broken = broken_invariants(tables);
      if (broken.empty()) return true;
      const std::string more = broken.size() == 1 ? "" : " (the first of " + std::to_string(broken.size()) + ")";
      wrong(std::string(when) + ", " + broken.front() + more);
    } catch (const std::runtime_error &e) {
      wrong(std::string(when) + " the tables cannot be read: " + e.what());
    }
    return false;
  }

  void finish(Oracle *oracle) {
    std::vector<Digest> found;
    if (!wrong("").empty() || !read_all(oracle->pages(), &found) || !wrong(oracle->holds(found)).empty()) return;
    if (!o_.last_start) {
      note_bad();
      return;
    }
    Command flush;
    flush.kind = lockstep::Kind::kPowerCycle;
    const lockstep::Outcome outcome = lockstep::execute(dev_, flush);
    if (outcome.statuses.back() != 0) {
      wrong("flush and power cycle at the end: " + std::to_string(outcome.statuses.back()));
    } else if (read_all(oracle->pages(), &found)) {
      const std::string what = oracle->holds(found);
      if (!what.empty()) wrong("after the power cycle at the end: " + what);
      if (what.empty()) tables_are_right("after the power cycle at the end");
    }
    note_bad();
  }

  bool read_all(uint64_t pages, std::vector<Digest> *found) {
    found->clear();
    std::vector<uint8_t> data(kReadPages * OPENREMAP_PAGE_BYTES);
    for (uint64_t lpn = 0; lpn < pages; lpn += kReadPages) {
      const uint64_t n = std::min(kReadPages, pages - lpn);
      const int rc = openremap_read(dev_, lpn, n, data.data());
      if (rc != 0) {
        wrong("LPNs " + std::to_string(lpn) + " to " + std::to_string(lpn + n - 1) +
              " cannot be read: " + std::to_string(rc));
        return false;
      }
      for (uint64_t i = 0; i < n; ++i) found->push_back(digest(data.data() + i * OPENREMAP_PAGE_BYTES));
    }
    return true;
  }

  const RunOptions o_;
  Plan plan_;
  Count start_;          // of the first command
  uint64_t cut_at_ = 0;  // events() at the next cut of the commands; 0: there is none
  std::vector<Command> commands_;
  std::vector<size_t> ends_;      // of the given commands
  std::optional<TempDir> image_;  // of a device that another kind has formatted
  openremap_device *dev_ = nullptr;
  size_t at_ = 0;
  RunResult result_;
};

}  // namespace

std::string to_text(const Sessions &sessions) {
  std::string text;
  for (const Cuts &cuts : sessions) {
    if (!text.empty()) text += "/";
    for (size_t i = 0; i < cuts.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(cuts[i]);
  }
  return text;
}

Sessions parse_sessions(const std::string &text) {
  Sessions sessions{{}};
  std::string number;
  for (const char c : text + "/") {
    if (c >= '0' && c <= '9') {
      number += c;
      continue;
    }
    const bool good = (c == ',' || c == '/') && !number.empty() && number.size() < 19 && std::stoull(number) != 0;
    if (!good) throw std::invalid_argument("'" + text + "' is not like 720,112/300: numbers of events, from 1 on");
    sessions.back().push_back(std::stoull(number));
    number.clear();
    if (c == '/') sessions.emplace_back();
  }
  sessions.pop_back();
  return sessions;
}

void check(const RunOptions &options) { lockstep::check_options(options_of(options).device); }

RunResult run(const std::vector<Command> &commands, const RunOptions &options) {
  std::optional<Run> made;
  try {
    made.emplace(commands, options);
  } catch (const lockstep::WornFromNew &) {
    RunResult result;
    result.worn_out = true;
    return result;
  }
  return made->all();
}

}  // namespace orm::crash
