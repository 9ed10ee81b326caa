// SPDX-License-Identifier: Apache-2.0
#include "pagefs/bench/command_recorder.h"

namespace openremap {

std::unique_ptr<CommandRecorder> OpenCommandRecorder(const BenchDeviceOptions &, OpenFailure *failure) {
  *failure = {"--record-file: only db_bench-record records commands", true};
  return nullptr;
}

}  // namespace openremap
