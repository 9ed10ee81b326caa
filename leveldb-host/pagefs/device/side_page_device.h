// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_SIDE_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_SIDE_PAGE_DEVICE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pagefs/device/passing_page_device.h"

namespace openremap {

// A device beside which another one has the pages of some kinds: log, manifest and what else is no table, and on
// request the metadata of the file system. The other one is memory, which takes no time and is gone with this object.
// The device below sees nothing of these pages, not even a flush where nothing else was written since the last one.
// Their logical pages stay unused there. A remap of such a page is refused. Does not own the device below. Not
// thread-safe.
class SidePageDevice : public PassingPageDevice {
 public:
  SidePageDevice(PageDevice *below, bool metadata) : PassingPageDevice(below), metadata_(metadata) {}

  uint64_t WrittenPages() const { return written_; }  // to the side

  leveldb::Status Read(uint64_t lpn, uint64_t pages, char *data) override { return ReadTogether({{lpn, pages, data}}); }
  leveldb::Status ReadTogether(const std::vector<ReadRun> &runs) override;
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;
  leveldb::Status Flush() override;
  leveldb::Status Deallocate(const std::vector<PageRun> &runs) override;
  leveldb::Status Remap(const std::vector<RemapRun> &runs, bool *refused) override;

 private:
  using SidePages = std::map<uint64_t, std::string>;  // by lpn

  bool IsSide(PageKind kind) const {
    return kind == PageKind::kLog || kind == PageKind::kOther || (metadata_ && kind == PageKind::kMetadata);
  }
  bool HasAny(uint64_t lpn, uint64_t pages) const;
  void Forget(uint64_t lpn, uint64_t pages);

  const bool metadata_;
  SidePages side_;
  uint64_t written_ = 0;
  bool unflushed_ = false;  // something was written below since the last flush
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_SIDE_PAGE_DEVICE_H_
