// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ROCKSFS_IO_STATUS_H_
#define OPENREMAP_ROCKSFS_IO_STATUS_H_

#include "leveldb/status.h"
#include "rocksdb/io_status.h"

namespace openremap {

// PageFS's status as RocksDB has it: the same kind and text. A refusal for lack of pages has the subcode kNoSpace, by
// which RocksDB knows that the device has not failed.
rocksdb::IOStatus ToIoStatus(const leveldb::Status &s);

}  // namespace openremap

#endif  // OPENREMAP_ROCKSFS_IO_STATUS_H_
