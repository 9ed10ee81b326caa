// SPDX-License-Identifier: Apache-2.0
#include "replay_report.h"

#include <gtest/gtest.h>

namespace openremap {
namespace {

TEST(ReplayReportTest, BothFormsHaveAllFigures) {
  const ReplayDescription description = {"model", {"a\"b", "c\n"}, 12, {1.5, 1.25}};
  ReplayResult result;
  result.written_pages = 34;
  result.side_pages = result.written_by_kind.at(static_cast<size_t>(PageKind::kLog)) = 2;
  result.windows = {{20, 30}, {14, 14}};
  result.figures = {{"erases", FigureOf(uint64_t{5})}, {"wa2", FigureOf(1.25)}};
  EXPECT_EQ(ReplayJson(description, result),
            "{\"device\": \"model\", \"traces\": [\"a\\\"b\", \"c\\u000a\"], \"precondition_wa\": [1.5, 1.25], "
            "\"windows\": [{\"written_pages\": 20, \"programmed_pages\": 30}, "
            "{\"written_pages\": 14, \"programmed_pages\": 14}], \"used_pages\": 12, \"records\": 0, "
            "\"written_pages\": 34, \"read_pages\": 0, \"deallocated_pages\": 0, \"remapped_pages\": 0, "
            "\"copied_pages\": 0, \"flushes\": 0, \"units_begun\": 0, \"pages_verified\": 0, \"wrong_pages\": 0, "
            "\"side_pages\": 2, \"written_unknown_pages\": 0, \"written_metadata_pages\": 0, "
            "\"written_log_pages\": 2, \"written_table_pages\": 0, \"written_other_pages\": 0, \"figures\": "
            "{\"erases\": 5, \"wa2\": 1.25}}\n");
  const std::string text = ReplayText(description, result);
  EXPECT_EQ(text.find("device               model\ntraces               2\nprecondition_wa      1.5\n"), 0u) << text;
  EXPECT_NE(text.find("\nwritten_pages        34\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nwa2                  1.25\nwindow_wa2           1.5\nwindow_wa2           1\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace openremap
