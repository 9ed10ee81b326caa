// SPDX-License-Identifier: Apache-2.0
#include "rocksfs/file_hints.h"

#include <algorithm>
#include <string_view>

#include "pagefs/fs/inode.h"

namespace openremap {

namespace {

constexpr int kFlushed = 0;
constexpr int kBaseLevel = 1;
constexpr int kLong = 2;
constexpr int kExtreme = 3;
constexpr int kCold = 4;

bool EndsWith(const std::string &name, std::string_view ending) {
  return name.size() > ending.size() && std::string_view(name).substr(name.size() - ending.size()) == ending;
}

bool IsTable(const FileHints &hints) {
  return hints.kind == RocksFileKind::kTable || hints.kind == RocksFileKind::kBlob;
}

bool IsFlush(const FileHints &hints) { return hints.priority == rocksdb::Env::IO_HIGH; }

int ByLifeTime(const FileHints &hints) {
  if (IsFlush(hints)) return kFlushed;
  switch (hints.life_time) {
    case rocksdb::Env::WLTH_SHORT:
      return kFlushed;
    case rocksdb::Env::WLTH_MEDIUM:
      return kBaseLevel;
    case rocksdb::Env::WLTH_EXTREME:
      return kExtreme;
    default:
      return kLong;
  }
}

}  // namespace

RocksFileKind KindOfRocksFile(const std::string &fname) {
  if (EndsWith(fname, ".log")) return RocksFileKind::kLog;
  if (EndsWith(fname, ".sst")) return RocksFileKind::kTable;
  return EndsWith(fname, ".blob") ? RocksFileKind::kBlob : RocksFileKind::kOther;
}

int PlaceOf(const FileHints &hints) {
  if (!IsTable(hints)) return Inode::kNoLevel;
  const int level = ByLifeTime(hints);
  switch (hints.temperature) {
    case rocksdb::Temperature::kHot:
      return std::min(level, kBaseLevel);
    case rocksdb::Temperature::kWarm:
      return std::max(level, kExtreme);
    case rocksdb::Temperature::kCold:
      return kCold;
    default:
      return level;
  }
}

WriteCause CauseOf(const FileHints &hints) {
  if (hints.kind == RocksFileKind::kLog) return WriteCause::kLog;
  if (!IsTable(hints)) return WriteCause::kOther;
  return IsFlush(hints) ? WriteCause::kFlush : WriteCause::kSizeCompaction;
}

}  // namespace openremap
