// SPDX-License-Identifier: Apache-2.0
//
// A device in memory that shares pages, refuses remaps on request, and can lose its power at any write: what was not
// flushed then reads old or new, page by page, as a seed decides.
#ifndef OPENREMAP_PAGEFS_TESTS_FAKE_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_TESTS_FAKE_PAGE_DEVICE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "page_device.h"

namespace openremap {

class FakePageDevice : public PageDevice {
 public:
  explicit FakePageDevice(uint64_t pages) : pages_(pages) {}

  // After this many more changing steps (a page written, a run deallocated, a vector remapped, a flush) power goes:
  // that step and all later calls fail.
  void CutAfter(uint64_t steps) { steps_left_ = static_cast<int64_t>(steps); }
  // Power is back. Unflushed writes have reached flash or not.
  void PowerOn(uint64_t seed);
  bool HasPower() const { return power_; }
  uint64_t Steps() const { return steps_; }

  // Asked for each vector: true refuses it.
  std::function<bool(const std::vector<RemapRun> &)> refuse;

  uint64_t write_commands = 0;
  uint64_t pages_written = 0;
  uint64_t flush_commands = 0;
  uint64_t deallocate_commands = 0;
  uint64_t remap_commands = 0;
  uint64_t MappedPages() const { return map_.size(); }
  bool Mapped(uint64_t lpn) const { return map_.count(lpn) != 0; }

  uint64_t Pages() const override { return pages_; }
  size_t MaxRemapRuns() const override { return 128; }
  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override;
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Flush() override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  using Page = std::shared_ptr<const std::string>;

  leveldb::Status Step();
  bool InRange(uint64_t lpn, uint64_t pages) const { return pages != 0 && lpn < pages_ && pages <= pages_ - lpn; }
  void SetDurable(uint64_t lpn, const Page &page);
  static Page Find(const std::map<uint64_t, Page> &map, uint64_t lpn);

  const uint64_t pages_;
  std::map<uint64_t, Page> map_;      // what reads see
  std::map<uint64_t, Page> durable_;  // what a power cut leaves
  // Writes since the last flush, in order: any of them may have reached flash.
  std::vector<std::pair<uint64_t, Page>> volatile_;
  bool power_ = true;
  int64_t steps_left_ = -1;
  uint64_t steps_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_TESTS_FAKE_PAGE_DEVICE_H_
