// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/link_graph.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace openremap {
namespace {

TEST(LinkGraphTest, KeysSortByIndexAndNumber) {
  EXPECT_EQ(NodeKey(1).size(), 12u);
  EXPECT_EQ(LinkKey(1, 2).size(), 20u);
  EXPECT_LT(NodeKey(255), NodeKey(256));
  EXPECT_LT(NodeKey(UINT64_MAX), LinkKey(0, 0));
  EXPECT_LT(LinkKey(1, UINT64_MAX), LinkKey(2, 0));
  EXPECT_LT(LinkKey(UINT64_MAX, UINT64_MAX), CountKey(0));
  EXPECT_EQ(LinkKey(7, 9).substr(0, 12), LinkPrefix(7));
  EXPECT_EQ(CountValue(258), std::string("\0\0\0\0\0\0\1\2", 8));
}

TEST(LinkGraphTest, NodesComeGoAndComeBack) {
  LinkGraph graph(1);
  EXPECT_EQ(graph.AddNode(), 0u);
  EXPECT_EQ(graph.AddNode(), 1u);
  const std::string first = graph.NodeValue(0);
  EXPECT_EQ(first.size(), kNodeBytes);
  EXPECT_NE(first, graph.NodeValue(1));
  graph.UpdateNode(0);
  EXPECT_NE(graph.NodeValue(0), first);
  graph.DeleteNode(0);
  graph.DeleteNode(0);
  EXPECT_FALSE(graph.NodeExists(0));
  EXPECT_EQ(graph.live_nodes(), 1u);
  EXPECT_EQ(graph.nodes(), 2u);
  graph.UpdateNode(0);
  EXPECT_TRUE(graph.NodeExists(0));
  EXPECT_EQ(graph.live_nodes(), 2u);
}

TEST(LinkGraphTest, LinksAreSortedAndCounted) {
  LinkGraph graph(1);
  graph.AddNode();
  for (const uint64_t end : {5, 1, 9}) EXPECT_TRUE(graph.PutLink(0, end));
  const std::string before = graph.LinkValue(0, *graph.Find(0, 5));
  EXPECT_EQ(before.size(), kLinkBytes);
  EXPECT_FALSE(graph.PutLink(0, 5)) << "another value";
  EXPECT_NE(graph.LinkValue(0, *graph.Find(0, 5)), before);
  EXPECT_EQ(graph.LinksOf(0).size(), 3u);
  EXPECT_EQ(graph.LinksOf(0)[0].id2, 1u);
  EXPECT_EQ(graph.LinksOf(0)[2].id2, 9u);
  EXPECT_TRUE(graph.DeleteLink(0, 1));
  EXPECT_FALSE(graph.DeleteLink(0, 1));
  EXPECT_EQ(graph.Find(0, 1), nullptr);
  EXPECT_EQ(graph.links(), 2u);
}

TEST(LinkGraphTest, ValuesDependOnSeedAndVersion) {
  std::set<std::string> values;
  for (const uint64_t seed : {1, 2}) {
    LinkGraph graph(seed);
    graph.AddNode();
    for (int i = 0; i < 100; i++) {
      EXPECT_TRUE(values.insert(graph.NodeValue(0)).second);
      graph.UpdateNode(0);
    }
  }
}

}  // namespace
}  // namespace openremap
