// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_RECORDER_H
#define OPENREMAP_LOCKSTEP_RECORDER_H

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/lockstep_stream.h"
#include "openremap.h"

namespace orm::lockstep {

/// Converts an event of libopenremap to a command, or to nothing if a stream cannot express it. The data of a write
/// becomes a seed; equal data gives equal seeds.
std::optional<Command> decode(const openremap_trace_event &event);

/// Records a program's I/O commands as a stream. Concurrent commands on disjoint pages become a burst. A command that
/// shares a page with another one in flight follows it in the stream, so that a replay is deterministic.
class Recorder {
 public:
  /// `device`: options of the device for a replay. Throws StreamError.
  Recorder(std::string path, const DeviceOptions &device);
  ~Recorder();
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  /// For openremap_options.trace; `recorder` is the trace_arg. Errors are kept for close().
  static void trace(void *recorder, const openremap_trace_event *event);
  void add(const openremap_trace_event &event);

  /// Ends the file; later commands are not recorded. Throws StreamError for write errors and for commands that a stream
  /// cannot express.
  void close();

 private:
  bool joins(const Command &command) const;
  void write_group();

  const std::string path_;
  std::ofstream file_;
  std::vector<Command> group_;  // concurrent commands
  uint64_t unknown_ = 0;
  bool closed_ = false;
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_RECORDER_H
