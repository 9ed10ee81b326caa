// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_map.h"

#include <algorithm>
#include <memory>

#include "remap_env.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

// On disk: do not change.
constexpr uint64_t kMagic = 0x70616d67657376ab;
constexpr uint64_t kFooterBytes = 4 + 4 + 8;

}  // namespace

void SegmentPages::Add(uint64_t offset, uint64_t bytes) {
  const uint64_t last = (offset + bytes - 1) / kPageBytes;
  if (last >= pages_.size()) pages_.resize(last + 1);
  for (uint64_t page = offset / kPageBytes; page <= last; page++) {
    count_ += pages_[page] ? 0 : 1;
    pages_[page] = true;
  }
}

SegmentMap::SegmentMap(uint64_t segment, const SegmentPages &pages) : segment_(segment), pages_(pages.count()) {
  uint64_t at = 0;
  for (uint64_t page = 0; page < pages.end(); page++) {
    if (!pages.Has(page)) continue;
    if (runs_.empty() || runs_.back().first + runs_.back().pages != page) runs_.push_back({page, 0, at});
    runs_.back().pages++;
    at++;
  }
}

bool SegmentMap::Find(uint64_t offset, uint64_t bytes, uint64_t *at) const {
  const uint64_t page = offset / kPageBytes;
  auto run = std::upper_bound(runs_.begin(), runs_.end(), page,
                              [](uint64_t wanted, const Run &candidate) { return wanted < candidate.first; });
  if (run == runs_.begin()) return false;
  --run;
  // Pages that follow each other are of one run, so what lies in two is not there as a whole.
  const uint64_t within = offset - run->first * kPageBytes;
  const uint64_t size = run->pages * kPageBytes;
  if (within > size || bytes > size - within) return false;
  *at = run->at * kPageBytes + within;
  return true;
}

void SegmentMap::EncodeTo(std::string *out) const {
  std::string map;
  leveldb::PutVarint64(&map, segment_);
  leveldb::PutVarint64(&map, runs_.size());
  uint64_t end = 0;
  for (const Run &run : runs_) {
    leveldb::PutVarint64(&map, run.first - end);
    leveldb::PutVarint64(&map, run.pages);
    end = run.first + run.pages;
  }
  const auto bytes = static_cast<uint32_t>(map.size());
  const uint32_t checksum = leveldb::crc32c::Mask(leveldb::crc32c::Value(map.data(), map.size()));
  leveldb::PutFixed32(&map, bytes);
  leveldb::PutFixed32(&map, checksum);
  leveldb::PutFixed64(&map, kMagic);
  out->append(map);
}

bool SegmentMap::Decode(Slice input) {
  uint64_t runs = 0, end = 0;
  if (!leveldb::GetVarint64(&input, &segment_) || !leveldb::GetVarint64(&input, &runs)) return false;
  for (; runs > 0; runs--) {
    uint64_t gap = 0;
    Run run;
    if (!leveldb::GetVarint64(&input, &gap) || !leveldb::GetVarint64(&input, &run.pages)) return false;
    run.first = end + gap;
    run.at = pages_;
    end = run.first + run.pages;
    pages_ += run.pages;
    runs_.push_back(run);
  }
  return input.empty();
}

Status SegmentMap::Read(leveldb::Env *env, const std::string &fname, SegmentMap *map) {
  const Status damaged = Status::Corruption(fname, "has no map of a segment");
  uint64_t size = 0;
  Status s = env->GetFileSize(fname, &size);
  if (!s.ok()) return s;
  if (size < kFooterBytes) return damaged;  // first: LevelDB's own files do not open what is empty
  leveldb::RandomAccessFile *opened = nullptr;
  s = env->NewRandomAccessFile(fname, &opened);
  if (!s.ok()) return s;
  const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
  char footer[kFooterBytes];
  Slice read;
  s = file->Read(size - kFooterBytes, kFooterBytes, &read, footer);
  if (!s.ok()) return s;
  if (read.size() != kFooterBytes || leveldb::DecodeFixed64(read.data() + 8) != kMagic) return damaged;
  const uint32_t bytes = leveldb::DecodeFixed32(read.data());
  const uint32_t checksum = leveldb::DecodeFixed32(read.data() + 4);
  if (bytes > size - kFooterBytes) return damaged;
  std::string encoded(bytes, '\0');
  s = file->Read(size - kFooterBytes - bytes, bytes, &read, &encoded[0]);
  if (!s.ok()) return s;
  if (read.size() != bytes || leveldb::crc32c::Mask(leveldb::crc32c::Value(read.data(), read.size())) != checksum) {
    return damaged;
  }
  *map = SegmentMap();
  const bool whole = map->Decode(read) && map->pages_ * kPageBytes + bytes + kFooterBytes == size;
  return whole ? s : damaged;
}

}  // namespace openremap
