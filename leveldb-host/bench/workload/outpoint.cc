// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/outpoint.h"

#include <array>
#include <cstring>

#include "bench/workload/random64.h"

namespace openremap {
namespace {

constexpr char kPrefix = 'C';
constexpr size_t kHashBytes = 32;
constexpr uint64_t kSevenBits = 0x7f;

// A payment and its change are the usual transaction.
struct Place {
  uint8_t transaction, output;
};
constexpr std::array<Place, kCoinsOfGroup> kPlaces = {{{0, 0},
                                                       {1, 0},
                                                       {1, 1},
                                                       {2, 0},
                                                       {2, 1},
                                                       {3, 0},
                                                       {3, 1},
                                                       {4, 0},
                                                       {4, 1},
                                                       {5, 0},
                                                       {5, 1},
                                                       {5, 2},
                                                       {6, 0},
                                                       {6, 1},
                                                       {6, 2},
                                                       {6, 3}}};

// Of one group in this many, the coins are far outputs of transactions that pay many at once.
constexpr uint64_t kGroupsPerBatch = 64;
constexpr uint64_t kFarOutput = 128;  // the first one whose varint has two bytes

bool IsFar(uint64_t group, uint64_t seed) {
  return Random64(seed ^ group ^ 0x6261746368).Next() % kGroupsPerBatch == 0;  // "batch"
}

uint64_t OutputOf(uint64_t coin, uint64_t seed) {
  const uint64_t group = coin / kCoinsOfGroup;
  return kPlaces.at(coin % kCoinsOfGroup).output + (IsFar(group, seed) ? kFarOutput : 0);
}

// Bitcoin's own: the most significant group first, each but the last with the top bit, and one subtracted from each
// that another one follows, so that no number has two forms.
std::string Varint(uint64_t n) {
  std::string text(1, static_cast<char>(n & kSevenBits));
  while (n > kSevenBits) {
    n = (n >> 7) - 1;
    text.insert(text.begin(), static_cast<char>((n & kSevenBits) | 0x80));
  }
  return text;
}

}  // namespace

void OutpointKey(uint64_t coin, uint64_t seed, std::string *key) {
  const uint64_t group = coin / kCoinsOfGroup;
  const uint64_t transaction = group * kTransactionsOfGroup + kPlaces.at(coin % kCoinsOfGroup).transaction;
  // Each step is a bijection, so that no two transactions of a seed have the same first word.
  Random64 hash(Random64(Random64(seed ^ 0x74786964).Next() + transaction).Next());  // "txid"
  std::array<uint64_t, kHashBytes / sizeof(uint64_t)> words{};
  for (uint64_t &word : words) word = hash.Next();
  key->assign(1 + kHashBytes, kPrefix);
  std::memcpy(key->data() + 1, words.data(), kHashBytes);
  *key += Varint(OutputOf(coin, seed));
}

size_t OutpointBytes(uint64_t coin, uint64_t seed) {
  return 1 + kHashBytes + (OutputOf(coin, seed) > kSevenBits ? 2 : 1);
}

}  // namespace openremap
