// SPDX-License-Identifier: Apache-2.0
//
// Keys of coins as a Bitcoin node stores them (Bitcoin Core, src/txdb.cpp): 'C', the 32 bytes of the hash of the
// transaction, and the number of its output as a varint. The hash of a transaction is random, so that only the outputs
// of one transaction lie side by side.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_OUTPOINT_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_OUTPOINT_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace openremap {

// Sixteen coins, one after the other, are outputs of seven transactions.
constexpr uint64_t kCoinsOfGroup = 16;
constexpr uint64_t kTransactionsOfGroup = 7;

// Of most keys; those of outputs from 128 on have a byte more.
constexpr size_t kOutpointBytes = 34;

// The key of a coin. Equal for equal coins and seeds, and different for others.
void OutpointKey(uint64_t coin, uint64_t seed, std::string *key);

// The size of that key.
size_t OutpointBytes(uint64_t coin, uint64_t seed);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_OUTPOINT_H_
