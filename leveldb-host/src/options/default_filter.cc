// SPDX-License-Identifier: Apache-2.0
#include "options/default_filter.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "leveldb/comparator.h"
#include "leveldb/filter_policy.h"
#include "paged_table/block_filter.h"

namespace openremap {
namespace {

constexpr int kMostBits = 20;  // more are hardly ever worth their space

// Databases may be closed while the process ends, so it is left alone.
const leveldb::FilterPolicy *Filter(int bits) {
  static std::mutex mutex;
  static auto *const policies = new std::array<const leveldb::FilterPolicy *, kMostBits + 1>{};
  const std::lock_guard<std::mutex> lock(mutex);
  const leveldb::FilterPolicy *&policy = policies->at(static_cast<size_t>(bits));
  if (policy == nullptr) policy = new BlockFilter(bits);
  return policy;
}

}  // namespace

void SetDefaultFilter(leveldb::Options *options) {
  if (options->remap.mode != RemapMode::kBlend || options->remap.blend_filter_bits <= 0 ||
      options->filter_policy != nullptr || options->comparator != leveldb::BytewiseComparator()) {
    return;
  }
  options->filter_policy = Filter(std::min(options->remap.blend_filter_bits, kMostBits));
}

}  // namespace openremap
