// SPDX-License-Identifier: Apache-2.0
#include "pagefs/metadata/extents.h"

#include <gtest/gtest.h>

#include <random>

namespace openremap {
namespace {

// Of each page of the file the page of the device; 0: a hole.
std::vector<uint64_t> Pages(const Extents &extents) {
  std::vector<uint64_t> pages;
  for (const PageRun &run : extents) {
    for (uint64_t i = 0; i < run.pages; i++) pages.push_back(IsHole(run) ? 0 : run.lpn + i);
  }
  return pages;
}

TEST(ExtentsTest, WhatContinuesTheLastExtentIsPartOfIt) {
  Extents extents;
  AppendExtent({20, 3}, &extents);
  AppendExtent({23, 2}, &extents);
  AppendExtent({0, 26}, &extents);
  AppendExtent({0, 1}, &extents);
  AppendExtent({27, 1}, &extents);  // where the hole would end if it were pages of the device
  AppendExtent({40, 0}, &extents);
  ASSERT_EQ(extents.size(), 3u);
  EXPECT_EQ(extents[0].pages, 5u);
  EXPECT_EQ(extents[1].pages, 27u);
  EXPECT_EQ(FilePages(extents), 33u);
  EXPECT_EQ(DevicePages(extents), 6u);
}

TEST(ExtentsTest, PunchedPagesAreAHoleAndTheOthersStay) {
  std::mt19937_64 random(4);
  for (int run = 0; run < 300; run++) {
    Extents extents;
    uint64_t lpn = 20;
    for (int i = 0; i < 6; i++) {
      const uint64_t pages = 1 + random() % 5;
      AppendExtent({lpn, pages}, &extents);
      lpn += pages + random() % 3;
    }
    std::vector<uint64_t> expected = Pages(extents);
    for (int i = 0; i < 8; i++) {
      const uint64_t first = random() % expected.size();
      const uint64_t pages = 1 + random() % (expected.size() - first);
      std::vector<uint64_t> gone;
      for (uint64_t page = first; page < first + pages; page++) {
        if (expected[page] != 0) gone.push_back(expected[page]);
        expected[page] = 0;
      }
      ASSERT_EQ(Pages(PunchExtents(first, pages, &extents)), gone);
      ASSERT_EQ(Pages(extents), expected);
      const uint64_t from = random() % expected.size();
      const std::vector<uint64_t> rest(expected.begin() + static_cast<std::ptrdiff_t>(from), expected.end());
      ASSERT_EQ(Pages(SliceExtents(extents, from, rest.size())), rest);
    }
  }
}

}  // namespace
}  // namespace openremap
