// SPDX-License-Identifier: Apache-2.0
//
// PageFS on the device. Everything is little-endian; numbers of record types are frozen.
//
//   page 0                     superblock, written once
//   pages 1 .. A               metadata area 0
//   pages A+1 .. 2A            metadata area 1
//   the rest                   file data
//
// A metadata area holds a checkpoint (records that make the whole name space from nothing) in its first pages and,
// after it, a log of records. Areas take turns: when one is full, a checkpoint of the next generation goes to the
// other, and only when that is complete does the log go on there. Of two complete areas the larger generation counts.
//
// A metadata page is a header and whole records. The last page of the log is rewritten as it fills, which is safe
// because a page write is atomic and the new contents begin with the old. A page belongs to the log only if its
// checksum is good, its generation is the area's, and its first record has the number that follows the last one before
// it: so a page that outlived one before it in a power cut does not count.
#ifndef OPENREMAP_PAGEFS_METADATA_FORMAT_H_
#define OPENREMAP_PAGEFS_METADATA_FORMAT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "remap_env.h"

namespace openremap {

constexpr uint32_t kPageFsVersion = 1;
constexpr size_t kMaxNameBytes = 1024;

struct Superblock {
  uint64_t pages = 0;       // of the device it was made on
  uint64_t area_pages = 0;  // A

  std::string Encode() const;  // one page
  // Corruption for anything but a superblock, NotSupported for another version.
  leveldb::Status Decode(const char *page);
};

struct MetadataPageHeader {
  uint64_t generation = 0;
  uint64_t first_record = 0;      // number of the page's first record
  uint32_t index = 0;             // page within the area
  uint32_t checkpoint_pages = 0;  // of this generation; equal in all its pages
  uint32_t payload_bytes = 0;
};

constexpr size_t kMetadataHeaderBytes = 48;
constexpr size_t kMetadataPayloadBytes = kPageBytes - kMetadataHeaderBytes;

// One page with `payload` (at most kMetadataPayloadBytes); header.payload_bytes is filled in.
std::string EncodeMetadataPage(const MetadataPageHeader &header, const leveldb::Slice &payload);
// False when the page is not a metadata page with a good checksum. *payload points into `page`.
bool DecodeMetadataPage(const char *page, MetadataPageHeader *header, leveldb::Slice *payload);

enum class RecordType : uint8_t {
  kCreate = 1,  // name becomes a new, empty file; what it named before is gone
  kExtend = 2,  // extents are appended to the file, its size becomes `size`
  kRename = 3,  // name -> second_name; what that named before is gone
  kRemove = 4,  // name is gone
  kClean = 5,   // nothing was open or free of a name when the log ended here
};

struct Record {
  RecordType type = RecordType::kClean;
  uint64_t inode = 0;            // kCreate, kExtend
  uint64_t size = 0;             // kExtend
  std::vector<PageRun> extents;  // kExtend; at most kMaxExtents
  std::string name;              // kCreate, kRename, kRemove
  std::string second_name;       // kRename

  static constexpr size_t kMaxExtents = 128;

  // At most kMetadataPayloadBytes.
  std::string Encode() const;
  // Takes one record off the front of *input.
  leveldb::Status Decode(leveldb::Slice *input);
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_METADATA_FORMAT_H_
