// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/rocks_bench_database.h"

#include <cassert>

namespace openremap {

using leveldb::Status;

namespace {

// Devices with PageFS have this Env, whichever they are.
PageFsEnv *PageFsOf(BenchDevice *device) {
  auto *env = dynamic_cast<PageFsEnv *>(device->env());
  assert(env != nullptr);
  return env;
}

}  // namespace

bool RocksBenchDatabase::CanUse(BenchDevice *device) { return dynamic_cast<PageFsEnv *>(device->env()) != nullptr; }

RocksBenchDatabase::RocksBenchDatabase(const rocksdb::Options &options, BenchDevice *device)
    : device_(device), env_(std::make_shared<PageFileSystem>(PageFsOf(device))), options_(options) {
  options_.env = &env_;
}

Status RocksBenchDatabase::Open(bool create) {
  options_.create_if_missing = options_.error_if_exists = create;
  rocksdb::DB *opened = nullptr;
  const rocksdb::Status s = rocksdb::DB::Open(options_, device_->DbName(), &opened);
  std::unique_ptr<rocksdb::DB> db(opened);
  if (s.ok()) db_ = std::make_unique<RocksLevelDb>(std::move(db), &env_);
  env_.RunPending();
  return ToLevelStatus(s);
}

void RocksBenchDatabase::CloseNow() {
  env_.RunPending();  // the destructor would wait for it for ever
  db_.reset();
}

}  // namespace openremap
