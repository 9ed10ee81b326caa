// SPDX-License-Identifier: Apache-2.0
//
// PageFS on the device. Everything is little-endian; numbers of record types are frozen.
//
//   page 0                     superblock, written when it is made, and once more when it becomes version 2
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
//
// Version 2 has holes in files: kPunch, and extents at page 0. A file system is made as version 1, which older programs
// know, and becomes version 2 with the first hole: its superblock is written anew, before any such record is. Metadata
// pages are of the version that the file system had when they were written.
#ifndef OPENREMAP_PAGEFS_METADATA_FORMAT_H_
#define OPENREMAP_PAGEFS_METADATA_FORMAT_H_

#include <cstdint>
#include <string>

#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "pagefs/metadata/extents.h"
#include "remap_env.h"

namespace openremap {

constexpr uint32_t kPlainVersion = 1;
constexpr uint32_t kHolesVersion = 2;
constexpr size_t kMaxNameBytes = 1024;

struct Superblock {
  uint64_t pages = 0;       // of the device it was made on
  uint64_t area_pages = 0;  // A
  uint32_t version = kPlainVersion;

  std::string Encode() const;  // one page
  // Corruption for anything but a superblock, NotSupported for a version that this program does not know.
  leveldb::Status Decode(const char *page);
};

struct MetadataPageHeader {
  uint64_t generation = 0;
  uint64_t first_record = 0;      // number of the page's first record
  uint32_t index = 0;             // page within the area
  uint32_t checkpoint_pages = 0;  // of this generation; equal in all its pages
  uint32_t payload_bytes = 0;
  uint32_t version = kPlainVersion;
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
  kPunch = 6,   // pages of the file become a hole; version 2
};

struct Record {
  RecordType type = RecordType::kClean;
  uint64_t inode = 0;       // kCreate, kExtend, kPunch
  uint64_t size = 0;        // kExtend
  Extents extents;          // kExtend; at most kMaxExtents; holes among them: version 2
  uint64_t first = 0;       // kPunch: page of the file
  uint64_t pages = 0;       // kPunch
  std::string name;         // kCreate, kRename, kRemove
  std::string second_name;  // kRename

  static constexpr size_t kMaxExtents = 128;
  static constexpr size_t kExtentBytes = 12;  // of each extent, encoded
  static constexpr size_t kHeadBytes = 3;     // type and length
  // Bytes of a kCreate with a name of this length, and of a kExtend with this many extents.
  static constexpr size_t CreateBytes(size_t name_bytes) { return kHeadBytes + 8 + 2 + name_bytes; }
  static constexpr size_t ExtendBytes(size_t extents) { return kHeadBytes + 8 + 8 + 2 + extents * kExtentBytes; }
  // The version that a file system needs to have it.
  uint32_t Version() const;

  // At most kMetadataPayloadBytes.
  std::string Encode() const;
  // Takes one record off the front of *input.
  leveldb::Status Decode(leveldb::Slice *input);
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_METADATA_FORMAT_H_
