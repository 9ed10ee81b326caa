// SPDX-License-Identifier: Apache-2.0
//
// The key of each put of fillrandom and fillseq: a pure function of the seed, so that a later process can compute it.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_FILL_ORDER_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_FILL_ORDER_H_

#include <cstdint>

#include "bench/workload/keys.h"
#include "bench/workload/workload.h"

namespace openremap {

class FillOrder {
 public:
  // REQUIRES: records > 0, and the workload is one of the two.
  FillOrder(Workload workload, uint64_t records, uint64_t seed)
      : in_order_(workload == Workload::kFillSeq), records_(records), random_(seed) {}

  // The key's index; fillseq begins again at the end.
  uint64_t Next() { return in_order_ ? next_++ % records_ : random_.Below(records_); }

 private:
  bool in_order_;
  uint64_t records_;
  uint64_t next_ = 0;
  Random64 random_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_FILL_ORDER_H_
