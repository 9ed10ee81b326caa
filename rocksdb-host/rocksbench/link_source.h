// SPDX-License-Identifier: Apache-2.0
//
// Operations of LinkBench (Armstrong et al., SIGMOD 2013) in the shares of its workload: half of all operations list
// the links of a node.
//
// Of the laws, these are ours: a node's links at load time are a generalized Pareto variable (k 0.5, a heavy tail), the
// nodes that operations go to are Zipfian (theta 0.99) over scattered ids, and the other end of a new link is any node
// alike. They have not been fitted to LinkBench's own.
#ifndef OPENREMAP_ROCKSBENCH_LINK_SOURCE_H_
#define OPENREMAP_ROCKSBENCH_LINK_SOURCE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/workload/distribution_check.h"
#include "bench/workload/keys.h"
#include "bench/workload/permutation.h"
#include "bench/workload/workload.h"
#include "bench/workload/zipfian.h"

namespace openremap {

enum class LinkKind : uint8_t {
  kAddLink,
  kDeleteLink,
  kUpdateLink,
  kCountLinks,
  kGetLink,
  kListLinks,
  kGetNode,
  kAddNode,
  kUpdateNode,
  kDeleteNode,
};
constexpr size_t kLinkKinds = 10;
const char *LinkKindName(LinkKind kind);
// The kind of operation that its latency is counted as: a list is a scan, an added or deleted link reads and writes.
OperationKind OperationOf(LinkKind kind);

struct LinkOperation {
  LinkKind kind = LinkKind::kGetNode;
  uint64_t id = 0;      // of a node that was added; means nothing for kAddNode
  uint64_t other = 0;   // kAddLink: the other end
  uint64_t choice = 0;  // others of links: which of the node's links, modulo their number
};

class LinkSource {
 public:
  // REQUIRES: nodes, links > 0. `links` of a node in the mean.
  LinkSource(uint64_t nodes, uint64_t links, uint64_t operations, uint64_t seed);

  // Links that node `id` has at load time, and the other end of one of them.
  uint64_t LoadedLinks(uint64_t id) const;
  uint64_t LoadedEnd(uint64_t id, uint64_t number) const;

  // False at the end.
  bool Next(LinkOperation *operation);
  uint64_t count() const { return operations_; }
  // As OperationSource::SelfCheck().
  std::string SelfCheck() const { return kinds_.Deviation(); }

 private:
  const uint64_t loaded_;
  const uint64_t links_;
  const uint64_t operations_;
  const uint64_t seed_;
  uint64_t given_ = 0;
  uint64_t nodes_;  // loaded and added
  Random64 random_;
  Zipfian popularity_;
  const Permutation order_;  // which of the loaded nodes are popular
  DistributionCheck kinds_;
};

}  // namespace openremap

#endif  // OPENREMAP_ROCKSBENCH_LINK_SOURCE_H_
