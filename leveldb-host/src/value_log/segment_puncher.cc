// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_puncher.h"

#include <utility>
#include <vector>

#include "db/filename.h"
#include "file_holes.h"
#include "remap_env.h"

namespace openremap {

using leveldb::Status;

SegmentPuncher::SegmentPuncher(leveldb::Env *env, std::string dbname) : env_(env), dbname_(std::move(dbname)) {}

Status SegmentPuncher::Punch(const SegmentPages &pages, uint64_t source, const SegmentMap *map, uint64_t *punched) {
  const std::string name = leveldb::ValueLogFileName(dbname_, source);
  uint64_t size = 0;
  Status s = env_->GetFileSize(name, &size);
  if (!s.ok()) return s;
  std::vector<SegmentMap::Run> runs = {{0, size / kPageBytes, 0}};
  if (map != nullptr) runs = map->runs();
  uint64_t first = 0, count = 0;  // the hole that is next, which runs continue
  const auto punch = [&] {
    if (count == 0) return Status::OK();
    const Status done = PunchHole(env_, name, first, count);
    if (done.ok()) *punched += count;
    count = 0;
    return done;
  };
  for (const SegmentMap::Run &run : runs) {
    for (uint64_t page = 0; s.ok() && page < run.pages; page++) {
      if (pages.Has(run.first + page)) {
        s = punch();
      } else {
        if (count == 0) first = run.at + page;
        count++;
      }
    }
  }
  return s.ok() ? punch() : s;
}

}  // namespace openremap
