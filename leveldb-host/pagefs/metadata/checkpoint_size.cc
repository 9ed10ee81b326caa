// SPDX-License-Identifier: Apache-2.0
#include "pagefs/metadata/checkpoint_size.h"

#include <algorithm>
#include <cassert>

#include "pagefs/metadata/metadata_format.h"

namespace openremap {

void CheckpointSize::Add(const FileRecords &file) { Count(file, /*add=*/true); }

void CheckpointSize::Remove(const FileRecords &file) { Count(file, /*add=*/false); }

void CheckpointSize::Count(const FileRecords &file, bool add) {
  if (file.name_bytes == 0) return;
  Count(Record::CreateBytes(file.name_bytes), 1, add);
  Count(Record::ExtendBytes(Record::kMaxExtents), file.extents / Record::kMaxExtents, add);
  const uint64_t rest = file.extents % Record::kMaxExtents;
  if (rest != 0) Count(Record::ExtendBytes(rest), 1, add);
}

void CheckpointSize::Count(size_t record_bytes, uint64_t records, bool add) {
  if (records == 0) return;
  uint64_t &count = records_[record_bytes];
  if (add) {
    count += records;
    bytes_ += record_bytes * records;
    return;
  }
  assert(count >= records);
  count -= records;
  bytes_ -= record_bytes * records;
  if (count == 0) records_.erase(record_bytes);
}

// A page is left when the next record does not fit. So it lacks less than that record to be full, and it is another
// record for each page: the most pages come about when these are the largest ones.
uint64_t CheckpointSize::MaxPages() const {
  uint64_t pages = 1, left = bytes_;
  for (auto size = records_.rbegin(); size != records_.rend() && left > 0; ++size) {
    const uint64_t filled = kMetadataPayloadBytes - size->first + 1;
    const uint64_t more = std::min(size->second, (left - 1) / filled);
    pages += more;
    left -= more * filled;
    if (more < size->second) break;
  }
  return pages;
}

}  // namespace openremap
