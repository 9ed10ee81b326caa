// SPDX-License-Identifier: Apache-2.0
#include "bench/run/bench_check.h"

#include <memory>
#include <string>
#include <vector>

#include "bench/run/level_bench_database.h"
#include "bench/run/put_prefix.h"
#include "bench/workload/fill_order.h"
#include "bench/workload/keys.h"
#include "leveldb/iterator.h"

namespace openremap {

using leveldb::Status;

namespace {

std::vector<uint64_t> Puts(const BenchOptions &options) {
  FillOrder order(options.workload, options.num, options.seed);
  std::vector<uint64_t> puts(options.Operations());
  for (uint64_t &put : puts) put = order.Next();
  return puts;
}

// Everything that the database has, in order, beside the key space.
Status Observe(BenchDatabase *database, const KeySpace &keys, PutPrefix *prefix, Progress *progress,
               CheckResult *result) {
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> it(database->db()->NewIterator(read));
  std::string key, value;
  it->SeekToFirst();
  progress->Begin("check", keys.size());
  for (uint64_t i = 0; i < keys.size(); i++) {
    keys.Key(i, &key);
    for (; it->Valid() && it->key().compare(key) < 0; it->Next()) result->mismatches++;
    const bool found = it->Valid() && it->key() == key;
    if (found) {
      value = it->value().ToString();
      result->keys++;
      it->Next();
    }
    if (!prefix->Observe(i, found ? &value : nullptr)) result->mismatches++;
    progress->Done(i + 1);
  }
  for (; it->Valid(); it->Next()) result->mismatches++;
  progress->End();
  return it->status();
}

}  // namespace

Status RunCheck(const BenchOptions &options, BenchDevice *device, Progress *progress, CheckResult *result) {
  const KeySpace keys(options.num, options.key_size, ValueSizesOf(options), options.seed);
  PutPrefix prefix(&keys, Puts(options));
  LevelBenchDatabase database(options, device);
  Status s = device->ForgetCached();
  if (s.ok()) s = database.Open(/*create=*/false);
  if (s.ok()) s = Observe(&database, keys, &prefix, progress, result);
  database.Close();
  result->least_puts = prefix.least();
  result->most_puts = prefix.most();
  if (!s.ok()) return s;
  const std::string held = std::to_string(prefix.least()) + " to " + std::to_string(prefix.most());
  if (result->mismatches != 0)
    return Status::Corruption(std::to_string(result->mismatches) + " entries were never put");
  if (prefix.least() > prefix.most()) return Status::Corruption("later puts are there, and earlier ones are not", held);
  if (prefix.most() < *options.check) {
    return Status::Corruption("only " + held + " puts are there, not " + std::to_string(*options.check));
  }
  return Status::OK();
}

}  // namespace openremap
