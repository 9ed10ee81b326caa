// SPDX-License-Identifier: Apache-2.0
#include "bench/files/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace openremap {
namespace {

using leveldb::Status;

constexpr int kMostLinks = 40;  // as Linux

// Where symbolic links lead, be there anything or not: a rename over a link would replace the link.
bool Resolve(const std::string &path, std::string *target) {
  std::filesystem::path at = path;
  for (int links = 0; links <= kMostLinks; links++) {
    std::error_code none;
    const std::filesystem::path next = std::filesystem::read_symlink(at, none);
    if (none) {  // no link, whether it exists or not
      *target = at.string();
      return true;
    }
    at = at.parent_path() / next;  // `next` alone where it is absolute
  }
  errno = ELOOP;
  return false;
}

// The descriptor of this program's output if the path is what that goes to, as of --json=/dev/stdout > log; else -1.
int OwnOutput(const std::string &path) {
  struct stat found {
  }, own{};
  if (stat(path.c_str(), &found) != 0) return -1;
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    if (fstat(fd, &own) == 0 && own.st_dev == found.st_dev && own.st_ino == found.st_ino) return fd;
  }
  return -1;
}

// Whether a file must not take its place.
bool IsSpecial(const std::string &path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && (!S_ISREG(found.st_mode) || OwnOutput(path) >= 0);
}

// Output is not opened once more: in a file that would begin at its start.
std::FILE *OpenSpecial(const std::string &path) {
  const int own = OwnOutput(path);
  if (own < 0) return std::fopen(path.c_str(), "w");
  std::fflush(nullptr);
  const int copy = dup(own);
  std::FILE *file = copy < 0 ? nullptr : fdopen(copy, "w");
  if (file == nullptr && copy >= 0) close(copy);
  return file;
}

// A file becomes complete under another name first, beside it, that nothing has. Null: errno says why there is none.
std::FILE *OpenTemporary(const std::string &target, std::string *name) {
  constexpr int kMostNames = 100;  // of programs that were ended in between
  for (int i = 0; i < kMostNames; i++) {
    *name = target + ".tmp" + (i == 0 ? "" : std::to_string(i));
    std::FILE *file = std::fopen(name->c_str(), "wx");
    if (file != nullptr || errno != EEXIST) return file;
  }
  return nullptr;
}

// Tried, not asked: permission bits say little to root.
bool CanMakeTemporary(const std::string &target) {
  std::string name;
  std::FILE *file = OpenTemporary(target, &name);
  if (file == nullptr) return false;
  std::fclose(file);
  std::remove(name.c_str());
  return true;
}

// Whether a file can be opened, and made if it is not there.
bool CanAppendTo(const std::string &target) {
  struct stat found {};
  const bool there = stat(target.c_str(), &found) == 0;
  std::FILE *file = std::fopen(target.c_str(), "a");
  if (file == nullptr) return false;
  std::fclose(file);
  if (!there) std::remove(target.c_str());
  return true;
}

// A pipe is not opened to find out: its reader would take the end of that for the end of what comes.
bool CanWriteTo(const std::string &path) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) return access(path.c_str(), W_OK) == 0;
  errno = EISDIR;
  return false;
}

// Without links, be the last parts of it there or not; empty: there is no telling.
std::filesystem::path Canonical(const std::string &path) {
  std::error_code error;
  // Absolute first: of a relative path of which nothing is there it makes none. And without a slash at its end.
  const std::filesystem::path found = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  if (error) return {};
  return found.has_filename() ? found : found.parent_path();
}

Status Error(const std::string &path) { return Status::IOError(path, std::strerror(errno)); }

// Closes the file.
Status WriteTo(std::FILE *file, const std::string &path, const std::string &text) {
  if (file == nullptr) return Error(path);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  return written && closed ? Status::OK() : Error(path);
}

}  // namespace

bool CanWriteFile(const std::string &path, std::string *reason) {
  std::string target;
  if (IsSpecial(path) ? CanWriteTo(path) : Resolve(path, &target) && CanMakeTemporary(target)) return true;
  *reason = std::strerror(errno);
  return false;
}

bool CanWriteInPlace(const std::string &path, std::string *reason) {
  std::string target;
  if (IsSpecial(path) ? CanWriteTo(path) : Resolve(path, &target) && CanAppendTo(target)) return true;
  *reason = std::strerror(errno);
  return false;
}

bool IsSameFile(const std::string &a, const std::string &b) {
  struct stat found {};
  if (stat(a.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) return false;
  std::error_code none;
  if (std::filesystem::equivalent(a, b, none)) return true;
  const std::filesystem::path first = Canonical(a);
  return !first.empty() && first == Canonical(b);
}

bool LiesIn(const std::string &folder, const std::string &file) {
  const std::filesystem::path above = Canonical(folder), below = Canonical(file);
  return !above.empty() && std::mismatch(above.begin(), above.end(), below.begin(), below.end()).first == above.end();
}

Status WriteFile(const std::string &path, const std::string &text) {
  if (IsSpecial(path)) return WriteTo(OpenSpecial(path), path, text);
  std::string target, temporary;
  if (!Resolve(path, &target)) return Error(path);
  std::FILE *file = OpenTemporary(target, &temporary);
  if (file == nullptr) return Error(temporary);
  Status s = WriteTo(file, temporary, text);
  if (s.ok() && std::rename(temporary.c_str(), target.c_str()) != 0) s = Error(target);
  if (!s.ok()) std::remove(temporary.c_str());
  return s;
}

}  // namespace openremap
