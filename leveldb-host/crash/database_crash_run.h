// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_CRASH_DATABASE_CRASH_RUN_H_
#define OPENREMAP_LEVELDB_HOST_CRASH_DATABASE_CRASH_RUN_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cut_device.h"
#include "db_oracle.h"
#include "pagefs/fs/page_fs_env.h"
#include "seeded_random.h"

namespace openremap {

struct CrashOptions {
  std::string device = "model";  // or "rtl", "soc"
  uint64_t seed = 1;             // determines the device, its size, the database's options, the writes and the cuts
  uint64_t cuts = 40;            // number of power cuts after which the run ends
  // Defects for the tests: a device in place of the real one; writes that are not synced although they should be.
  CutDevice::Wrap wrap;
  bool forget_sync = false;
};

// The activity that a power cut interrupts. kWork: flushes and compactions.
enum class CrashStage : uint8_t { kStart, kMount, kOpen, kVerify, kWrite, kWork, kClose };
constexpr size_t kCrashStages = 7;

// What every run counts.
struct CrashCounts {
  std::string wrong;  // the violation; empty: none
  uint64_t cuts = 0;
  std::array<uint64_t, kCrashStages> cuts_in{};  // by CrashStage
  uint64_t writes = 0;                           // acknowledged
  uint64_t synced = 0;                           // of these, synced by themselves
  uint64_t gc_moved_pages = 0;                   // pages moved by GC, according to the last reading

  CrashCounts &operator+=(const CrashCounts &other);
  // "device start 3, mount 1, ...".
  std::string CutsByStage() const;
};

// How a call of a database ended, of whatever type its status is.
struct Outcome {
  template <class Status>
  Outcome(const Status &s) : ok(s.ok()), not_found(s.IsNotFound()), text(ok ? "" : s.ToString()) {}  // NOLINT

  bool ok, not_found;
  std::string text;  // of an error
};

// One run: one database on PageFS on one new device, in sessions between power cuts. The load is writes of one change
// or several, some of them synced, and reads. Power is cut at flash or NVRAM events that the seed determines: while the
// device starts, at the mount, and while the database is opened, read, written, compacted or closed. After each cut,
// checks the file system, opens the database, compares it with the oracle, and continues the load. The same options
// give the same run.
//
// A derived class has the database, and calls Close() in its destructor.
class CrashRun {
 public:
  CrashRun(const CrashRun &) = delete;
  CrashRun &operator=(const CrashRun &) = delete;
  virtual ~CrashRun() = default;

  // Until options.cuts cuts, or a violation.
  void Run();

 protected:
  // Keys of the load: half of the writes and reads go to `hot` ones side by side, others in each session.
  struct Keys {
    uint64_t all, hot;
  };
  struct Device {
    bool units = false;  // as of CutDevice
    PageFsOptions mount;
  };

  // Both outlive this. Throws std::runtime_error if the device cannot be created.
  CrashRun(const CrashOptions &options, Keys keys, CrashCounts *counts, const Device &device);

  // --- the database

  // On page_env(). It is open, or there is nothing to close but what DropDatabase() closes.
  virtual Outcome OpenDatabase() = 0;
  virtual void DropDatabase() = 0;
  // All that it holds, by the oracle's keys.
  virtual Outcome ReadAll(DbOracle::State *found) = 0;
  // One key of its choice.
  virtual Outcome ReadKey(std::string *oracle_key, std::string *value) = 0;
  // One more change, of the batch that WriteBatch() writes and empties.
  virtual void AddChange(DbOracle::Changes *changes) = 0;
  virtual Outcome WriteBatch(bool sync) = 0;
  // Flushes and compactions that are due, on this thread.
  virtual void RunPending() = 0;

  // What some databases have more: an activity of a session, now and then (none: not this time; false: it failed); what
  // follows a write, before RunPending() (false: it failed); a cut.
  virtual std::optional<bool> DoAnother() { return std::nullopt; }
  virtual bool AfterWrite() { return true; }
  virtual void NoteCutOfDatabase() {}
  // Whether a write may fail so, with power there: the session ends, and the device is switched off and on.
  virtual bool MayEnd(const Outcome &written) { return (void)written, false; }

  // --- for it

  // What fails while power is gone need not be right, so it is no violation.
  void Wrong(const std::string &what);
  // Whether it went well and power is there. An error is a violation.
  bool Good(const std::string &what, const Outcome &outcome);
  void Close();
  void Work();
  void set_stage(CrashStage stage) { stage_ = stage; }

  uint64_t KeyNumber() { return random_.coin() ? hot_ + random_.below(keys_.hot) : random_.below(keys_.all); }
  // Of at least `size` bytes; no two are equal.
  std::string NewValue(uint64_t size);

  orm::SeededRandom &random() { return random_; }
  CutDevice &device() { return device_; }
  DbOracle &oracle() { return oracle_; }
  PageFsEnv *page_env() const { return page_env_.get(); }

 private:
  bool Fine() const { return counts_->wrong.empty(); }
  bool Runs() const { return Fine() && device_.Powered(); }
  void Session();
  bool Open();
  bool Verify();
  bool Write();
  void ReadOne();
  bool Reopen();
  void CutAndStart();
  void NoteCut();
  void End();

  const CrashOptions &options_;
  const Keys keys_;
  CrashCounts *const counts_;
  orm::SeededRandom random_;
  CutDevice device_;
  const PageFsOptions mount_;
  std::unique_ptr<PageFsEnv> page_env_;
  DbOracle oracle_;
  CrashStage stage_ = CrashStage::kMount;
  uint64_t hot_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_DATABASE_CRASH_RUN_H_
