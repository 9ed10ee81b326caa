// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/keys.h"

#include <cstring>

#include "bench/workload/outpoint.h"

namespace openremap {

KeySpace::KeySpace(uint64_t keys, size_t key_size, const ValueSizes &sizes, uint64_t seed, KeyForm form)
    : form_(form), key_size_(key_size), sizes_(sizes), seed_(seed), versions_(keys) {}

size_t KeySpace::KeySize(uint64_t index) const {
  return form_ == KeyForm::kOutpoint ? OutpointBytes(index, seed_) : key_size_;
}

size_t KeySpace::ValueSize(uint64_t index, uint32_t version) const {
  return sizes_.Of(Random64(seed_ ^ (index << 20) ^ version ^ 0x73697a65).Next());
}

void KeySpace::Key(uint64_t index, std::string *key) const {
  if (form_ == KeyForm::kOutpoint) {
    OutpointKey(index, seed_, key);
    return;
  }
  key->assign(key_size_, '0');
  for (size_t i = key_size_; i > 0 && index > 0; index /= 10) (*key)[--i] = static_cast<char>('0' + index % 10);
}

void KeySpace::Put(uint64_t index, std::string *value) {
  const bool there = Exists(index);
  uint32_t &version = versions_[index];
  version &= ~kDeleted;
  if (!there) {
    live_++;
    live_bytes_ += KeySize(index);
  } else {
    live_bytes_ -= ValueSize(index, version);
  }
  version++;
  Value(index, value);
  live_bytes_ += value->size();
}

void KeySpace::Delete(uint64_t index) {
  if (!Exists(index)) return;
  live_--;
  live_bytes_ -= KeySize(index) + ValueSize(index, versions_[index]);
  versions_[index] |= kDeleted;
}

void KeySpace::Value(uint64_t index, uint32_t version, std::string *value) const {
  Random64 random(Random64(seed_ ^ (index << 32) ^ version).Next());
  const size_t size = ValueSize(index, version);
  value->resize(size);
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    const uint64_t bits = random.Next();
    std::memcpy(&(*value)[i], &bits, i + sizeof(bits) <= size ? sizeof(bits) : size - i);
  }
}

}  // namespace openremap
