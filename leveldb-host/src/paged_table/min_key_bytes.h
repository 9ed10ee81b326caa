// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_MIN_KEY_BYTES_H_
#define OPENREMAP_MIN_KEY_BYTES_H_

#include <cstddef>
#include <cstring>

#include "leveldb/comparator.h"

namespace openremap {

// The fewest bytes of a key in a block that `comparator` orders. A database's keys end with 8 bytes of sequence number
// and type, which LevelDB reads without looking whether they are there.
inline size_t MinKeyBytes(const leveldb::Comparator *comparator) {
  return std::strcmp(comparator->Name(), "leveldb.InternalKeyComparator") == 0 ? 8 : 0;
}

}  // namespace openremap

#endif  // OPENREMAP_MIN_KEY_BYTES_H_
