// SPDX-License-Identifier: Apache-2.0
#include "pagefs/metadata/metadata_format.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "orm_bytes.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr uint64_t kSuperblockMagic = 0x5346454741504D52;  // ASCII RMPAGEFS
constexpr uint32_t kMetadataMagic = 0x444D4650;            // ASCII PFMD

// Byte offsets. Superblock: magic 0, version 8, checksum 12, pages 16, area_pages 24.
constexpr size_t kSuperblockChecksumAt = 12;
constexpr size_t kSuperblockBytes = 32;
// Metadata page: magic 0, checksum 4, version 8, payload_bytes 12, generation 16, first_record 24, index 32,
// checkpoint_pages 36, zero 40.
constexpr size_t kMetadataChecksumAt = 4;

void Put(std::string *out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) out->push_back(static_cast<char>(value >> (8 * i)));
}

uint64_t Get(const char *p, size_t bytes) { return orm_get_le(reinterpret_cast<const uint8_t *>(p), bytes); }

void Set(std::string *out, size_t at, uint64_t value, size_t bytes) {
  orm_put_le(reinterpret_cast<uint8_t *>(&(*out)[at]), value, bytes);
}

// Of the bytes with those of the checksum itself counted as zero.
uint32_t Checksum(const char *data, size_t bytes, size_t checksum_at) {
  const auto *p = reinterpret_cast<const uint8_t *>(data);
  static const uint8_t kZeroes[4] = {};
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, p, checksum_at);
  crc = orm_crc32c_update(crc, kZeroes, sizeof(kZeroes));
  crc = orm_crc32c_update(crc, p + checksum_at + 4, bytes - checksum_at - 4);
  return orm_crc32c_final(crc);
}

bool TakeNumber(Slice *input, size_t bytes, uint64_t *value) {
  if (input->size() < bytes) return false;
  *value = Get(input->data(), bytes);
  input->remove_prefix(bytes);
  return true;
}

bool TakeName(Slice *input, std::string *name) {
  uint64_t length = 0;
  if (!TakeNumber(input, 2, &length) || length > kMaxNameBytes || input->size() < length) return false;
  name->assign(input->data(), static_cast<size_t>(length));
  input->remove_prefix(static_cast<size_t>(length));
  return true;
}

void PutName(std::string *out, const std::string &name) {
  assert(name.size() <= kMaxNameBytes);
  Put(out, name.size(), 2);
  out->append(name);
}

}  // namespace

std::string Superblock::Encode() const {
  std::string page;
  Put(&page, kSuperblockMagic, 8);
  Put(&page, version, 4);
  Put(&page, 0, 4);
  Put(&page, pages, 8);
  Put(&page, area_pages, 8);
  page.resize(kPageBytes, '\0');
  Set(&page, kSuperblockChecksumAt, Checksum(page.data(), kSuperblockBytes, kSuperblockChecksumAt), 4);
  return page;
}

Status Superblock::Decode(const char *page) {
  if (Get(page, 8) != kSuperblockMagic) {
    return Status::Corruption("PageFS", "the device holds something else: no superblock in page 0");
  }
  version = static_cast<uint32_t>(Get(page + 8, 4));
  if (version < kPlainVersion || version > kHolesVersion) {
    return Status::NotSupported("PageFS", "format version " + std::to_string(version) + ", this program knows " +
                                              std::to_string(kPlainVersion) + " to " + std::to_string(kHolesVersion));
  }
  if (Get(page + kSuperblockChecksumAt, 4) != Checksum(page, kSuperblockBytes, kSuperblockChecksumAt)) {
    return Status::Corruption("PageFS", "superblock checksum");
  }
  pages = Get(page + 16, 8);
  area_pages = Get(page + 24, 8);
  return Status::OK();
}

std::string EncodeMetadataPage(const MetadataPageHeader &header, const Slice &payload) {
  assert(payload.size() <= kMetadataPayloadBytes);
  std::string page;
  Put(&page, kMetadataMagic, 4);
  Put(&page, 0, 4);
  Put(&page, header.version, 4);
  Put(&page, payload.size(), 4);
  Put(&page, header.generation, 8);
  Put(&page, header.first_record, 8);
  Put(&page, header.index, 4);
  Put(&page, header.checkpoint_pages, 4);
  Put(&page, 0, 8);
  page.append(payload.data(), payload.size());
  page.resize(kPageBytes, '\0');
  Set(&page, kMetadataChecksumAt, Checksum(page.data(), kPageBytes, kMetadataChecksumAt), 4);
  return page;
}

