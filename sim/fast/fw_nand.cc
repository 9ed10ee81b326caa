// SPDX-License-Identifier: Apache-2.0
#include "fw_nand.h"

#include <algorithm>

namespace orm::fast {

FwNand::FwNand(Simulation &sim, const Params &p, NandScheduler &nand)
    : nand_(nand), dies_(p.dies), requests_(sim, 1), results_(sim, p.dies) {
  issue_ = issue();
  issue_.start(sim);
}

void FwNand::start(uint32_t slot, bool erase) {
  believe(ready(), "firmware bug: NAND_GO written while busy");
  ++open_;
  requests_.push({erase ? NandRequestOp::kErase : NandRequestOp::kProbe, NandClient::kFirmware, slot, 0});
}

Process FwNand::issue() {
  for (;;) {
    while (requests_.empty()) co_await requests_.filled.wait();
    while (!nand_.accept(requests_.front())) co_await nand_.room(requests_.front().slot).wait();
    requests_.pop();
  }
}

void FwNand::nand_done(const NandDone &done) {
  FwNandOutcome outcome{done.slot, done.status, {}};
  if (done.oob != nullptr) std::copy_n(done.oob, outcome.oob.size(), outcome.oob.begin());
  results_.push(outcome);
}

void FwNand::pop() {
  believe(!results_.empty(), "firmware bug: no NAND result to drop");
  results_.pop();
  --open_;
}

}  // namespace orm::fast
