// SPDX-License-Identifier: Apache-2.0
#include "fw/fw_regs.h"

#include "lib/invariant.h"
#include "orm_bytes.h"

namespace orm::fast {

bool FwRegs::io_quiet() const {
  for (uint32_t qid = 1; qid < u_.p.queues; ++qid) {
    if (u_.fetch.inside(qid) != 0) return false;
  }
  return u_.fetch.quiet() && u_.post.quiet() && !dma_busy_;
}

uint32_t FwRegs::queue_inside() const {
  const uint32_t qid = ORM_GET(queue_id_, ORM_FW_QUEUE_ID_QID);
  return qid < u_.p.queues ? u_.fetch.inside(qid) : 0;
}

uint32_t FwRegs::sb_state() const {
  const uint32_t sb = ORM_GET(sb_select_, ORM_FW_SB_SELECT_SB);
  believe(sb < u_.p.superblocks, "firmware bug: no such superblock");
  const SuperblockTable::Record &r = u_.superblocks[sb];
  return ORM_PUT(ORM_FW_SB_STATE_VALID, r.valid) | ORM_PUT(ORM_FW_SB_STATE_STATE, r.state) |
         ORM_PUT(ORM_FW_SB_STATE_FAILED, r.failed) | ORM_PUT(ORM_FW_SB_STATE_WEAK, r.weak);
}

uint32_t FwRegs::gc_status() const {
  const GcOutcome o = gc_oldest();
  return ORM_PUT(ORM_FW_GC_STATUS_MOVED, o.moved) | ORM_PUT(ORM_FW_GC_STATUS_OK, o.ok) |
         ORM_PUT(ORM_FW_GC_STATUS_FULL, o.full) | ORM_PUT(ORM_FW_GC_STATUS_REFUSED, o.refused) |
         ORM_PUT(ORM_FW_GC_STATUS_VALID, !gc_outcomes_.empty());
}

uint32_t FwRegs::sb_destaged() const {
  const Destaged &part = u_.table.destaged(ORM_GET(sb_select_, ORM_FW_SB_SELECT_SB));
  return ORM_PUT(ORM_FW_SB_DESTAGED_SET, part.set) | ORM_PUT(ORM_FW_SB_DESTAGED_SLOTS, part.slots) |
         ORM_PUT(ORM_FW_SB_DESTAGED_SEGMENTS, part.segments);
}

uint32_t FwRegs::log_status() const {
  const SlotLog::Due due = u_.log.due();
  return ORM_PUT(ORM_FW_LOG_STATUS_SB, due.sb) | ORM_PUT(ORM_FW_LOG_STATUS_LOG, due.log) |
         ORM_PUT(ORM_FW_LOG_STATUS_STREAM, due.stream) | ORM_PUT(ORM_FW_LOG_STATUS_VALID, due.valid);
}

uint32_t FwRegs::nand_status() const {
  const FwNandOutcome *o = u_.nand.outcome();
  uint32_t s = ORM_PUT(ORM_FW_NAND_STATUS_READY, u_.nand.ready());
  if (o == nullptr) return s;
  return s | ORM_PUT(ORM_FW_NAND_STATUS_SLOT, o->slot) | ORM_PUT(ORM_FW_NAND_STATUS_STATUS, o->status) |
         ORM_FW_NAND_STATUS_VALID_MASK;
}

uint32_t FwRegs::constant(uint32_t offset, bool *known) const {
  const Params &p = u_.p;
  *known = true;
  switch (offset) {
    case ORM_FW_ID:
      return ORM_FW_ID_RESET;
    case ORM_FW_VERSION:
      return ORM_FW_VERSION_RESET;
    case ORM_FW_CAP_FLASH:
      return ORM_PUT(ORM_FW_CAP_FLASH_CHANNELS, p.g.channels) |
             ORM_PUT(ORM_FW_CAP_FLASH_DIES_PER_CHANNEL, p.g.dies_per_channel) |
             ORM_PUT(ORM_FW_CAP_FLASH_PAGES_PER_BLOCK, p.g.pages_per_block);
    case ORM_FW_CAP_SUPERBLOCKS:
      return p.superblocks;
    case ORM_FW_CAP_SLOTS_PER_SB:
      return p.slots_per_sb;
    case ORM_FW_CAP_LPNS:
      return p.lpns;
    case ORM_FW_CAP_QUEUES:
      return ORM_PUT(ORM_FW_CAP_QUEUES_IO_PAIRS, p.k.io_queues) |
             ORM_PUT(ORM_FW_CAP_QUEUES_ENTRIES, p.k.max_queue_entries);
    case ORM_FW_CAP_SEGMENTS:
      return ORM_PUT(ORM_FW_CAP_SEGMENTS_SEGMENTS, p.k.segments) |
             ORM_PUT(ORM_FW_CAP_SEGMENTS_PER_CHAIN, p.k.segments_per_chain);
    case ORM_FW_CAP_LIMITS:
      return ORM_PUT(ORM_FW_CAP_LIMITS_SHARERS, p.k.ref_limit) | ORM_PUT(ORM_FW_CAP_LIMITS_MDTS_PAGES, p.k.mdts_pages) |
             ORM_PUT(ORM_FW_CAP_LIMITS_JOURNAL_RECORDS, p.k.journal_records);
    case ORM_FW_CAP_PLACEMENT:
      return ORM_PUT(ORM_FW_CAP_PLACEMENT_HANDLES, p.k.placement_handles);
    case ORM_FW_CAP_DESTAGE:
      return ORM_PUT(ORM_FW_CAP_DESTAGE_SLOTS, p.destage_slots);
    case ORM_FW_CAP_DESTAGE_LPN:
      return p.destage_lpn;
    case ORM_FW_CAP_SEG_RESERVE:
      return ORM_PUT(ORM_FW_CAP_SEG_RESERVE_COUNT, p.k.gc_reserve_segments) |
             ORM_PUT(ORM_FW_CAP_SEG_RESERVE_SEG_BYTES, kSegmentBytes);
    case ORM_FW_CAP_COPY:
      return ORM_PUT(ORM_FW_CAP_COPY_RANGES, p.copy_ranges()) | ORM_PUT(ORM_FW_CAP_COPY_PAGES, p.copy_pages());
    case ORM_FW_CAP_BUFFERS:
      return p.k.fw_buffers;
    case ORM_FW_CAP_SUMMARY:
      return ORM_PUT(ORM_FW_CAP_SUMMARY_SLOTS, p.summary_slots) | ORM_PUT(ORM_FW_CAP_SUMMARY_LOGS, p.slot_logs);
    case ORM_FW_DRAM_LOG:
      return p.log_base;
    case ORM_FW_DRAM_L2P:
      return p.l2p_base;
    case ORM_FW_DRAM_REF:
      return p.ref_base;
    case ORM_FW_DRAM_FW:
      return p.fw_dram_base;
    case ORM_FW_DRAM_BYTES:
      return p.dram_bytes;
    case ORM_FW_NV_HEADER:
      return p.nv_header;
    case ORM_FW_NV_COMMIT:
      return p.nv_commit;
    case ORM_FW_NV_CHECKPOINT:
      return p.nv_checkpoint;
    case ORM_FW_NV_COUNTERS:
      return p.nv_counters;
    case ORM_FW_NV_BLOCKS:
      return p.nv_blocks;
    case ORM_FW_NV_JOURNAL:
      return p.nv_journal;
    case ORM_FW_NV_BITMAP:
      return p.nv_bitmap;
    case ORM_FW_NV_BITMAP_BYTES:
      return p.nv_bitmap_bytes;
    case ORM_FW_NV_TRIM_POINTERS:
      return p.nv_trim_pointers;
    case ORM_FW_NV_SEGMENTS:
      return p.nv_segments;
    case ORM_FW_NV_BYTES:
      return p.nvram_bytes;
    default:
      *known = false;
      return 0;
  }
}

uint32_t FwRegs::read(uint32_t offset) {
  switch (offset) {
    case ORM_FW_IRQ_STATUS:
      return status();
    case ORM_FW_IRQ_ENABLE:
      return irq_enable_;
    case ORM_FW_NVME_CC:
      return u_.nvme.read_cc();
    case ORM_FW_NVME_CSTS:
      return u_.nvme.csts();
    case ORM_FW_NVME_NSZE:
      return u_.router.nsze();
    case ORM_FW_INT_COALESCING:
      return u_.irq.settings();
    case ORM_FW_NVME_STATE:
      return ORM_PUT(ORM_FW_NVME_STATE_NS_READY, u_.router.ready()) |
             ORM_PUT(ORM_FW_NVME_STATE_FORMATTING, u_.router.formatting()) |
             ORM_PUT(ORM_FW_NVME_STATE_WRITE_PROTECTED, u_.router.write_protected()) |
             ORM_PUT(ORM_FW_NVME_STATE_IO_QUIET, io_quiet());
    case ORM_FW_QUEUE_ID:
      return queue_id_;
    case ORM_FW_QUEUE_BASE_LO:
      return uint32_t(queue_base_);
    case ORM_FW_QUEUE_BASE_HI:
      return uint32_t(queue_base_ >> 32);
    case ORM_FW_QUEUE_ENTRIES:
      return queue_entries_;
    case ORM_FW_QUEUE_INSIDE:
      return queue_inside();
    case ORM_FW_ADMIN_HELD:
      return ORM_PUT(ORM_FW_ADMIN_HELD_COUNT, u_.fetch.held()) | ORM_PUT(ORM_FW_ADMIN_HELD_ROOM, u_.fetch.admin_room());
    case ORM_FW_MBOX_STATUS:
      if (u_.mailbox.empty()) return 0;
      return ORM_FW_MBOX_STATUS_VALID_MASK | ORM_PUT(ORM_FW_MBOX_STATUS_QID, u_.mailbox.front().qid);
    case ORM_FW_CPL_DW0:
      return cpl_dw0_;
    case ORM_FW_CPL_QUEUE:
      return ORM_PUT(ORM_FW_CPL_QUEUE_QID, cpl_qid_) |
             ORM_PUT(ORM_FW_CPL_QUEUE_READY, u_.post.has_room(Lane::kFirmware));
    case ORM_FW_DMA_PRP1_LO:
      return uint32_t(dma_request_.prp.prp1);
    case ORM_FW_DMA_PRP1_HI:
      return uint32_t(dma_request_.prp.prp1 >> 32);
    case ORM_FW_DMA_PRP2_LO:
      return uint32_t(dma_request_.prp.prp2);
    case ORM_FW_DMA_PRP2_HI:
      return uint32_t(dma_request_.prp.prp2 >> 32);
    case ORM_FW_DMA_DRAM:
      return dma_request_.dram;
    case ORM_FW_DMA_STATUS:
      return ORM_PUT(ORM_FW_DMA_STATUS_STATUS, dma_status_) | ORM_PUT(ORM_FW_DMA_STATUS_BUSY, dma_busy_);
    case ORM_FW_REMAP_LIST:
      return remap_list_;
    case ORM_FW_REMAP_STATUS:
      return ORM_PUT(ORM_FW_REMAP_STATUS_RESULT, remap_last_.result) |
             ORM_PUT(ORM_FW_REMAP_STATUS_RANGE, remap_last_.range) | ORM_PUT(ORM_FW_REMAP_STATUS_BUSY, remap_busy_);
    case ORM_FW_REMAP_PAGES:
      return remap_last_.pages;
    case ORM_FW_REMAP_SEQ_LO:
      remap_seq_high_ = uint32_t(u_.remap.settled() >> 32);
      return uint32_t(u_.remap.settled());
    case ORM_FW_REMAP_SEQ_HI:
      return remap_seq_high_;
    case ORM_FW_GC_STATUS:
      return gc_status();
    case ORM_FW_GC_DETAIL:
      return ORM_PUT(ORM_FW_GC_DETAIL_SHARED, gc_oldest().shared) |
             ORM_PUT(ORM_FW_GC_DETAIL_SEGMENTS, gc_oldest().segments);
    case ORM_FW_GC_QUEUE:
      return ORM_PUT(ORM_FW_GC_QUEUE_SB, gc_oldest().sb) | ORM_PUT(ORM_FW_GC_QUEUE_CHAIN, gc_oldest().chain) |
             ORM_PUT(ORM_FW_GC_QUEUE_ROOM, gc_room());
    case ORM_FW_SB_SELECT:
      return sb_select_;
    case ORM_FW_SB_STATE:
      return sb_state();
    case ORM_FW_SB_GEN:
      return u_.superblocks[ORM_GET(sb_select_, ORM_FW_SB_SELECT_SB)].gen;
    case ORM_FW_SB_CHAIN:
      return ORM_PUT(ORM_FW_SB_CHAIN_SEGMENTS, u_.table.segments(ORM_GET(sb_select_, ORM_FW_SB_SELECT_SB))) |
             ORM_PUT(ORM_FW_SB_CHAIN_EPOCH, u_.superblocks[ORM_GET(sb_select_, ORM_FW_SB_SELECT_SB)].epoch);
    case ORM_FW_SB_DESTAGED:
      return sb_destaged();
    case ORM_FW_LOG_STATUS:
      return log_status();
    case ORM_FW_ALLOC_RESERVE:
      return u_.allocator.reserve();
    case ORM_FW_ALLOC_COUNT:
      return u_.allocator.free();
    case ORM_FW_ALLOC_HANDLES:
      return u_.router.handles();
    case ORM_FW_ALLOC_STREAM:
      return alloc_stream_;
    case ORM_FW_ALLOC_OPEN:
      return u_.allocator.look(AllocStream(alloc_stream_));
    case ORM_FW_FREE_LOW:
      return free_low_;
    case ORM_FW_SEQ_LO:
      seq_high_ = uint32_t(u_.seq.value() >> 32);
      return uint32_t(u_.seq.value());
    case ORM_FW_SEQ_HI:
      return seq_high_;
    case ORM_FW_JOURNAL_STATE:
      return ORM_PUT(ORM_FW_JOURNAL_STATE_HEAD, u_.journal.head()) |
             ORM_PUT(ORM_FW_JOURNAL_STATE_USED, u_.journal.used());
    case ORM_FW_JOURNAL_HIGH:
      return journal_high_;
    case ORM_FW_FENCE:
      return ORM_PUT(ORM_FW_FENCE_BUSY, fence_busy_);
    case ORM_FW_CHAIN_SB:
      return chain_sb_;
    case ORM_FW_SEG_COUNT:
      return u_.table.free_segments();
    case ORM_FW_SEG_LEAST:
      return ORM_PUT(ORM_FW_SEG_LEAST_VALUE, u_.table.least_free());
    case ORM_FW_SEG_LOW:
      return seg_low_;
    case ORM_FW_MEMORY_ERROR:
    case ORM_FW_MEMORY_ERROR_AT:
      return 0;  // the model's memories do not fail
    case ORM_FW_NAND_STATUS:
      return nand_status();
    case ORM_FW_NAND_BUFFER:
      return nand_buffer_;
    case ORM_FW_NAND_AT:
      return ORM_PUT(ORM_FW_NAND_AT_READY, u_.nand.fetched());
    case ORM_FW_COUNTER_SELECT:
      return counter_index_;
    case ORM_FW_COUNTER_LO:
      counter_high_ = uint32_t(u_.counters.value(counter_index_) >> 32);
      return uint32_t(u_.counters.value(counter_index_));
    case ORM_FW_COUNTER_HI:
      return ORM_PUT(ORM_FW_COUNTER_HI_VALUE, counter_high_);
    default:
      break;
  }
  if (offset >= ORM_FW_MBOX_SQE(0) && offset < ORM_FW_MBOX_SQE(ORM_FW_MBOX_SQE_COUNT)) {
    return u_.mailbox.front().sqe[(offset - ORM_FW_MBOX_SQE(0)) / 4];
  }
  if (offset >= ORM_FW_NAND_DATA(0) && offset < ORM_FW_NAND_DATA(ORM_FW_NAND_DATA_COUNT)) {
    return u_.nand.word((offset - ORM_FW_NAND_DATA(0)) / 4);
  }
  if (offset >= ORM_FW_NAND_OOB(0) && offset < ORM_FW_NAND_OOB(ORM_FW_NAND_OOB_COUNT)) {
    const FwNandOutcome *o = u_.nand.outcome();
    return o == nullptr ? 0 : uint32_t(orm_get_le(o->oob.data() + (offset - ORM_FW_NAND_OOB(0)), 4));
  }
  bool known = false;
  const uint32_t value = constant(offset, &known);
  believe(known, "firmware bug: read of no register");
  return value;
}

}  // namespace orm::fast
