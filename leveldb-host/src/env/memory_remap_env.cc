// SPDX-License-Identifier: Apache-2.0
#include "memory_remap_env.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

using Page = std::array<char, kPageBytes>;

constexpr uint64_t kHole = UINT64_MAX;  // among a file's LPNs

struct PendingRemap {
  PageRun source;
  uint64_t target_index;  // page of the file
};

struct File {
  std::vector<uint64_t> lpns;  // one per page
  uint64_t size = 0;
  uint64_t synced_size = 0;
  bool synced = false;
  WriteCause cause = WriteCause::kOther;
};

}  // namespace

// All state, behind one mutex. Open files keep it, and their File, alive.
class MemoryRemapEnv::Store {
 public:
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<const Page>> map;  // LPN -> shared flash page
  std::set<uint64_t> free_lpns;
  uint64_t next_lpn = 0;
  std::function<bool()> refuse;
  FileSpace space;
  RemapStats remap_stats;
  MemoryRemapCounters counters;
  CauseCounters written;
  std::map<std::string, std::shared_ptr<File>> files;  // last: a File that goes gives its pages back to the above

  uint64_t Allocate() {
    if (free_lpns.empty()) return next_lpn++;
    const uint64_t lpn = *free_lpns.begin();
    free_lpns.erase(free_lpns.begin());
    return lpn;
  }

  void Free(uint64_t lpn) {
    if (lpn == kHole) return;
    map.erase(lpn);
    free_lpns.insert(lpn);
  }

  std::shared_ptr<File> NewFile(const std::string &fname) {
    // Pages go back when the last reader of a removed file is gone.
    std::shared_ptr<File> made(new File, [this](File *file) {
      for (uint64_t lpn : file->lpns) Free(lpn);
      delete file;
    });
    made->cause = CauseOfName(fname);
    return made;
  }

  void Write(const File &file, uint64_t lpn, const char *data, size_t size) {
    auto page = std::make_shared<Page>();
    page->fill('\0');
    std::memcpy(page->data(), data, size);
    map[lpn] = std::move(page);
    counters.written_pages++;
    written.Add(file.cause, kPageBytes);
  }

  Status Read(const File &file, uint64_t offset, size_t n, Slice *result, char *scratch) {
    if (offset >= file.size) {
      *result = Slice(scratch, 0);
      return Status::OK();
    }
    n = static_cast<size_t>(std::min<uint64_t>(n, file.size - offset));
    for (size_t done = 0; done < n;) {
      const uint64_t at = offset + done;
      const auto in_page = static_cast<size_t>(at % kPageBytes);
      const size_t part = std::min(n - done, static_cast<size_t>(kPageBytes) - in_page);
      const uint64_t lpn = file.lpns[static_cast<size_t>(at / kPageBytes)];
      const auto page = map.find(lpn);
      if (lpn == kHole) {
        std::memset(scratch + done, 0, part);
      } else if (page == map.end()) {
        return Status::IOError("read of a page before its remap reached the device");
      } else {
        std::memcpy(scratch + done, page->second->data() + in_page, part);
      }
      counters.read_pages++;
      done += part;
    }
    *result = Slice(scratch, n);
    return Status::OK();
  }

  // The vector command: all ranges or none.
  Status Remap(File *file, const std::vector<PendingRemap> &ranges) {
    if (ranges.empty()) return Status::OK();
    const bool refused = refuse && refuse();
    if (!refused) remap_stats.remap_commands++;
    for (const PendingRemap &range : ranges) {
      for (uint64_t i = 0; i < range.source.pages; i++) {
        auto source = map.find(range.source.lpn + i);
        if (source == map.end()) return Status::IOError("remap of an unmapped page");
        const uint64_t target = file->lpns[static_cast<size_t>(range.target_index + i)];
        if (refused) {
          const std::shared_ptr<const Page> data = source->second;
          Write(*file, target, data->data(), data->size());
          remap_stats.fallback_pages++;
        } else {
          map[target] = source->second;
          remap_stats.remapped_pages++;
        }
      }
    }
    return Status::OK();
  }
};

namespace {

using Lock = std::lock_guard<std::mutex>;

}  // namespace

// Nested in nobody so that each takes what it needs from the store, which is private to the Env.
template <class Store>
class MemoryRandomAccessFile : public leveldb::RandomAccessFile {
 public:
  MemoryRandomAccessFile(std::shared_ptr<Store> store, std::shared_ptr<File> file)
      : store_(std::move(store)), file_(std::move(file)) {}
  ~MemoryRandomAccessFile() override {
    Lock lock(store_->mutex);
    file_.reset();
  }
  Status Read(uint64_t offset, size_t n, Slice *result, char *scratch) const override {
    Lock lock(store_->mutex);
    return store_->Read(*file_, offset, n, result, scratch);
  }

 private:
  std::shared_ptr<Store> store_;
  std::shared_ptr<File> file_;
};

