// SPDX-License-Identifier: Apache-2.0
#include "pagefs/trace/page_trace.h"

#include <cerrno>
#include <cstring>
#include <limits>

#include "orm_bytes.h"
#include "remap_env.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr char kMagic[] = "ORMPGTRC";
constexpr uint32_t kVersion = 2;
constexpr uint32_t kVersionWithoutKinds = 1;
constexpr size_t kHeaderBytes = 32;
constexpr size_t kBlockHeaderBytes = 12;
constexpr size_t kBlockBytes = 64 << 10;  // a block ends with the record that reaches it
constexpr size_t kMostBlockBytes = kBlockBytes + 64;

constexpr uint8_t kOperationMask = 0x0F;
constexpr uint8_t kDurable = 0x10;
constexpr uint8_t kRefused = 0x20;
constexpr uint8_t kBegins = 0x40;
constexpr uint8_t kMore = 0x80;

void PutLe(std::string *out, uint64_t value, unsigned bytes) {
  uint8_t coded[sizeof(value)];
  orm_put_le(coded, value, bytes);
  out->append(reinterpret_cast<const char *>(coded), bytes);
}

uint64_t GetLe(const char *p, unsigned bytes) { return orm_get_le(reinterpret_cast<const uint8_t *>(p), bytes); }

