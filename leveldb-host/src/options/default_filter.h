// SPDX-License-Identifier: Apache-2.0
//
// Bloom filters for mode blend. Its tables have several sorted runs, and without filters a get reads a block of each.
#ifndef OPENREMAP_LEVELDB_HOST_DEFAULT_FILTER_H_
#define OPENREMAP_LEVELDB_HOST_DEFAULT_FILTER_H_

#include "leveldb/options.h"

namespace openremap {

// Sets options->filter_policy to a policy that is never destroyed, if the mode is kBlend, there is no policy yet and
// RemapOptions::blend_filter_bits is not 0. Does nothing if the program has a comparator of its own: LevelDB's filters
// are made of the bytes of keys, and keys that compare equal there may differ in their bytes. Thread-safe.
void SetDefaultFilter(leveldb::Options *options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_DEFAULT_FILTER_H_
