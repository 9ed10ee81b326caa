// SPDX-License-Identifier: Apache-2.0
//
// A folder for a test's files, and pages that differ.
#ifndef OPENREMAP_LINUXFS_TESTS_TEST_PAGES_H_
#define OPENREMAP_LINUXFS_TESTS_TEST_PAGES_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "remap_env.h"
#include "temp_dir.h"

namespace openremap {

// There while this object is.
class TestFolder {
 public:
  const std::filesystem::path &path() const { return path_; }
  std::string Path(const std::string &name) const { return (path_ / name).string(); }

 private:
  const orm::TempDir temporary_;
  const std::filesystem::path path_ = temporary_.path;
};

inline std::string Page(int number) {
  std::string page(kPageBytes, '\0');
  for (size_t i = 0; i < page.size(); i++) page[i] = static_cast<char>(number * 7 + static_cast<int>(i / 16));
  return page;
}

inline std::string Pages(int first, int count) {
  std::string pages;
  for (int i = 0; i < count; i++) pages += Page(first + i);
  return pages;
}

// What both layers promise of a file `name` in the folder that has two pages and a tail.
template <class Env>
void ExpectOnlyWholePages(Env *env, const TestFolder &folder, const std::string &name) {
  PageRun run;
  ASSERT_TRUE(env->GetLpn(folder.Path(name), 0, 100, &run).ok());
  EXPECT_EQ(run.pages, 2u) << "not the one with the tail";
  EXPECT_TRUE(env->GetLpn(folder.Path(name), 2 * kPageBytes, 1, &run).IsNotSupportedError());
  EXPECT_TRUE(env->GetLpn(folder.Path(name), 3 * kPageBytes, 1, &run).IsInvalidArgument());
  EXPECT_TRUE(env->GetLpn(folder.Path(name), 100, 1, &run).IsInvalidArgument());
  EXPECT_TRUE(env->GetLpn(folder.Path("nothing"), 0, 1, &run).IsNotFound());
  RemapFile *none = nullptr;
  EXPECT_FALSE(env->NewRemapFile(folder.Path("no/folder"), 1, &none).ok());
  EXPECT_EQ(none, nullptr);
}

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_TESTS_TEST_PAGES_H_
