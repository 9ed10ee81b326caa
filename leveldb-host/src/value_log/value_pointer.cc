// SPDX-License-Identifier: Apache-2.0
#include "value_log/value_pointer.h"

#include "util/coding.h"

namespace openremap {

using leveldb::Slice;

namespace {

// On disk: do not change.
enum Tag : char { kInline = 0, kPointer = 1, kCompressedPointer = 2 };

}  // namespace

void AppendInline(const Slice &value, std::string *out) {
  out->push_back(kInline);
  out->append(value.data(), value.size());
}

void AppendPointer(const ValuePointer &pointer, std::string *out) {
  out->push_back(pointer.compressed ? kCompressedPointer : kPointer);
  leveldb::PutVarint64(out, pointer.segment);
  leveldb::PutVarint64(out, pointer.offset);
  leveldb::PutVarint32(out, pointer.bytes);
  leveldb::PutFixed32(out, pointer.checksum);
}

bool ParseTagged(const Slice &tagged, TaggedValue *out) {
  if (tagged.empty()) return false;
  Slice rest(tagged.data() + 1, tagged.size() - 1);
  const char tag = tagged[0];
  out->separated = tag != kInline;
  if (tag == kInline) {
    out->value = rest;
    return true;
  }
  if (tag != kPointer && tag != kCompressedPointer) return false;
  ValuePointer &pointer = out->pointer;
  pointer.compressed = tag == kCompressedPointer;
  if (!leveldb::GetVarint64(&rest, &pointer.segment) || !leveldb::GetVarint64(&rest, &pointer.offset) ||
      !leveldb::GetVarint32(&rest, &pointer.bytes) || rest.size() != sizeof(uint32_t)) {
    return false;
  }
  pointer.checksum = leveldb::DecodeFixed32(rest.data());
  return pointer.offset + pointer.bytes >= pointer.offset;
}

}  // namespace openremap
