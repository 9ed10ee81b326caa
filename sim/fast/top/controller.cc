// SPDX-License-Identifier: Apache-2.0
#include "top/controller.h"

namespace orm::fast {

Controller::Controller(const Params &p, const Board &board, uint64_t now_ns)
    : p_(p),
      board_(board),
      sim_(now_ns),
      superblocks_(p),
      buffers_(p),
      write_pool_(sim_, 0, p.k.write_buffers),
      read_pool_(sim_, p.read_buf_base, p.k.read_buffers),
      allocator_(sim_, p, superblocks_),
      tracker_(sim_),
      map_lock_(sim_),
      share_lock_(sim_),
      window_(sim_),
      unsaved_(sim_),
      nvram_(sim_, board.nvram, board.memory_timing),
      map_(sim_, p, board.dram, superblocks_, counters_),
      table_(sim_, p, nvram_, superblocks_, counters_),
      journal_(sim_, p, nvram_),
      nand_(sim_, p, board.nand, board.nand_timing, buffers_, counters_),
      log_(p, board.dram),
      host_pages_({sim_, p, buffers_, allocator_, nand_, p.k.placement_handles, &log_}),
      gc_pages_({sim_, p, buffers_, allocator_, nand_, 1, &log_}),
      reader_(sim_, board.host, board.memory_timing),
      writer_(sim_, board.host, board.memory_timing),
      nvme_(p),
      fetch_(sim_, p, board.host, board.memory_timing),
      post_(sim_, p, board.host, board.memory_timing),
      irq_(sim_, p),
      waiting_(sim_, p, post_),
      router_(p, waiting_, post_, counters_),
      write_({sim_, p, waiting_.write, post_, reader_, buffers_, write_pool_, allocator_, map_lock_, seq_, map_,
              host_pages_, tracker_, superblocks_, unsaved_, counters_}),
      read_({sim_, p, waiting_.read, post_, writer_, buffers_, read_pool_, map_, nand_, host_pages_, window_, unsaved_,
             counters_}),
      trim_({sim_, waiting_.trim, router_, post_, reader_, map_lock_, seq_, journal_, map_, counters_}),
      remap_(
          {sim_, p, board.dram, map_, table_, journal_, seq_, tracker_, unsaved_, share_lock_, map_lock_, counters_}),
      remap_starter_(sim_, remap_, seq_),
      ranges_({sim_, p, waiting_.ranges, waiting_.firmware, router_, post_, reader_, remap_starter_, counters_}),
      gc_({sim_, p, map_, table_, allocator_, superblocks_, nand_, gc_pages_, host_pages_, buffers_, unsaved_,
           counters_},
          journal_, allocator_, superblocks_, tracker_, window_, seq_, map_lock_, share_lock_),
      fw_dma_(sim_, board.dram, reader_, writer_, buffers_),
      fw_nand_(sim_, p, nand_, buffers_),
      fw_({sim_,       p,       nvme_,          fetch_,   post_,    irq_,     waiting_.firmware,
           router_,    fw_dma_, remap_starter_, gc_,      fw_nand_, tracker_, superblocks_,
           allocator_, log_,    seq_,           journal_, table_,   counters_}) {
  link();
}

void Controller::link() {
  nvme_.link({[this](const SqConfig &sq, const CqConfig &cq) {
                fetch_.define(sq);
                post_.define(cq);
                irq_.clear();
              },
              [this] { fw_.raise(ORM_FW_IRQ_STATUS_CC_CHANGED_MASK); },
              [this](uint32_t qid, bool is_cq, uint32_t value) {
                const DoorbellFault fault = is_cq ? post_.doorbell(qid, value) : fetch_.doorbell(qid, value);
                if (is_cq) fetch_.cq_moved();
                if (fault == DoorbellFault::kAbsent) fw_.raise(ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_MASK);
                if (fault == DoorbellFault::kValue) fw_.raise(ORM_FW_IRQ_STATUS_BAD_DOORBELL_MASK);
              }});
  fetch_.link({[this](const FetchedCommand &command) { return router_.route(command); },
               [this](uint32_t cq) { return post_.free_entries(cq); },
               [this] { fw_.raise(ORM_FW_IRQ_STATUS_HOST_ERROR_MASK); },
               [this] { waiting_.abort([this](uint32_t qid) { return fetch_.alive(qid); }); }});
  post_.link({[this](uint32_t qid) { return fetch_.cq_of(qid); }, [this](uint32_t qid) { return fetch_.head(qid); },
              [this](Lane, uint32_t qid) { fetch_.completed(qid); },
              [this] { fw_.raise(ORM_FW_IRQ_STATUS_HOST_ERROR_MASK); },
              [this](uint32_t vector, bool admin) { irq_.raise(vector, admin); }});
  irq_.link([this](uint32_t vector) {
    msix_raised_ = true;
    board_.host.msix(board_.host.ctx, vector);
  });
  ranges_.link([this] { fw_.remapped(); });
  router_.leave_remaps_to_firmware(board_.firmware_remaps);
  gc_pages_.link(&gc_);
  superblocks_.on_failure([this] { fw_.raise(ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK); });
  nand_.on_weak_read([this](uint32_t slot) {
    superblocks_.read_weakly(p_.superblock_of(slot));
    fw_.raise(ORM_FW_IRQ_STATUS_WEAK_READ_MASK);
  });
  allocator_.link([this] { return write_.busy() || !tracker_.none(); }, [this] { host_pages_.close_all(); });
  allocator_.follow([this](uint32_t sb) { log_.opened(sb); },
                    [this](uint32_t sb, bool whole) { log_.closed(sb, whole); });
  nand_.listen(NandClient::kHostWrite, &host_pages_);
  nand_.listen(NandClient::kHostRead, &read_);
  nand_.listen(NandClient::kGc, &gc_pages_);
  nand_.listen(NandClient::kFirmware, &fw_nand_);
  for (Signal *room : {&waiting_.firmware.room, &waiting_.read.room, &waiting_.write.room, &waiting_.trim.room,
                       &waiting_.ranges.room, &post_.room(Lane::kRouter)}) {
    retries_.push_back(retry(*room));
    retries_.back().start(sim_);
  }
}

/// A command whose destination is full waits in SqFetch until there is room.
Process Controller::retry(Signal &room) {
  for (;;) {
    co_await room.wait();
    fetch_.retry();
  }
}

void Controller::pass(uint64_t until_ns) {
  while (sim_.next() <= until_ns) sim_.step();
  sim_.pass(until_ns);
}

Controller::Stop Controller::advance(uint64_t limit_ns, bool may_idle, bool until_firmware) {
  for (;;) {
    if (msix_raised_) {
      msix_raised_ = false;
      return Stop::kMsix;
    }
    if (until_firmware && fw_.interrupt()) return Stop::kFirmware;
    const uint64_t next = sim_.next();
    if (next > limit_ns) {
      if (next == Simulation::kNever && may_idle) return Stop::kIdle;
      if (limit_ns > sim_.now()) sim_.pass(limit_ns);
      return Stop::kLimit;
    }
    sim_.step();
  }
}

}  // namespace orm::fast
