// SPDX-License-Identifier: Apache-2.0
//
// The workloads of db_bench: their names, the records that they load first, and the operations of those that are
// streams.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_WORKLOAD_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_WORKLOAD_H_

#include <cstdint>
#include <memory>
#include <string>

namespace openremap {

enum class Workload : uint8_t {
  kFillRandom,
  kFillSeq,
  kOverwrite,
  kReadRandom,
  kReadSeq,
  kFillZipfian,
  kYcsbLoad,
  kYcsbA,
  kYcsbB,
  kYcsbC,
  kYcsbD,
  kYcsbE,
  kYcsbF,
  kMixAllRandom,
  kMixAllDist,
  kMixPrefixRandom,
  kMixPrefixDist,
  kMix,
  kUtxo,
};

// "fillrandom|fillseq|...", in that order.
std::string WorkloadNames();
const char *WorkloadName(Workload workload);

// Returns false and leaves *workload unchanged for any other name.
bool ParseWorkload(const std::string &name, Workload *workload);

bool IsYcsb(Workload workload);      // ycsba to ycsbf; ycsbload is what they load
bool IsMixgraph(Workload workload);  // Mixgraph's four

// Whether the workload is a stream of operations, which can be traced and replayed: all but the first five.
bool IsStream(Workload workload);

// Whether puts and deletes of the workload wait for a commit.
bool WritesBatches(Workload workload);

// Whether the workload draws its value sizes itself.
bool HasOwnValueSizes(Workload workload);

// kCommit: of a workload that writes in batches (WritesBatches), all puts and deletes since the last one take effect,
// as one batch that is synced.
enum class OperationKind : uint8_t { kPut, kGet, kScan, kReadModifyWrite, kDelete, kCommit };
constexpr int kOperationKinds = 6;

// "put", "get", "scan", "update", "delete", "commit".
const char *OperationKindName(OperationKind kind);

struct Operation {
  OperationKind kind = OperationKind::kPut;
  uint64_t key = 0;     // index in the key space; none of a commit
  uint64_t length = 0;  // of a scan: entries, at most

  bool operator==(const Operation &o) const { return kind == o.kind && key == o.key && length == o.length; }
};

class OperationSource {
 public:
  virtual ~OperationSource() = default;

  // Returns false at the end.
  virtual bool Next(Operation *operation) = 0;

  virtual uint64_t count() const = 0;

  // After the end: empty, or one line that says how the operations deviate from their distribution.
  virtual std::string SelfCheck() const { return ""; }
};

// Records that workload mix works on: any alike; any, some being popular; the newest first.
enum class MixKeys : uint8_t { kUniform, kZipfian, kLatest };

// Workload mix: percentages of its operations, which add up to 100.
struct MixOptions {
  int insert = 0;  // puts of new records
  int update = 0;  // puts of records that have been put before
  int read = 0;
  int remove = 0;
  int scan = 0;
  MixKeys keys = MixKeys::kUniform;

  int Percent() const { return insert + update + read + remove + scan; }
};

// Workload utxo: amounts of a block of the chain.
struct UtxoOptions {
  uint64_t outputs = 100;  // coins that a block creates, and as many that it spends
  uint64_t flush = 6;      // blocks from one commit to the next
  uint64_t cache = 144;    // blocks whose coins need not be read
};

struct SourceOptions {
  Workload workload = Workload::kFillZipfian;
  uint64_t records = 0;     // loaded, or the size of the key space
  uint64_t operations = 0;  // to give
  uint64_t seed = 0;
  MixOptions mix{};    // of workload mix
  UtxoOptions utxo{};  // of workload utxo
};

// Size of the key space, including the records that the workload may insert.
uint64_t KeySpaceSize(const SourceOptions &options);

// Returns null for a workload that is not a stream of operations.
std::unique_ptr<OperationSource> MakeSource(const SourceOptions &options);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_WORKLOAD_H_
