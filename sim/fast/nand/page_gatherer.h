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

/// Gathers the slots of a flash page between a client and the NandScheduler (hw/src/nand/PageGatherer.scala). It keeps
/// the slots of a page until all are there, and completes pages that cannot wait with padding. An accepted slot may be
/// shown by the mapping: only a power cut loses it. With one slot a page it passes programs on.
///
/// A page that must not wait is marked. It is closed as soon as the client has no slot of it under way to this unit.
/// From then on none of its slots can come, because the allocator continues behind it. One page is closed at a time,
/// and nothing is accepted meanwhile, or a later page of the stream could overtake it.
class PageGatherer final : public NandListener {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    BufferRam &buffers;
    Allocator &allocator;
    NandScheduler &nand;
    uint32_t entries;        // pages that can gather at the same time
    SlotLog *log = nullptr;  // is informed of each requested slot and of its answer
  };
  explicit PageGatherer(const Parts &parts);

  /// Sets the client, which gets the answers slot by slot. `closing` is called with a page that accepts no more slots;
  /// the client must give up a slot of it that it holds.
  void link(NandListener *client, std::function<void(uint32_t first_of_page)> closing = {});

  /// Offers the program of one slot, whose buffer includes the spare area. The slots of a page must come in order.
  /// False: no room; wait for room(slot).
  bool accept(const NandRequest &program);
  Signal &room(uint32_t slot) {
    const bool waits_for_die = p_.g.slots_per_page == 1 || (closed_ == nullptr && find(slot) != nullptr);
    return waits_for_die ? u_.nand.room(slot, as_) : sent;
  }

  /// The client has drawn its sequence number for this slot, and will offer its program or call let_go().
  void hold(uint32_t slot) { held_ = p_.first_of_page(slot); }
  void let_go();
  /// Completes all pages that gather now.
  void close_all();
  /// Whether a read of the slot would be ordered after its program. False: its page is being sent; wait for `sent`.
  bool may_read(uint32_t slot);
  Signal sent;  // the scheduler accepted a page, whose entry is free

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
  NandClient as_ = NandClient::kHostWrite;  // client of the requests so far
  std::vector<Entry> entries_;
  Entry *closed_ = nullptr;  // padded, not yet accepted by the scheduler
  Signal closed_one_;
  uint32_t held_ = kNone;
  // Pages that gather or are under way, and pages for reuse.
  std::vector<std::unique_ptr<NandPage>> pages_;
  std::vector<NandPage *> unused_;
  Process sender_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_PAGE_GATHERER_H