template <class Store>
class MemoryRemapFile : public RemapFile {
 public:
  MemoryRemapFile(std::shared_ptr<Store> store, std::shared_ptr<File> file)
      : store_(std::move(store)), file_(std::move(file)) {
    // Appending: the partial last page comes back into the buffer.
    const uint64_t tail = file_->size % kPageBytes;
    if (tail != 0) tail_.assign(store_->map.at(file_->lpns.back())->data(), static_cast<size_t>(tail));
  }
  ~MemoryRemapFile() override {
    if (file_ != nullptr) (void)Close();
  }

  uint64_t Offset() const override {
    Lock lock(store_->mutex);
    return file_->size;
  }

  Status Append(const Slice &data) override {
    Lock lock(store_->mutex);
    for (size_t done = 0; done < data.size();) {
      if (tail_.empty()) file_->lpns.push_back(store_->Allocate());
      const size_t part = std::min(data.size() - done, static_cast<size_t>(kPageBytes) - tail_.size());
      tail_.append(data.data() + done, part);
      done += part;
      file_->size += part;
      tail_dirty_ = true;
      if (tail_.size() == kPageBytes) {
        WriteTail();
        tail_.clear();
      }
    }
    // Readers of an open file (the manifest's, in tests) see all of it, as through a page cache; not a device write.
    if (!tail_.empty()) {
      auto page = std::make_shared<Page>();
      page->fill('\0');
      std::memcpy(page->data(), tail_.data(), tail_.size());
      store_->map[file_->lpns.back()] = std::move(page);
    }
    return Status::OK();
  }

  Status AppendRemap(const PageRun &source) override {
    Lock lock(store_->mutex);
    if (file_->size % kPageBytes != 0) return Status::InvalidArgument("remap target is not at a page boundary");
    pending_.push_back({source, file_->lpns.size()});
    for (uint64_t i = 0; i < source.pages; i++) {
      const uint64_t lpn = store_->Allocate();
      file_->lpns.push_back(lpn);
    }
    file_->size += source.pages * kPageBytes;
    return Status::OK();
  }

  Status Flush() override { return Status::OK(); }

  Status Sync() override {
    Lock lock(store_->mutex);
    return SyncLocked(true);
  }

  Status Close() override {
    Lock lock(store_->mutex);
    Status s = SyncLocked(false);
    file_.reset();
    return s;
  }

 private:
  void WriteTail() {
    store_->Write(*file_, file_->lpns.back(), tail_.data(), tail_.size());
    tail_dirty_ = false;
  }

  Status SyncLocked(bool durable) {
    Status s = store_->Remap(file_.get(), pending_);
    pending_.clear();
    if (tail_dirty_) WriteTail();
    if (s.ok() && durable) {
      file_->synced = true;
      file_->synced_size = file_->size;
    }
    return s;
  }

  std::shared_ptr<Store> store_;
  std::shared_ptr<File> file_;
  std::string tail_;  // partial last page
  bool tail_dirty_ = false;
  std::vector<PendingRemap> pending_;
};

MemoryRemapEnv::MemoryRemapEnv(leveldb::Env *base) : FlatEnv(base), store_(std::make_shared<Store>()) {}

MemoryRemapEnv::~MemoryRemapEnv() {
  Lock lock(store_->mutex);
  store_->files.clear();
}

void MemoryRemapEnv::SetRefusal(std::function<bool()> refuse) {
  Lock lock(store_->mutex);
  store_->refuse = std::move(refuse);
}

void MemoryRemapEnv::SetFileSpace(FileSpace space) {
  Lock lock(store_->mutex);
  store_->space = space;
}

FileSpace MemoryRemapEnv::GetFileSpace() {
  Lock lock(store_->mutex);
  return store_->space;
}

void MemoryRemapEnv::DropUnsynced() {
  Forget();
  Lock lock(store_->mutex);
  for (auto it = store_->files.begin(); it != store_->files.end();) {
    File &file = *it->second;
    if (!file.synced) {
      it = store_->files.erase(it);
      continue;
    }
    const auto pages = static_cast<size_t>((file.synced_size + kPageBytes - 1) / kPageBytes);
    for (; file.lpns.size() > pages; file.lpns.pop_back()) store_->Free(file.lpns.back());
    file.size = file.synced_size;
    ++it;
  }
}

MemoryRemapCounters MemoryRemapEnv::GetCounters() const {
  Lock lock(store_->mutex);
  return store_->counters;
}

uint64_t MemoryRemapEnv::UsedPages() const {
  Lock lock(store_->mutex);
  uint64_t pages = 0;
  for (const auto &[name, file] : store_->files) {
    for (const uint64_t lpn : file->lpns) pages += lpn == kHole ? 0 : 1;
  }
  return pages;
}

