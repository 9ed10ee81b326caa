// SPDX-License-Identifier: Apache-2.0
//
// Keys and values of a run: pure functions of the seed, so that the expected values need not be stored. Not
// thread-safe.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_KEYS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/workload/random64.h"
#include "bench/workload/value_sizes.h"

namespace openremap {

// How keys are made of their indexes.
enum class KeyForm : uint8_t {
  kDecimal,   // zero-padded to the key size, as LevelDB's own db_bench: byte order is number order
  kOutpoint,  // of coins (outpoint.h): the order is random, and they have sizes of their own
};

// The expected contents of the database: the number of puts of each key, and whether it was deleted since.
class KeySpace {
 public:
  // `key_size`: of decimal keys.
  KeySpace(uint64_t keys, size_t key_size, const ValueSizes &sizes, uint64_t seed, KeyForm form = KeyForm::kDecimal);

  uint64_t size() const { return versions_.size(); }
  uint64_t live() const { return live_; }
  uint64_t live_bytes() const { return live_bytes_; }  // keys and values
  bool Exists(uint64_t index) const { return versions_[index] != 0 && !Deleted(index); }
  // Whether the key was put once, and then deleted.
  bool Deleted(uint64_t index) const { return (versions_[index] & kDeleted) != 0; }

  void Key(uint64_t index, std::string *key) const;

  // Sets *value to the next version of the key's value, which is the expected one from now on. Values are
  // incompressible.
  void Put(uint64_t index, std::string *value);

  // The key must not be there from now on. Deletes of keys that are not there leave them so.
  void Delete(uint64_t index);

  // The expected value. REQUIRES: Exists(index).
  void Value(uint64_t index, std::string *value) const { Value(index, versions_[index], value); }

  // The value after put number `version` of the key, counted from 1.
  void Value(uint64_t index, uint32_t version, std::string *value) const;

 private:
  static constexpr uint32_t kDeleted = 1u << 31;  // beside the number of puts, which no run brings that far

  size_t KeySize(uint64_t index) const;
  size_t ValueSize(uint64_t index, uint32_t version) const;

  KeyForm form_;
  size_t key_size_;
  ValueSizes sizes_;
  uint64_t seed_;
  std::vector<uint32_t> versions_;
  uint64_t live_ = 0;
  uint64_t live_bytes_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_KEYS_H_
