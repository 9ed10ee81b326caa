// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_METADATA_LOG_H_
#define OPENREMAP_PAGEFS_METADATA_LOG_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pagefs/device/page_device.h"
#include "pagefs/metadata/metadata_format.h"

namespace openremap {

// The two metadata areas: appends records durably, reads them back after any power cut. Not thread-safe.
class MetadataLog {
 public:
  // Area 0 begins at page `first`.
  MetadataLog(PageDevice *device, uint64_t first, uint64_t area_pages);

  // A new, empty log. What the areas held is deallocated. Without `deallocate`, and where that leaves something, it is
  // overwritten with zeroes.
  leveldb::Status Format(bool deallocate = true);

  // Calls `apply` for each record, oldest first. *clean: the last record is kClean. The log can take records only after
  // a Checkpoint: it must not continue a page whose successor may have outlived it.
  leveldb::Status Replay(const std::function<leveldb::Status(const Record &)> &apply, bool *clean);

  // Makes the records durable, in order: after a power cut in the middle a prefix of them counts. *full, and nothing
  // written: the area has no room, a Checkpoint must come first.
  leveldb::Status Append(const std::vector<Record> &records, bool *full);

  // Starts the next generation with `records`, which make the whole state from nothing. *too_big, and nothing written:
  // they do not fit.
  leveldb::Status Checkpoint(const std::vector<Record> &records, bool *too_big);

  // Pages are written as ones of this format version from now on. REQUIRES: the superblock is, durably.
  void SetVersion(uint32_t version) { version_ = version; }

  uint64_t PagesWritten() const { return pages_written_; }
  // Pages of both areas that hold anything.
  uint64_t PagesInUse() const { return high_water_[0] + high_water_[1]; }

 private:
  uint64_t AreaStart(unsigned area) const { return first_ + area * area_pages_; }
  void ReadWhatCanBe(std::vector<std::string> *areas);
  leveldb::Status OverwriteAreas();
  // Reads an area; false when it holds no complete checkpoint.
  leveldb::Status ReadArea(unsigned area, std::string *bytes, MetadataPageHeader *header, bool *valid);
  leveldb::Status WritePages(unsigned area, uint64_t index, const std::vector<std::string> &pages);
  MetadataPageHeader Header(uint64_t index, uint64_t first_record) const;

  PageDevice *device_;
  uint64_t first_;
  uint64_t area_pages_;
  uint32_t version_ = kPlainVersion;

  unsigned area_ = 0;  // the one in use
  uint64_t generation_ = 0;
  uint32_t checkpoint_pages_ = 0;
  uint64_t next_record_ = 1;

  // The page that the next record goes to.
  uint64_t tail_index_ = 0;
  uint64_t tail_first_record_ = 1;
  std::string tail_;

  uint64_t pages_written_ = 0;
  uint64_t high_water_[2] = {0, 0};
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_METADATA_LOG_H_
