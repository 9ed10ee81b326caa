// SPDX-License-Identifier: Apache-2.0
//
// The values that memtable, log and tables of a database with a value log hold: a tag, then the value itself or a
// pointer into the value log (docs/design/value-log.md).
#ifndef OPENREMAP_LEVELDB_HOST_VALUE_POINTER_H_
#define OPENREMAP_LEVELDB_HOST_VALUE_POINTER_H_

#include <cstdint>
#include <string>

#include "leveldb/slice.h"

namespace openremap {

// The place of a value in the value log.
struct ValuePointer {
  uint64_t segment = 0;     // number of the file
  uint64_t offset = 0;      // in the file
  uint32_t bytes = 0;       // as stored
  uint32_t checksum = 0;    // CRC-32C of these bytes, masked as LevelDB's are
  bool compressed = false;  // with Snappy
};

// The longest encoded pointer, tag included.
constexpr size_t kMaxPointerBytes = 1 + 10 + 10 + 5 + 4;

// What a tagged value holds.
struct TaggedValue {
  bool separated = false;
  leveldb::Slice value;  // unless separated
  ValuePointer pointer;  // if separated
};

// Append a tagged value to *out.
void AppendInline(const leveldb::Slice &value, std::string *out);
void AppendPointer(const ValuePointer &pointer, std::string *out);

// False: `tagged` is damaged. out->value refers to the bytes of `tagged`.
bool ParseTagged(const leveldb::Slice &tagged, TaggedValue *out);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_VALUE_POINTER_H_
