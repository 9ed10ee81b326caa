// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/mix.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <vector>

namespace openremap {
namespace {

constexpr size_t kKinds = 5;
constexpr std::array<OperationKind, kKinds> kKindOf = {OperationKind::kPut, OperationKind::kPut, OperationKind::kGet,
                                                       OperationKind::kDelete, OperationKind::kScan};

std::array<int, kKinds> Shares(const MixOptions &mix) {
  return {mix.insert, mix.update, mix.read, mix.remove, mix.scan};
}

std::vector<double> Probabilities(const MixOptions &mix) {
  std::vector<double> probabilities;
  for (const int share : Shares(mix)) probabilities.push_back(share / 100.0);
  return probabilities;
}

}  // namespace

Mix::Mix(const SourceOptions &options)
    : options_(options),
      records_(options.records),
      random_(options.seed ^ 0x6d6978),
      popularity_(options.mix.keys == MixKeys::kUniform ? 1 : options.records),
      scatter_(KeySpaceSize(options), options.seed),
      popularity_order_(options.records, options.seed + 1),
      kinds_("operations", Probabilities(options.mix)) {
  assert(options.mix.Percent() == 100);
}

uint64_t Mix::Record() {
  if (options_.mix.keys == MixKeys::kUniform) return random_.Below(records_);
  if (popularity_.items() < records_) popularity_.Grow(records_);
  const uint64_t rank = popularity_.Next(&random_);
  if (options_.mix.keys == MixKeys::kLatest) return records_ - 1 - rank;
  return rank < options_.records ? popularity_order_(rank) : rank;
}

bool Mix::Next(Operation *operation) {
  if (given_ == options_.operations) return false;
  given_++;
  auto dice = static_cast<int>(random_.Below(100));
  const std::array<int, kKinds> shares = Shares(options_.mix);
  size_t which = 0;
  while (dice >= shares.at(which)) dice -= shares.at(which++);
  kinds_.Add(which);
  *operation = {kKindOf.at(which), scatter_(which == 0 ? records_++ : Record()), 0};
  if (operation->kind == OperationKind::kScan) operation->length = 1 + random_.Below(kMostScanned);
  return true;
}

}  // namespace openremap
