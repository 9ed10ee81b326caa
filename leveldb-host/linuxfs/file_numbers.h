// SPDX-License-Identifier: Apache-2.0
//
// Numbers for the pages of files where the file system shares ranges of files, not of a device: they say which file, and where.
#ifndef OPENREMAP_LINUXFS_FILE_NUMBERS_H_
#define OPENREMAP_LINUXFS_FILE_NUMBERS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace openremap {

// Thread-safe.
class FileNumbers {
 public:
  // Pages that the numbers leave room for in a file.
  static constexpr uint64_t kFilePages = uint64_t{1} << 32;

  // The first page of the file. A name has one until it is forgotten, and none that another one had.
  uint64_t FirstPage(const std::string &fname);
  void Forget(const std::string &fname);
  // Where the page lies. False: of no file, or of one that was forgotten.
  bool Find(uint64_t page, std::string *fname, uint64_t *offset) const;

 private:
  mutable std::mutex mutex_;
  uint64_t next_ = 1;
  std::map<std::string, uint64_t> numbers_;
  std::map<uint64_t, std::string> names_;
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_FILE_NUMBERS_H_
