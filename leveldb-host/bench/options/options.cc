// SPDX-License-Identifier: Apache-2.0
#include "bench/options/options.h"

#include <algorithm>

#include "bench/workload/mixgraph.h"
#include "bench/workload/utxo.h"

namespace openremap {

SourceOptions SourceOptionsOf(const BenchOptions &options) {
  return {options.workload, options.num, options.Operations(), options.seed, options.mix, options.utxo};
}

ValueSizes ValueSizesOf(const BenchOptions &options) {
  if (IsMixgraph(options.workload)) return MixgraphValueSizes();
  if (options.workload == Workload::kUtxo) return UtxoValueSizes();
  return ValueSizes::Uniform(options.value_size, std::max(options.value_size, options.value_size_max));
}

}  // namespace openremap
