// SPDX-License-Identifier: Apache-2.0
//
// Output files that the user names: new or existing files, links, pipes and devices.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_OUTPUT_FILE_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_OUTPUT_FILE_H_

#include <string>

#include "leveldb/status.h"

namespace openremap {

// Whether WriteFile can write `path`; if not, *reason says why. Leaves an existing file unchanged and creates none.
bool CanWriteFile(const std::string &path, std::string *reason);

// The same for a file that is opened and written in place, without a rename at the end.
bool CanWriteInPlace(const std::string &path, std::string *reason);

// Whether two paths name the same regular file. Follows links, and works for files that do not exist yet.
bool IsSameFile(const std::string &a, const std::string &b);

// Whether a file is the folder, or lies in it or below it.
bool LiesIn(const std::string &folder, const std::string &file);

// Writes a file whole or not at all (a temporary beside it, renamed). What is no regular file is written to instead: it
// must not become one.
leveldb::Status WriteFile(const std::string &path, const std::string &text);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_OUTPUT_FILE_H_
