// SPDX-License-Identifier: Apache-2.0
#include "doorbell_buffer.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "orm_bytes.h"
#include "orm_nvme.h"
#include "orm_regs.h"

namespace orm::vfio {
namespace {

// The controller has one size of memory pages, and each buffer is one page.
constexpr uint64_t kPage = uint64_t{4096} << ORM_GET(ORM_BAR0_CAP_HI_RESET, ORM_BAR0_CAP_HI_MPSMIN);
static_assert(ORM_GET(ORM_BAR0_CAP_HI_RESET, ORM_BAR0_CAP_HI_MPSMIN) ==
              ORM_GET(ORM_BAR0_CAP_HI_RESET, ORM_BAR0_CAP_HI_MPSMAX));
static_assert(ORM_GET(ORM_BAR0_CAP_HI_RESET, ORM_BAR0_CAP_HI_DSTRD) == 0);
static_assert(4 * DoorbellBuffer::kDoorbells <= kPage);

// Status words, without the phase.
constexpr uint16_t kPhase = 1;
constexpr uint16_t word(nvme_status status) { return uint16_t((status | NVME_STATUS_FLAG_DO_NOT_RETRY) << 1); }
constexpr uint16_t kSuccess = 0;

// The byte of OACS with the command's bit, and "supported" in the command's entry of the log page: the same bit.
constexpr uint64_t kOacsByte = NVME_IDENTIFY_CONTROLLER_OACS_OFFSET + 1;
constexpr uint64_t kEffectsByte = 4 * DoorbellBuffer::kOpcode;
constexpr uint8_t kMark = NVME_EFFECT_SUPPORTED;
static_assert(DoorbellBuffer::kOacs == kMark << 8);

// The host rings the register when it moves a doorbell past the event index. It does not move past this one, but for
// once in a lap of the ring.
constexpr uint32_t kNoEvent = DoorbellBuffer::kMostValue;

bool is_sq(unsigned doorbell) { return doorbell % 2 == 0; }

}  // namespace

DoorbellBuffer::DoorbellBuffer(Guest *guest) : guest_(guest->host()) {
  host_.ctx = this;
  host_.dma_read = [](void *ctx, uint64_t address, void *data, size_t len) {
    return static_cast<DoorbellBuffer *>(ctx)->read(address, data, len);
  };
  host_.dma_write = [](void *ctx, uint64_t address, const void *data, size_t len) {
    return static_cast<DoorbellBuffer *>(ctx)->write(address, data, len);
  };
  host_.msix = [](void *ctx, unsigned vector) {
    const pcie_host *to = static_cast<DoorbellBuffer *>(ctx)->guest_;
    to->msix(to->ctx, vector);
  };
}

void DoorbellBuffer::enable(uint64_t asq, uint32_t sq_entries, uint64_t acq, uint32_t cq_entries) {
  disable();
  sq_ = {asq, sq_entries * NVME_SUBMISSION_ENTRY_BYTES};
  cq_ = {acq, cq_entries * NVME_COMPLETION_ENTRY_BYTES};
}

void DoorbellBuffer::disable() {
  sq_ = cq_ = {};
  commands_.clear();
  forget();
  live_.fill(false);
  last_.fill(0);
  shut_down_ = false;
}

void DoorbellBuffer::shut_down() {
  forget();
  shut_down_ = true;
}

// ---------------------------------------------------------------- the function's accesses

int DoorbellBuffer::read(uint64_t address, void *data, size_t len) {
  const int error = guest_->dma_read(guest_->ctx, address, data, len);
  if (error == 0 && len == NVME_SUBMISSION_ENTRY_BYTES && sq_.at(address, len)) fetched(static_cast<uint8_t *>(data));
  return error;
}

int DoorbellBuffer::write(uint64_t address, const void *data, size_t len) {
  const bool completion = len == NVME_COMPLETION_ENTRY_BYTES && cq_.at(address, len);
  const auto marks = [&](const auto &c) {
    return c.second.marked && *c.second.marked >= address && *c.second.marked - address < len;
  };
  if (commands_.empty() || (!completion && std::none_of(commands_.begin(), commands_.end(), marks)))
    return guest_->dma_write(guest_->ctx, address, data, len);
  std::vector<uint8_t> bytes(len);
  std::memcpy(bytes.data(), data, len);
  for (const auto &command : commands_) {
    if (marks(command)) bytes[*command.second.marked - address] |= kMark;
  }
  if (completion) completed(bytes.data());
  return guest_->dma_write(guest_->ctx, address, bytes.data(), len);
}

/// An admin command on its way to the function.
void DoorbellBuffer::fetched(uint8_t *entry) {
  nvme_submission_entry e;
  nvme_submission_entry_unpack(&e, entry);
  Command command;
  command.opcode = e.opcode;
  const unsigned qid = e.cdw10 & 0xFFFF;
  if (qid != 0 && qid < kDoorbells / 2) command.doorbell = 2 * qid;
  // Where byte `at` of the data goes. Two pages of data are enough for the bytes that are marked.
  const auto place_of = [&](uint64_t at) {
    const uint64_t first = kPage - e.prp1 % kPage;
    return at < first ? e.prp1 + at : e.prp2 + (at - first);
  };
  commands_.erase(e.cid);
  switch (e.opcode) {
    case kOpcode: {
      command.shadows = e.prp1;
      command.events = e.prp2;
      command.flags = e.flags;
      // A command that changes nothing and that every controller has.
      nvme_submission_entry instead{};
      instead.opcode = NVME_ADMIN_OPCODE_GET_FEATURES;
      instead.cid = e.cid;
      instead.cdw10 = NVME_FEATURE_NUMBER_OF_QUEUES;
      nvme_submission_entry_pack(&instead, entry);
      break;
    }
    case NVME_ADMIN_OPCODE_IDENTIFY:
      if ((e.cdw10 & 0xFF) != NVME_CNS_CONTROLLER) return;
      command.marked = place_of(kOacsByte);
      break;
    case NVME_ADMIN_OPCODE_GET_LOG_PAGE: {
      const uint64_t begin = uint64_t(e.cdw13) << 32 | e.cdw12;
      const uint64_t bytes = 4 * ((uint64_t(e.cdw11 & 0xFFFF) << 16 | e.cdw10 >> 16) + 1);
      if ((e.cdw10 & 0xFF) != NVME_LOG_PAGE_COMMANDS_SUPPORTED || begin > kEffectsByte || kEffectsByte - begin >= bytes)
        return;
      command.marked = place_of(kEffectsByte - begin);
      break;
    }
    case NVME_ADMIN_OPCODE_CREATE_IO_CQ:
    case NVME_ADMIN_OPCODE_DELETE_IO_CQ:
      command.doorbell |= 1;
      [[fallthrough]];
    case NVME_ADMIN_OPCODE_CREATE_IO_SQ:
    case NVME_ADMIN_OPCODE_DELETE_IO_SQ:
      if (command.doorbell < kFirst) return;
      break;
    default:
      return;
  }
  commands_[e.cid] = command;
}

/// The completion of an admin command on its way to the host.
void DoorbellBuffer::completed(uint8_t *entry) {
  const auto found = commands_.find(uint16_t(orm_get_le(entry + NVME_COMPLETION_ENTRY_CID_OFFSET, 2)));
  if (found == commands_.end()) return;
  const Command command = found->second;
  commands_.erase(found);
  uint8_t *place = entry + NVME_COMPLETION_ENTRY_STATUS_OFFSET;
  const auto word = uint16_t(orm_get_le(place, 2));
  const bool good = (word & ~kPhase) == 0;
  switch (command.opcode) {
    case kOpcode:
      orm_put_le(entry + NVME_COMPLETION_ENTRY_DW0_OFFSET, 0, 4);
      if (good) orm_put_le(place, uint16_t(begin(command) | (word & kPhase)), 2);
      break;
    case NVME_ADMIN_OPCODE_CREATE_IO_SQ:
    case NVME_ADMIN_OPCODE_CREATE_IO_CQ:
      if (good) made(command.doorbell);
      break;
    case NVME_ADMIN_OPCODE_DELETE_IO_SQ:
    case NVME_ADMIN_OPCODE_DELETE_IO_CQ:
      if (good) live_[command.doorbell] = false;
      break;
    default:
      break;
  }
}

/// A queue begins, before its host knows: a value of the one before it means nothing.
void DoorbellBuffer::made(unsigned doorbell) {
  live_[doorbell] = true;
  last_[doorbell] = 0;
  if (!active()) return;
  put(shadows_, doorbell, 0);
  put(events_, doorbell, event(doorbell));
}

// ---------------------------------------------------------------- the buffers

/// Begins to use the buffers. Returns the status word of the command, without the phase; after an error all is as it
/// was.
uint16_t DoorbellBuffer::begin(const Command &command) {
  if (shut_down_) return word(NVME_STATUS_SEQUENCE_ERROR);
  const auto bad = [](uint64_t address) { return address == 0 || address % kPage != 0; };
  const bool fused_or_sgls = command.flags != 0;
  if (fused_or_sgls || bad(command.shadows) || bad(command.events) || command.shadows == command.events)
    return word(NVME_STATUS_INVALID_FIELD);
  std::array<uint32_t, kDoorbells> shadow, events;
  const bool asked = std::exchange(asks_, true);
  for (unsigned i = kFirst; i < kDoorbells; ++i) events[i] = event(i);
  // Memory that the device cannot reach is an invalid address, too. The write is the last step that may fail.
  if (guest_->dma_read(guest_->ctx, command.shadows, shadow.data(), sizeof shadow) != 0 ||
      guest_->dma_write(guest_->ctx, command.events + 4 * kFirst, &events[kFirst], sizeof events - 4 * kFirst) != 0) {
    asks_ = asked;
    return word(NVME_STATUS_INVALID_FIELD);
  }
  shadows_ = command.shadows;
  events_ = command.events;
  shadow_ = shadow;
  // Queues that are there already: the host may have written their shadows before the command, or not yet.
  for (unsigned i = kFirst; i < kDoorbells; ++i) {
    if (live_[i] && shadow_[i] == 0) put(shadows_, i, last_[i]);
  }
  return kSuccess;
}

bool DoorbellBuffer::rang(unsigned doorbell, uint32_t value) {
  if (doorbell < kFirst || doorbell >= kDoorbells) return false;
  if (active() && live_[doorbell]) return true;  // the shadow is as new as this, or newer
  last_[doorbell] = value;
  return false;
}

bool DoorbellBuffer::read_shadows() {
  if (guest_->dma_read(guest_->ctx, shadows_, shadow_.data(), sizeof shadow_) == 0) return true;
  // The host has unmapped them without a reset: doorbells are registers again.
  forget();
  return false;
}

void DoorbellBuffer::put(uint64_t base, unsigned doorbell, uint32_t value) {
  (void)guest_->dma_write(guest_->ctx, base + 4 * doorbell, &value, sizeof value);
}

/// The event index to give the host for a doorbell.
uint32_t DoorbellBuffer::event(unsigned doorbell) const {
  return asks_ && is_sq(doorbell) && live_[doorbell] ? last_[doorbell] : kNoEvent;
}

void DoorbellBuffer::ask_for_events(bool ask) {
  if (!active()) return;
  asks_ = ask;
  for (unsigned i = kFirst; i < kDoorbells; i += 2) {  // submission queues
    if (live_[i]) put(events_, i, event(i));
  }
  // The host writes its shadow and then reads the event index; here it is the other way round.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace orm::vfio
