// SPDX-License-Identifier: Apache-2.0
#include "bench/run/put_prefix.h"

#include <algorithm>

namespace openremap {

PutPrefix::PutPrefix(const KeySpace *keys, const std::vector<uint64_t> &puts)
    : keys_(keys), puts_of_(keys->size()), most_(puts.size()) {
  for (size_t i = 0; i < puts.size(); i++) puts_of_[puts[i]].push_back(i + 1);
}

bool PutPrefix::Observe(uint64_t key, const std::string *value) {
  const std::vector<uint64_t> &puts = puts_of_[key];
  uint32_t version = 0;
  if (value != nullptr) {
    std::string expected;
    do {
      if (version == puts.size()) return false;
      keys_->Value(key, ++version, &expected);
    } while (expected != *value);
  }
  // It holds this version from that put on, until the put of the next one.
  if (version > 0) least_ = std::max(least_, puts[version - 1]);
  if (version < puts.size()) most_ = std::min(most_, puts[version] - 1);
  return true;
}

}  // namespace openremap
