// SPDX-License-Identifier: Apache-2.0
//
// Operation traces: text files that let two runs execute the same operations. Format:
//   - the first line, with the options that the operations depend on:
//     openremap-operations 1 <workload> <records> <operations> <key bytes> <value bytes> <maximum value bytes> <seed>
//     and for mix: <insert> <update> <read> <delete> <scan> <keys>, for utxo: <outputs> <flush> <cache>
//   - one operation per line: "put 17", "get 17", "update 17", "delete 17", "scan 17 100", "commit"
//   - the last line: "end"
// Words are separated by one space. Name and version come from interfaces/options/bench.yaml.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_TRACE_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_TRACE_H_

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "bench/options/options.h"
#include "bench/workload/workload.h"
#include "leveldb/status.h"

namespace openremap {

// Passes on the operations of another source and writes them to a trace. Not thread-safe.
class TraceWriter : public OperationSource {
 public:
  // Returns null and sets *status if the file cannot be written.
  static std::unique_ptr<TraceWriter> Create(const std::string &path, const BenchOptions &options,
                                             std::unique_ptr<OperationSource> source, leveldb::Status *status);

  bool Next(Operation *operation) override;
  uint64_t count() const override { return source_->count(); }
  std::string SelfCheck() const override { return source_->SelfCheck(); }

  // Completes the trace. Call it after the last operation.
  leveldb::Status Close();

 private:
  TraceWriter() = default;

  std::string path_;
  std::ofstream file_;
  std::unique_ptr<OperationSource> source_;
};

// Reads the operations of a trace. Not thread-safe.
class TraceReader : public OperationSource {
 public:
  // Returns null and sets *status if there is no file or its first line is invalid: its workload must be a stream, and
  // its numbers must be in the ranges of the options.
  static std::unique_ptr<TraceReader> Open(const std::string &path, leveldb::Status *status);

  // Sets the options that the operations and values depend on to those of the trace.
  void Apply(BenchOptions *options) const;

  bool Next(Operation *operation) override;
  uint64_t count() const override { return count_; }

  // InvalidArgument, with the line number, if a line is invalid, the end is missing, or lines follow it.
  leveldb::Status status() const { return status_; }

 private:
  TraceReader() = default;
  bool Fail(const std::string &wrong);  // reports the line that was read last; returns false

  std::string path_;
  std::ifstream file_;
  BenchOptions recorded_;
  uint64_t keys_ = 0;
  uint64_t count_ = 0;
  uint64_t given_ = 0;
  bool ended_ = false;
  leveldb::Status status_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_TRACE_H_
