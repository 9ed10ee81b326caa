// SPDX-License-Identifier: Apache-2.0
//
// Numbers for the pages of files, for file systems that share ranges of files instead of device pages. A number
// identifies a file and a page in it.
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
  // Maximum number of pages of a file.
  static constexpr uint64_t kFilePages = uint64_t{1} << 32;

  // The number of the file's first page. Names get distinct numbers, which are never reused after Forget().
  uint64_t FirstPage(const std::string &fname);
  void Forget(const std::string &fname);
  // Finds the file and page of a number. Returns false if there is no such file, or it was forgotten.
  bool Find(uint64_t page, std::string *fname, uint64_t *offset) const;

 private:
  mutable std::mutex mutex_;
  uint64_t next_ = 1;
  std::map<std::string, uint64_t> numbers_;
  std::map<uint64_t, std::string> names_;
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_FILE_NUMBERS_H_
