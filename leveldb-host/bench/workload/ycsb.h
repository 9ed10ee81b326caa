// SPDX-License-Identifier: Apache-2.0
//
// YCSB's core workloads (Cooper et al., SoCC 2010): A half updates, B one in twenty, C none; D reads the latest records
// and inserts one in twenty; E scans up to 100 entries and inserts one in twenty; F reads, or reads and writes back.
// Zipfian with theta 0.99. Records scatter over the key space; an update writes a whole new value.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_YCSB_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_YCSB_H_

#include <cstdint>

#include "bench/workload/keys.h"
#include "bench/workload/permutation.h"
#include "bench/workload/workload.h"
#include "bench/workload/zipfian.h"

namespace openremap {

// Puts each record once, scattered.
class YcsbLoad : public OperationSource {
 public:
  // Loads for `options`, whichever of YCSB's workloads it is.
  explicit YcsbLoad(const SourceOptions &options);

  bool Next(Operation *operation) override;
  uint64_t count() const override { return records_; }

 private:
  const uint64_t records_;
  uint64_t next_ = 0;
  const Permutation scatter_;
};

class Ycsb : public OperationSource {
 public:
  static constexpr uint64_t kMostScanned = 100;
  static constexpr uint64_t kInsertPercent = 5;  // of D's and E's operations

  explicit Ycsb(const SourceOptions &options);

  bool Next(Operation *operation) override;
  uint64_t count() const override { return options_.operations; }

 private:
  uint64_t ExistingRecord();

  const SourceOptions options_;
  uint64_t given_ = 0;
  uint64_t records_;  // loaded and inserted
  Random64 random_;
  Zipfian popularity_;
  const Permutation scatter_;           // of the key space
  const Permutation popularity_order_;  // which of the loaded records are popular
};

// As many puts as there are keys, zipfian.
class ZipfianFill : public OperationSource {
 public:
  explicit ZipfianFill(const SourceOptions &options);

  bool Next(Operation *operation) override;
  uint64_t count() const override { return operations_; }

 private:
  const uint64_t operations_;
  uint64_t given_ = 0;
  Random64 random_;
  const Zipfian popularity_;
  const Permutation scatter_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_YCSB_H_
