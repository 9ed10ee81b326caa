// SPDX-License-Identifier: Apache-2.0
//
// The seam between the compaction planner and whatever file layer keeps the tables: which logical page holds a byte of a
// file (`getlpn` of the RemapCom paper, section 4.5) and pages of a new file that are to share flash with pages of an
// old one (`remap`). A file layer implements it beside leveldb::Env; the planner finds it with RemapEnv::From().
//
// Thread-safety: as leveldb::Env (any thread, external synchronisation per file object).
#ifndef OPENREMAP_LEVELDB_HOST_REMAP_ENV_H_
#define OPENREMAP_LEVELDB_HOST_REMAP_ENV_H_

#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace openremap {

constexpr uint64_t kPageBytes = 4096;  // one logical page (LPN), device contract

// `pages` logical pages of the device, contiguous from `lpn`.
struct PageRun {
  uint64_t lpn = 0;
  uint64_t pages = 0;
};

// A table under construction. Append/Flush/Sync/Close as in leveldb::WritableFile, but that what was synced may become
// durable only with the next Sync of a file that is no table: of the manifest that names it, before which it means nothing.
class RemapFile : public leveldb::WritableFile {
 public:
  // Bytes appended so far, remapped pages included.
  virtual uint64_t Offset() const = 0;

  // Appends `source.pages` pages whose contents are those of `source` now, without writing them.
  // REQUIRES: Offset() is a multiple of kPageBytes; the source pages stay unchanged and allocated until Sync() returns.
  // All remaps of one file reach the device as one vector command, at Sync() at the latest. Where the device refuses
  // (no sharer or NVRAM room left) the file layer copies the pages instead, and counts that; the caller sees success.
  // InvalidArgument: not on a page, no pages, or pages that the layer does not have. IOError: no space left, which changes
  // nothing; or the device failed.
  virtual leveldb::Status AppendRemap(const PageRun &source) = 0;
};

struct RemapStats {
  uint64_t remapped_pages = 0;  // pages that became shared
  uint64_t remap_commands = 0;  // vector commands sent
  uint64_t fallback_pages = 0;  // pages the device refused and that were copied
};

class RemapEnv {
 public:
  virtual ~RemapEnv() = default;

  // The file layer behind `env`, or nullptr when it cannot remap (a plain file system).
  static RemapEnv *From(leveldb::Env *env);

  // Creates (truncates) `fname` for writing with remapped parts. `level`: the LSM level the table is for, -1 unknown; a
  // placement hint. The caller owns *result. IOError, InvalidArgument (a name that cannot be one): *result is null.
  virtual leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) = 0;

  // The same of a file that Env::NewWritableFile made and nothing was written to: it is for a table of `level`.
  virtual void PlaceFile(const std::string &fname, int level) { (void)fname, (void)level; }

  // The run of device pages that holds `fname` from byte `offset` on; run->pages counts whole pages up to the end of the
  // extent or of `max_pages`. REQUIRES: `offset` is a multiple of kPageBytes. NotFound for no such file,
  // InvalidArgument past the end, NotSupported when the pages have no stable place (not synced yet).
  virtual leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) = 0;

  virtual RemapStats GetRemapStats() const = 0;

  // Whether there is little more free than compactions need: what can wait should not take space now. A hint.
  virtual bool SpaceIsShort() { return false; }
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_REMAP_ENV_H_