Status MemoryRemapEnv::NewRandomAccessFile(const std::string &fname, leveldb::RandomAccessFile **result) {
  *result = nullptr;
  Lock lock(store_->mutex);
  auto it = store_->files.find(fname);
  if (it == store_->files.end()) return Status::NotFound(fname, "no such file");
  *result = new MemoryRandomAccessFile<Store>(store_, it->second);
  return Status::OK();
}

Status MemoryRemapEnv::NewRemapFile(const std::string &fname, int level, RemapFile **result) {
  (void)level;  // a hint for where flash has streams
  Lock lock(store_->mutex);
  std::shared_ptr<File> &file = store_->files[fname];
  file = store_->NewFile(fname);
  *result = new MemoryRemapFile<Store>(store_, file);
  return Status::OK();
}

Status MemoryRemapEnv::NewWritableFile(const std::string &fname, leveldb::WritableFile **result) {
  RemapFile *file = nullptr;
  Status s = NewRemapFile(fname, -1, &file);
  *result = file;
  return s;
}

Status MemoryRemapEnv::NewAppendableFile(const std::string &fname, leveldb::WritableFile **result) {
  Lock lock(store_->mutex);
  std::shared_ptr<File> &file = store_->files[fname];
  if (file == nullptr) file = store_->NewFile(fname);
  *result = new MemoryRemapFile<Store>(store_, file);
  return Status::OK();
}

std::vector<std::string> MemoryRemapEnv::Names() {
  Lock lock(store_->mutex);
  std::vector<std::string> names;
  for (const auto &[name, file] : store_->files) names.push_back(name);
  return names;
}

Status MemoryRemapEnv::RemoveFile(const std::string &fname) {
  Lock lock(store_->mutex);
  return store_->files.erase(fname) != 0 ? Status::OK() : Status::NotFound(fname, "no such file");
}

Status MemoryRemapEnv::GetFileSize(const std::string &fname, uint64_t *size) {
  Lock lock(store_->mutex);
  auto it = store_->files.find(fname);
  *size = it == store_->files.end() ? 0 : it->second->size;
  return it == store_->files.end() ? Status::NotFound(fname, "no such file") : Status::OK();
}

Status MemoryRemapEnv::RenameFile(const std::string &from, const std::string &to) {
  Lock lock(store_->mutex);
  auto it = store_->files.find(from);
  if (it == store_->files.end()) return Status::NotFound(from, "no such file");
  std::shared_ptr<File> file = std::move(it->second);
  store_->files.erase(it);
  store_->files[to] = std::move(file);
  return Status::OK();
}

Status MemoryRemapEnv::NewLogger(const std::string &, leveldb::Logger **result) {
  *result = new NullLogger;
  return Status::OK();
}

void MemoryRemapEnv::SetCause(const std::string &fname, WriteCause cause) {
  Lock lock(store_->mutex);
  const auto it = store_->files.find(fname);
  if (it != store_->files.end()) it->second->cause = cause;
}

CauseBytes MemoryRemapEnv::GetWrittenBytes() const {
  Lock lock(store_->mutex);
  return store_->written.Get();
}

Status MemoryRemapEnv::GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) {
  Lock lock(store_->mutex);
  auto it = store_->files.find(fname);
  if (it == store_->files.end()) return Status::NotFound(fname, "no such file");
  const File &file = *it->second;
  if (offset % kPageBytes != 0 || offset >= file.size) return Status::InvalidArgument(fname, "offset");
  if (!file.synced || file.synced_size < file.size) return Status::NotSupported(fname, "not synced yet");
  const auto first = static_cast<size_t>(offset / kPageBytes);
  const auto whole = static_cast<size_t>(file.size / kPageBytes);
  if (file.lpns[first] == kHole) return Status::NotSupported(fname, "a hole");
  *run = {file.lpns[first], 0};
  for (size_t i = first; i < whole && run->pages < max_pages && file.lpns[i] == run->lpn + run->pages; i++) {
    run->pages++;
  }
  return Status::OK();
}

Status MemoryRemapEnv::PunchHole(const std::string &fname, uint64_t first, uint64_t pages) {
  Lock lock(store_->mutex);
  const auto it = store_->files.find(fname);
  if (it == store_->files.end()) return Status::NotFound(fname, "no such file");
  File &file = *it->second;
  const auto within = [first, pages](uint64_t all) { return first <= all && pages <= all - first; };
  if (!within(file.size / kPageBytes)) return Status::InvalidArgument(fname, "pages");
  if (!file.synced || !within(file.synced_size / kPageBytes)) return Status::NotSupported(fname, "not synced yet");
  for (uint64_t page = first; page < first + pages; page++) {
    uint64_t &lpn = file.lpns[static_cast<size_t>(page)];
    store_->Free(lpn);
    lpn = kHole;
  }
  return Status::OK();
}

RemapStats MemoryRemapEnv::GetRemapStats() const {
  Lock lock(store_->mutex);
  return store_->remap_stats;
}

}  // namespace openremap
