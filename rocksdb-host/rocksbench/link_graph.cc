// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/link_graph.h"

#include <algorithm>

#include "bench/workload/keys.h"

namespace openremap {

namespace {

enum Index : uint32_t { kNodes = 1, kLinks = 2, kCounts = 3 };

void AppendBigEndian(uint64_t number, size_t bytes, std::string *out) {
  for (size_t i = bytes; i-- > 0;) out->push_back(static_cast<char>(number >> (8 * i)));
}

std::string Key(Index index, uint64_t id) {
  std::string key;
  AppendBigEndian(index, 4, &key);
  AppendBigEndian(id, 8, &key);
  return key;
}

std::string Value(uint64_t seed, size_t bytes) {
  Random64 random(seed);
  std::string value;
  while (value.size() < bytes) AppendBigEndian(random.Next(), 8, &value);
  return value;
}

uint64_t Mixed(uint64_t a, uint64_t b) { return Random64(a ^ Random64(b).Next()).Next(); }

}  // namespace

std::string NodeKey(uint64_t id) { return Key(kNodes, id); }
std::string LinkPrefix(uint64_t id1) { return Key(kLinks, id1); }
std::string CountKey(uint64_t id1) { return Key(kCounts, id1); }

std::string LinkKey(uint64_t id1, uint64_t id2) {
  std::string key = LinkPrefix(id1);
  AppendBigEndian(id2, 8, &key);
  return key;
}

std::string CountValue(uint64_t count) {
  std::string value;
  AppendBigEndian(count, kLinkBytes, &value);
  return value;
}

const LinkGraph::Link *LinkGraph::Find(uint64_t id1, uint64_t id2) const {
  const std::vector<Link> &links = links_[id1];
  const auto at = std::lower_bound(links.begin(), links.end(), id2,
                                   [](const Link &link, uint64_t wanted) { return link.id2 < wanted; });
  return at != links.end() && at->id2 == id2 ? &*at : nullptr;
}

uint64_t LinkGraph::AddNode() {
  versions_.push_back(1);
  links_.emplace_back();
  live_nodes_++;
  return versions_.size() - 1;
}

void LinkGraph::UpdateNode(uint64_t id) {
  if (!NodeExists(id)) live_nodes_++;
  versions_[id] = (versions_[id] & ~kDeleted) + 1;
}

void LinkGraph::DeleteNode(uint64_t id) {
  if (NodeExists(id)) live_nodes_--;
  versions_[id] |= kDeleted;
}

bool LinkGraph::PutLink(uint64_t id1, uint64_t id2) {
  std::vector<Link> &links = links_[id1];
  const auto at = std::lower_bound(links.begin(), links.end(), id2,
                                   [](const Link &link, uint64_t wanted) { return link.id2 < wanted; });
  const uint32_t version = next_link_version_++;
  if (at != links.end() && at->id2 == id2) {
    at->version = version;
    return false;
  }
  links.insert(at, {id2, version});
  links_in_all_++;
  return true;
}

bool LinkGraph::DeleteLink(uint64_t id1, uint64_t id2) {
  const Link *link = Find(id1, id2);
  if (link == nullptr) return false;
  links_[id1].erase(links_[id1].begin() + (link - links_[id1].data()));
  links_in_all_--;
  return true;
}

std::string LinkGraph::NodeValue(uint64_t id) const {
  return Value(Mixed(seed_ ^ 0x6e6f6465, Mixed(id, versions_[id] & ~kDeleted)), kNodeBytes);
}

std::string LinkGraph::LinkValue(uint64_t id1, const Link &link) const {
  return Value(Mixed(seed_ ^ 0x6c696e6b, Mixed(Mixed(id1, link.id2), link.version)), kLinkBytes);
}

}  // namespace openremap
