// SPDX-License-Identifier: Apache-2.0
//
// open_database FOLDER: opens a database, makes it if it is missing, and puts and gets an entry. Prints "OK", or the
// error. Built twice, on the patched LevelDB, where the database gets a value log, and on upstream's as it comes.
#include <cstdio>
#include <memory>
#include <string>

#include "leveldb/db.h"

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  leveldb::Options options;
  options.create_if_missing = true;
#ifdef OPENREMAP_PATCHED
  options.remap.value_log_threshold = 0;
#endif
  leveldb::DB *opened = nullptr;
  leveldb::Status s = leveldb::DB::Open(options, argv[1], &opened);
  const std::unique_ptr<leveldb::DB> db(opened);
  const std::string value(1000, 'v');
  std::string found;
  if (s.ok()) s = db->Put(leveldb::WriteOptions(), "key", value);
  if (s.ok()) s = db->Get(leveldb::ReadOptions(), "key", &found);
  if (s.ok() && found != value) s = leveldb::Status::Corruption("not what was put");
  std::printf("%s\n", s.ToString().c_str());
  return s.ok() ? 0 : 1;
}
