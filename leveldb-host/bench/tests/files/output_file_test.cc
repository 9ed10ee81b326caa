// SPDX-License-Identifier: Apache-2.0
//
// A result file in a folder of the test, where there is nothing yet, a file, a link or a pipe.
#include "bench/files/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "temp_dir.h"

namespace openremap {
namespace {

namespace fs = std::filesystem;

std::string Contents(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class OutputFileTest : public ::testing::Test {
 protected:
  std::string In(const std::string &name) const { return folder_.path + "/" + name; }

  // Names in the folder.
  size_t Entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_.path), fs::directory_iterator()));
  }

  void MustWrite(const std::string &path, const std::string &text) {
    std::string reason;
    EXPECT_TRUE(CanWriteFile(path, &reason)) << reason;
    const leveldb::Status s = WriteFile(path, text);
    EXPECT_TRUE(s.ok()) << s.ToString();
  }

  const orm::TempDir folder_;
};

TEST_F(OutputFileTest, AFileIsMadeAndReplacedWhole) {
  std::string reason;
  EXPECT_TRUE(CanWriteFile(In("a.json"), &reason));
  EXPECT_EQ(Entries(), 0u) << "to ask leaves nothing";
  MustWrite(In("a.json"), "one\n");
  EXPECT_EQ(Contents(In("a.json")), "one\n");
  fs::create_hard_link(In("a.json"), In("reader"));
  MustWrite(In("a.json"), "2\n");
  EXPECT_EQ(Contents(In("a.json")), "2\n");
  EXPECT_EQ(Contents(In("reader")), "one\n") << "who has the older one open reads it to its end";
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(OutputFileTest, ALinkStaysOneAndWhereItLeadsIsWritten) {
  fs::create_directory(In("there"));
  fs::create_symlink("there/a.json", In("link"));
  fs::create_symlink(In("link"), In("to_link"));
  MustWrite(In("to_link"), "first\n");
  MustWrite(In("to_link"), "second\n");
  EXPECT_TRUE(fs::is_symlink(In("link")));
  EXPECT_TRUE(fs::is_symlink(In("to_link")));
  EXPECT_EQ(Contents(In("there/a.json")), "second\n");
}

TEST_F(OutputFileTest, APipeGetsTheTextAndStaysOne) {
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", In("link"));
  const int reader = open(In("pipe").c_str(), O_RDWR | O_CLOEXEC);  // for both, so that none of them waits
  ASSERT_GE(reader, 0);
  for (const char *name : {"pipe", "link"}) {
    MustWrite(In(name), "text\n");
    ASSERT_TRUE(fs::is_fifo(fs::status(In(name)))) << name << ": else nothing comes out of it";
    std::string got(16, '\0');
    const ssize_t length = read(reader, &got[0], got.size());
    EXPECT_EQ(got.substr(0, static_cast<size_t>(length)), "text\n");
  }
  EXPECT_TRUE(fs::is_symlink(In("link")));
  close(reader);
}

TEST_F(OutputFileTest, NobodyReadsAPipeWhenItIsAsked) {
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  std::string reason;
  EXPECT_TRUE(CanWriteFile(In("pipe"), &reason)) << "and does not wait for a reader";
}

TEST_F(OutputFileTest, WhatCannotBeWrittenIsSaid) {
  fs::create_symlink("round", In("round"));
  fs::create_symlink("nowhere/a.json", In("lost"));
  for (const std::string &path : {folder_.path, In("round"), In("lost"), In("nowhere/a.json")}) {
    std::string reason;
    EXPECT_FALSE(CanWriteFile(path, &reason)) << path;
    EXPECT_FALSE(reason.empty()) << path;
    EXPECT_FALSE(WriteFile(path, "text\n").ok()) << path;
  }
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(OutputFileTest, WhatIsWrittenInPlaceIsLeftAloneByTheQuestion) {
  std::string reason;
  EXPECT_TRUE(CanWriteInPlace(In("new"), &reason)) << reason;
  fs::create_symlink("new", In("link"));
  EXPECT_TRUE(CanWriteInPlace(In("link"), &reason)) << reason;
  EXPECT_EQ(Entries(), 1u) << "the link";
  EXPECT_TRUE(WriteFile(In("old"), "text\n").ok());
  EXPECT_TRUE(CanWriteInPlace(In("old"), &reason)) << reason;
  EXPECT_EQ(Contents(In("old")), "text\n");
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(CanWriteInPlace(In("pipe"), &reason)) << reason;
  for (const std::string &path : {folder_.path, In("nowhere/new")})
    EXPECT_FALSE(CanWriteInPlace(path, &reason)) << path;
}

}  // namespace
}  // namespace openremap
