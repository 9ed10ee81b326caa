// SPDX-License-Identifier: Apache-2.0
//
// A device in memory that shares pages, refuses remaps on request, and can lose its power at any write. It is as unkind
// as a volatile write cache may be: what was not flushed has reached flash or not, page by page, as a seed decides; and
// the pages of one command, durable ones too, reach flash in any order, so a cut in the middle leaves any part of them.
#ifndef OPENREMAP_PAGEFS_TESTS_FAKE_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_TESTS_FAKE_PAGE_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pagefs/device/page_device.h"

namespace openremap {

class FakePageDevice : public PageDevice {
 public:
  static constexpr bool kDeallocatesAll = true;  // pages that are deallocated are not mapped

  explicit FakePageDevice(uint64_t pages, uint64_t seed = 1) : pages_(pages), order_(seed) {}
  // Copies are devices of their own with the same contents.

  // After this many more changing steps (a page written, a run deallocated, a vector remapped, a flush) power goes: the
  // command that this step belongs to and all later calls fail. What is left of that command may still take effect. May
  // be called while other threads use the device, each alone as a PageFs has them do.
  void CutAfter(uint64_t steps) { steps_left_.value = static_cast<int64_t>(steps); }
  // Power is back. Each page that was not durable has reached flash or not; a vector of remaps wholly or not.
  void PowerOn(uint64_t seed);
  // The same, decided by the page: for tests that want one certain outcome.
  void PowerOn(const std::function<bool(uint64_t lpn)> &arrived);
  bool HasPower() const { return power_; }
  uint64_t Steps() const { return steps_; }

  // Asked for each vector: true refuses it.
  std::function<bool(const std::vector<RemapRun> &)> refuse;

  // Placement handles that it offers, with which of them each page was written last, and how many pages with each.
  unsigned placements = 1;
  std::map<uint64_t, unsigned> placed;
  std::map<unsigned, uint64_t> written_with;

  // Size of its reclaim units; 0: it tells of none. Units are as large as the host makes them here: `unit_of` says in
  // which one each page was written last, counting from 0, and only BeginUnit begins another.
  uint64_t unit_pages = 0;
  std::map<uint64_t, uint64_t> unit_of;
  uint64_t units_begun = 0;

  // A read of one of these fails, until it is written or deallocated.
  std::set<uint64_t> damaged;

  // Most pages of one vector.
  uint64_t max_remap_pages = 4096;

  // Pieces of memory that were given out.
  uint64_t memory = 0;
  char *NewMemory(size_t bytes) override {
    memory++;
    return PageDevice::NewMemory(bytes);
  }
  void FreeMemory(char *bytes) override {
    memory--;
    PageDevice::FreeMemory(bytes);
  }

  uint64_t read_commands = 0;
  uint64_t pages_read = 0;
  uint64_t together_commands = 0;  // ReadTogether, each of whose runs counts as a read as well
  uint64_t write_commands = 0;
  uint64_t pages_written = 0;
  uint64_t flush_commands = 0;
  uint64_t deallocate_commands = 0;
  uint64_t remap_commands = 0;
  uint64_t MappedPages() const { return map_.size(); }
  bool Mapped(uint64_t lpn) const { return map_.count(lpn) != 0; }

  uint64_t Pages() const override { return pages_; }
  size_t MaxRemapRuns() const override { return 128; }
  uint64_t MaxRemapPages() const override { return max_remap_pages; }
  unsigned Placements() override { return placements; }
  uint64_t UnitPages() override { return unit_pages; }
  leveldb::Status BeginUnit(unsigned placement) override;
  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override;
  leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) override {
    together_commands++;
    return PageDevice::ReadTogether(runs);
  }
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Flush() override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  using Page = std::shared_ptr<const std::string>;
  // Changes that take effect together; no page: deallocated.
  using Change = std::vector<std::pair<uint64_t, Page>>;

  // Copyable, as the device is.
  struct StepsLeft {
    StepsLeft() = default;
    StepsLeft(const StepsLeft &other) : value(other.value.load()) {}
    StepsLeft &operator=(const StepsLeft &other) {
      value = other.value.load();
      return *this;
    }
    std::atomic<int64_t> value{-1};  // until power goes; -1: it stays
  };

  leveldb::Status Step();
  leveldb::Status Apply(std::vector<Change> changes, bool durable, bool all_or_none = false);
  void SetDurable(const Change &change);
  static void Set(std::map<uint64_t, Page> *map, uint64_t lpn, const Page &page);
  bool InRange(uint64_t lpn, uint64_t pages) const { return pages != 0 && lpn < pages_ && pages <= pages_ - lpn; }
  static Page Find(const std::map<uint64_t, Page> &map, uint64_t lpn);

  const uint64_t pages_;
  std::map<uint64_t, Page> map_;      // what reads see
  std::map<uint64_t, Page> durable_;  // what a power cut leaves
  // Changes that are not known to be durable, in order: any of them may have reached flash.
  std::vector<Change> volatile_;
  std::map<unsigned, uint64_t> units_;  // that the placements fill
  std::mt19937_64 order_;               // in which the parts of a command reach flash
  bool power_ = true;
  StepsLeft steps_left_;
  uint64_t steps_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_TESTS_FAKE_PAGE_DEVICE_H_
