// SPDX-License-Identifier: Apache-2.0
//
// Bloom filters for mode blend, whose tables have several sorted runs that a get would have to read a block of each.
#ifndef OPENREMAP_LEVELDB_HOST_DEFAULT_FILTER_H_
#define OPENREMAP_LEVELDB_HOST_DEFAULT_FILTER_H_

#include "leveldb/options.h"

namespace openremap {

// Gives the options a filter policy that is never destroyed, if their mode is kBlend, they ask for filters
// (RemapOptions::blend_filter_bits) and have none. Not with a comparator of the program's own: keys that are equal to it may
// differ in their bytes, of which LevelDB's filters are made. Thread-safe.
void SetDefaultFilter(leveldb::Options *options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_DEFAULT_FILTER_H_
