// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ROCKSFS_PAGE_FILE_SYSTEM_H_
#define OPENREMAP_ROCKSFS_PAGE_FILE_SYSTEM_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pagefs/fs/page_fs_env.h"
#include "rocksdb/file_system.h"

namespace openremap {

// RocksDB's files on PageFS: rocksdb::NewCompositeEnv(std::make_shared<PageFileSystem>(env)) is the Env of a database
// on the device. What it promises after a power cut is what PageFs promises: synced files with their contents, and all
// changes of names in their order.
//
// Names are whole paths. Repeated slashes count as one, and a relative name begins at the root. Directories are those
// of FlatEnv: one exists if a file lies below it, or if it was made since the mount. Locks separate the databases of
// one process.
//
// Times of modification are not stored on the device: a file that was not written since this object was made has the
// time at which it was made.
//
// NotSupported, with an error that says so: links, files that are written in the middle, truncation, reads through
// mmap.
//
// Thread-safe. No exceptions leave it.
class PageFileSystem : public rocksdb::FileSystem {
 public:
  // `env` must outlive this and all that it hands out.
  explicit PageFileSystem(PageFsEnv *env);

  static const char *kClassName() { return "PageFileSystem"; }
  const char *Name() const override { return kClassName(); }

  rocksdb::IOStatus NewSequentialFile(const std::string &fname, const rocksdb::FileOptions &options,
                                      std::unique_ptr<rocksdb::FSSequentialFile> *result,
                                      rocksdb::IODebugContext *dbg) override;
  // NotSupported with options.use_mmap_reads. With options.use_direct_reads the file takes whole pages only.
  rocksdb::IOStatus NewRandomAccessFile(const std::string &fname, const rocksdb::FileOptions &options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile> *result,
                                        rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus NewWritableFile(const std::string &fname, const rocksdb::FileOptions &options,
                                    std::unique_ptr<rocksdb::FSWritableFile> *result,
                                    rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string &fname, const rocksdb::FileOptions &options,
                                       std::unique_ptr<rocksdb::FSWritableFile> *result,
                                       rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus NewDirectory(const std::string &name, const rocksdb::IOOptions &options,
                                 std::unique_ptr<rocksdb::FSDirectory> *result, rocksdb::IODebugContext *dbg) override;

  rocksdb::IOStatus FileExists(const std::string &fname, const rocksdb::IOOptions &options,
                               rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus GetChildren(const std::string &dir, const rocksdb::IOOptions &options,
                                std::vector<std::string> *result, rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus DeleteFile(const std::string &fname, const rocksdb::IOOptions &options,
                               rocksdb::IODebugContext *dbg) override;
  // NotSupported: `size` is not that of the file.
  rocksdb::IOStatus Truncate(const std::string &fname, size_t size, const rocksdb::IOOptions &options,
                             rocksdb::IODebugContext *dbg) override;
  // IOError: the name is there already.
  rocksdb::IOStatus CreateDir(const std::string &dirname, const rocksdb::IOOptions &options,
                              rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string &dirname, const rocksdb::IOOptions &options,
                                       rocksdb::IODebugContext *dbg) override;
  // IOError: something lies below it.
  rocksdb::IOStatus DeleteDir(const std::string &dirname, const rocksdb::IOOptions &options,
                              rocksdb::IODebugContext *dbg) override;
  // That of a directory is 0. GetChildrenFileAttributes() asks for those, too.
  rocksdb::IOStatus GetFileSize(const std::string &fname, const rocksdb::IOOptions &options, uint64_t *size,
                                rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus GetFileModificationTime(const std::string &fname, const rocksdb::IOOptions &options, uint64_t *time,
                                            rocksdb::IODebugContext *dbg) override;
  // Replaces the target atomically. Of a directory, all that is in it is renamed, or nothing, also when power goes.
  // IOError: the target of a directory is there already, and not empty.
  rocksdb::IOStatus RenameFile(const std::string &from, const std::string &to, const rocksdb::IOOptions &options,
                               rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus LockFile(const std::string &fname, const rocksdb::IOOptions &options, rocksdb::FileLock **lock,
                             rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus UnlockFile(rocksdb::FileLock *lock, const rocksdb::IOOptions &options,
                               rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus GetTestDirectory(const rocksdb::IOOptions &options, std::string *path,
                                     rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus GetAbsolutePath(const std::string &path, const rocksdb::IOOptions &options, std::string *absolute,
                                    rocksdb::IODebugContext *dbg) override;
  // In bytes. Some of them may be reserved, see PageFs.
  rocksdb::IOStatus GetFreeSpace(const std::string &path, const rocksdb::IOOptions &options, uint64_t *free,
                                 rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus IsDirectory(const std::string &path, const rocksdb::IOOptions &options, bool *is_directory,
                                rocksdb::IODebugContext *dbg) override;

 private:
  rocksdb::IOStatus RenameOne(const std::string &from, const std::string &to);
  rocksdb::IOStatus RenameDir(const std::string &from, const std::string &to);
  PageFs *fs() const { return env_->fs(); }
  void Modified(const std::string &name);
  rocksdb::IOStatus Writable(const std::string &name, PageFs::File file, const rocksdb::FileOptions &options,
                             std::unique_ptr<rocksdb::FSWritableFile> *result);

  PageFsEnv *const env_;
  const uint64_t made_;  // seconds since 1970
  std::mutex mutex_;     // guards times_
  std::map<std::string, uint64_t> times_;
};

}  // namespace openremap

#endif  // OPENREMAP_ROCKSFS_PAGE_FILE_SYSTEM_H_