bool DecodeMetadataPage(const char *page, MetadataPageHeader *header, Slice *payload) {
  header->version = static_cast<uint32_t>(Get(page + 8, 4));
  if (Get(page, 4) != kMetadataMagic || header->version < kPlainVersion || header->version > kHolesVersion)
    return false;
  if (Get(page + kMetadataChecksumAt, 4) != Checksum(page, kPageBytes, kMetadataChecksumAt)) return false;
  header->payload_bytes = static_cast<uint32_t>(Get(page + 12, 4));
  header->generation = Get(page + 16, 8);
  header->first_record = Get(page + 24, 8);
  header->index = static_cast<uint32_t>(Get(page + 32, 4));
  header->checkpoint_pages = static_cast<uint32_t>(Get(page + 36, 4));
  if (header->payload_bytes > kMetadataPayloadBytes) return false;
  *payload = Slice(page + kMetadataHeaderBytes, header->payload_bytes);
  return true;
}

// type (1), length of what follows (2), then by type: kCreate inode (8) name; kExtend inode (8) size (8) count (2) and
// count times lpn (8) pages (4); kRename name name; kRemove name; kPunch inode (8) first (8) pages (8). A name is its
// length (2) and its bytes.
std::string Record::Encode() const {
  std::string body;
  switch (type) {
    case RecordType::kCreate:
      Put(&body, inode, 8);
      PutName(&body, name);
      break;
    case RecordType::kExtend:
      assert(extents.size() <= kMaxExtents);
      Put(&body, inode, 8);
      Put(&body, size, 8);
      Put(&body, extents.size(), 2);
      for (const PageRun &run : extents) {
        Put(&body, run.lpn, 8);
        Put(&body, run.pages, 4);
      }
      break;
    case RecordType::kRename:
      PutName(&body, name);
      PutName(&body, second_name);
      break;
    case RecordType::kRemove:
      PutName(&body, name);
      break;
    case RecordType::kPunch:
      Put(&body, inode, 8);
      Put(&body, first, 8);
      Put(&body, pages, 8);
      break;
    case RecordType::kClean:
      break;
  }
  std::string record;
  Put(&record, static_cast<uint64_t>(type), 1);
  Put(&record, body.size(), 2);
  return record + body;
}

uint32_t Record::Version() const {
  const bool holes = type == RecordType::kPunch || std::any_of(extents.begin(), extents.end(), IsHole);
  return holes ? kHolesVersion : kPlainVersion;
}

Status Record::Decode(Slice *input) {
  const Status bad = Status::Corruption("PageFS", "malformed metadata record");
  uint64_t kind = 0, length = 0, count = 0;
  if (!TakeNumber(input, 1, &kind) || !TakeNumber(input, 2, &length) || input->size() < length) return bad;
  Slice body(input->data(), static_cast<size_t>(length));
  input->remove_prefix(static_cast<size_t>(length));
  type = static_cast<RecordType>(kind);
  extents.clear();
  bool good = false;
  switch (type) {
    case RecordType::kCreate:
      good = TakeNumber(&body, 8, &inode) && TakeName(&body, &name);
      break;
    case RecordType::kExtend:
      good = TakeNumber(&body, 8, &inode) && TakeNumber(&body, 8, &size) && TakeNumber(&body, 2, &count);
      for (uint64_t i = 0; good && i < count; i++) {
        PageRun run;
        good = TakeNumber(&body, 8, &run.lpn) && TakeNumber(&body, 4, &run.pages);
        extents.push_back(run);
      }
      break;
    case RecordType::kRename:
      good = TakeName(&body, &name) && TakeName(&body, &second_name);
      break;
    case RecordType::kRemove:
      good = TakeName(&body, &name);
      break;
    case RecordType::kPunch:
      good = TakeNumber(&body, 8, &inode) && TakeNumber(&body, 8, &first) && TakeNumber(&body, 8, &pages);
      break;
    case RecordType::kClean:
      good = true;
      break;
  }
  return good && body.empty() ? Status::OK() : bad;
}

}  // namespace openremap
