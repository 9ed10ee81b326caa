// SPDX-License-Identifier: Apache-2.0
#include "manifest/manifest_roll.h"

#include <memory>

#include "db/filename.h"

namespace openremap {

using leveldb::Status;

namespace {

// What CURRENT has when it names this manifest.
std::string CurrentContents(uint64_t manifest) { return leveldb::DescriptorFileName("", manifest).substr(1) + "\n"; }

}  // namespace

bool ManifestRoll::Due(uint64_t bytes, uint64_t content_bytes) {
  asked_bytes_ = bytes;
  next_bytes_ = kTimesContent * content_bytes;
  return MayBeDue(bytes);
}

Status ManifestRoll::Replace(leveldb::Env *env, const std::string &dbname, uint64_t from, uint64_t to,
                             const std::string &contents, leveldb::WritableFile **file, Status *refused) {
  *file = nullptr;
  const std::string name = leveldb::DescriptorFileName(dbname, to);
  leveldb::WritableFile *opened = nullptr;
  Status s = env->NewWritableFile(name, &opened);
  std::unique_ptr<leveldb::WritableFile> manifest(opened);
  if (s.ok()) s = manifest->Append(contents);
  if (s.ok()) s = manifest->Sync();
  if (s.ok()) s = leveldb::SetCurrentFile(env, dbname, to);
  if (!s.ok()) {
    // A rename that fails may have happened. What CURRENT says is what counts.
    std::string current;
    const Status read = leveldb::ReadFileToString(env, leveldb::CurrentFileName(dbname), &current);
    if (read.ok() && current == CurrentContents(from)) {
      manifest.reset();
      (void)env->RemoveFile(name);  // if it stays, the next one to be opened or rolled removes it
      next_bytes_ = asked_bytes_ + asked_bytes_ / 2;
      *refused = s;
      return Status::OK();
    }
    if (!read.ok() || current != CurrentContents(to)) return s;
  }
  // The Sync of a manifest includes its directory: CURRENT is durable before the old manifest is removed.
  s = manifest->Sync();
  next_bytes_ = 0;
  *file = manifest.release();
  return s;
}

}  // namespace openremap
