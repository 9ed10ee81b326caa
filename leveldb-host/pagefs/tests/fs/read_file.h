// SPDX-License-Identifier: Apache-2.0
//
// A file whose pages are read, for tests of who reads which of them.
#ifndef OPENREMAP_PAGEFS_TESTS_READ_FILE_H_
#define OPENREMAP_PAGEFS_TESTS_READ_FILE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pagefs/fs/inode.h"
#include "pagefs/fs/read_stream.h"

namespace openremap {

struct ReadFile {
  explicit ReadFile(uint64_t pages) { Grow(pages * kPageBytes); }

  void Grow(uint64_t bytes) {
    for (uint64_t at = data.size(); at < bytes; at++)
      data += static_cast<char>((at * 2654435761u + at / 4096 * 31) >> 7);
  }
  uint64_t pages() const { return PagesOf(data.size()); }

  PageReader Reader() {
    return [this](uint64_t first, uint64_t count, char *out) {
      reads.emplace_back(first, count);
      for (uint64_t page = first; page < first + count; page++) {
        if (damaged.count(page) != 0) return leveldb::Status::IOError("damaged page");
      }
      if (count == 0 || first + count > pages()) return leveldb::Status::InvalidArgument("no such pages");
      const size_t at = static_cast<size_t>(first * kPageBytes);
      const size_t there = std::min(static_cast<size_t>(count * kPageBytes), data.size() - at);
      std::memset(out, 0, static_cast<size_t>(count * kPageBytes));
      std::memcpy(out, data.data() + at, there);
      return leveldb::Status::OK();
    };
  }

  // The same of several places at once.
  PagesReader TogetherReader() {
    return [this](const std::vector<PagesWanted> &wanted) {
      together++;
      leveldb::Status s;
      for (const PagesWanted &pages : wanted) {
        leveldb::Status one = Reader()(pages.first, pages.pages, pages.data);
        if (!one.ok()) s = one;
      }
      return s;
    };
  }

  using Reads = std::vector<std::pair<uint64_t, uint64_t>>;
  // The reads since it was asked last, first page and number of pages.
  Reads Taken() { return std::exchange(reads, {}); }

  std::string data;
  std::set<uint64_t> damaged;  // a command that reads one of these pages fails
  Reads reads;
  int together = 0;  // calls of TogetherReader
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_TESTS_READ_FILE_H_
