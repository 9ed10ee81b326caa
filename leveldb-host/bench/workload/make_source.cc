// SPDX-License-Identifier: Apache-2.0
//
// The factory of workload.h: apart from workload.cc, so that the interface does not know who implements it.
#include "bench/workload/mix.h"
#include "bench/workload/mixgraph.h"
#include "bench/workload/utxo.h"
#include "bench/workload/workload.h"
#include "bench/workload/ycsb.h"

namespace openremap {

std::unique_ptr<OperationSource> MakeSource(const SourceOptions &options) {
  if (IsMixgraph(options.workload)) return std::make_unique<Mixgraph>(options);
  if (options.workload == Workload::kFillZipfian) return std::make_unique<ZipfianFill>(options);
  if (options.workload == Workload::kYcsbLoad) return std::make_unique<YcsbLoad>(options);
  if (options.workload == Workload::kMix) return std::make_unique<Mix>(options);
  if (options.workload == Workload::kUtxo) return std::make_unique<Utxo>(options);
  if (IsYcsb(options.workload)) return std::make_unique<Ycsb>(options);
  return nullptr;
}

}  // namespace openremap
