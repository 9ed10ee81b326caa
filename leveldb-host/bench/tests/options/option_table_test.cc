// SPDX-License-Identifier: Apache-2.0
#include "bench/options/option_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "bench/options/option_help.h"

namespace openremap {
namespace {

TEST(OptionTableTest, HasEveryDescribedOptionOnce) {
  BenchOptions options;
  std::set<std::string> names;
  for (const OptionRow &row : OptionTable(&options)) names.insert(row.text.name);
  EXPECT_EQ(names.size(), static_cast<size_t>(described::kOptions));
  EXPECT_EQ(OptionTable(&options).size(), static_cast<size_t>(described::kOptions));
}

// The number that follows this name in `limits`.
std::string Member(const std::string &limits, const std::string &name) {
  const size_t begin = limits.find("\"" + name + "\": ");
  EXPECT_NE(begin, std::string::npos) << limits;
  const size_t value = begin + name.size() + 4;
  return limits.substr(value, limits.find(',', value) - value);
}

TEST(OptionTableTest, ANumberIsTakenInItsRangeOnly) {
  BenchOptions options;
  for (const OptionRow &row : OptionTable(&options)) {
    SCOPED_TRACE(row.text.name);
    const bool number = row.kind == std::string("number") || row.kind == std::string("optional");
    EXPECT_EQ(row.limits.empty(), !number);
    if (!number) continue;
    const std::string low = Member(row.limits, "low"), high = Member(row.limits, "high");
    const bool or_zero = row.limits.find("\"or_zero\": true") != std::string::npos;
    EXPECT_TRUE(row.parse(low));
    EXPECT_TRUE(row.parse(high));
    EXPECT_FALSE(row.parse(high + "0"));
    EXPECT_FALSE(row.parse("-1"));
    EXPECT_FALSE(row.parse(high + "x"));
    EXPECT_FALSE(row.parse(""));
    EXPECT_EQ(row.parse("0"), or_zero || low == "0");
    if (low != "0") {
      EXPECT_FALSE(row.parse(std::to_string(std::stoull(low) - 1)));
    }
    if (high != std::to_string(UINT64_MAX)) {
      EXPECT_FALSE(row.parse(std::to_string(std::stoull(high) + 1)));
    }
  }
}

TEST(OptionTableTest, AValueThatIsRefusedChangesNothing) {
  BenchOptions options;
  for (const OptionRow &row : OptionTable(&options)) {
    if (row.kind != std::string("text")) {
      EXPECT_FALSE(row.parse("nonsense")) << row.text.name;
    }
  }
  BenchOptions untouched;
  const std::vector<OptionRow> after = OptionTable(&options), before = OptionTable(&untouched);
  for (size_t i = 0; i < after.size(); i++) EXPECT_EQ(after[i].value, before[i].value) << after[i].text.name;
}

TEST(OptionTableTest, HelpNamesEveryOptionAndEveryChoice) {
  const std::string help = BenchUsage();
  BenchOptions options;
  for (const OptionRow &row : OptionTable(&options)) {
    EXPECT_NE(help.find("  --" + std::string(row.text.name) + "=" + row.text.value + "\n"), std::string::npos)
        << row.text.name;
  }
  for (const RemapMode mode : RemapModes()) {
    EXPECT_NE(help.find("\n    " + std::string(RemapModeName(mode)) + " "), std::string::npos);
  }
  EXPECT_NE(help.find("\n    mixprefixdist "), std::string::npos);
}

TEST(OptionTableTest, HelpFitsATerminal) {
  const std::string help = BenchUsage();
  for (size_t begin = 0; begin < help.size();) {
    const size_t end = help.find('\n', begin);
    ASSERT_NE(end, std::string::npos) << "the last line has an end";
    EXPECT_LE(end - begin, 110u) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace openremap
