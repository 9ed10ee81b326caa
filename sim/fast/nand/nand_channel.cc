// SPDX-License-Identifier: Apache-2.0
#include "nand/nand_channel.h"

#include <bit>
#include <utility>

#include "axi_rules.h"
#include "top/mutant.h"

namespace orm::fast {
namespace {

enum Rank : unsigned { kTransfers, kSenses, kPrograms };

constexpr uint64_t kCommandNs = cycles(4);  // from the die's queue to the port
constexpr uint64_t kResultNs = cycles(2);
constexpr uint64_t kAnswerNs = cycles(3);  // over the scheduler to the client
constexpr uint64_t data_ns(uint32_t slots) {
  return cycles(slots * (ORM_SLOT_BYTES + ORM_OOB_RECORD_BYTES) / kBeatBytes + 4);
}
constexpr uint64_t kSpareNs = cycles(ORM_OOB_RECORD_BYTES / kBeatBytes + 4);

}  // namespace

NandChannel::NandChannel(Simulation &sim, const Params &p, NandModel &nand, const NandTiming &timing,
                         BufferRam &buffers, uint32_t number, Done done, Reads reads)
    : sim_(sim),
      p_(p),
      nand_(nand),
      timing_(timing),
      buffers_(buffers),
      number_(number),
      done_(std::move(done)),
      reads_(std::move(reads)),
      answers_(sim, p.g.dies_per_channel) {
  for (uint32_t i = 0; i < p.g.dies_per_channel; ++i) dies_.push_back(std::make_unique<Die>(sim, p.k.die_queue_depth));
}

NandAddress NandChannel::address(const NandRequest &r) const {
  return {number_, p_.die_of(r.slot), p_.superblock_of(r.slot), p_.page_of(r.slot), p_.sub_of(r.slot)};
}

bool NandChannel::accept(const NandRequest &request) {
  Die &die = *dies_[p_.die_of(request.slot)];
  if (die.queue.full()) return false;
  die.queue.push(request);
  changed(p_.die_of(request.slot));
  pump();
  return true;
}

bool NandChannel::waits_for(const Die &die, unsigned rank) const {
  if (rank == kTransfers) return die.phase == Phase::kTransfer;
  return die.phase == Phase::kCommand && !die.queue.empty() &&
         (die.queue.front().op == NandRequestOp::kProgram) == (rank == kPrograms);
}

/// Nearly all searches for a command find none, so dies with a command are kept as a bit mask.
void NandChannel::changed(uint32_t number) {
  const uint64_t bit = uint64_t(1) << number;
  for (unsigned rank : {kTransfers, kSenses, kPrograms}) {
    waiting_[rank] = waits_for(*dies_[number], rank) ? waiting_[rank] | bit : waiting_[rank] & ~bit;
  }
}

bool NandChannel::command(unsigned rank) {
  if (waiting_[rank] == 0) return false;
  const uint32_t from = turn_[rank] & uint32_t(dies_.size() - 1);
  const uint64_t at_or_behind = waiting_[rank] >> from << from;
  const uint32_t die = uint32_t(std::countr_zero(at_or_behind != 0 ? at_or_behind : waiting_[rank]));
  turn_[rank] = die + 1;
  if (rank == kSenses) {
    start_array(die);
  } else {
    start_data(die);
  }
  return true;
}

void NandChannel::pump() {
  if (bus_busy_) return;
  // One command waited while the bus was busy. A transfer precedes the others.
  if (!command(kSenses)) {
    if (!command(kTransfers)) command(kPrograms);
    return;
  }
  if (command(kTransfers)) return;
  while (command(kSenses)) continue;
  command(kPrograms);
}

void NandChannel::start_array(uint32_t number) {
  Die &die = *dies_[number];
  const NandRequest &r = die.queue.front();
  NandAddress at = address(r);
  at.retry = die.retry;
  if (die.retry != 0) reads_.retried();
  const uint64_t now = sim_.now() + kCommandNs;
  die.phase = Phase::kArray;
  changed(number);
  if (r.op == NandRequestOp::kErase) {
    nand_.start_erase(at, now);
    sim_.at(now + timing_.erase_ns, array_ended, this);
    return;
  }
  if (r.op == NandRequestOp::kProbe) {
    nand_.start_probe(at, now);
  } else {
    nand_.start_read(at, now);
  }
  sim_.at(now + timing_.read_ns, array_ended, this);
}

void NandChannel::start_data(uint32_t number) {
  Die &die = *dies_[number];
  const NandRequest &r = die.queue.front();
  die.phase = Phase::kData;
  changed(number);
  bus_busy_ = true;
  owner_ = number;
  if (r.op == NandRequestOp::kProgram) nand_.accept_program(address(r));
  const uint64_t ns = r.op == NandRequestOp::kProbe     ? kSpareNs
                      : r.op == NandRequestOp::kProgram ? data_ns(p_.g.slots_per_page)
                                                        : data_ns(1);
  sim_.after(kCommandNs + ns, data_ended, this);
}

void NandChannel::program(const NandRequest &r) {
  std::array<NandModel::SlotBytes, FW_MAX_SLOTS_PER_PAGE> slots{};
  if (r.page == nullptr) slots[0] = {buffers_.data(r.buf), buffers_.spare(r.buf)};
  for (uint32_t sub = 0; r.page != nullptr && sub < p_.g.slots_per_page; ++sub) {
    slots[sub] = {buffers_.data(r.page->bufs[sub]), r.page->oobs[sub].data()};
  }
  nand_.start_program(number_, owner_, slots.data(), sim_.now());
}

void NandChannel::data_ended(void *self) {
  NandChannel &c = *static_cast<NandChannel *>(self);
  Die &die = *c.dies_[c.owner_];
  const NandRequest &r = die.queue.front();
  c.bus_busy_ = false;
  if (r.op == NandRequestOp::kProgram) {
    c.program(r);
    die.phase = Phase::kArray;
    c.sim_.after(c.timing_.program_ns, array_ended, self);
  } else {
    if (r.op == NandRequestOp::kRead) {
      c.nand_.transfer_to(c.number_, c.owner_, c.p_.sub_of(r.slot), c.buffers_.data(r.buf));
      die.oob = c.buffers_.spare(r.buf);
    } else {
      die.oob = c.nand_.transfer(c.number_, c.owner_, c.p_.sub_of(r.slot)).bytes;
    }
    c.finish(c.owner_);
  }
  c.pump();
}

/// A read that ECC could not correct is repeated at the next read-retry level, if any (hw/src/nand/NandDie.scala).
bool NandChannel::read_again(uint32_t number, const NandResult &result) {
  Die &die = *dies_[number];
  const NandRequest &r = die.queue.front();
  if (r.op != NandRequestOp::kRead && r.op != NandRequestOp::kProbe) return false;
  if (r.op == NandRequestOp::kRead && result.status == NandStatus::kOk && (result.weak || die.retry != 0))
    reads_.weak(r.slot);
  if (result.status != NandStatus::kUncorrectable ||
      die.retry == p_.k.read_retries - uint32_t(mutant(Mutant::kRetriesFewer)))
    return false;
  ++die.retry;
  die.phase = Phase::kCommand;
  changed(number);
  return true;
}

void NandChannel::array_ended(void *self) {
  NandChannel &c = *static_cast<NandChannel *>(self);
  NandResult result;
  while (c.nand_.take_result(c.number_, c.sim_.now(), &result)) {
    Die &die = *c.dies_[result.die];
    const NandRequestOp op = die.queue.front().op;
    die.status = result.status;
    if (c.read_again(result.die, result)) continue;
    const bool sends = op == NandRequestOp::kProbe
                           ? result.status == NandStatus::kOk || result.status == NandStatus::kFailed
                           : op == NandRequestOp::kRead && result.status == NandStatus::kOk;
    if (sends) {
      die.phase = Phase::kTransfer;
      c.changed(result.die);
    } else {
      c.finish(result.die);
    }
  }
  c.pump();
}

void NandChannel::finish(uint32_t die) {
  dies_[die]->phase = Phase::kDone;
  answers_.push(die);
  sim_.after(kResultNs + kAnswerNs, answer, this);
}

void NandChannel::answer(void *self) {
  NandChannel &c = *static_cast<NandChannel *>(self);
  const uint32_t number = c.answers_.pop();
  Die &die = *c.dies_[number];
  const NandRequest &r = die.queue.front();
  c.done_({r.op, r.client, r.slot, r.buf, die.status, die.oob, r.page, r.meta});
  die.queue.pop();
  die.phase = Phase::kCommand;
  die.retry = 0;
  die.oob = nullptr;
  c.changed(number);
  c.pump();
}

}  // namespace orm::fast
