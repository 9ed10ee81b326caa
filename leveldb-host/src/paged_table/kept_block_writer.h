// SPDX-License-Identifier: Apache-2.0
//
// Puts an unchanged block of an input table into an output table: by sharing its pages where the file layer can, by
// copying its bytes where it cannot. Both leave the same bytes at the same offsets.
#ifndef OPENREMAP_LEVELDB_HOST_KEPT_BLOCK_WRITER_H_
#define OPENREMAP_LEVELDB_HOST_KEPT_BLOCK_WRITER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "paged_table/source_block.h"
#include "remap_env.h"

namespace openremap {

class KeptBlockWriter {
 public:
  KeptBlockWriter(leveldb::Env *env, std::string dbname);

  // Appends block.Pages() pages to `file`. *remapped tells which way. REQUIRES: `file` is at a page boundary, the
  // block is PageAligned().
  leveldb::Status Append(const SourceBlock &block, leveldb::WritableFile *file, bool *remapped);

 private:
  // OK and false where the file layer cannot name the pages.
  leveldb::Status TryRemap(const SourceBlock &block, RemapFile *file, bool *remapped);
  leveldb::Status FindPages(const SourceBlock &block, uint64_t page, PageRun *run);
  leveldb::Status Copy(const SourceBlock &block, leveldb::WritableFile *file);

  leveldb::Env *env_;
  RemapEnv *remap_env_;  // null: a plain file system
  std::string dbname_;
  // The pages that were named last, from where in which table on. Blocks follow one another, and tables are synced: their pages
  // stay where they are while the compaction holds them.
  uint64_t known_file_ = 0;
  uint64_t known_offset_ = 0;
  PageRun known_{0, 0};
  std::map<uint64_t, std::unique_ptr<leveldb::RandomAccessFile>> sources_;  // opened for copying, by table number
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_KEPT_BLOCK_WRITER_H_
