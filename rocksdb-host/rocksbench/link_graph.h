// SPDX-License-Identifier: Apache-2.0
//
// A social graph as LinkBench (Armstrong et al., SIGMOD 2013) keeps it in a key-value store: nodes, directed links, and
// for each node the number of its links. What the store must hold is a pure function of a seed and of a version for
// each node and link.
#ifndef OPENREMAP_ROCKSBENCH_LINK_GRAPH_H_
#define OPENREMAP_ROCKSBENCH_LINK_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace openremap {

constexpr size_t kNodeBytes = 128;  // of a node's value
constexpr size_t kLinkBytes = 8;    // of a link's value, and of a count

// Keys as MyRocks makes them: the number of the index, 4 bytes, and the columns, 8 bytes each, most significant first.
std::string NodeKey(uint64_t id);
std::string LinkKey(uint64_t id1, uint64_t id2);
std::string LinkPrefix(uint64_t id1);  // that all links of the node begin with
std::string CountKey(uint64_t id1);
std::string CountValue(uint64_t count);

// What the store must hold. Not thread-safe.
class LinkGraph {
 public:
  struct Link {
    uint64_t id2;
    uint32_t version;
  };

  explicit LinkGraph(uint64_t seed) : seed_(seed) {}

  uint64_t nodes() const { return versions_.size(); }  // that were ever added; ids are below it
  uint64_t live_nodes() const { return live_nodes_; }
  uint64_t links() const { return links_in_all_; }
  bool NodeExists(uint64_t id) const { return (versions_[id] & kDeleted) == 0; }
  // Sorted by id2. Those of a deleted node stay, as in LinkBench.
  const std::vector<Link> &LinksOf(uint64_t id1) const { return links_[id1]; }
  const Link *Find(uint64_t id1, uint64_t id2) const;  // null: there is none

  // A new node; returns its id.
  uint64_t AddNode();
  // Another value; brings a deleted node back.
  void UpdateNode(uint64_t id);
  void DeleteNode(uint64_t id);
  // Adds the link, or gives it another value. Returns whether it is new.
  bool PutLink(uint64_t id1, uint64_t id2);
  // Returns whether it was there.
  bool DeleteLink(uint64_t id1, uint64_t id2);

  // REQUIRES: the node was added. The value that it has, or had when it was deleted.
  std::string NodeValue(uint64_t id) const;
  std::string LinkValue(uint64_t id1, const Link &link) const;

 private:
  static constexpr uint32_t kDeleted = 1u << 31;  // beside the number of values

  const uint64_t seed_;
  std::vector<uint32_t> versions_;        // of nodes
  std::vector<std::vector<Link>> links_;  // by id1
  uint64_t live_nodes_ = 0;
  uint64_t links_in_all_ = 0;
  uint32_t next_link_version_ = 1;
};

}  // namespace openremap

#endif  // OPENREMAP_ROCKSBENCH_LINK_GRAPH_H_