void PutNumber(std::string *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

bool GetNumber(Slice *in, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64 && !in->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>((*in)[0]);
    in->remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    *value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

// The difference of two numbers below 2^64, as a small number when they are close.
uint64_t Zigzag(uint64_t to, uint64_t from) {
  const uint64_t difference = to - from;
  return (difference << 1) ^ (difference >> 63 != 0 ? UINT64_MAX : 0);
}
uint64_t Unzigzag(uint64_t coded, uint64_t from) { return from + ((coded >> 1) ^ ((coded & 1) != 0 ? UINT64_MAX : 0)); }

uint32_t Checksum(const std::string &a, const std::string &b) {
  orm_crc32c_t crc = ORM_CRC32C_INIT;
  for (const std::string *bytes : {&a, &b}) {
    crc = orm_crc32c_update(crc, reinterpret_cast<const uint8_t *>(bytes->data()), bytes->size());
  }
  return orm_crc32c_final(crc);
}

std::string Reason() { return std::strerror(errno); }

}  // namespace

// ---- Writing --------------------------------------------------------------------------------------------------------

Status PageTraceWriter::Create(const std::string &path, const PageTraceInfo &info,
                               std::unique_ptr<PageTraceWriter> *result) {
  std::FILE *const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return Status::IOError(path, Reason());
  result->reset(new PageTraceWriter(path, file));
  std::string header(kMagic, 8);
  (*result)->kinds_ = info.kinds;
  PutLe(&header, info.kinds ? kVersion : kVersionWithoutKinds, 4);
  PutLe(&header, kPageBytes, 4);
  PutLe(&header, info.pages, 8);
  PutLe(&header, info.placements, 4);
  PutLe(&header, Checksum(header, ""), 4);
  (*result)->Put(header);
  return (*result)->error_;
}

void PageTraceWriter::Put(const std::string &bytes) {
  if (!error_.ok() || file_ == nullptr) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    error_ = Status::IOError(path_, Reason());
}

void PageTraceWriter::EndBlock() {
  std::string header;
  PutLe(&header, block_.size(), 4);
  PutLe(&header, block_records_, 4);
  PutLe(&header, Checksum(header, block_), 4);
  Put(header);
  Put(block_);
  block_.clear();
  block_records_ = 0;
  next_lpn_ = 0;
}

void PageTraceWriter::Add(const PageRecord &record) {
  if (file_ == nullptr) return;
  const auto flags = (record.durable ? kDurable : 0) | (record.refused ? kRefused : 0) |
                     (record.begins && kinds_ ? kBegins : 0) | (record.more ? kMore : 0);
  block_.push_back(static_cast<char>(static_cast<uint8_t>(record.operation) | flags));
  if (record.HasPages()) {
    PutNumber(&block_, Zigzag(record.lpn, next_lpn_));
    if (record.operation == PageOperation::kRemap) PutNumber(&block_, Zigzag(record.source, record.lpn));
    PutNumber(&block_, record.pages);
    next_lpn_ = record.lpn + record.pages;
  }
  if (record.operation == PageOperation::kWrite || record.operation == PageOperation::kBeginUnit) {
    PutNumber(&block_, record.placement);
  }
  if (record.operation == PageOperation::kWrite && kinds_) PutNumber(&block_, static_cast<uint64_t>(record.kind));
  block_records_++;
  records_++;
  if (block_.size() >= kBlockBytes) EndBlock();
}

Status PageTraceWriter::Close() {
  if (file_ == nullptr) return error_;
  if (block_records_ != 0) EndBlock();
  PutLe(&block_, records_, 8);
  EndBlock();
  if (std::fclose(file_.release()) != 0 && error_.ok()) error_ = Status::IOError(path_, Reason());
  return error_;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

Status PageTraceReader::Open(const std::string &path, std::unique_ptr<PageTraceReader> *result) {
  std::FILE *const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return Status::IOError(path, Reason());
  std::unique_ptr<PageTraceReader> reader(new PageTraceReader(path, file));
  const Status s = reader->ReadHeader();
  if (s.ok()) *result = std::move(reader);
  return s;
}

Status PageTraceReader::Wrong(const std::string &what) const { return Status::Corruption(path_, what); }

Status PageTraceReader::Get(size_t bytes, std::string *out) {
  out->resize(bytes);
  errno = 0;
  const size_t got = bytes == 0 ? 0 : std::fread(&(*out)[0], 1, bytes, file_.get());
  if (got == bytes) return Status::OK();
  if (std::ferror(file_.get()) != 0) return Status::IOError(path_, Reason());
  return Wrong("truncated after " + std::to_string(records_ - block_left_) + " records");
}

Status PageTraceReader::ReadHeader() {
  std::string header;
  const Status s = Get(kHeaderBytes, &header);
  if (s.IsIOError()) return s;
  if (header.compare(0, 8, kMagic) != 0) return Wrong("not a trace of pages");
  if (!s.ok()) return s;
  const uint64_t version = GetLe(&header[8], 4);
  info_.kinds = version == kVersion;
  if (version != kVersion && version != kVersionWithoutKinds) {
    return Wrong("version " + std::to_string(version) + " of the trace format; this program reads versions " +
                 std::to_string(kVersionWithoutKinds) + " and " + std::to_string(kVersion));
  }
  if (GetLe(&header[28], 4) != Checksum(header.substr(0, 28), "")) return Wrong("damaged header");
  if (GetLe(&header[12], 4) != kPageBytes) return Wrong("pages of " + std::to_string(GetLe(&header[12], 4)) + " bytes");
  info_.pages = GetLe(&header[16], 8);
  info_.placements = static_cast<uint32_t>(GetLe(&header[24], 4));
  return s;
}

Status PageTraceReader::ReadBlock(bool *end) {
  std::string header;
  Status s = Get(kBlockHeaderBytes, &header);
  if (!s.ok()) return s;
  const uint64_t bytes = GetLe(&header[0], 4);
  const auto records = static_cast<uint32_t>(GetLe(&header[4], 4));
  const std::string damaged = "damaged after " + std::to_string(records_) + " records";
  if (bytes > kMostBlockBytes || records > bytes) return Wrong(damaged);
  s = Get(static_cast<size_t>(bytes), &block_);
  if (!s.ok()) return s;
  if (GetLe(&header[8], 4) != Checksum(header.substr(0, 8), block_)) return Wrong(damaged);
  *end = records == 0;
  if (*end) {
    ended_ = bytes == 8 && GetLe(block_.data(), 8) == records_ && std::fgetc(file_.get()) == EOF;
    return ended_ ? s : Wrong("does not end with its " + std::to_string(records_) + " records");
  }
  rest_ = Slice(block_);
  block_left_ = records;
  next_lpn_ = 0;
  return s;
}

bool PageTraceReader::Decode(PageRecord *record) {
  if (rest_.empty()) return false;
  const auto first = static_cast<uint8_t>(rest_[0]);
  rest_.remove_prefix(1);
  *record = PageRecord();
  if ((first & kOperationMask) > static_cast<uint8_t>(PageOperation::kBeginUnit)) return false;
  record->operation = static_cast<PageOperation>(first & kOperationMask);
  record->durable = (first & kDurable) != 0;
  record->refused = (first & kRefused) != 0;
  record->begins = (first & kBegins) != 0;
  record->more = (first & kMore) != 0;
  if (record->begins && !(info_.kinds && record->operation == PageOperation::kWrite)) return false;
  uint64_t number = 0;
  if (record->HasPages()) {
    if (!GetNumber(&rest_, &number)) return false;
    record->lpn = Unzigzag(number, next_lpn_);
    if (record->operation == PageOperation::kRemap) {
      if (!GetNumber(&rest_, &number)) return false;
      record->source = Unzigzag(number, record->lpn);
    }
    if (!GetNumber(&rest_, &record->pages)) return false;
    const auto inside = [&](uint64_t lpn) { return lpn < info_.pages && record->pages <= info_.pages - lpn; };
    if (record->pages == 0 || !inside(record->lpn) || !inside(record->source)) return false;
    next_lpn_ = record->lpn + record->pages;
  }
  if (record->operation == PageOperation::kWrite || record->operation == PageOperation::kBeginUnit) {
    if (!GetNumber(&rest_, &number) || number >= info_.placements) return false;
    record->placement = static_cast<unsigned>(number);
  }
  if (record->operation == PageOperation::kWrite && info_.kinds) {
    if (!GetNumber(&rest_, &number) || number >= kPageKinds) return false;
    record->kind = static_cast<PageKind>(number);
  }
  return true;
}

Status PageTraceReader::Next(PageRecord *record, bool *end) {
  *end = ended_;
  while (!*end && block_left_ == 0) {
    const Status s = ReadBlock(end);
    if (!s.ok()) return s;
  }
  if (*end) return Status::OK();
  records_++;
  block_left_--;
  if (Decode(record) && (block_left_ != 0 || rest_.empty())) return Status::OK();
  return Wrong("record " + std::to_string(records_) + " is wrong");
}

}  // namespace openremap
