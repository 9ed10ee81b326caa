// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_SOAK_OVERWRITE_SOAK_H_
#define OPENREMAP_LEVELDB_HOST_SOAK_OVERWRITE_SOAK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "database_files.h"
#include "inline_env.h"
#include "remap_options.h"

namespace openremap {

struct SoakOptions {
  std::string device = "model";  // or "rtl", "soc"; PageFS lies on it
  std::string folder;            // a folder for plain files instead; it must not exist. Empty: PageFS
  RemapMode mode = RemapMode::kBlend;
  uint64_t seed = 1;
  uint64_t operations = 10'000'000;
  uint64_t keys = 20'000;
  uint64_t value_bytes = 100;
  uint64_t manifest_bytes = RemapOptions().min_manifest_bytes;  // least size of a manifest that is replaced
  uint64_t info_log_bytes = RemapOptions().max_info_log_bytes;
  std::function<void(uint64_t done)> progress;  // called now and then, if set
  // Defects for the tests: an Env in place of the one that LevelDB would use, which it may own.
  std::function<std::unique_ptr<InlineEnv>(leveldb::Env *, RemapEnv *)> wrap;
};

// The largest value of each half of a run.
struct HalvesMost {
  uint64_t first = 0, second = 0;
};

struct SoakResult {
  std::string wrong;                           // empty: nothing
  uint64_t overwrites = 0;                     // that were made: all, or those until something was wrong
  uint64_t manifests = 0;                      // that were begun after the database was opened, as far as samples tell
  std::array<HalvesMost, kFileKinds> files{};  // number, by FileKind
  std::array<HalvesMost, kFileKinds> bytes{};
  HalvesMost used_pages;    // of the device, by files and metadata
  HalvesMost segments;      // of the device's remap table, in use
  HalvesMost memory_bytes;  // of this process
};

// Puts each key, then overwrites random ones, in one database that stays open, with LevelDB's own info log. Lists its
// files after every few thousand puts: manifests, logs and info logs have fixed bounds, and nothing may be larger in
// the second half of the run than in the first, by more than chance explains. At the end, compares all keys, closes the
// database, checks the file system, opens the database again and compares once more. The same options give the same
// run, but for memory. Throws std::runtime_error if the device cannot be created.
SoakResult RunSoak(const SoakOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SOAK_OVERWRITE_SOAK_H_
