// SPDX-License-Identifier: Apache-2.0
//
// The hook of --record-file: who is told of the I/O commands that a bench device sends. This folder has no recorder. A
// program that has one links its own OpenCommandRecorder() as an object file; the one of no_command_recorder.cc, which
// is in an archive, is then left out.
#ifndef OPENREMAP_PAGEFS_COMMAND_RECORDER_H_
#define OPENREMAP_PAGEFS_COMMAND_RECORDER_H_

#include <memory>

#include "bench_device.h"
#include "leveldb/status.h"
#include "openremap.h"

namespace openremap {

// Not thread-safe: called by the thread that uses the device.
class CommandRecorder {
 public:
  virtual ~CommandRecorder() = default;

  // An I/O command, in the order sent. Must not call libopenremap. Errors are kept for Close().
  virtual void Add(const openremap_trace_event &event) = 0;

  // Ends the file; later commands are not in it. Fails when any command could not be written.
  virtual leveldb::Status Close() = 0;
};

// Opens options.record_file, which is not empty. Returns nullptr and *failure where the file cannot be written, or
// where a recording of such a device could not be repeated.
std::unique_ptr<CommandRecorder> OpenCommandRecorder(const BenchDeviceOptions &options, OpenFailure *failure);

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_COMMAND_RECORDER_H_
