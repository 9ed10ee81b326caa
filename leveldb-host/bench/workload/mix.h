// SPDX-License-Identifier: Apache-2.0
//
// Inserts, updates, gets, deletes and scans in shares of choice, over records that YcsbLoad has put.
//
// An insert puts a record that is new. The other operations go to any record that was ever put, by its popularity,
// whether it has been deleted since or not: a get must then find nothing, an update brings the record back, and a
// delete has nothing to delete. So popularity does not change with what is deleted.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_MIX_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_MIX_H_

#include <cstdint>
#include <string>

#include "bench/workload/distribution_check.h"
#include "bench/workload/keys.h"
#include "bench/workload/permutation.h"
#include "bench/workload/workload.h"
#include "bench/workload/zipfian.h"

namespace openremap {

class Mix : public OperationSource {
 public:
  static constexpr uint64_t kMostScanned = 100;

  // REQUIRES: the shares of options.mix add up to 100.
  explicit Mix(const SourceOptions &options);

  bool Next(Operation *operation) override;
  uint64_t count() const override { return options_.operations; }
  std::string SelfCheck() const override { return kinds_.Deviation(); }

 private:
  uint64_t Record();

  const SourceOptions options_;
  uint64_t given_ = 0;
  uint64_t records_;  // loaded and inserted
  Random64 random_;
  Zipfian popularity_;                  // of as many ranks as there are records
  const Permutation scatter_;           // of the key space
  const Permutation popularity_order_;  // which of the loaded records are popular; those inserted follow in order
  DistributionCheck kinds_;             // insert, update, read, delete, scan
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_MIX_H_
