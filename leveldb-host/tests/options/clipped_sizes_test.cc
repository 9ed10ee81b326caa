// SPDX-License-Identifier: Apache-2.0
//
// What patches/0044 mends: sizes of 2 GiB and more became the smallest that an option takes.
#include <gtest/gtest.h>

#include <memory>

#include "db/db_impl.h"
#include "flat_env.h"
#include "leveldb/cache.h"
#include "leveldb/comparator.h"

namespace openremap {
namespace {

TEST(ClippedSizesTest, SizesBeyondTheLargestBecomeTheLargest) {
  const leveldb::InternalKeyComparator comparator(leveldb::BytewiseComparator());
  const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(1 << 20));
  NullLogger quiet;
  leveldb::Options options;
  options.info_log = &quiet;
  options.block_cache = cache.get();
  for (const size_t size : {size_t{2} << 30, size_t{3} << 30, size_t{5} << 30}) {
    options.write_buffer_size = options.max_file_size = options.block_size = size;
    const leveldb::Options clipped = leveldb::SanitizeOptions("/db", &comparator, nullptr, options);
    EXPECT_EQ(clipped.write_buffer_size, size_t{1} << 30);
    EXPECT_EQ(clipped.max_file_size, size_t{1} << 30);
    EXPECT_EQ(clipped.block_size, size_t{4} << 20);
  }
  options.write_buffer_size = options.max_file_size = options.block_size = 1;
  options.max_open_files = -1;
  const leveldb::Options clipped = leveldb::SanitizeOptions("/db", &comparator, nullptr, options);
  EXPECT_EQ(clipped.write_buffer_size, size_t{64} << 10);
  EXPECT_EQ(clipped.block_size, size_t{1} << 10);
  EXPECT_GT(clipped.max_open_files, 64);
}

}  // namespace
}  // namespace openremap
