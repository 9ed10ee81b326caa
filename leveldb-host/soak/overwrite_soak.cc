// SPDX-License-Identifier: Apache-2.0
#include "overwrite_soak.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "leveldb/db.h"
#include "openremap.h"
#include "openremap_stats.h"
#include "pagefs/check/page_fs_check.h"
#include "pagefs/device/nvme_page_device.h"
#include "pagefs/fs/page_fs_env.h"
#include "seeded_random.h"

namespace openremap {

using leveldb::Status;

namespace {

constexpr uint64_t kSampleEvery = 2048;
constexpr uint64_t kWriteBuffer = 64 << 10;
// An entry of a manifest's content has two keys of the database and some numbers.
constexpr uint64_t kContentBytesPerTable = 100;
constexpr uint64_t kTimesContent = 4;
// What the last edit may add to a manifest that is about to be replaced, and the last batch to a log beside its value.
constexpr uint64_t kLastRecord = 4096;
// From this number of operations on, the remap table and the process's memory are judged too: before, they fill.
constexpr uint64_t kLongOperations = 1'000'000;
constexpr uint64_t kMemorySlack = uint64_t{16} << 20;

uint64_t ProcessBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

class Soak {
 public:
  explicit Soak(const SoakOptions &o) : o_(o), random_(o.seed), versions_(o.keys) {
    if (!o_.folder.empty()) return;
    openremap_options options{};
    options.create = pcie_device_create;
    options.device.kind = o.device.c_str();
    options.device.seed = o.seed;
    char error[300] = "";
    if (openremap_open(&options, &handle_, error, sizeof(error)) != 0) {
      throw std::runtime_error(o.device + ": " + error);
    }
    device_ = std::make_unique<NvmePageDevice>(handle_);
  }
  ~Soak() {
    CloseDb();
    device_.reset();
    if (handle_ != nullptr) (void)openremap_close(handle_);
  }
  Soak(const Soak &) = delete;
  Soak &operator=(const Soak &) = delete;

  SoakResult Run() {
    if (OpenDb(/*create=*/true)) {
      for (uint64_t key = 0; Fine() && key < o_.keys; key++) Put(key);
      Sample(0);
      result_.manifests = 0;
    }
    for (uint64_t done = 0; Fine() && done < o_.operations;) {
      Put(random_.below(o_.keys));
      if (Fine()) result_.overwrites++;
      if (++done % kSampleEvery != 0) continue;
      Sample(done);
      if (o_.progress) o_.progress(done);
    }
    if (Fine()) Verify();
    CloseDb();
    if (Fine() && device_ != nullptr) {
      const PageFsCheck check = CheckPageFs(device_.get());
      if (!check.findings.empty()) Wrong("file system: " + check.findings.front());
    }
    if (Fine() && OpenDb(/*create=*/false)) Verify();
    if (Fine()) Judge();
    return result_;
  }

 private:
  bool Fine() const { return result_.wrong.empty(); }
  void Wrong(const std::string &what) {
    if (Fine()) result_.wrong = what;
  }
  bool Good(const std::string &what, const Status &s) {
    if (!s.ok()) Wrong(what + ": " + s.ToString());
    return s.ok();
  }
  std::string DbName() const { return o_.folder.empty() ? "/db" : o_.folder; }

  bool OpenDb(bool create) {
    if (device_ != nullptr) {
      std::unique_ptr<PageFs> fs;
      if (!Good("mount", PageFs::Open(device_.get(), &fs))) return false;
      pages_ = std::make_unique<PageFsEnv>(std::move(fs));
      if (o_.wrap) {
        env_ = o_.wrap(pages_.get(), pages_.get());
      } else {
        env_ = std::make_unique<InlineRemapEnv>(pages_.get(), pages_.get());
      }
    } else {
      env_ = std::make_unique<InlineEnv>(leveldb::Env::Default());
    }
    leveldb::Options options;
    options.env = env_.get();
    options.create_if_missing = create;
    options.error_if_exists = create;
    options.write_buffer_size = kWriteBuffer;
    options.max_file_size = 32 << 10;
    options.compression = leveldb::kNoCompression;
    options.remap.mode = o_.mode;
    options.remap.level1_bytes = 128 << 10;
    options.remap.level_ratio = 5;
    options.remap.min_table_bytes = 32 << 10;
    options.remap.min_manifest_bytes = o_.manifest_bytes;
    options.remap.max_info_log_bytes = o_.info_log_bytes;
    leveldb::DB *db = nullptr;
    const Status s = leveldb::DB::Open(options, DbName(), &db);
    db_.reset(db);
    if (!Good("opening the database", s)) return false;
    env_->RunPending();
    return true;
  }
  void CloseDb() {
    if (env_ == nullptr) return;
    env_->RunPending();  // the database would wait for it for ever
    db_.reset();
    env_.reset();
    pages_.reset();
  }

