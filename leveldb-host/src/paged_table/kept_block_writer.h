// SPDX-License-Identifier: Apache-2.0
//
// Appends unchanged blocks of input tables to an output table: shares their pages if the file layer can and it should,
// else copies their bytes. The output has the same bytes either way. Not thread-safe.
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
  // `remap`: whether pages are to be shared at all.
  KeptBlockWriter(leveldb::Env *env, std::string dbname, bool remap = true);

  // Appends block.Pages() pages to `file`. Sets *remapped to whether they are shared. REQUIRES: `file` is at a page
  // boundary, and the block is PageAligned().
  leveldb::Status Append(const SourceBlock &block, leveldb::WritableFile *file, bool *remapped);

 private:
  // Returns OK and sets *remapped to false if the file layer has no logical pages for the block.
  leveldb::Status TryRemap(const SourceBlock &block, RemapFile *file, bool *remapped);
  leveldb::Status FindPages(const SourceBlock &block, uint64_t page, PageRun *run);
  leveldb::Status Copy(const SourceBlock &block, leveldb::WritableFile *file);

  leveldb::Env *env_;
  RemapEnv *remap_env_;  // null: nothing is shared
  std::string dbname_;
  // The last page run that GetLpn() returned, and its place. Blocks are mostly adjacent, and the pages of a synced
  // table do not move while the compaction holds it.
  uint64_t known_file_ = 0;
  uint64_t known_offset_ = 0;
  PageRun known_{0, 0};
  std::map<uint64_t, std::unique_ptr<leveldb::RandomAccessFile>> sources_;  // opened for copying, by table number
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_KEPT_BLOCK_WRITER_H_
