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

/// The command behind an event of libopenremap, or none if streams have no word for it. What a write carries becomes
/// the seed of its data: equal data, equal seed.
std::optional<Command> decode(const openremap_trace_event &event);

/// Writes the I/O commands of a program as a stream while they are sent. Commands that were under way together on pages
/// of their own become a burst; what meets a page of another one's waits for it in the stream, as that is the order in
/// which a stream can be repeated.
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

  /// Ends the file; what comes later is not in it. Throws StreamError for all that could not be written, and for
  /// commands that a stream cannot hold.
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
