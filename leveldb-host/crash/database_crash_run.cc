// SPDX-License-Identifier: Apache-2.0
#include "database_crash_run.h"

#include <utility>

#include "pagefs/check/page_fs_check.h"

namespace openremap {
namespace {

constexpr uint64_t kSessionWrites = 50000;  // power goes long before
// Longest wait for a cut, as a power of two of events. A cut during start-up comes earlier.
constexpr uint64_t kEventBits = 14;
constexpr uint64_t kStartEventBits = 9;

constexpr std::array<const char *, kCrashStages> kStageNames = {
    "device start", "mount", "opening", "reading", "writing", "flush and compaction", "closing"};

}  // namespace

CrashCounts &CrashCounts::operator+=(const CrashCounts &other) {
  if (wrong.empty()) wrong = other.wrong;
  cuts += other.cuts;
  for (size_t i = 0; i < kCrashStages; i++) cuts_in.at(i) += other.cuts_in.at(i);
  writes += other.writes;
  synced += other.synced;
  gc_moved_pages += other.gc_moved_pages;
  return *this;
}

std::string CrashCounts::CutsByStage() const {
  std::string text;
  for (size_t i = 0; i < kCrashStages; i++) {
    text += (i == 0 ? "" : ", ") + std::string(kStageNames.at(i)) + " " + std::to_string(cuts_in.at(i));
  }
  return text;
}

CrashRun::CrashRun(const CrashOptions &options, Keys keys, CrashCounts *counts, const Device &device)
    : options_(options),
      keys_(keys),
      counts_(counts),
      random_(options.seed),
      device_(options.device, options.seed, options.wrap, &random_, device.units),
      mount_(device.mount) {}

void CrashRun::Run() {
  while (counts_->cuts < options_.cuts && Fine()) {
    device_.CutWithin(kEventBits);
    Session();
    if (Fine()) CutAndStart();
  }
  if (Fine()) End();
  counts_->gc_moved_pages = device_.gc_moved_pages();
}

void CrashRun::Wrong(const std::string &what) {
  if (Runs()) counts_->wrong = std::string(kStageNames.at(static_cast<size_t>(stage_))) + ": " + what;
}

bool CrashRun::Good(const std::string &what, const Outcome &outcome) {
  if (!outcome.ok) Wrong(what + ": " + outcome.text);
  return outcome.ok && Runs();
}

// Until power goes.
void CrashRun::Session() {
  if (!Open()) return;
  hot_ = random_.below(keys_.all - keys_.hot);
  for (uint64_t n = 0; Runs(); n++) {
    if (n == kSessionWrites) {
      Wrong("power does not go");
    } else if (random_.below(500) == 0) {
      if (!Reopen()) return;
    } else if (const std::optional<bool> done = DoAnother()) {
      if (!*done) return;
    } else if (random_.below(4) == 0) {
      ReadOne();
    } else if (!Write()) {
      return;
    }
  }
}

// Mounts, opens, compares everything. False: power has gone, or something is wrong.
bool CrashRun::Open() {
  stage_ = CrashStage::kMount;
  const PageFsCheck check = CheckPageFs(device_.pages());
  if (!check.findings.empty()) Wrong("file system: " + check.findings.front());
  if (!Runs()) return false;
  std::unique_ptr<PageFs> fs;
  if (!Good("mount", PageFs::Open(device_.pages(), &fs, mount_))) return false;
  const uint64_t free_pages = fs->GetStats().free_pages;
  if (check.formatted && check.free_pages != free_pages) {
    Wrong("the file system counts " + std::to_string(free_pages) + " free pages, its check " +
          std::to_string(check.free_pages));
  }
  page_env_ = std::make_unique<PageFsEnv>(std::move(fs));
  stage_ = CrashStage::kOpen;
  if (!Good("opening the database, which repair is not to be needed for", OpenDatabase())) return false;
  stage_ = CrashStage::kVerify;
  if (!Verify()) return false;
  Work();
  return Runs();
}

bool CrashRun::Verify() {
  DbOracle::State found;
  if (!Good("reading all keys", ReadAll(&found))) return false;
  const std::string wrong = oracle_.Recovered(found);
  if (!wrong.empty()) Wrong(wrong);
  return Fine();
}

void CrashRun::Work() {
  stage_ = CrashStage::kWork;
  RunPending();
}

std::string CrashRun::NewValue(uint64_t size) {
  std::string value = std::to_string(counts_->writes) + "." + std::to_string(random_.next()) + ".";
  while (value.size() < size) {
    const uint64_t more = random_.next();
    value.append(reinterpret_cast<const char *>(&more), sizeof(more));
  }
  return value;
}

bool CrashRun::Write() {
  stage_ = CrashStage::kWrite;
  DbOracle::Changes changes;
  const uint64_t entries = random_.below(6) == 0 ? 2 + random_.below(6) : 1;
  for (uint64_t i = 0; i < entries; i++) AddChange(&changes);
  const bool sync = random_.below(6) == 0;
  oracle_.Begin(changes);
  const Outcome written = WriteBatch(sync && !options_.forget_sync);
  if (!written.ok) {
    if (!MayEnd(written)) Wrong("write: " + written.text);
    return false;
  }
  oracle_.Acknowledged(sync);
  counts_->writes++;
  if (sync) counts_->synced++;
  if (!AfterWrite()) return false;
  Work();
  if (counts_->writes % 32 == 0) device_.Sample();
  return true;
}

void CrashRun::ReadOne() {
  stage_ = CrashStage::kVerify;
  std::string key, value;
  const Outcome read = ReadKey(&key, &value);
  const auto expected = oracle_.Now().find(key);
  if (!read.ok && !read.not_found) {
    Wrong("read: " + read.text);
  } else if (read.ok != (expected != oracle_.Now().end()) || (read.ok && value != expected->second)) {
    Wrong("key " + key + " does not read as it was written");
  }
  Work();
}

// Ends everything in order. Then the file system must be marked so, and no write is lost.
bool CrashRun::Reopen() {
  Close();
  if (!device_.Powered()) return false;
  oracle_.Closed();
  const PageFsCheck check = CheckPageFs(device_.pages());
  if (!check.findings.empty()) Wrong("file system: " + check.findings.front());
  if (!check.clean) Wrong("file system: not marked as ended in order");
  return Runs() && Open();
}

void CrashRun::Close() {
  if (page_env_ == nullptr) return;
  stage_ = CrashStage::kClose;
  DropDatabase();
  page_env_.reset();
}

// Power has gone: what ran ends without it, then the device starts; now and then power goes meanwhile.
void CrashRun::CutAndStart() {
  NoteCut();
  Close();
  stage_ = CrashStage::kStart;
  const int rc = device_.Start(
      kStartEventBits, [this] { return counts_->cuts < options_.cuts; }, [this] { NoteCut(); });
  if (rc != 0) Wrong("the device does not start: " + std::to_string(rc));
}

void CrashRun::NoteCut() {
  counts_->cuts++;
  counts_->cuts_in.at(static_cast<size_t>(stage_))++;
  NoteCutOfDatabase();
}

// Without cuts: the last recovery, and once more after everything was closed in order.
void CrashRun::End() {
  device_.CutBefore(0);
  if (Open() && Reopen()) Close();
}

}  // namespace openremap
