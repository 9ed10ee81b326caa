// SPDX-License-Identifier: Apache-2.0
#include "io/write_engine.h"

#include "orm_formats.h"
#include "remap/remap_engine.h"
#include "top/mutant.h"

namespace orm::fast {
namespace {

constexpr uint64_t kStepNs = cycles(3);  // the back's states around lock, seq and program

}  // namespace

WriteEngine::WriteEngine(const Parts &parts)
    : u_(parts),
      steps_(parts.sim, 4),
      epochs_(parts.p.k.write_buffers),
      flights_(parts.p.k.write_buffers),
      fence_(parts.sim, parts.tracker, parts.unsaved.changed) {
  u_.pages.link(this, [this](uint32_t first_of_page) { closing(first_of_page); });
  u_.tracker.on_turn([this] { u_.pages.close_all(); });
  front_ = front();
  back_ = back();
  front_.start(u_.sim);
  back_.start(u_.sim);
}

Process WriteEngine::front() {
  for (;;) {
    const bool ahead = !u_.commands.empty();  // it came during the data of the previous command
    while (u_.commands.empty()) co_await u_.commands.filled.wait();
    Step step;
    step.command = u_.commands.pop();
    const IoCommand &command = step.command;
    if (command.op == IoOp::kWrite) {
      co_await u_.host.turn().take();
      u_.host.begin({command.prp1, command.prp2, command.pages * ORM_SLOT_BYTES}, ahead);
      for (uint32_t page = 0; page != command.pages; ++page) {
        const uint64_t asked = u_.sim.now();
        while (!u_.pool.take(&step.buf)) co_await u_.pool.freed.wait();
        u_.counters.stalled(ORM_COUNTER_STALL_WRITE_BUFFER, u_.sim.now() - asked);
        const uint64_t ns = u_.host.read(u_.buffers.data(step.buf), ORM_SLOT_BYTES, &step.bad);
        co_await Delay{u_.sim, ns};
        step.lpn = command.slba + page;
        while (steps_.full()) co_await steps_.room.wait();
        steps_.push(step);
      }
      step.status = u_.host.end();
      u_.host.turn().give();
    }
    step.is_end = true;
    while (steps_.full()) co_await steps_.room.wait();
    steps_.push(step);
  }
}

Process WriteEngine::back() {
  for (;;) {
    while (steps_.empty() && saves_.empty()) co_await steps_.filled.wait();
    if (!saves_.empty()) {
      co_await save_page();
      continue;
    }
    const Step step = steps_.front();
    if (step.is_end) {
      co_await finish(step);
    } else if (step.bad) {
      u_.pool.give(step.buf);
    } else {
      co_await write_page(step);
    }
    steps_.pop();
  }
}

/// The slot is allocated before the mapLock is requested, and NAND accepts the program before the mapping shows it.
Task<bool> WriteEngine::write_page(Step step) {
  do {
    const uint64_t asked = u_.sim.now();
    stream_ = host_stream(step.command.handle);
    for (;;) {
      if (!saves_.empty()) {
        co_await save_page();
        stream_ = host_stream(step.command.handle);
      } else if (u_.allocator.take(stream_, &to_)) {
        break;
      } else {
        co_await u_.allocator.changed.wait();
      }
    }
    u_.counters.stalled(ORM_COUNTER_STALL_ALLOC, u_.sim.now() - asked);
    co_await lock_with_slot();
  } while (homeless_);
  u_.pages.hold(to_.slot);
  co_await Delay{u_.sim, kStepNs};
  co_await program({step.lpn, step.command.handle, u_.seq.take(), to_.slot}, step.buf, false);
  co_await u_.map.set(step.lpn, to_.slot);
  u_.map_lock.release(kMapLockWrite);
  u_.counters.add(ORM_COUNTER_HOST_WRITE_PAGES);
  co_return true;
}

/// Takes the mapLock. The slot `to_` may have to be given up while waiting: then the lock is not taken.
Task<bool> WriteEngine::lock_with_slot() {
  const uint64_t asked = u_.sim.now();
  has_slot_ = true;
  waits_ = true;
  homeless_ = false;
  co_await u_.map_lock.acquire(kMapLockWrite);
  waits_ = false;
  u_.counters.stalled(ORM_COUNTER_STALL_MAP_LOCK, u_.sim.now() - asked);
  has_slot_ = !homeless_;
  if (homeless_) {
    u_.map_lock.release(kMapLockWrite);
    u_.allocator.changed.notify();  // GC may wait for this
  }
  co_return true;
}

Task<bool> WriteEngine::program(const Flight &flight, uint32_t buf, bool again) {
  const Flight page = flight;
  orm_oob_record oob{};
  oob.lpn = page.lpn;
  oob.gen = to_.gen;
  oob.seq = page.seq;
  oob.stream = uint8_t(stream_);
  oob.version = ORM_FORMAT_VERSION;
  oob.slot = page.slot;
  orm_oob_record_seal(&oob, u_.buffers.spare(buf));
  const NandRequest request{NandRequestOp::kProgram, NandClient::kHostWrite, page.slot, buf};
  while (!u_.pages.accept(request)) co_await u_.pages.room(page.slot).wait();
  flights_[buf] = page;
  if (!again) epochs_[buf] = u_.tracker.issued();
  has_slot_ = false;
  u_.pages.let_go();
  if (u_.allocator.gc_held()) u_.pages.close_all();
  co_return true;
}

/// Programs the data of a page again with the same seq, so that recovery sees the same event. A newer write or trim may
/// have superseded it. Fences that wait for the page began before this, so this step itself must complete a page of
/// several slots.
Task<bool> WriteEngine::save_page() {
  const uint32_t buf = saves_.front();
  saves_.pop_front();
  const Flight failed = flights_[buf];
  saving_ = true;
  do {
    stream_ = host_stream(failed.handle);
    if (!u_.allocator.take_urgent(&stream_, &to_)) {
      lost_ = true;
      land(buf);
      u_.unsaved.remove();
      saving_ = false;
      co_return false;
    }
    co_await lock_with_slot();
  } while (homeless_);
  saving_ = false;
  u_.pages.hold(to_.slot);
  co_await Delay{u_.sim, kStepNs};
  const uint64_t seq = mutant(Mutant::kSavedNewSeq) ? u_.seq.take() : failed.seq;
  co_await program({failed.lpn, failed.handle, seq, to_.slot}, buf, true);
  u_.pages.close_all();
  if (mutant(Mutant::kSavedBySet)) {
    co_await u_.map.set(failed.lpn, to_.slot);
  } else {
    co_await u_.map.cas(failed.lpn, to_.slot, failed.slot);
  }
  u_.map_lock.release(kMapLockWrite);
  u_.counters.add(ORM_COUNTER_HOST_SAVED_PAGES);
  u_.unsaved.remove();
  co_return true;
}

/// The page goes to flash without the slot in hand, because the owner of the mapLock that this unit waits for may wait
/// for a fence.
void WriteEngine::closing(uint32_t first_of_page) {
  if (!waits_ || homeless_ || u_.p.first_of_page(to_.slot) != first_of_page) return;
  homeless_ = saving_ || !u_.allocator.take(stream_, &to_);
}

Task<bool> WriteEngine::finish(Step step) {
  const bool fence = step.command.op == IoOp::kFlush || (step.command.fua && !mutant(Mutant::kFuaUnfenced));
  if (fence) {
    fence_.begin();
    while (fence_.pending()) {
      if (!saves_.empty()) {
        co_await save_page();
      } else {
        co_await u_.unsaved.changed.wait();
      }
    }
  }
  while (!u_.post.has_room(Lane::kWrite)) co_await u_.post.room(Lane::kWrite).wait();
  const bool tells = fence && lost_ && step.status == kSuccess;
  if (tells) lost_ = false;
  if (tells) u_.counters.add(ORM_COUNTER_WRITE_ERRORS);
  u_.post.post(Lane::kWrite, {step.command.qid, step.command.cid, tells ? kWriteFault : step.status, 0});
  co_return true;
}

/// A page whose program failed keeps its buffer, and fences wait for it.
void WriteEngine::nand_done(const NandDone &done) {
  if (done.status == NandStatus::kOk || mutant(Mutant::kFailedLands)) {
    land(done.buf);
    return;
  }
  u_.superblocks.program_failed(u_.p.superblock_of(done.slot));
  u_.counters.add(ORM_COUNTER_NAND_PROGRAM_FAILS);
  saves_.push_back(done.buf);
  u_.unsaved.add();
  steps_.filled.notify();
  u_.allocator.changed.notify();
}

void WriteEngine::land(uint32_t buf) {
  u_.pool.give(buf);
  u_.tracker.landed(epochs_[buf]);
  if (u_.tracker.none()) u_.allocator.changed.notify();  // GC may wait for that
}

}  // namespace orm::fast
