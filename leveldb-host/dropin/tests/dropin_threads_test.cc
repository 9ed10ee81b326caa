// SPDX-License-Identifier: Apache-2.0
//
// What libleveldb.so is made of, under ThreadSanitizer: settings are the process's, and databases are opened by any
// thread. Run with OPENREMAP_MODE and OPENREMAP_FILES as a program would be.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/env.h"

namespace {

constexpr int kThreads = 3;
constexpr int kRounds = 3;
constexpr int kKeys = 3000;

std::string Key(int n) { return std::to_string(100000 + n * 7919 % kKeys); }

// A database of this thread's own: opened, filled until it compacts, read back, closed, again and again.
leveldb::Status Use(const std::string &name) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 65536;
  leveldb::Status s = leveldb::DestroyDB(name, options);
  for (int round = 0; s.ok() && round < kRounds; round++) {
    leveldb::DB *opened = nullptr;
    s = leveldb::DB::Open(options, name, &opened);
    const std::unique_ptr<leveldb::DB> db(opened);
    const std::string value(200, static_cast<char>('a' + round));
    for (int n = 0; s.ok() && n < kKeys; n++) s = db->Put(leveldb::WriteOptions(), Key(n), value);
    if (s.ok()) db->CompactRange(nullptr, nullptr);
    for (int n = 0; s.ok() && n < kKeys; n++) {
      std::string found;
      s = db->Get(leveldb::ReadOptions(), Key(n), &found);
      if (s.ok() && found != value) s = leveldb::Status::Corruption("not what was put", Key(n));
    }
  }
  const leveldb::Status destroyed = leveldb::DestroyDB(name, options);
  return s.ok() ? destroyed : s;
}

}  // namespace

int main() {
  std::vector<leveldb::Status> ended(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) {
    threads.emplace_back([&ended, i] {
      ended[static_cast<size_t>(i)] = Use("dropin-threads-" + std::to_string(getpid()) + "-" + std::to_string(i));
    });
  }
  for (std::thread &thread : threads) thread.join();
  int code = 0;
  for (const leveldb::Status &s : ended) {
    if (s.ok()) continue;
    std::fprintf(stderr, "%s\n", s.ToString().c_str());
    code = 1;
  }
  return code;
}
