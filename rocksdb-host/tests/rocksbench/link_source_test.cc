// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/link_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

namespace openremap {
namespace {

TEST(LinkSourceTest, KindsHaveTheirSharesAndNodesAreThere) {
  constexpr uint64_t kOperations = 200000;
  LinkSource source(1000, 5, kOperations, 1);
  std::array<uint64_t, kLinkKinds> counts{};
  uint64_t nodes = 1000, given = 0;
  for (LinkOperation operation; source.Next(&operation); given++) {
    counts.at(static_cast<size_t>(operation.kind))++;
    if (operation.kind == LinkKind::kAddNode) {
      nodes++;
      continue;
    }
    ASSERT_LT(operation.id, nodes);
    ASSERT_LT(operation.other, nodes);
  }
  EXPECT_EQ(given, kOperations);
  EXPECT_EQ(source.SelfCheck(), "");
  const auto percent = [&](LinkKind kind) {
    return 100.0 * static_cast<double>(counts.at(static_cast<size_t>(kind))) / static_cast<double>(kOperations);
  };
  EXPECT_NEAR(percent(LinkKind::kListLinks), 50.71, 0.6);
  EXPECT_NEAR(percent(LinkKind::kGetNode), 12.93, 0.4);
  EXPECT_NEAR(percent(LinkKind::kAddLink), 8.99, 0.4);
  EXPECT_NEAR(percent(LinkKind::kGetLink), 0.53, 0.1);
  EXPECT_NEAR(percent(LinkKind::kDeleteNode), 1.01, 0.15);
}

TEST(LinkSourceTest, LoadedLinksHaveTheirMeanAndALongTail) {
  const LinkSource source(100000, 5, 1, 1);
  uint64_t sum = 0, most = 0, none = 0;
  for (uint64_t id = 0; id < 100000; id++) {
    const uint64_t links = source.LoadedLinks(id);
    EXPECT_EQ(links, source.LoadedLinks(id));
    sum += links;
    most = std::max(most, links);
    if (links == 0) none++;
    if (links != 0) {
      EXPECT_LT(source.LoadedEnd(id, links - 1), 100000u);
    }
  }
  EXPECT_NEAR(static_cast<double>(sum) / 100000, 5, 0.5);
  EXPECT_GT(most, 200u);
  EXPECT_GT(none, 5000u);
}

TEST(LinkSourceTest, SomeNodesArePopular) {
  LinkSource source(1000, 5, 100000, 1);
  std::map<uint64_t, uint64_t> counts;
  for (LinkOperation operation; source.Next(&operation);) {
    if (operation.kind != LinkKind::kAddNode) counts[operation.id]++;
  }
  uint64_t most = 0;
  for (const auto &[id, count] : counts) most = std::max(most, count);
  EXPECT_GT(most, 5000u) << "one node in eight operations or so";
  EXPECT_GT(counts.size(), 900u);
}

TEST(LinkSourceTest, TheSeedDecides) {
  LinkSource a(100, 5, 1000, 7), b(100, 5, 1000, 7), c(100, 5, 1000, 8);
  LinkOperation one, two, three;
  bool differs = false;
  while (a.Next(&one)) {
    ASSERT_TRUE(b.Next(&two) && c.Next(&three));
    EXPECT_TRUE(one.kind == two.kind && one.id == two.id && one.other == two.other && one.choice == two.choice);
    differs = differs || one.id != three.id;
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace openremap
