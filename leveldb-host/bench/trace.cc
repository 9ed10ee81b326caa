// SPDX-License-Identifier: Apache-2.0
#include "trace.h"

#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

namespace openremap {

using leveldb::Status;

namespace {

constexpr char kMagic[] = "openremap-operations";
constexpr int kFormat = 1;

Status FileError(const std::string &path) { return Status::IOError(path, std::strerror(errno)); }

}  // namespace

std::unique_ptr<TraceWriter> TraceWriter::Create(const std::string &path, const BenchOptions &options,
                                                 std::unique_ptr<OperationSource> source, Status *status) {
  std::unique_ptr<TraceWriter> trace(new TraceWriter);
  trace->path_ = path;
  trace->file_.open(path);
  trace->file_ << kMagic << ' ' << kFormat << ' ' << WorkloadName(options.workload) << ' ' << options.num << ' '
               << source->count() << ' ' << options.key_size << ' ' << options.value_size << ' '
               << options.value_size_max << ' ' << options.seed << '\n';
  trace->source_ = std::move(source);
  if (trace->file_) return trace;
  *status = FileError(path);
  return nullptr;
}

bool TraceWriter::Next(Operation *operation) {
  if (!source_->Next(operation)) return false;
  file_ << OperationKindName(operation->kind) << ' ' << operation->key;
  if (operation->kind == OperationKind::kScan) file_ << ' ' << operation->length;
  file_ << '\n';
  return true;
}

Status TraceWriter::Close() {
  file_ << "end\n";
  file_.close();
  return file_ ? Status::OK() : FileError(path_);
}

std::unique_ptr<TraceReader> TraceReader::Open(const std::string &path, Status *status) {
  std::unique_ptr<TraceReader> trace(new TraceReader);
  trace->path_ = path;
  trace->file_.open(path);
  if (!trace->file_) {
    *status = FileError(path);
    return nullptr;
  }
  std::string line, magic, name;
  std::getline(trace->file_, line);
  std::istringstream head(line);
  int format = 0;
  BenchOptions &o = trace->recorded_;
  head >> magic >> format >> name >> o.num >> trace->count_ >> o.key_size >> o.value_size >> o.value_size_max >> o.seed;
  if (!head || magic != kMagic || format != kFormat || !ParseWorkload(name, &o.workload) || o.num == 0) {
    *status = Status::InvalidArgument(path, "no file of operations of this version");
    return nullptr;
  }
  o.operations = trace->count_;
  trace->keys_ = KeySpaceSize({o.workload, o.num, o.operations, o.seed});
  return trace;
}

void TraceReader::Apply(BenchOptions *options) const {
  options->workload = recorded_.workload;
  options->num = recorded_.num;
  options->operations = recorded_.operations;
  options->key_size = recorded_.key_size;
  options->value_size = recorded_.value_size;
  options->value_size_max = recorded_.value_size_max;
  options->seed = recorded_.seed;
}

bool TraceReader::Next(Operation *operation) {
  if (!status_.ok()) return false;
  std::string line, kind;
  std::getline(file_, line);
  if (line == "end" && given_ == count_) return false;
  std::istringstream words(line);
  *operation = Operation();
  words >> kind >> operation->key;
  bool known = false;
  for (int i = 0; i < kOperationKinds; i++) {
    if (kind != OperationKindName(static_cast<OperationKind>(i))) continue;
    operation->kind = static_cast<OperationKind>(i);
    known = true;
  }
  if (operation->kind == OperationKind::kScan) words >> operation->length;
  if (!words || !known || operation->key >= keys_ || ++given_ > count_) {
    status_ = Status::Corruption(path_, "operation " + std::to_string(given_) + ": '" + line + "'");
    return false;
  }
  return true;
}

}  // namespace openremap
