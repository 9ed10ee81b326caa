// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/link_source.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/workload/value_sizes.h"

namespace openremap {

namespace {

struct Share {
  const char *name;
  uint32_t of_ten_thousand;
  OperationKind operation;
};
constexpr std::array<Share, kLinkKinds> kShares = {{
    {"addlink", 899, OperationKind::kReadModifyWrite},
    {"deletelink", 299, OperationKind::kDelete},
    {"updatelink", 801, OperationKind::kPut},
    {"countlink", 489, OperationKind::kGet},
    {"getlink", 53, OperationKind::kGet},
    {"getlinklist", 5071, OperationKind::kScan},
    {"getnode", 1293, OperationKind::kGet},
    {"addnode", 257, OperationKind::kPut},
    {"updatenode", 737, OperationKind::kPut},
    {"deletenode", 101, OperationKind::kDelete},
}};

constexpr uint32_t Sum() {
  uint32_t sum = 0;
  for (const Share &share : kShares) sum += share.of_ten_thousand;
  return sum;
}
static_assert(Sum() == 10000, "shares of all operations");

constexpr double kTail = 0.5;           // k of the Pareto law
constexpr uint64_t kMostLinks = 10000;  // LinkBench's limit of a list

std::vector<double> Probabilities() {
  std::vector<double> probabilities;
  for (const Share &share : kShares) probabilities.push_back(share.of_ten_thousand / 10000.0);
  return probabilities;
}

}  // namespace

const char *LinkKindName(LinkKind kind) { return kShares.at(static_cast<size_t>(kind)).name; }
OperationKind OperationOf(LinkKind kind) { return kShares.at(static_cast<size_t>(kind)).operation; }

LinkSource::LinkSource(uint64_t nodes, uint64_t links, uint64_t operations, uint64_t seed)
    : loaded_(nodes),
      links_(links),
      operations_(operations),
      seed_(seed),
      nodes_(nodes),
      random_(seed ^ 0x6c696e6b62),
      popularity_(nodes),
      order_(nodes, seed + 1),
      kinds_("operations", Probabilities()) {}

uint64_t LinkSource::LoadedLinks(uint64_t id) const {
  const double u = 1 - Random64(seed_ ^ (2 * id + 1) * 0x9e3779b97f4a7c15u).Unit();  // in (0, 1]
  const double wanted = std::round(ParetoInverse(u, kTail, static_cast<double>(links_) * (1 - kTail)));
  return static_cast<uint64_t>(std::min(wanted, static_cast<double>(std::min(kMostLinks, loaded_))));
}

uint64_t LinkSource::LoadedEnd(uint64_t id, uint64_t number) const {
  Random64 random(seed_ ^ Random64(id).Next());
  return (random.Next() + Random64(number).Next()) % loaded_;
}

bool LinkSource::Next(LinkOperation *operation) {
  if (given_ == operations_) return false;
  given_++;
  uint64_t dice = random_.Below(10000);
  size_t which = 0;
  while (dice >= kShares.at(which).of_ten_thousand) dice -= kShares.at(which++).of_ten_thousand;
  kinds_.Add(which);
  *operation = {static_cast<LinkKind>(which), 0, 0, random_.Next()};
  if (operation->kind == LinkKind::kAddNode) {
    nodes_++;
    return true;
  }
  if (popularity_.items() < nodes_) popularity_.Grow(nodes_);
  const uint64_t rank = popularity_.Next(&random_);
  operation->id = rank < loaded_ ? order_(rank) : rank;
  operation->other = random_.Below(nodes_);
  return true;
}

}  // namespace openremap
