// SPDX-License-Identifier: Apache-2.0
//
// Replaces a manifest that has grown by a new one with the same content.
//
// LevelDB appends an edit to its manifest for each flush and each compaction, and most edits undo earlier ones: an
// input of a compaction was the output of another. Stock LevelDB starts a new manifest only when the database is
// opened.
#ifndef OPENREMAP_LEVELDB_HOST_MANIFEST_ROLL_H_
#define OPENREMAP_LEVELDB_HOST_MANIFEST_ROLL_H_

#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace openremap {

// A file that is written into a string.
class StringFile : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice &data) override {
    contents_.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

  const std::string &contents() const { return contents_; }

 private:
  std::string contents_;
};

// Decides when the manifest of an open database is replaced, and replaces it. Not thread-safe.
class ManifestRoll {
 public:
  // A manifest is replaced when it has this many times the bytes of its content, as a new manifest would hold it. With
  // 4, the new manifests add a third to the bytes of the edits.
  static constexpr uint64_t kTimesContent = 4;

  // A manifest of less than `min_bytes` bytes is never replaced.
  explicit ManifestRoll(uint64_t min_bytes) : min_bytes_(min_bytes) {}

  // Whether a manifest of `bytes` bytes is large enough for Due() to be asked. Cheap; the content of Due() is not.
  bool MayBeDue(uint64_t bytes) const { return bytes >= min_bytes_ && bytes >= next_bytes_; }

  // Whether a manifest of `bytes` bytes is to be replaced by one of `content_bytes`.
  bool Due(uint64_t bytes, uint64_t content_bytes);

  // Writes the manifest `to` with `contents` and makes CURRENT name it instead of `from`. Returns OK in two cases:
  //  - *file is the new manifest, open for appending. It is durable, and so is CURRENT. `from` may be removed.
  //  - *file is null: `from` stays in use, because the new manifest could not be written. *refused says why. The next
  //    attempt comes when the manifest has grown by half.
  // Returns an error if it is not certain which of the two a database that is opened now would read. Then nothing more
  // may be appended to either. Both have the same content, so nothing is lost.
  leveldb::Status Replace(leveldb::Env *env, const std::string &dbname, uint64_t from, uint64_t to,
                          const std::string &contents, leveldb::WritableFile **file, leveldb::Status *refused);

 private:
  const uint64_t min_bytes_;
  uint64_t next_bytes_ = 0;   // size from which on the content is worth measuring again
  uint64_t asked_bytes_ = 0;  // size at the last call of Due()
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_MANIFEST_ROLL_H_
