// SPDX-License-Identifier: Apache-2.0
#include "rocksplugin/mounted_file_system.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksrun/inline_rocks_env.h"
#include "temp_dir.h"

namespace openremap {
namespace {

PluginTarget Target(const std::string &uri, const std::string &options = "") {
  PluginTarget target;
  EXPECT_TRUE(ParsePluginUri(uri, options, &target).ok());
  return target;
}

TEST(MountedFileSystemTest, ADatabaseInImagesIsFoundAgain) {
  const orm::TempDir temp;
  for (const bool first : {true, false}) {
    std::unique_ptr<MountedFileSystem> mounted;
    const leveldb::Status s = MountedFileSystem::Open(Target("pagefs://model" + temp.path + "/images"), &mounted);
    ASSERT_TRUE(s.ok()) << s.ToString();
    const std::shared_ptr<rocksdb::FileSystem> files = std::move(mounted);
    const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
    rocksdb::Options options;
    options.env = env.get();
    options.create_if_missing = options.error_if_exists = first;
    options.info_log = std::make_shared<SilentLogger>();
    rocksdb::DB *opened = nullptr;
    const rocksdb::Status t = rocksdb::DB::Open(options, "/db", &opened);
    ASSERT_TRUE(t.ok()) << t.ToString();
    const std::unique_ptr<rocksdb::DB> db(opened);
    std::string value;
    if (first) {
      ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), "key", "value").ok());
    } else {
      ASSERT_TRUE(db->Get(rocksdb::ReadOptions(), "key", &value).ok());
      EXPECT_EQ(value, "value");
    }
  }
}

TEST(MountedFileSystemTest, WhatCannotBeOpenedIsTold) {
  std::unique_ptr<MountedFileSystem> mounted;
  leveldb::Status s = MountedFileSystem::Open(Target("pagefs://model", "geometry=1x1x1x1"), &mounted);
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.ToString().find("model: "), std::string::npos) << s.ToString();
  s = MountedFileSystem::Open(Target("pagefs:///dev/null"), &mounted);
  EXPECT_NE(s.ToString().find("/dev/null: "), std::string::npos) << s.ToString();
  EXPECT_EQ(mounted, nullptr);
}

}  // namespace
}  // namespace openremap
