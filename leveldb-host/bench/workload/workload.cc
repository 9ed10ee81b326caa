// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/workload.h"

#include <array>
#include <utility>

namespace openremap {
namespace {

constexpr std::array<std::pair<Workload, const char *>, 17> kWorkloads = {{
    {Workload::kFillRandom, "fillrandom"},
    {Workload::kFillSeq, "fillseq"},
    {Workload::kOverwrite, "overwrite"},
    {Workload::kReadRandom, "readrandom"},
    {Workload::kReadSeq, "readseq"},
    {Workload::kFillZipfian, "fillzipfian"},
    {Workload::kYcsbLoad, "ycsbload"},
    {Workload::kYcsbA, "ycsba"},
    {Workload::kYcsbB, "ycsbb"},
    {Workload::kYcsbC, "ycsbc"},
    {Workload::kYcsbD, "ycsbd"},
    {Workload::kYcsbE, "ycsbe"},
    {Workload::kYcsbF, "ycsbf"},
    {Workload::kMixAllRandom, "mixallrandom"},
    {Workload::kMixAllDist, "mixalldist"},
    {Workload::kMixPrefixRandom, "mixprefixrandom"},
    {Workload::kMixPrefixDist, "mixprefixdist"},
}};

}  // namespace

std::string WorkloadNames() {
  std::string names;
  for (const auto &[workload, name] : kWorkloads) names += (names.empty() ? "" : "|") + std::string(name);
  return names;
}

const char *WorkloadName(Workload workload) {
  for (const auto &[known, name] : kWorkloads) {
    if (known == workload) return name;
  }
  return "?";
}

bool ParseWorkload(const std::string &name, Workload *workload) {
  for (const auto &[known, known_name] : kWorkloads) {
    if (name == known_name) {
      *workload = known;
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

const char *OperationKindName(OperationKind kind) {
  constexpr std::array<const char *, kOperationKinds> kNames = {"put", "get", "scan", "update"};
  return kNames.at(static_cast<size_t>(kind));
}

uint64_t KeySpaceSize(const SourceOptions &options) {
  const bool inserts = options.workload == Workload::kYcsbD || options.workload == Workload::kYcsbE;
  return options.records + (inserts ? options.operations : 0);
}

}  // namespace openremap
