// SPDX-License-Identifier: Apache-2.0
#include "fw/fw_nand.h"

#include <algorithm>

#include "orm_bytes.h"

namespace orm::fast {

FwNand::FwNand(Simulation &sim, const Params &p, NandScheduler &nand, BufferRam &buffers)
    : nand_(nand),
      buffers_(buffers),
      p_(p),
      busy_(p.k.fw_buffers),
      pages_(p.k.fw_buffers),
      requests_(sim, 2),
      results_(sim, p.dies) {
  issue_ = issue();
  issue_.start(sim);
}

/// Spare areas are zeroes: no start takes such a slot for data.
const NandPage *FwNand::page_of(uint32_t slot, uint32_t buffer) {
  NandPage &page = pages_[buffer];
  page.first = slot;
  page.filled = p_.g.slots_per_page;
  page.metas = (1u << p_.g.slots_per_page) - 1;
  for (uint32_t i = 0; i != p_.g.slots_per_page; ++i) {
    page.bufs[i] = p_.fw_buf + buffer + i;
    page.oobs[i].fill(0);
  }
  return &page;
}

void FwNand::take_buffers(uint32_t first, uint32_t count) {
  believe(first + count <= busy_.size(), "firmware bug: a buffer that there is not");
  for (uint32_t i = first; i != first + count; ++i) {
    believe(!busy_[i], "firmware bug: a buffer with two uses");
    busy_[i] = true;
  }
}

void FwNand::start(uint32_t slot, orm_fw_nand_op op, uint32_t buffer) {
  believe(ready(), "firmware bug: NAND_GO written while busy");
  NandRequest request{NandRequestOp::kProbe, NandClient::kFirmware, slot, p_.fw_buf + buffer};
  switch (op) {
    case ORM_FW_NAND_OP_READ:
      take_buffers(buffer, 1);
      request.op = NandRequestOp::kRead;
      break;
    case ORM_FW_NAND_OP_PROBE:
      break;
    case ORM_FW_NAND_OP_PROGRAM:
      believe(p_.sub_of(slot) == 0, "firmware bug: a page begins inside");
      take_buffers(buffer, p_.g.slots_per_page);
      request.op = NandRequestOp::kProgram;
      request.meta = true;
      if (p_.g.slots_per_page > 1) request.page = page_of(slot, buffer);
      std::fill_n(buffers_.spare(request.buf), ORM_OOB_RECORD_BYTES, 0);
      break;
    case ORM_FW_NAND_OP_ERASE:
      request.op = NandRequestOp::kErase;
      break;
    default:
      believe(false, "firmware bug: no such NAND operation");
  }
  ++open_;
  requests_.push(request);
}

Process FwNand::issue() {
  for (;;) {
    while (requests_.empty()) co_await requests_.filled.wait();
    while (!nand_.accept(requests_.front())) co_await nand_.room(requests_.front().slot, NandClient::kFirmware).wait();
    requests_.pop();
  }
}

void FwNand::nand_done(const NandDone &done) {
  const uint32_t buffers = done.op == NandRequestOp::kRead      ? 1
                           : done.op == NandRequestOp::kProgram ? p_.g.slots_per_page
                                                                : 0;
  for (uint32_t i = 0; i != buffers; ++i) busy_[done.buf - p_.fw_buf + i] = false;
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
  believe(idle(0), "firmware bug: it looks into a buffer that is being filled");
  std::copy_n(buffers_.data(p_.fw_buf) + at * word_.size(), word_.size(), word_.begin());
  fetched_ = true;
}

uint32_t FwNand::word(uint32_t index) const { return uint32_t(orm_get_le(word_.data() + 4 * index, 4)); }

}  // namespace orm::fast
