// SPDX-License-Identifier: Apache-2.0
//
// A file that a person names for a result, whatever is there: none yet, a file, a link to one, a pipe or a device.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_OUTPUT_FILE_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_OUTPUT_FILE_H_

#include <string>

#include "leveldb/status.h"

namespace openremap {

// Whether `path` can be written, found out before there is anything to write; if not, *reason says why. What is there stays
// as it is, and where nothing is, nothing is left.
bool CanWriteFile(const std::string &path, std::string *reason);

// The same of a file that is opened and written as it goes, with nothing renamed in the end.
bool CanWriteInPlace(const std::string &path, std::string *reason);

// Whether two paths name one file, under links and before it is there, too. What is no regular file may be named twice.
bool IsSameFile(const std::string &a, const std::string &b);

// Whether a file lies in a folder or below it, or is the folder.
bool LiesIn(const std::string &folder, const std::string &file);

// Writes a file whole or not at all (a temporary beside it, renamed). What is no regular file is written to instead: it must
// not become one.
leveldb::Status WriteFile(const std::string &path, const std::string &text);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_OUTPUT_FILE_H_
