// SPDX-License-Identifier: Apache-2.0
//
// The interface between the compaction planner and the file layer that keeps the tables. It has the two operations of
// the RemapCom paper, section 4.5: `getlpn`, which logical page holds a byte of a file, and `remap`, pages of a new
// file that share flash with pages of an old one. A file layer implements it beside leveldb::Env; the planner finds it
// with RemapEnv::From().
//
// Thread-safe as leveldb::Env: any thread may call it, with external synchronisation for each file object.
#ifndef OPENREMAP_LEVELDB_HOST_REMAP_ENV_H_
#define OPENREMAP_LEVELDB_HOST_REMAP_ENV_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "write_cause.h"

namespace openremap {

constexpr uint64_t kPageBytes = 4096;  // size of a logical page (LPN) of the device

// The level to give RemapEnv::PlaceFile() for a segment of the value log: one below LevelDB's last.
constexpr int kValueLogLevel = 7;

// A contiguous run of logical pages: `lpn` to `lpn + pages - 1`.
struct PageRun {
  uint64_t lpn = 0;
  uint64_t pages = 0;
};

// A table under construction. Append, Flush, Sync and Close are those of leveldb::WritableFile, with one exception:
// what was synced may become durable only with the next Sync of a file that is not a table. That is the manifest, and
// before the manifest names the table, its contents do not matter.
class RemapFile : public leveldb::WritableFile {
 public:
  // Bytes appended so far, including remapped pages.
  virtual uint64_t Offset() const = 0;

  // Appends the current contents of the `source` pages without writing them.
  // REQUIRES: Offset() is a multiple of kPageBytes; the source pages stay unchanged and allocated until Sync() returns.
  // All remaps of one file reach the device as one vector command, at Sync() at the latest. If the device refuses it
  // (no sharer left, no NVRAM left), the file layer copies the pages instead and counts them; the call still succeeds.
  // InvalidArgument: Offset() is not page-aligned, `source` is empty, or the layer does not have its pages. IOError: no
  // space is left, and nothing has changed; or the device failed.
  virtual leveldb::Status AppendRemap(const PageRun &source) = 0;
};

struct RemapStats {
  uint64_t remapped_pages = 0;  // pages that became shared
  uint64_t remap_commands = 0;  // vector commands sent
  uint64_t fallback_pages = 0;  // pages that were copied because the device refused to remap them
};

// Space for files to come, in bytes. What is not known is without a bound.
struct FileSpace {
  uint64_t room = std::numeric_limits<uint64_t>::max();      // before logs are refused
  uint64_t headroom = std::numeric_limits<uint64_t>::max();  // beyond that, for the tables of compactions alone

  // Whether little more is free than compactions need, so that work which can wait should wait, and tables that take
  // more than their content needs should be written anew.
  bool IsShort() const { return room < headroom; }
  // What a compaction may take now, beside the tables that it reads.
  uint64_t ForCompactions() const { return std::max(headroom, headroom + room); }  // no bound stays one
};

// What an IOError says where no space was left for a file or a value, which is no error of the device.
inline constexpr char kNoSpaceLeft[] = "no space left on the device";
inline bool IsNoSpaceLeft(const leveldb::Status &s) {
  return s.IsIOError() && s.ToString().find(kNoSpaceLeft) != std::string::npos;
}

class RemapEnv {
 public:
  virtual ~RemapEnv() = default;

  // Returns the file layer behind `env`, or nullptr if it cannot remap, for example a plain file system.
  static RemapEnv *From(leveldb::Env *env);

  // GetFileSpace() of the file layer behind `env`; without a bound where there is none.
  static FileSpace FileSpaceOf(leveldb::Env *env);

  // Creates or truncates `fname` for writing with remapped parts. `level` is a placement hint: the LSM level of the
  // table, or -1 if unknown. The caller owns *result. On IOError, or InvalidArgument for an invalid name, *result is
  // null.
  virtual leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) = 0;

  // Gives the placement hint for a file that Env::NewWritableFile created. REQUIRES: nothing was written to it yet.
  virtual void PlaceFile(const std::string &fname, int level) { (void)fname, (void)level; }

  // Says why the file that was just created is written, where its name does not tell; see CauseOfName(). REQUIRES:
  // nothing was written to it yet.
  virtual void SetCause(const std::string &fname, WriteCause cause) { (void)fname, (void)cause; }

  // Whether the Sync of a log makes durable, too, what was written to logs that were closed before.
  virtual bool SyncsInOrder() const { return false; }

  // Bytes of file contents that this layer has written, as it writes them: in whole pages if its device takes pages.
  // Its own metadata is not among them. All 0: it does not count.
  virtual CauseBytes GetWrittenBytes() const { return {}; }

  // Sets *run to the device pages that hold `fname` from byte `offset` on. run->pages ends with the extent, and is at
  // most `max_pages`. REQUIRES: `offset` is a multiple of kPageBytes.
  // NotFound: there is no such file. InvalidArgument: `offset` is past the end. NotSupported: the pages have no stable
  // place because they are not synced yet.
  virtual leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) = 0;

  // Makes the pages `first` to `first + pages - 1` of `fname` a hole: they read zero, and what they lay on becomes
  // free. The size of the file and the places of its other bytes stay. A power cut may undo it as long as no file that
  // is no table was synced. REQUIRES: nobody writes or remaps these pages.
  // NotFound: there is no such file. InvalidArgument: the file does not have all of these pages as whole ones.
  // NotSupported: the layer makes no holes, or not of these pages, which are not synced yet. IOError: among other
  // reasons, there are too many holes.
  virtual leveldb::Status PunchHole(const std::string &fname, uint64_t first, uint64_t pages) {
    (void)first, (void)pages;
    return leveldb::Status::NotSupported(fname, "no holes in files");
  }

  virtual RemapStats GetRemapStats() const = 0;

  // What is free for files, as a hint.
  virtual FileSpace GetFileSpace() { return {}; }
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_REMAP_ENV_H_
