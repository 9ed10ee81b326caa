// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_PAGE_GATHERER_H
#define OPENREMAP_FAST_PAGE_GATHERER_H

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "io/buffer_ram.h"
#include "map/allocator.h"
#include "nand/nand_scheduler.h"
#include "nand/slot_log.h"

namespace orm::fast {

/// Between a client and the NandScheduler where a flash page holds several slots: keeps the slots of a page until all of
/// them are there, and completes with padding those that cannot wait (hw/src/nand/PageGatherer.scala). A slot that was accepted
/// may be shown by the mapping: no slot of it is lost but by a power cut. With one slot a page it hands programs on.
///
/// A page that must not wait is marked, and closed as soon as the client holds no slot of it on its way here: from then on
/// none of its slots comes, since the allocator goes on behind it. One at a time, and nothing is accepted meanwhile: a later
/// page of its stream would overtake it.
class PageGatherer final : public NandListener {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    BufferRam &buffers;
    Allocator &allocator;
    NandScheduler &nand;
    uint32_t entries;        // pages that can gather side by side
    SlotLog *log = nullptr;  // hears of each slot that is asked for, and of its answer
  };
  explicit PageGatherer(const Parts &parts);

  /// Who asks, and gets the answers slot by slot. `closing` hears of a page none of whose slots may come any more; a slot of
  /// it that the client has in hand is to be given up.
  void link(NandListener *client, std::function<void(uint32_t first_of_page)> closing = {});

  /// A program of one slot, whose buffer has its spare; the slots of a page come in order. False: room(slot) says when to ask
  /// again.
  bool accept(const NandRequest &program);
  Signal &room(uint32_t slot) {
    const bool waits_for_die = p_.g.slots_per_page == 1 || (closed_ == nullptr && find(slot) != nullptr);
    return waits_for_die ? u_.nand.room(slot, as_) : sent;
  }

  /// The client has drawn its numbers for this slot and will ask for its program, until let_go().
  void hold(uint32_t slot) { held_ = p_.first_of_page(slot); }
  void let_go();
  /// None of the slots gathered by now may wait for those behind them.
  void close_all();
  /// Whether a read of the slot comes behind its program. False: the page is on its way, `sent` says when to ask again.
  bool may_read(uint32_t slot);
  Signal sent;  // a page was accepted by the scheduler; its entry is free

  void nand_done(const NandDone &done) override;

 private:
  bool gather(const NandRequest &program);
  void answer(const NandDone &done);

  struct Entry {
    NandPage *page = nullptr;  // null: free
    bool marked = false;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  Entry *find(uint32_t slot);
  Entry *find_free();
  void add(NandPage *page, const NandRequest &program);
  void close_next();
  void pad(NandPage *page);
  NandRequest request(const NandPage *page) const;
  Process sender();

  Parts u_;
  const Params &p_;
  NandListener *client_ = nullptr;
  std::function<void(uint32_t)> closing_;
  NandClient as_ = NandClient::kHostWrite;  // of the requests so far
  std::vector<Entry> entries_;
  Entry *closed_ = nullptr;  // padded, not accepted by the scheduler
  Signal closed_one_;
  uint32_t held_ = kNone;
  // Pages that gather or are under way, and those to be used again.
  std::vector<std::unique_ptr<NandPage>> pages_;
  std::vector<NandPage *> unused_;
  Process sender_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_PAGE_GATHERER_H
