// SPDX-License-Identifier: Apache-2.0
#include "nand/page_gatherer.h"

#include <algorithm>
#include <utility>

#include "lib/invariant.h"
#include "top/mutant.h"

namespace orm::fast {
namespace {

constexpr uint64_t kCloseNs = cycles(2);  // marked, closed, offered to the scheduler

}  // namespace

PageGatherer::PageGatherer(const Parts &parts)
    : sent(parts.sim), u_(parts), p_(parts.p), entries_(parts.entries), closed_one_(parts.sim) {
  if (p_.g.slots_per_page == 1) return;
  sender_ = sender();
  sender_.start(u_.sim);
}

void PageGatherer::link(NandListener *client, std::function<void(uint32_t)> closing) {
  client_ = client;
  closing_ = std::move(closing);
}

PageGatherer::Entry *PageGatherer::find(uint32_t slot) {
  for (Entry &e : entries_) {
    if (e.page != nullptr && e.page->first == p_.first_of_page(slot)) return &e;
  }
  return nullptr;
}

PageGatherer::Entry *PageGatherer::find_free() {
  for (Entry &e : entries_) {
    if (e.page == nullptr) return &e;
  }
  return nullptr;
}

/// The spare area is copied now, because the buffer may get another one while the page gathers.
void PageGatherer::add(NandPage *page, const NandRequest &program) {
  const uint32_t sub = page->filled++;
  page->metas |= uint32_t(program.meta) << sub;
  page->bufs[sub] = program.buf;
  std::copy_n(u_.buffers.spare(program.buf), ORM_OOB_RECORD_BYTES, page->oobs[sub].begin());
}

NandRequest PageGatherer::request(const NandPage *page) const {
  return {NandRequestOp::kProgram, as_, page->first, page->bufs[0], page};
}

bool PageGatherer::accept(const NandRequest &program) {
  if (!gather(program)) return false;
  if (u_.log != nullptr) u_.log->programs(program.slot, u_.buffers.spare(program.buf));
  return true;
}

/// The last slot of a page is accepted only with the whole page, so a gathering page always lacks at least one.
bool PageGatherer::gather(const NandRequest &program) {
  as_ = program.client;
  if (p_.g.slots_per_page == 1) return u_.nand.accept(program);
  const uint32_t sub = p_.sub_of(program.slot);
  Entry *e = find(program.slot);
  believe(e == nullptr || e != closed_, "a slot of a page that is closed");
  if (closed_ != nullptr) return false;
  if (e == nullptr) {
    believe(sub == 0, "a page begins inside");
    e = find_free();
    if (e == nullptr) {  // all gathering pages belong to superblocks that were ended
      close_all();
      return false;
    }
    if (unused_.empty()) {
      pages_.push_back(std::make_unique<NandPage>());
      unused_.push_back(pages_.back().get());
    }
    *e = {unused_.back()};
    unused_.pop_back();
    e->page->first = program.slot;
    e->page->filled = 0;
    e->page->metas = 0;
  }
  believe(e->page->filled == sub, "slots of a page out of order");
  add(e->page, program);
  if (e->page->filled != p_.g.slots_per_page) return true;
  if (!u_.nand.accept(request(e->page))) {
    --e->page->filled;
    return false;
  }
  *e = {};
  sent.notify();
  return true;
}

void PageGatherer::let_go() {
  held_ = kNone;
  close_next();
}

void PageGatherer::close_all() {
  for (Entry &e : entries_) e.marked = e.page != nullptr;
  close_next();
}

bool PageGatherer::may_read(uint32_t slot) {
  if (p_.g.slots_per_page == 1) return true;
  Entry *e = find(slot);
  if (e == nullptr) return true;
  e->marked = true;
  close_next();
  return false;
}

void PageGatherer::close_next() {
  if (closed_ != nullptr) return;
  for (Entry &e : entries_) {
    if (!e.marked || e.page->first == held_) continue;
    closed_ = &e;
    u_.allocator.skip(e.page->first);
    if (closing_) closing_(e.page->first);
    pad(e.page);
    closed_one_.notify();
    return;
  }
}

/// Padding: slots that name no LPN, with the data of the last slot that does.
void PageGatherer::pad(NandPage *page) {
  orm_oob_record oob{};
  const bool good = orm_oob_record_open(&oob, page->oobs[0].data());
  believe(good, "a slot without a spare");
  if (!mutant(Mutant::kPaddingNamed)) {
    oob.lpn = ORM_UNMAPPED;
    oob.seq = 0;
  }
  for (uint32_t sub = page->filled; sub != p_.g.slots_per_page; ++sub) {
    oob.slot = page->first + sub;
    orm_oob_record_seal(&oob, page->oobs[sub].data());
    page->bufs[sub] = page->bufs[page->filled - 1];
  }
}

Process PageGatherer::sender() {
  for (;;) {
    while (closed_ == nullptr) co_await closed_one_.wait();
    co_await Delay{u_.sim, kCloseNs};
    const NandPage *page = closed_->page;
    while (!u_.nand.accept(request(page))) co_await u_.nand.room(page->first, as_).wait();
    *closed_ = {};
    closed_ = nullptr;
    sent.notify();
    close_next();
  }
}

void PageGatherer::answer(const NandDone &done) {
  if (u_.log != nullptr && done.op == NandRequestOp::kProgram) u_.log->programmed(done.slot, done.status);
  client_->nand_done(done);
}

void PageGatherer::nand_done(const NandDone &done) {
  if (done.page == nullptr) {
    answer(done);
    return;
  }
  NandDone one = done;
  one.page = nullptr;
  for (uint32_t sub = 0; sub != done.page->filled; ++sub) {
    one.slot = done.page->first + sub;
    one.buf = done.page->bufs[sub];
    one.meta = (done.page->metas >> sub & 1) != 0;
    answer(one);
  }
  unused_.push_back(const_cast<NandPage *>(done.page));
}

}  // namespace orm::fast