  std::string Key(uint64_t i) const {
    const std::string digits = std::to_string(i);
    return std::string(16 - std::min<size_t>(16, digits.size()), '0') + digits;
  }
  // Of a put, by how many there were to this key.
  std::string Value(uint64_t i, uint64_t version) const {
    orm::SeededRandom random(o_.seed ^ (i << 32) ^ version);
    std::string value = std::to_string(version) + ".";
    while (value.size() < o_.value_bytes) {
      const uint64_t more = random.next();
      value.append(reinterpret_cast<const char *>(&more), sizeof(more));
    }
    value.resize(o_.value_bytes);
    return value;
  }

  void Put(uint64_t key) {
    versions_[key]++;
    Good("put", db_->Put(leveldb::WriteOptions(), Key(key), Value(key, versions_[key])));
    env_->RunPending();
  }

  static void Most(HalvesMost *most, uint64_t value, bool second) {
    uint64_t &half = second ? most->second : most->first;
    half = std::max(half, value);
  }

  void Sample(uint64_t done) {
    const bool second = done > o_.operations / 2;
    DatabaseFiles files;
    leveldb::Env *const env = pages_ != nullptr ? static_cast<leveldb::Env *>(pages_.get()) : env_.get();
    if (!Good("listing the files", ListDatabase(env, DbName(), &files))) return;
    for (size_t i = 0; i < kFileKinds; i++) {
      Most(&result_.files.at(i), files.kinds.at(i).files, second);
      Most(&result_.bytes.at(i), files.kinds.at(i).bytes, second);
    }
    if (files.newest_manifest != last_manifest_) result_.manifests++;
    last_manifest_ = files.newest_manifest;
    if (pages_ != nullptr) {
      Most(&result_.used_pages, pages_->fs()->GetStats().used_pages, second);
      orm_remap_log log{};
      if (openremap_get_stats(handle_, &log) != 0) return Wrong("the device does not tell its figures");
      Most(&result_.segments, log.segments_total - log.segments_free, second);
    }
    Most(&result_.memory_bytes, ProcessBytes(), second);

    most_tables_ = std::max(most_tables_, files[FileKind::kTable].files);
    const uint64_t manifest =
        std::max(o_.manifest_bytes, kTimesContent * kContentBytesPerTable * (most_tables_ + 1)) + kLastRecord;
    // The old one goes with the next compaction. The other bounds: the log in use and the one being flushed, LOG and
    // LOG.old, CURRENT and LOCK.
    Within(files, FileKind::kManifest, 2, 2 * manifest);
    Within(files, FileKind::kLog, 2, 2 * (2 * kWriteBuffer + kLastRecord + o_.value_bytes));
    Within(files, FileKind::kInfoLog, 2, 2 * o_.info_log_bytes);
    Within(files, FileKind::kOther, 2, 100);
  }

  void Within(const DatabaseFiles &files, FileKind kind, uint64_t most_files, uint64_t most_bytes) {
    if (files[kind].files <= most_files && files[kind].bytes <= most_bytes) return;
    Wrong(std::to_string(files[kind].files) + " " + FileKindName(kind) + " of " + std::to_string(files[kind].bytes) +
          " bytes, at most " + std::to_string(most_files) + " of " + std::to_string(most_bytes) + " may be there");
  }

  void Verify() {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    for (uint64_t i = 0; Fine() && i < o_.keys; i++) {
      std::string value;
      const Status s = db_->Get(read, Key(i), &value);
      env_->RunPending();
      if (Good("key " + Key(i), s) && value != Value(i, versions_[i])) {
        Wrong("key " + Key(i) + " does not have its last value");
      }
    }
  }

  void Judge() {
    if (result_.manifests == 0) Wrong("no manifest was replaced: the run is too short to show anything");
    Plateau("tables", result_.files.at(static_cast<size_t>(FileKind::kTable)), 4);
    Plateau("bytes of tables", result_.bytes.at(static_cast<size_t>(FileKind::kTable)), 4 * kWriteBuffer);
    Plateau("pages in use", result_.used_pages, 64);
    if (o_.operations < kLongOperations) return;
    Plateau("segments of the remap table", result_.segments, 32);
    Plateau("bytes of memory", result_.memory_bytes, kMemorySlack);
  }
  void Plateau(const std::string &what, const HalvesMost &most, uint64_t slack) {
    if (most.second <= most.first + most.first / 4 + slack) return;
    Wrong(what + ": " + std::to_string(most.first) + " in the first half of the run, then " +
          std::to_string(most.second));
  }

  const SoakOptions &o_;
  orm::SeededRandom random_;
  std::vector<uint32_t> versions_;  // of each key: number of puts
  openremap_device *handle_ = nullptr;
  std::unique_ptr<NvmePageDevice> device_;
  std::unique_ptr<PageFsEnv> pages_;
  std::unique_ptr<InlineEnv> env_;
  std::unique_ptr<leveldb::DB> db_;
  uint64_t last_manifest_ = 0;
  uint64_t most_tables_ = 0;
  SoakResult result_;
};

}  // namespace

SoakResult RunSoak(const SoakOptions &options) { return Soak(options).Run(); }

}  // namespace openremap
