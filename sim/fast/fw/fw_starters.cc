// SPDX-License-Identifier: Apache-2.0
//
// The write side of FwRegs: settings, and the registers that start engines.
#include "fw/fw_regs.h"
#include "lib/invariant.h"

namespace orm::fast {
namespace {

uint64_t with_low(uint64_t reg, uint32_t value) { return (reg & ~uint64_t(UINT32_MAX)) | value; }
uint64_t with_high(uint64_t reg, uint32_t value) { return (reg & UINT32_MAX) | uint64_t(value) << 32; }

}  // namespace

void FwRegs::write(uint32_t offset, uint32_t value) {
  switch (offset) {
    case ORM_FW_IRQ_STATUS:
      events_ &= ~value;
      return;
    case ORM_FW_IRQ_ENABLE:
      irq_enable_ = ORM_GET(value, ORM_FW_IRQ_ENABLE_MASK);
      return;
    case ORM_FW_NVME_CSTS:
      u_.nvme.set_csts(value);
      return;
    case ORM_FW_INT_COALESCING:
      return u_.irq.set(value);
    case ORM_FW_INT_VECTOR:
      return u_.irq.set_direct(ORM_GET(value, ORM_FW_INT_VECTOR_VECTOR), ORM_GET(value, ORM_FW_INT_VECTOR_DIRECT) != 0);
    case ORM_FW_NVME_NSZE:
      u_.router.set_namespace(value);
      return;
    case ORM_FW_NVME_STATE:
      u_.router.set_ready(ORM_GET(value, ORM_FW_NVME_STATE_NS_READY) != 0,
                          ORM_GET(value, ORM_FW_NVME_STATE_FORMATTING) != 0,
                          ORM_GET(value, ORM_FW_NVME_STATE_WRITE_PROTECTED) != 0);
      return;
    case ORM_FW_QUEUE_ID:
      queue_id_ = value;
      return;
    case ORM_FW_QUEUE_BASE_LO:
      queue_base_ = with_low(queue_base_, value);
      return;
    case ORM_FW_QUEUE_BASE_HI:
      queue_base_ = with_high(queue_base_, value);
      return;
    case ORM_FW_QUEUE_ENTRIES:
      queue_entries_ = ORM_GET(value, ORM_FW_QUEUE_ENTRIES_VALUE);
      return;
    case ORM_FW_QUEUE_GO:
      define_queue(value);
      return;
    case ORM_FW_ADMIN_HELD:
      u_.fetch.set_held(ORM_GET(value, ORM_FW_ADMIN_HELD_COUNT));
      u_.fetch.cq_moved();
      return;
    case ORM_FW_MBOX_POP:
      if (ORM_GET(value, ORM_FW_MBOX_POP_POP) == 0) return;
      believe(!u_.mailbox.empty(), "firmware bug: nothing in the mailbox to drop");
      u_.mailbox.pop();
      return;
    case ORM_FW_CPL_DW0:
      cpl_dw0_ = value;
      return;
    case ORM_FW_CPL_QUEUE:
      cpl_qid_ = ORM_GET(value, ORM_FW_CPL_QUEUE_QID);
      return;
    case ORM_FW_CPL_POST:
      complete(value);
      return;
    case ORM_FW_DMA_PRP1_LO:
      dma_request_.prp.prp1 = with_low(dma_request_.prp.prp1, value);
      return;
    case ORM_FW_DMA_PRP1_HI:
      dma_request_.prp.prp1 = with_high(dma_request_.prp.prp1, value);
      return;
    case ORM_FW_DMA_PRP2_LO:
      dma_request_.prp.prp2 = with_low(dma_request_.prp.prp2, value);
      return;
    case ORM_FW_DMA_PRP2_HI:
      dma_request_.prp.prp2 = with_high(dma_request_.prp.prp2, value);
      return;
    case ORM_FW_DMA_DRAM:
      dma_request_.dram = value;
      return;
    case ORM_FW_DMA_GO:
      start_dma(value);
      return;
    case ORM_FW_REMAP_LIST:
      remap_list_ = value;
      return;
    case ORM_FW_REMAP_GO:
      start_remap(value);
      return;
    case ORM_FW_GC_GO:
      start_gc(value);
      return;
    case ORM_FW_GC_POP:
      if (ORM_GET(value, ORM_FW_GC_POP_POP) == 0) return;
      believe(!gc_outcomes_.empty(), "firmware bug: no outcome of GC to drop");
      gc_outcomes_.pop_front();
      ++gc_dropped_;
      return;
    case ORM_FW_ALLOC_STREAM:
      alloc_stream_ = ORM_GET(value, ORM_FW_ALLOC_STREAM_STREAM);
      return;
    case ORM_FW_ALLOC_CLOSE:
      return u_.allocator.close(ORM_GET(value, ORM_FW_ALLOC_CLOSE_HANDLE));
    case ORM_FW_LOG_RELEASE:
      return u_.log.release(ORM_GET(value, ORM_FW_LOG_RELEASE_LOG));
    case ORM_FW_FREE_LOW:
      free_low_ = ORM_GET(value, ORM_FW_FREE_LOW_VALUE);
      return;
    case ORM_FW_JOURNAL_TAIL:
      u_.journal.set_tail(ORM_GET(value, ORM_FW_JOURNAL_TAIL_VALUE));
      return;
    case ORM_FW_JOURNAL_HIGH:
      journal_high_ = ORM_GET(value, ORM_FW_JOURNAL_HIGH_VALUE);
      return;
    case ORM_FW_SEG_LOW:
      seg_low_ = ORM_GET(value, ORM_FW_SEG_LOW_VALUE);
      return;
    case ORM_FW_FENCE:
      if (ORM_GET(value, ORM_FW_FENCE_GO) != 0) start_fence();
      return;
    case ORM_FW_NAND_GO:
      believe(ORM_GET(value, ORM_FW_NAND_GO_SLOT) < u_.p.slots, "firmware bug: a slot outside the flash");
      u_.nand.start(ORM_GET(value, ORM_FW_NAND_GO_SLOT), orm_fw_nand_op(ORM_GET(value, ORM_FW_NAND_GO_OP)),
                    nand_buffer_);
      return;
    case ORM_FW_NAND_BUFFER:
      nand_buffer_ = ORM_GET(value, ORM_FW_NAND_BUFFER_INDEX);
      return;
    case ORM_FW_NAND_AT:
      u_.nand.fetch(ORM_GET(value, ORM_FW_NAND_AT_AT));
      return;
    case ORM_FW_NAND_POP:
      if (ORM_GET(value, ORM_FW_NAND_POP_POP) != 0) u_.nand.pop();
      return;
    case ORM_FW_COUNTER_SELECT:
      counter_index_ = ORM_GET(value, ORM_FW_COUNTER_SELECT_INDEX);
      if (ORM_GET(value, ORM_FW_COUNTER_SELECT_CLEAR) != 0) u_.counters.clear();
      return;
    default:
      believe(write_start_up(offset, value), "firmware bug: write of no register");
      return;
  }
}

/// Writes to on-chip tables during start-up, before anything else uses them.
bool FwRegs::write_start_up(uint32_t offset, uint32_t value) {
  switch (offset) {
    case ORM_FW_SB_SELECT:
      sb_select_ = value;
      return true;
    case ORM_FW_SB_GEN:
      sb_gen_ = value;
      return true;
    case ORM_FW_SB_CHAIN:
      sb_epoch_ = ORM_GET(value, ORM_FW_SB_CHAIN_EPOCH);
      return true;
    case ORM_FW_SB_STATE:
      u_.superblocks.set(
          ORM_GET(sb_select_, ORM_FW_SB_SELECT_SB),
          {sb_gen_, ORM_GET(value, ORM_FW_SB_STATE_VALID), SbState(ORM_GET(value, ORM_FW_SB_STATE_STATE)), sb_epoch_});
      return true;
    case ORM_FW_ALLOC_FREE:
      if (ORM_GET(value, ORM_FW_ALLOC_FREE_CLEAR) != 0) {
        u_.allocator.forget_free();
      } else {
        u_.allocator.freed(ORM_GET(value, ORM_FW_ALLOC_FREE_SB));
      }
      return true;
    case ORM_FW_ALLOC_RESTORE:
      u_.allocator.restore(AllocStream(ORM_GET(value, ORM_FW_ALLOC_RESTORE_STREAM)),
                           ORM_GET(value, ORM_FW_ALLOC_RESTORE_SB), ORM_GET(value, ORM_FW_ALLOC_RESTORE_NEXT));
      return true;
    case ORM_FW_ALLOC_HANDLES: {
      const uint32_t handles = ORM_GET(value, ORM_FW_ALLOC_HANDLES_COUNT);
      believe(handles != 0 && handles <= u_.p.k.placement_handles,
              "firmware bug: placement handles that there are not");
      u_.router.set_handles(handles);
      return true;
    }
    case ORM_FW_ALLOC_RESERVE:
      u_.allocator.set_reserve(ORM_GET(value, ORM_FW_ALLOC_RESERVE_VALUE));
      return true;
    case ORM_FW_SEQ_LO:
      seq_lo_ = value;
      return true;
    case ORM_FW_SEQ_HI:
      u_.seq.load(seq_lo_ | uint64_t(ORM_GET(value, ORM_FW_SEQ_HI_VALUE)) << 32);
      return true;
    case ORM_FW_JOURNAL_LOAD:
      u_.journal.load(ORM_GET(value, ORM_FW_JOURNAL_LOAD_VALUE));
      return true;
    case ORM_FW_CHAIN_SB:
      chain_sb_ = value;
      return true;
    case ORM_FW_CHAIN_GO:
      u_.table.load_chain(ORM_GET(chain_sb_, ORM_FW_CHAIN_SB_SB), ORM_GET(value, ORM_FW_CHAIN_GO_TAIL),
                          ORM_GET(value, ORM_FW_CHAIN_GO_FILL), ORM_GET(chain_sb_, ORM_FW_CHAIN_SB_COUNT));
      return true;
    case ORM_FW_CHAIN_LINK:
      u_.table.load_link(ORM_GET(value, ORM_FW_CHAIN_LINK_SEG), ORM_GET(value, ORM_FW_CHAIN_LINK_PREV));
      return true;
    case ORM_FW_SEG_FREE:
      u_.table.load_free(ORM_GET(value, ORM_FW_SEG_FREE_SEG));
      return true;
    case ORM_FW_SEG_LEAST:
      u_.table.watch_free();
      return true;
    case ORM_FW_SB_DESTAGED:
      u_.table.place(ORM_GET(sb_select_, ORM_FW_SB_SELECT_SB),
                     {ORM_GET(value, ORM_FW_SB_DESTAGED_SET), ORM_GET(value, ORM_FW_SB_DESTAGED_SLOTS),
                      ORM_GET(value, ORM_FW_SB_DESTAGED_SEGMENTS)});
      return true;
    default:
      return false;
  }
}

void FwRegs::define_queue(uint32_t go) {
  const uint32_t qid = ORM_GET(queue_id_, ORM_FW_QUEUE_ID_QID);
  believe(qid != 0 && qid < u_.p.queues, "firmware bug: no such I/O queue");
  const bool enable = ORM_GET(go, ORM_FW_QUEUE_GO_ENABLE) != 0;
  if (ORM_GET(go, ORM_FW_QUEUE_GO_CQ) != 0) {
    u_.post.define({qid, enable, queue_base_, queue_entries_, ORM_GET(queue_id_, ORM_FW_QUEUE_ID_IEN) != 0,
                    ORM_GET(queue_id_, ORM_FW_QUEUE_ID_VECTOR)});
  }
  if (ORM_GET(go, ORM_FW_QUEUE_GO_SQ) != 0) {
    u_.fetch.define({qid, enable, queue_base_, queue_entries_, ORM_GET(queue_id_, ORM_FW_QUEUE_ID_CQID)});
  }
}

void FwRegs::complete(uint32_t value) {
  believe(u_.post.has_room(Lane::kFirmware), "firmware bug: CPL_POST written while busy");
  u_.post.post(Lane::kFirmware, {cpl_qid_, uint16_t(ORM_GET(value, ORM_FW_CPL_POST_CID)),
                                 NvmeStatus(ORM_GET(value, ORM_FW_CPL_POST_STATUS)), cpl_dw0_});
}

void FwRegs::start_dma(uint32_t value) {
  FwDmaRequest request = dma_request_;
  request.prp.bytes = ORM_GET(value, ORM_FW_DMA_GO_BYTES);
  request.to_host = ORM_GET(value, ORM_FW_DMA_GO_TO_HOST) != 0;
  request.buffer = ORM_GET(value, ORM_FW_DMA_GO_BUFFER) != 0;
  request.buf = u_.p.fw_buf + nand_buffer_;
  believe(!request.buffer ||
              (nand_buffer_ < u_.p.k.fw_buffers && u_.nand.idle(nand_buffer_) && request.prp.bytes == ORM_SLOT_BYTES),
          "firmware bug: a buffer that there is not, or has another use, or not a slot of it");
  believe(!dma_busy_, "firmware bug: DMA_GO written while busy");
  believe(request.prp.bytes != 0 && request.prp.bytes <= u_.p.k.mdts_pages * ORM_SLOT_BYTES &&
              request.prp.bytes % (request.to_host ? 4 : 16) == 0 && request.dram % 16 == 0,
          "firmware bug: DMA length or DRAM address");
  dma_busy_ = true;
  dma_ = run_dma(request);
  dma_.start(u_.sim);
}

Process FwRegs::run_dma(FwDmaRequest request) {
  dma_status_ = co_await u_.dma.move(request);
  dma_busy_ = false;
  raise(ORM_FW_IRQ_STATUS_DMA_DONE_MASK);
}

void FwRegs::start_remap(uint32_t value) {
  believe(!remap_busy_, "firmware bug: REMAP_GO written while busy");
  remap_busy_ = true;
  remap_ = run_remap({remap_list_, ORM_GET(value, ORM_FW_REMAP_GO_RANGES), ORM_GET(value, ORM_FW_REMAP_GO_MOVE) != 0,
                      ORM_GET(value, ORM_FW_REMAP_GO_COPY) != 0, nullptr});
  remap_.start(u_.sim);
}

Process FwRegs::run_remap(RemapDescriptor command) {
  remap_last_ = co_await u_.remap.execute(command);
  remap_busy_ = false;
  raise(ORM_FW_IRQ_STATUS_REMAP_DONE_MASK);
}

void FwRegs::start_gc(uint32_t value) {
  const uint32_t sb = ORM_GET(value, ORM_FW_GC_GO_SB);
  believe(gc_room(), "firmware bug: GC_GO written while busy");
  believe(sb < u_.p.superblocks, "firmware bug: no such superblock");
  const bool chain = ORM_GET(value, ORM_FW_GC_GO_CHAIN) != 0, destage = ORM_GET(value, ORM_FW_GC_GO_DESTAGE) != 0;
  const bool retire = ORM_GET(value, ORM_FW_GC_GO_RETIRE) != 0;
  believe(!chain || !retire, "firmware bug: a chain is not retired");
  believe(!destage || (chain && u_.p.destage_slots != 0),
          "firmware bug: not a chain that is to be destaged, or there is no destaging");
  gc_moving_ = true;
  Process &gc = gc_[gc_started_++ % std::size(gc_)];
  gc = run_gc(sb, chain, destage, retire);
  gc.start(u_.sim);
}

Process FwRegs::run_gc(uint32_t sb, bool chain, bool destage, bool retire) {
  GcOutcome outcome;
  // Not with ?:, because GCC 12 runs both arms of one that contain co_await.
  if (destage) {
    outcome = co_await u_.gc.destage(sb);
  } else if (chain) {
    outcome = co_await u_.gc.compact(sb);
  } else {
    outcome = co_await u_.gc.collect(sb);
  }
  gc_moving_ = false;
  if (!chain && outcome.ok) {
    raise(ORM_FW_IRQ_STATUS_GC_DONE_MASK);
    outcome.ok = co_await u_.gc.give_back(sb, retire);
  }
  gc_outcomes_.push_back(outcome);
  raise(ORM_FW_IRQ_STATUS_GC_DONE_MASK);
}

void FwRegs::start_fence() {
  believe(!fence_busy_, "firmware bug: FENCE written while busy");
  fence_busy_ = true;
  fence_ = run_fence();
  fence_.start(u_.sim);
}

Process FwRegs::run_fence() {
  co_await u_.tracker.fence();
  fence_busy_ = false;
  raise(ORM_FW_IRQ_STATUS_FENCE_DONE_MASK);
}

}  // namespace orm::fast
