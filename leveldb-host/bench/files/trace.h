// SPDX-License-Identifier: Apache-2.0
//
// Operations as a text file, so that two runs see the same ones. The first line says what they are for:
//   openremap-operations 1 <workload> <records> <operations> <key bytes> <value bytes> <most value bytes> <seed>
// then one operation a line: "put 17", "get 17", "update 17", "scan 17 100". The last line is "end". Words have one space
// between them.
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

// Passes on the operations of another source and writes them down.
class TraceWriter : public OperationSource {
 public:
  // Null and *status where the file cannot be written.
  static std::unique_ptr<TraceWriter> Create(const std::string &path, const BenchOptions &options,
                                             std::unique_ptr<OperationSource> source, leveldb::Status *status);

  bool Next(Operation *operation) override;
  uint64_t count() const override { return source_->count(); }
  std::string SelfCheck() const override { return source_->SelfCheck(); }

  // After the last operation.
  leveldb::Status Close();

 private:
  TraceWriter() = default;

  std::string path_;
  std::ofstream file_;
  std::unique_ptr<OperationSource> source_;
};

// Gives what a file holds.
class TraceReader : public OperationSource {
 public:
  // Null and *status where there is no file, or its first line is wrong: it must be of a stream of operations, and its
  // numbers within the limits of the options that they are.
  static std::unique_ptr<TraceReader> Open(const std::string &path, leveldb::Status *status);

  // Makes the options those that the file was written with: all that the operations and values depend on.
  void Apply(BenchOptions *options) const;

  bool Next(Operation *operation) override;
  uint64_t count() const override { return count_; }

  // How the file ended; InvalidArgument, with the line's number, where a line is wrong, or the end is missing or not the end.
  leveldb::Status status() const { return status_; }

 private:
  TraceReader() = default;
  bool Fail(const std::string &wrong);  // of the line that was read last; false

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
