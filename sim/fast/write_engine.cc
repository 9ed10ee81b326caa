// SPDX-License-Identifier: Apache-2.0
#include "write_engine.h"

#include "orm_formats.h"
#include "remap_engine.h"

namespace orm::fast {
namespace {

constexpr uint64_t kStepNs = cycles(3);  // the back's states around lock, seq and program

}  // namespace

WriteEngine::WriteEngine(const Parts &parts) : u_(parts), steps_(parts.sim, 4), epochs_(parts.p.k.write_buffers) {
  u_.pages.link(this, [this](uint32_t first_of_page) { closing(first_of_page); });
  u_.tracker.on_turn([this] { u_.pages.close_all(); });
  front_ = front();
  back_ = back();
  front_.start(u_.sim);
  back_.start(u_.sim);
}

Process WriteEngine::front() {
  for (;;) {
    const bool ahead = !u_.commands.empty();  // came while the last one's data did
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
    while (steps_.empty()) co_await steps_.filled.wait();
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

/// The slot is there before the mapLock is asked for, and NAND has accepted the program before the mapping shows it.
Task<bool> WriteEngine::write_page(Step step) {
  stream_ = host_stream(step.command.handle);
  do {
    uint64_t asked = u_.sim.now();
    while (!u_.allocator.take(stream_, &to_)) co_await u_.allocator.changed.wait();
    u_.counters.stalled(ORM_COUNTER_STALL_ALLOC, u_.sim.now() - asked);
    asked = u_.sim.now();
    waits_ = true;
    homeless_ = false;
    co_await u_.map_lock.acquire(kMapLockWrite);
    waits_ = false;
    u_.counters.stalled(ORM_COUNTER_STALL_MAP_LOCK, u_.sim.now() - asked);
    if (homeless_) u_.map_lock.release(kMapLockWrite);
  } while (homeless_);
  const Allocation to = to_;
  u_.pages.hold(to.slot);
  co_await Delay{u_.sim, kStepNs};
  orm_oob_record oob{};
  oob.lpn = step.lpn;
  oob.gen = to.gen;
  oob.seq = u_.seq.take();
  oob.stream = uint8_t(stream_);
  oob.version = ORM_FORMAT_VERSION;
  oob.slot = to.slot;
  orm_oob_record_seal(&oob, u_.buffers.spare(step.buf));
  const NandRequest program{NandRequestOp::kProgram, NandClient::kHostWrite, to.slot, step.buf};
  while (!u_.pages.accept(program)) co_await u_.pages.room(to.slot).wait();
  epochs_[step.buf] = u_.tracker.issued();
  u_.pages.let_go();
  co_await u_.map.set(step.lpn, to.slot);
  u_.map_lock.release(kMapLockWrite);
  u_.counters.add(ORM_COUNTER_HOST_WRITE_PAGES);
  co_return true;
}

/// The page goes to flash without the slot in hand: a fence may be wanted by who has the mapLock that this waits for.
void WriteEngine::closing(uint32_t first_of_page) {
  if (!waits_ || homeless_ || u_.p.first_of_page(to_.slot) != first_of_page) return;
  homeless_ = !u_.allocator.take(stream_, &to_);
}

Task<bool> WriteEngine::finish(Step step) {
  const bool fence = step.command.op == IoOp::kFlush || step.command.fua;
  if (fence) co_await u_.tracker.fence();
  while (!u_.post.has_room(Lane::kWrite)) co_await u_.post.room(Lane::kWrite).wait();
  const bool tells = fence && lost_ && step.status == kSuccess;
  if (tells) lost_ = false;
  if (tells) u_.counters.add(ORM_COUNTER_WRITE_ERRORS);
  u_.post.post(Lane::kWrite, {step.command.qid, step.command.cid, tells ? kWriteFault : step.status, 0});
  co_return true;
}

/// A write that was completed is gone from the cache and not on flash when its program fails: the host hears of it with
/// the next command that promises durability.
void WriteEngine::nand_done(const NandDone &done) {
  if (done.status != NandStatus::kOk) lost_ = true;
  u_.pool.give(done.buf);
  u_.tracker.landed(epochs_[done.buf]);
}

}  // namespace orm::fast
