// SPDX-License-Identifier: Apache-2.0
//
// What a Bitcoin node does with its set of unspent coins (the "chainstate", a LevelDB), block by block.
//
// The records are loaded first: they are the set at the start, its oldest coins first. Then each block makes coins and
// spends as many, at ages as CoinAges has them; the set keeps its size. Coins are random in the key space (outpoint.h).
// As in Bitcoin Core, changes wait in a cache. Every few blocks they are written as one batch, and a coin that was made
// and spent in between never reaches the database. A coin that is spent is read first, unless it is so young that the
// cache still has it; at the start the cache is empty. One thing differs: the batch is synced here, where Core leaves
// that to the operating system.
//
// A coin's index is its number among those that reach the database.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_UTXO_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_UTXO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/workload/coin_ages.h"
#include "bench/workload/keys.h"
#include "bench/workload/live_coins.h"
#include "bench/workload/number_check.h"
#include "bench/workload/value_sizes.h"
#include "bench/workload/workload.h"

namespace openremap {

// Sizes of stored coins in bytes: three of height, one to five of amount, and the script: 21 for a payment to a hash of
// a key or a script (52 %), 23 (24 %) and 35 (24 %) for the two kinds of SegWit. In a snapshot of the set of December
// 2023 a coin takes 26 bytes, and 30 in one of March 2024; these are 31.
ValueSizes UtxoValueSizes();

class Utxo : public OperationSource {
 public:
  // Draws ages by `ages`. What SelfCheck() compares with are those of the workload, be they the same or not.
  explicit Utxo(const SourceOptions &options, const CoinAges &ages = CoinAges());

  // Ends with a commit, in the middle of a block if need be.
  bool Next(Operation *operation) override;
  uint64_t count() const override { return options_.operations; }
  std::string SelfCheck() const override { return drawn_.Deviation(); }

 private:
  void Flush();  // prepares the operations up to the next commit, including it
  void Block();
  void SpendOne();
  std::optional<uint64_t> Stored(uint64_t age);
  bool IsCached(uint64_t coin) const;

  const SourceOptions options_;
  const CoinAges ages_;
  Random64 random_;
  LiveCoins coins_;
  uint64_t block_ = 0;              // number of the present block; the first after the load is 0
  std::vector<uint64_t> first_;     // by block: the first coin that it or a later one has stored
  uint64_t flushed_ = 0;            // blocks up to the last commit
  std::vector<uint64_t> cached_;    // by block since then: unspent coins that are not stored
  std::vector<Operation> ready_;    // operations to give,
  size_t next_ = 0;                 // and which is the next
  std::vector<Operation> deletes_;  // until the next commit
  uint64_t given_ = 0;
  NumberCheck drawn_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_UTXO_H_
