// SPDX-License-Identifier: Apache-2.0
//
// Where RocksDB's files go on the device, by what RocksDB tells of them: the kind of file, by its name; the write life
// time hint and the I/O priority of the file (Env::WriteLifeTimeHint, Env::IOPriority); and the temperature of its
// column family or level (FileOptions::temperature).
//
//   file                                   told                       place        handle, of 4 (of 8)
//   log, manifest, CURRENT, options, ...   anything                   none         0 (0)
//   table, blob file                       priority high: a flush     level 0      0 (1)
//                                          life time short            level 0      0 (1)
//                                          medium: the base level     level 1      0 (2)
//                                          long: the level below      level 2      1 (3)
//                                          extreme: all deeper ones   level 3      2 (4)
//                                          not set, none              level 2      1 (3)
//   the same                               temperature hot            at most 1    0 (1, 2)
//                                          warm                       at least 3   2 (4)
//                                          cold                       level 4      3 (5)
//
// The place is the level that PageFs::Place() takes, which has the rules for devices with other numbers of handles.
// RocksDB sets a life time with levelled compaction only. With the other kinds of compaction, and in files of
// SstFileWriter, it is not set: they outlive those of flushes, so they get the handle behind. A flush has the priority
// `user`, as a compaction has, while writes are stalled; it then counts as the base level, with which it shares a
// handle of four.
#ifndef OPENREMAP_ROCKSFS_FILE_HINTS_H_
#define OPENREMAP_ROCKSFS_FILE_HINTS_H_

#include <cstdint>
#include <string>

#include "rocksdb/advanced_options.h"
#include "rocksdb/env.h"
#include "write_cause.h"

namespace openremap {

enum class RocksFileKind : uint8_t { kLog, kTable, kBlob, kOther };

// By the ending of the name: `.log`, `.sst`, `.blob`.
RocksFileKind KindOfRocksFile(const std::string &fname);

struct FileHints {
  RocksFileKind kind = RocksFileKind::kOther;
  rocksdb::Env::WriteLifeTimeHint life_time = rocksdb::Env::WLTH_NOT_SET;
  rocksdb::Env::IOPriority priority = rocksdb::Env::IO_TOTAL;  // not set
  rocksdb::Temperature temperature = rocksdb::Temperature::kUnknown;
};

// The level for PageFs::Place(); Inode::kNoLevel for a file that is neither a table nor a blob file.
int PlaceOf(const FileHints &hints);

// What the pages of such a file are counted by. RocksDB does not tell a manual compaction from the others.
WriteCause CauseOf(const FileHints &hints);

}  // namespace openremap

#endif  // OPENREMAP_ROCKSFS_FILE_HINTS_H_
