// SPDX-License-Identifier: Apache-2.0
#include "hybrid_target.h"

#include <gtest/gtest.h>

#include "trace_files.h"

namespace openremap {
namespace {

TEST(HybridTargetTest, FindsPagesWithOtherStamps) {
  HybridTarget target({40, 4, 30});
  std::vector<uint64_t> stamps(40, 0);
  for (uint64_t i = 0; i < 10; i++) stamps[i] = i + 1;
  ASSERT_TRUE(target.Write({WriteOf(0, 4), WriteOf(4, 6)}, stamps).ok());
  uint64_t wrong = 0;
  ASSERT_TRUE(target.Read({RecordOf(PageOperation::kRead, 0, 40)}, stamps, &wrong).ok());
  EXPECT_EQ(wrong, 0u);
  stamps[3] = 77;
  stamps[20] = 1;
  ASSERT_TRUE(target.Read({RecordOf(PageOperation::kRead, 0, 40)}, stamps, &wrong).ok());
  EXPECT_EQ(wrong, 2u);
  ASSERT_TRUE(target.Deallocate({RecordOf(PageOperation::kDeallocate, 0, 4)}).ok());
  EXPECT_EQ(target.ftl().Read(0), 0u);
  ReplayFigures figures;
  ASSERT_TRUE(target.Figures(&figures).ok());
  EXPECT_EQ(figures.back(), (std::pair<std::string, std::string>("wa2", "1")));
}

std::string FigureNamed(const ReplayFigures &figures, const std::string &name) {
  for (const auto &[found, value] : figures) {
    if (found == name) return value;
  }
  return "none";
}

TEST(HybridTargetTest, TellsWhatItsFlashIsBusyFor) {
  HybridTarget target({40, 4, 30});
  std::vector<uint64_t> stamps(40, 0);
  for (uint64_t i = 0; i < 4; i++) stamps[i] = i + 1;
  ASSERT_TRUE(target.Write({WriteOf(0, 4)}, stamps).ok());
  uint64_t wrong = 0;
  ASSERT_TRUE(target.Read({RecordOf(PageOperation::kRead, 0, 2)}, stamps, &wrong).ok());
  ASSERT_TRUE(target.Deallocate({RecordOf(PageOperation::kDeallocate, 0, 4)}).ok());
  ReplayFigures figures;
  ASSERT_TRUE(target.Figures(&figures).ok());
  EXPECT_EQ(FigureNamed(figures, "erases"), "1");
  EXPECT_EQ(FigureNamed(figures, "dead_blocks"), "1");
  EXPECT_EQ(FigureNamed(figures, "used_blocks"), "0");
  EXPECT_EQ(FigureNamed(figures, "flash_seconds"), FigureOf(2 * 25e-6 + 4 * 200e-6 + 1.5e-3));
}

}  // namespace
}  // namespace openremap
