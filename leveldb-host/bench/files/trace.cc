// SPDX-License-Identifier: Apache-2.0
#include "bench/files/trace.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <istream>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/options/option_table.h"
#include "bench/options/parse_options.h"

namespace openremap {

using leveldb::Status;

namespace {

constexpr char kEnd[] = "end";
// Options that follow in the first line.
constexpr std::array<const char *, 7> kHead = {"workload",       "num", "operations", "key-size", "value-size",
                                               "value-size-max", "seed"};

// Options of single workloads, which follow those.
std::vector<std::string_view> OwnHead(Workload workload) {
  if (workload == Workload::kMix) return {"mix-insert", "mix-update", "mix-read", "mix-delete", "mix-scan", "mix-keys"};
  if (workload == Workload::kUtxo) return {"utxo-outputs", "utxo-flush", "utxo-cache"};
  return {};
}

Status FileError(const std::string &path) { return Status::IOError(path, std::strerror(errno)); }

// What lies between single spaces.
std::vector<std::string> Words(const std::string &line) {
  std::vector<std::string> words;
  for (size_t begin = 0;;) {
    const size_t end = line.find(' ', begin);
    words.push_back(line.substr(begin, end - begin));
    if (end == std::string::npos) return words;
    begin = end + 1;
  }
}

bool ParseNumber(const std::string &word, uint64_t *number) {
  const char *const end = word.data() + word.size();
  const auto [stop, code] = std::from_chars(word.data(), end, *number);
  return code == std::errc() && stop == end;
}

bool ParseKind(const std::string &word, OperationKind *kind) {
  for (int i = 0; i < kOperationKinds; i++) {
    *kind = static_cast<OperationKind>(i);
    if (word == OperationKindName(*kind)) return true;
  }
  return false;
}

bool ParseOperation(const std::string &line, Operation *operation) {
  const std::vector<std::string> words = Words(line);
  *operation = Operation();
  if (words.size() == 1) return ParseKind(words[0], &operation->kind) && operation->kind == OperationKind::kCommit;
  if (!ParseKind(words[0], &operation->kind) || !ParseNumber(words[1], &operation->key)) {
    return false;
  }
  if (operation->kind == OperationKind::kCommit) return false;
  if (operation->kind != OperationKind::kScan) return words.size() == 2;
  return words.size() == 3 && ParseNumber(words[2], &operation->length) && operation->length > 0;
}

// A line as a message shows it, whatever a file that is something else has there.
std::string Quoted(std::string line) {
  constexpr size_t kMost = 60;
  if (line.size() > kMost) line = line.substr(0, kMost) + "...";
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + line + "'";
}

// Empty, or what is wrong with the first line.
std::string ParseHead(const std::string &line, BenchOptions *options) {
  const std::vector<std::string> words = Words(line);
  std::vector<std::string> names(kHead.begin(), kHead.end());
  Workload workload{};
  if (words.size() > 2 && ParseWorkload(words[2], &workload)) {
    for (const std::string_view name : OwnHead(workload)) names.emplace_back(name);
  }
  if (words.size() != 2 + names.size() || words[0] != kTraceName || words[1] != kTraceVersion) {
    return "no file of operations of this version";
  }
  std::string error;
  for (size_t i = 0; i < names.size(); i++) {
    if (!SetBenchOption(names.at(i), words[2 + i], options, &error)) return error;
  }
  if (!IsStream(options->workload)) return std::string(WorkloadName(options->workload)) + " is no stream of operations";
  if (options->operations == 0) return "no operations";
  return CheckBenchOptions(*options, &error) ? "" : error;
}

// Of a longer line its first part, which is no operation: a wrong file may have no end of a line at all. False: no more
// lines.
bool ReadLine(std::istream &in, std::string *line) {
  std::array<char, 256> text{};
  in.getline(text.data(), text.size());
  const auto read = static_cast<size_t>(in.gcount());
  if (read == 0) return false;
  const bool longer = in.fail(), last = in.eof();
  if (longer) in.clear();
  line->assign(text.data(), longer || last ? read : read - 1);
  return true;
}

}  // namespace

std::unique_ptr<TraceWriter> TraceWriter::Create(const std::string &path, const BenchOptions &options,
                                                 std::unique_ptr<OperationSource> source, Status *status) {
  std::unique_ptr<TraceWriter> trace(new TraceWriter);
  trace->path_ = path;
  trace->file_.open(path);
  trace->file_ << kTraceName << ' ' << kTraceVersion << ' ' << WorkloadName(options.workload) << ' ' << options.num
               << ' ' << source->count() << ' ' << options.key_size << ' ' << options.value_size << ' '
               << options.value_size_max << ' ' << options.seed;
  BenchOptions copy = options;
  const std::vector<std::string_view> own = OwnHead(options.workload);
  for (const OptionRow &row : OptionTable(&copy)) {
    if (std::find(own.begin(), own.end(), row.text.name) != own.end()) trace->file_ << ' ' << row.value;
  }
  trace->file_ << '\n';
  trace->source_ = std::move(source);
  if (trace->file_) return trace;
  *status = FileError(path);
  return nullptr;
}

bool TraceWriter::Next(Operation *operation) {
  if (!source_->Next(operation)) return false;
  file_ << OperationKindName(operation->kind);
  if (operation->kind != OperationKind::kCommit) file_ << ' ' << operation->key;
  if (operation->kind == OperationKind::kScan) file_ << ' ' << operation->length;
  file_ << '\n';
  return true;
}

Status TraceWriter::Close() {
  file_ << kEnd << '\n';
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
  std::string line;
  ReadLine(trace->file_, &line);
  BenchOptions &o = trace->recorded_;
  const std::string wrong = ParseHead(line, &o);
  if (!wrong.empty()) {
    *status = Status::InvalidArgument("line 1", wrong);
    return nullptr;
  }
  trace->count_ = o.operations;
  trace->keys_ = KeySpaceSize(SourceOptionsOf(o));
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
  if (recorded_.workload == Workload::kMix) options->mix = recorded_.mix;
  if (recorded_.workload == Workload::kUtxo) options->utxo = recorded_.utxo;
}

bool TraceReader::Next(Operation *operation) {
  if (ended_ || !status_.ok()) return false;
  std::string line;
  if (!ReadLine(file_, &line)) return Fail("the file ends without '" + std::string(kEnd) + "'");
  if (line == kEnd) {
    if (given_ != count_)
      return Fail("the end, after " + std::to_string(given_) + " operations of " + std::to_string(count_));
    ended_ = true;
    return ReadLine(file_, &line) ? Fail(Quoted(line) + " after the end") : false;
  }
  if (given_ == count_) return Fail(Quoted(line) + " where the end should be");
  if (!ParseOperation(line, operation)) return Fail(Quoted(line) + " is no operation");
  if (operation->key >= keys_) return Fail(Quoted(line) + ": the keys are those below " + std::to_string(keys_));
  given_++;
  return true;
}

bool TraceReader::Fail(const std::string &wrong) {
  constexpr uint64_t kLinesBefore = 2;  // the first line; they count from one
  status_ = Status::InvalidArgument(path_, "line " + std::to_string(given_ + kLinesBefore + ended_) + ": " + wrong);
  return false;
}

}  // namespace openremap
