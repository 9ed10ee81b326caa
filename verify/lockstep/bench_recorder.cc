// SPDX-License-Identifier: Apache-2.0
//
// What listens to the device of db_bench-record: the commands become a stream that lockstep can replay.
#include <memory>
#include <string>

#include "lockstep/lockstep_recorder.h"
#include "pagefs/bench/command_recorder.h"

namespace openremap {
namespace {

using leveldb::Status;
using orm::lockstep::DeviceOptions;
using orm::lockstep::kLeastSuperblocks;
using orm::lockstep::kMostSuperblocks;
using orm::lockstep::Recorder;
using orm::lockstep::StreamError;

class StreamRecorder : public CommandRecorder {
 public:
  /// Throws StreamError.
  StreamRecorder(const std::string &path, const DeviceOptions &device) : recorder_(path, device) {}

  void Add(const openremap_trace_event &event) override { recorder_.add(event); }

  Status Close() override {
    try {
      recorder_.close();
      return Status::OK();
    } catch (const StreamError &e) {
      return Status::IOError("--record-file", e.what());
    }
  }

 private:
  Recorder recorder_;
};

}  // namespace

// The stream names a device of the RTL's geometry, which a replay can make.
std::unique_ptr<CommandRecorder> OpenCommandRecorder(const BenchDeviceOptions &options, OpenFailure *failure) {
  if (!options.geometry.empty() || options.superblocks < kLeastSuperblocks || options.superblocks > kMostSuperblocks) {
    *failure = {"--record-file: needs --superblocks from " + std::to_string(kLeastSuperblocks) + " to " +
                    std::to_string(kMostSuperblocks) + " and no --geometry: lockstep has such devices only",
                true};
    return nullptr;
  }
  DeviceOptions device;
  device.superblocks = options.superblocks;
  try {
    return std::make_unique<StreamRecorder>(options.record_file, device);
  } catch (const StreamError &e) {
    *failure = {std::string("--record-file: ") + e.what(), true};
    return nullptr;
  }
}

}  // namespace openremap
