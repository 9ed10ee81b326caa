// SPDX-License-Identifier: Apache-2.0
#include "io/read_engine.h"

#include <algorithm>

#include "lib/invariant.h"

namespace orm::fast {
namespace {

constexpr uint64_t kStepNs = cycles(4);
constexpr uint64_t kPageNs = cycles(ORM_SLOT_BYTES / kBeatBytes);  // on a channel's bus
constexpr uint8_t kZeroes[ORM_SLOT_BYTES] = {};

}  // namespace

ReadEngine::ReadEngine(const Parts &parts)
    : u_(parts),
      commands_(parts.sim, parts.p.k.read_buffers),
      steps_(parts.sim, parts.p.k.read_buffers),
      endings_(parts.sim, 2),
      arrived_(parts.sim),
      pages_(parts.p.k.read_buffers, Page::kAbsent) {
  front_ = front();
  back_ = back();
  ender_ = ender();
  front_.start(u_.sim);
  back_.start(u_.sim);
  ender_.start(u_.sim);
}

/// The buffer is taken before the look-up, to keep the window short for which an erase waits.
Process ReadEngine::front() {
  bool have = false;
  uint32_t buf = 0;  // kept for the next page if this one is unmapped
  for (;;) {
    while (u_.commands.empty() || commands_.full()) {
      co_await (u_.commands.empty() ? u_.commands.filled : commands_.room).wait();
    }
    const IoCommand command = u_.commands.pop();
    commands_.push(command);
    for (uint32_t i = 0; i != command.pages; ++i) {
      while (!have) {
        have = u_.pool.take(&buf);
        if (!have) co_await u_.pool.freed.wait();
      }
      u_.window.set(true);
      const MapResponse found = co_await u_.map.lookup(command.slba + i);
      while (steps_.full()) co_await steps_.room.wait();
      steps_.push({found.mapped, buf, found.slot});
      if (found.mapped) {
        const NandRequest read{NandRequestOp::kRead, NandClient::kHostRead, found.slot, buf};
        while (!u_.host_pages.may_read(found.slot)) co_await u_.host_pages.sent.wait();
        while (!u_.nand.accept(read)) co_await u_.nand.room(read.slot, read.client).wait();
        have = false;
      }
      u_.window.set(false);
    }
  }
}

/// Reads the page again if the program of its slot failed, since its data is, or soon will be, elsewhere. False: it is
/// not. `unmapped`: the page was dropped.
Task<bool> ReadEngine::read_again(uint32_t lpn, Step step, bool *unmapped) {
  for (;;) {
    const bool waits = u_.unsaved.any();
    while (u_.unsaved.any()) co_await u_.unsaved.changed.wait();
    u_.window.set(true);
    const MapResponse found = co_await u_.map.lookup(lpn);
    *unmapped = !found.mapped;
    if (!found.mapped || (found.slot == step.slot && !waits)) {
      u_.window.set(false);
      co_return false;
    }
    step.slot = found.slot;
    page(step.buf) = Page::kAbsent;
    const NandRequest read{NandRequestOp::kRead, NandClient::kHostRead, step.slot, step.buf};
    while (!u_.host_pages.may_read(step.slot)) co_await u_.host_pages.sent.wait();
    while (!u_.nand.accept(read)) co_await u_.nand.room(read.slot, read.client).wait();
    u_.window.set(false);
    while (page(step.buf) == Page::kAbsent) co_await arrived_.wait();
    if (page(step.buf) == Page::kGood) co_return true;
  }
}

void ReadEngine::nand_done(const NandDone &done) {
  believe(page(done.buf) == Page::kAbsent, "a page came twice");
  page(done.buf) = done.status == NandStatus::kOk ? Page::kGood : Page::kBad;
  arrived_.notify();
}

/// Data that flash cannot read is sent as zeroes. The host gets a page while NAND still delivers it, so the time on the
/// channel's bus since this process began to wait for the page is not counted again.
Process ReadEngine::back() {
  for (;;) {
    while (commands_.empty()) co_await commands_.filled.wait();
    const IoCommand command = commands_.front();
    bool failed = false;
    while (endings_.full()) co_await endings_.room.wait();
    co_await u_.host.turn().take();
    u_.host.begin({command.prp1, command.prp2, command.pages * ORM_SLOT_BYTES});
    for (uint32_t i = 0; i != command.pages; ++i) {
      while (steps_.empty()) co_await steps_.filled.wait();
      const Step step = steps_.front();
      const uint64_t asked = u_.sim.now();
      while (step.mapped && page(step.buf) == Page::kAbsent) co_await arrived_.wait();
      const uint64_t cut_through = std::min(u_.sim.now() - asked, kPageNs);
      bool good = step.mapped && page(step.buf) == Page::kGood;
      if (step.mapped && !good) {
        bool unmapped = false;
        good = co_await read_again(command.slba + i, step, &unmapped);
        failed = failed || (!good && !unmapped);
      }
      const uint64_t ns = u_.host.write(good ? u_.buffers.data(step.buf) : kZeroes, ORM_SLOT_BYTES);
      co_await Delay{u_.sim, ns - std::min(ns, cut_through) + kStepNs};
      if (step.mapped) {
        page(step.buf) = Page::kAbsent;
        u_.pool.give(step.buf);
      }
      steps_.pop();
      u_.counters.add(ORM_COUNTER_HOST_READ_PAGES);
    }
    // A host error takes precedence over a flash error.
    NvmeStatus status = u_.host.end();
    if (status == kSuccess && failed) status = kUnrecoveredReadError;
    if (status == kUnrecoveredReadError) u_.counters.add(ORM_COUNTER_READ_ERRORS);
    endings_.push({{command.qid, command.cid, status, 0}, u_.sim.now() + u_.host.end_ns()});
    u_.host.turn().give();
    commands_.pop();
  }
}

Process ReadEngine::ender() {
  for (;;) {
    while (endings_.empty()) co_await endings_.filled.wait();
    const Ending ending = endings_.front();
    if (ending.due_ns > u_.sim.now()) co_await Delay{u_.sim, ending.due_ns - u_.sim.now()};
    while (!u_.post.has_room(Lane::kRead)) co_await u_.post.room(Lane::kRead).wait();
    u_.post.post(Lane::kRead, ending.completion);
    endings_.pop();
  }
}

}  // namespace orm::fast
