// SPDX-License-Identifier: Apache-2.0
//
// Defects of the value log that tests seed, to see that power cuts find them. None is set in any program.
#ifndef OPENREMAP_LEVELDB_HOST_VALUE_LOG_DEFECTS_H_
#define OPENREMAP_LEVELDB_HOST_VALUE_LOG_DEFECTS_H_

namespace openremap {

struct ValueLogDefects {
  bool values_not_synced = false;      // a pointer may be durable before its value is
  bool collected_at_once = false;      // a segment may go before what was inserted again is durable
  bool moved_at_once = false;          // a segment may go before the manifest says where its pages are
  bool punched_at_once = false;        // pages may go before what hides their values is durable
  bool punched_under_readers = false;  // pages may go although a reader sees hidden pointers to them
  bool iterators_not_counted = false;  // a segment may go although an iterator sees hidden pointers to it
};

// Change them only while no database is open.
inline ValueLogDefects &SeededDefects() {
  static ValueLogDefects defects;
  return defects;
}

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_VALUE_LOG_DEFECTS_H_
