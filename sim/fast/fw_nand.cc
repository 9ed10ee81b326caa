// SPDX-License-Identifier: Apache-2.0
#include "fw_nand.h"

#include <algorithm>

#include "orm_bytes.h"

namespace orm::fast {

FwNand::FwNand(Simulation &sim, const Params &p, NandScheduler &nand, BufferRam &buffers)
    : nand_(nand), buffers_(buffers), fw_buf_(p.fw_buf), dies_(p.dies), requests_(sim, 1), results_(sim, p.dies) {
  issue_ = issue();
  issue_.start(sim);
}

void FwNand::start(uint32_t slot, orm_fw_nand_op op) {
  believe(ready(), "firmware bug: NAND_GO written while busy");
  NandRequestOp what = NandRequestOp::kProbe;
  switch (op) {
    case ORM_FW_NAND_OP_READ:
      believe(!reading_, "firmware bug: a read while another one is under way");
      reading_ = true;
      what = NandRequestOp::kRead;
      break;
    case ORM_FW_NAND_OP_PROBE:
      break;
    case ORM_FW_NAND_OP_ERASE:
      what = NandRequestOp::kErase;
      break;
    default:
      believe(false, "firmware bug: no such NAND operation");
  }
  ++open_;
  requests_.push({what, NandClient::kFirmware, slot, fw_buf_});
}

Process FwNand::issue() {
  for (;;) {
    while (requests_.empty()) co_await requests_.filled.wait();
    while (!nand_.accept(requests_.front())) co_await nand_.room(requests_.front().slot, NandClient::kFirmware).wait();
    requests_.pop();
  }
}

void FwNand::nand_done(const NandDone &done) {
  if (done.op == NandRequestOp::kRead) reading_ = false;
  FwNandOutcome outcome{done.slot, done.status, {}};
  if (done.oob != nullptr) std::copy_n(done.oob, outcome.oob.size(), outcome.oob.begin());
  results_.push(outcome);
}

void FwNand::pop() {
  believe(!results_.empty(), "firmware bug: no NAND result to drop");
  results_.pop();
  --open_;
}

void FwNand::fetch(uint32_t at) {
  believe(!reading_, "firmware bug: it looks into a buffer that is being filled");
  std::copy_n(buffers_.data(fw_buf_) + at * word_.size(), word_.size(), word_.begin());
  fetched_ = true;
}

uint32_t FwNand::word(uint32_t index) const { return uint32_t(orm_get_le(word_.data() + 4 * index, 4)); }

}  // namespace orm::fast
