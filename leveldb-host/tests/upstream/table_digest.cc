// SPDX-License-Identifier: Apache-2.0
//
// Runs a fixed list of operations and prints name, size and hash of every file they leave. Built twice, on upstream's
// LevelDB as it comes and on the patched one with remapping off: the outputs must be equal.
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "helpers/memenv/memenv.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"
#include "util/random.h"

namespace {

class NullLogger : public leveldb::Logger {
 public:
  void Logv(const char *, std::va_list) override {}
};

void Check(const leveldb::Status &status) {
  if (status.ok()) return;
  std::fprintf(stderr, "table_digest: %s\n", status.ToString().c_str());
  std::exit(1);
}

uint64_t Fnv1a(const std::string &bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

void Run(uint32_t seed) {
  leveldb::Random random(seed);
  std::unique_ptr<leveldb::Env> memory(leveldb::NewMemEnv(leveldb::Env::Default()));
  openremap::InlineEnv env(memory.get());
  std::unique_ptr<const leveldb::FilterPolicy> filter(seed % 2 == 0 ? leveldb::NewBloomFilterPolicy(10) : nullptr);
  NullLogger logger;
  leveldb::Options options;
  options.env = &env;
  options.create_if_missing = true;
  options.info_log = &logger;
  options.write_buffer_size = 256 << 10;
  options.max_file_size = 1 << 20;
  options.block_size = 1024u << seed % 4;
  options.filter_policy = filter.get();
  options.compression = seed % 3 == 0 ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  std::unique_ptr<leveldb::DB> db;
  auto open = [&] {
    leveldb::DB *raw = nullptr;
    Check(leveldb::DB::Open(options, "/db", &raw));
    db.reset(raw);
    env.RunPending();
  };
  open();
  for (int i = 0; i < 30000; i++) {
    leveldb::WriteBatch batch;
    for (uint32_t n = random.Uniform(3); n < 3; n++) {
      const std::string key = std::to_string(random.Uniform(40000));
      if (random.OneIn(8)) {
        batch.Delete(key);
      } else {
        batch.Put(key, std::string(random.Uniform(1000), static_cast<char>('a' + random.Uniform(26))));
      }
    }
    Check(db->Write(leveldb::WriteOptions(), &batch));
    env.RunPending();
    if (i % 10000 == 9999) {
      db.reset();
      open();
    }
  }
  std::string tables;
  db->GetProperty("leveldb.sstables", &tables);
  std::printf("seed %u levels %016" PRIx64 "\n", seed, Fnv1a(tables));
  db.reset();
  std::vector<std::string> names;
  Check(memory->GetChildren("/db", &names));
  std::sort(names.begin(), names.end());
  for (const std::string &name : names) {
    std::string bytes;
    Check(leveldb::ReadFileToString(memory.get(), "/db/" + name, &bytes));
    std::printf("%s %zu %016" PRIx64 "\n", name.c_str(), bytes.size(), Fnv1a(bytes));
  }
}

}  // namespace

int main() {
  for (uint32_t seed = 1; seed <= 6; seed++) Run(seed);
  return 0;
}
