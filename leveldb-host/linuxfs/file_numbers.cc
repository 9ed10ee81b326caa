// SPDX-License-Identifier: Apache-2.0
#include "file_numbers.h"

#include "remap_env.h"

namespace openremap {

uint64_t FileNumbers::FirstPage(const std::string &fname) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [place, added] = numbers_.emplace(fname, next_);
  if (added) names_.emplace(next_++, fname);
  return place->second * kFilePages;
}

void FileNumbers::Forget(const std::string &fname) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = numbers_.find(fname);
  if (found == numbers_.end()) return;
  names_.erase(found->second);
  numbers_.erase(found);
}

bool FileNumbers::Find(uint64_t page, std::string *fname, uint64_t *offset) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = names_.find(page / kFilePages);
  if (found == names_.end()) return false;
  *fname = found->second;
  *offset = page % kFilePages * kPageBytes;
  return true;
}

}  // namespace openremap
