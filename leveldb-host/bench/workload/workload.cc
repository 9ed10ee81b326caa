// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/workload.h"

#include <algorithm>
#include <array>

#include "bench/gen/workload_names.h"

namespace openremap {

static_assert(kWorkloads.size() == static_cast<size_t>(Workload::kUtxo) + 1, "one name for each workload");

std::string WorkloadNames() {
  std::string names;
  for (const WorkloadText &workload : kWorkloads) names += (names.empty() ? "" : "|") + std::string(workload.name);
  return names;
}

const char *WorkloadName(Workload workload) { return kWorkloads.at(static_cast<size_t>(workload)).name; }

bool ParseWorkload(const std::string &name, Workload *workload) {
  for (size_t i = 0; i < kWorkloads.size(); i++) {
    if (name == kWorkloads.at(i).name) {
      *workload = static_cast<Workload>(i);
      return true;
    }
  }
  return false;
}

bool IsYcsb(Workload workload) { return workload >= Workload::kYcsbA && workload <= Workload::kYcsbF; }

bool IsMixgraph(Workload workload) {
  return workload >= Workload::kMixAllRandom && workload <= Workload::kMixPrefixDist;
}

bool IsStream(Workload workload) { return workload >= Workload::kFillZipfian; }

bool WritesBatches(Workload workload) { return workload == Workload::kUtxo; }

bool HasOwnValueSizes(Workload workload) { return IsMixgraph(workload) || workload == Workload::kUtxo; }

const char *OperationKindName(OperationKind kind) {
  constexpr std::array<const char *, kOperationKinds> kNames = {"put", "get", "scan", "update", "delete", "commit"};
  return kNames.at(static_cast<size_t>(kind));
}

uint64_t KeySpaceSize(const SourceOptions &options) {
  if (options.workload == Workload::kUtxo) {
    // As many are stored as deleted, but for those that the first block finds no coins to spend for.
    return options.records + std::min(options.operations, options.operations / 2 + options.utxo.outputs + 1);
  }
  const bool inserts = options.workload == Workload::kYcsbD || options.workload == Workload::kYcsbE ||
                       (options.workload == Workload::kMix && options.mix.insert != 0);
  return options.records + (inserts ? options.operations : 0);
}

}  // namespace openremap
