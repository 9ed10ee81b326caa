// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_REPLAY_REPORT_H_
#define OPENREMAP_IOREPLAY_REPLAY_REPORT_H_

#include <string>
#include <vector>

#include "replay.h"

namespace openremap {

// What was replayed onto what.
struct ReplayDescription {
  std::string device;
  std::vector<std::string> traces;
  uint64_t used_pages = 0;
  std::vector<double> precondition_wa;  // write amplification of each random round; empty: none
};

// A line for each figure, "name value".
std::string ReplayText(const ReplayDescription &description, const ReplayResult &result);
// One JSON object, of numbers but for `device`, `traces` (file names), `windows` (objects of numbers) and `figures`
// (the target's own numbers).
std::string ReplayJson(const ReplayDescription &description, const ReplayResult &result);

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_REPLAY_REPORT_H_
