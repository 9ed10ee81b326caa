// SPDX-License-Identifier: Apache-2.0
#include "keys.h"

#include <cstring>

namespace openremap {

uint64_t Random64::Next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

KeySpace::KeySpace(uint64_t keys, size_t key_size, size_t value_size, uint64_t seed)
    : key_size_(key_size), value_size_(value_size), seed_(seed), versions_(keys) {}

void KeySpace::Key(uint64_t index, std::string *key) const {
  key->assign(key_size_, '0');
  for (size_t i = key_size_; i > 0 && index > 0; index /= 10) (*key)[--i] = static_cast<char>('0' + index % 10);
}

void KeySpace::Put(uint64_t index, std::string *value) {
  if (versions_[index]++ == 0) live_++;
  Value(index, value);
}

void KeySpace::Value(uint64_t index, std::string *value) const {
  Random64 random(Random64(seed_ ^ (index << 32) ^ versions_[index]).Next());
  value->resize(value_size_);
  for (size_t i = 0; i < value_size_; i += sizeof(uint64_t)) {
    const uint64_t bits = random.Next();
    std::memcpy(&(*value)[i], &bits, i + sizeof(bits) <= value_size_ ? sizeof(bits) : value_size_ - i);
  }
}

}  // namespace openremap
