// SPDX-License-Identifier: Apache-2.0
#include "nand_model.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "orm_bytes.h"
#include "sim_error.h"

namespace orm {
namespace {

std::string describe(const NandAddress &at) {
  return "channel " + std::to_string(at.channel) + " die " + std::to_string(at.die) + " block " +
         std::to_string(at.block) + " page " + std::to_string(at.page);
}

}  // namespace

NandModel::NandModel(const NandGeometry &geometry, const NandTiming &timing, const ImageFile &image, uint64_t seed,
                     const NandFaultOptions &faults)
    : store_(geometry, image),
      timing_(timing),
      random_(seed),
      faults_(faults, seed),
      dies_(geometry.dies()),
      results_(geometry.channels),
      channel_end_ns_(geometry.channels, kNever) {
  for (Die &d : dies_) d.slot_register.resize(geometry.slot_bytes + geometry.spare_bytes);
  if (store_.fresh()) {
    mark_bad_blocks();
    return;
  }
  // A process that was killed while a block was being erased left it so.
  for (size_t b = 0; b < geometry.blocks(); ++b) {
    if (std::as_const(store_).block(b).state == BlockState::kErasing) interrupt_erase(b);
  }
}

void NandModel::mark_bad_blocks() {
  if (faults_.options().factory_bad > geometry().blocks())
    throw OptionError("NAND faults: more bad blocks than there are");
  SeededRandom random = random_;
  for (uint32_t n = 0; n < faults_.options().factory_bad;) {
    uint32_t &marked = store_.block(random.below(geometry().blocks())).marked_bad;
    n += marked == 0;
    marked = 1;
  }
}

void NandModel::check_address(const char *op, const NandAddress &at) const {
  if (at.channel >= geometry().channels || at.die >= geometry().dies_per_channel ||
      at.block >= geometry().blocks_per_die || at.page >= geometry().pages_per_block) {
    throw NandViolation(std::string(op) + " outside the flash, " + describe(at));
  }
}

NandModel::Die &NandModel::claim(const char *op, const NandAddress &at) {
  check_address(op, at);
  Die &d = die(at.channel, at.die);
  if (d.activity != Activity::kIdle) {
    throw NandViolation(std::string(op) + " on a busy die, " + describe(at) + "; busy with " + describe(d.at));
  }
  return d;
}

void NandModel::start(Die &d, Activity activity, const NandAddress &at, uint64_t end_ns) {
  d.activity = activity;
  d.at = at;
  d.end_ns = end_ns;
  d.register_valid = false;
  update_next_end(at.channel);
}

void NandModel::start_sense(Activity activity, const char *op, const NandAddress &at, uint64_t now_ns) {
  Die &d = claim(op, at);
  if (at.sub >= geometry().slots_per_page) throw NandViolation(std::string(op) + " of no slot, " + describe(at));
  if (activity == Activity::kReading && block(at).marked_bad != 0) {
    throw NandViolation("read of a block that is marked bad, " + describe(at));
  }
  if (activity == Activity::kReading && page_state(at) == PageState::kErased) {
    throw NandViolation("read of an unprogrammed page, " + describe(at));
  }
  ++block(at).reads;
  counters_.retries += at.retry != 0;
  start(d, activity, at, now_ns + timing_.read_ns);
}

void NandModel::start_read(const NandAddress &at, uint64_t now_ns) {
  start_sense(Activity::kReading, "read", at, now_ns);
  ++counters_.reads;
}

void NandModel::start_probe(const NandAddress &at, uint64_t now_ns) {
  start_sense(Activity::kProbing, "probe", at, now_ns);
  ++counters_.probes;
}

NandModel::Die &NandModel::claim_sensed(uint32_t channel, uint32_t die_number, uint32_t sub) {
  const NandAddress at{channel, die_number, 0, 0};
  Die &d = claim("transfer", at);
  if (!d.register_valid) throw NandViolation("transfer without a read, " + describe(at));
  if (sub >= geometry().slots_per_page) {
    throw NandViolation("transfer of slot " + std::to_string(sub) + " of a page, " + describe(d.at));
  }
  if (sub != d.at.sub && !faults_.reads_well()) {
    throw NandViolation("transfer of another slot than was read, " + describe(d.at));
  }
  ++counters_.transfers;
  return d;
}

NandModel::Transfer NandModel::transfer(uint32_t channel, uint32_t die_number, uint32_t sub) {
  Die &d = claim_sensed(channel, die_number, sub);
  const size_t page = page_index(d.at);
  uint8_t *reg = d.slot_register.data();
  if (!d.spare_only) std::memcpy(reg, store_.slot(page, sub).data, geometry().slot_bytes);
  deliver_spare(d, sub, reg + geometry().slot_bytes);
  const size_t skip = d.spare_only ? geometry().slot_bytes : 0;
  return {reg + skip, d.slot_register.size() - skip};
}

void NandModel::transfer_to(uint32_t channel, uint32_t die_number, uint32_t sub, uint8_t *out) {
  const Die &d = claim_sensed(channel, die_number, sub);
  if (d.spare_only) throw NandViolation("transfer of data after a probe, " + describe(d.at));
  const size_t page = page_index(d.at);
  std::memcpy(out, store_.slot(page, sub).data, geometry().slot_bytes);
  deliver_spare(d, sub, out + geometry().slot_bytes);
}

/// Data that ECC could not correct, or has miscorrected, is delivered with some bits wrong.
void NandModel::deliver_spare(const Die &d, uint32_t sub, uint8_t *out) const {
  std::memcpy(out, store_.slot(page_index(d.at), sub).spare, geometry().spare_bytes);
  if (d.spare == EccResult::kGood) return;
  for (uint32_t i = 0; i < geometry().spare_bytes; i += 5) out[i] = uint8_t(out[i] ^ (1u << (i % 8)));
}

void NandModel::accept_program(const NandAddress &at) {
  Die &d = claim("program", at);
  const Block &b = block(at);
  if (b.marked_bad != 0) throw NandViolation("program of a block that is marked bad, " + describe(at));
  if (b.state != BlockState::kReady)
    throw NandViolation("program without erase (its erase was cut short), " + describe(at));
  if (at.page < b.frontier) throw NandViolation("program without erase (the page is programmed), " + describe(at));
  if (at.page > b.frontier) {
    throw NandViolation("program out of order, " + describe(at) + "; the next page is " + std::to_string(b.frontier));
  }
  start(d, Activity::kLoading, at, kNever);
}

void NandModel::start_program(uint32_t channel, uint32_t die_number, const uint8_t *data, uint64_t now_ns) {
  std::vector<SlotBytes> slots;
  for (uint32_t sub = 0; sub < geometry().slots_per_page; ++sub) {
    slots.push_back({data, data + geometry().slot_bytes});
    data += geometry().slot_bytes + geometry().spare_bytes;
  }
  start_program(channel, die_number, slots.data(), now_ns);
}

void NandModel::start_program(uint32_t channel, uint32_t die_number, const SlotBytes *slots, uint64_t now_ns) {
  Die &d = die(channel, die_number);
  if (d.activity != Activity::kLoading) throw NandViolation("program data without a program command");
  event();
  // The data can be stored at once: until the end of the operation the page is torn, and cannot be read.
  const size_t page = page_index(d.at);
  store_.set_page_state(page, PageState::kTorn);
  store_.write_page(page, slots);
  block(d.at).frontier = d.at.page + 1;
  ++counters_.programs;
  start(d, Activity::kProgramming, d.at, now_ns + timing_.program_ns);
}

void NandModel::start_erase(const NandAddress &at, uint64_t now_ns) {
  NandAddress first = at;
  first.page = 0;
  Die &d = claim("erase", first);
  if (block(first).marked_bad != 0) throw NandViolation("erase of a block that is marked bad, " + describe(first));
  event();
  block(first).state = BlockState::kErasing;
  ++counters_.erases;
  start(d, Activity::kErasing, first, now_ns + timing_.erase_ns);
}

void NandModel::update_next_end(uint32_t channel) {
  uint64_t end = kNever;
  for (uint32_t i = 0; i < geometry().dies_per_channel; ++i) end = std::min(end, die(channel, i).end_ns);
  channel_end_ns_[channel] = end;
  next_end_ns_ = *std::min_element(channel_end_ns_.begin(), channel_end_ns_.end());
}

/// Miscorrected data differs from what was programmed in more bits than ECC corrects, so the CRC detects it.
bool NandModel::data_is_lost(const EccOutcome &ecc, size_t slot) {
  if (ecc.data != EccResult::kMiscorrected) return ecc.data == EccResult::kLost;
  const uint8_t *data = store_.slot(slot / geometry().slots_per_page, uint32_t(slot % geometry().slots_per_page)).data;
  std::vector<uint8_t> decoded(data, data + geometry().slot_bytes);
  for (uint32_t bit = 0; bit <= NandEcc::kCorrectable; ++bit) {
    const size_t at = (slot * 31 + bit * 197) % (geometry().slot_bytes * 8);
    decoded[at / 8] = uint8_t(decoded[at / 8] ^ (1u << (at % 8)));
  }
  const auto crc = [&](const uint8_t *bytes) {
    return orm_crc32c_final(orm_crc32c_update(ORM_CRC32C_INIT, bytes, geometry().slot_bytes));
  };
  if (crc(data) == crc(decoded.data())) return false;
  ++counters_.miscorrected;
  return true;
}

void NandModel::finish_sense(Die &d) {
  const size_t page = page_index(d.at);
  const bool probes = d.activity == Activity::kProbing;
  d.spare_only = probes;
  d.spare = EccResult::kGood;
  if (block(d.at).marked_bad != 0) {  // its spare area was never programmed: zeroes
    d.status = NandStatus::kFailed;
    d.register_valid = true;
    return;
  }
  // Page states past the frontier are not read at all, because start-up probes each block.
  const bool behind = d.at.page >= block(d.at).frontier;
  switch (behind ? PageState::kErased : store_.page_state(page)) {
    case PageState::kErased:
      d.status = NandStatus::kErased;
      return;
    case PageState::kTorn:
      d.status = NandStatus::kUncorrectable;
      return;
    case PageState::kTornButSpare:
      d.status = probes ? NandStatus::kFailed : NandStatus::kUncorrectable;
      d.register_valid = probes;
      return;
    case PageState::kProgrammed:
      break;
  }
  d.status = NandStatus::kOk;
  d.register_valid = true;
  if (faults_.reads_well()) return;
  const size_t slot = page * geometry().slots_per_page + d.at.sub;
  const EccOutcome ecc = faults_.sense(slot, {block(d.at).erase_count, block(d.at).reads, d.at.retry});
  counters_.corrected_bits += ecc.corrected;
  d.spare = ecc.spare;
  const bool lost = data_is_lost(ecc, slot);
  counters_.uncorrectable += lost || ecc.spare == EccResult::kLost;
  if (probes ? ecc.spare == EccResult::kLost : lost) {
    d.status = NandStatus::kUncorrectable;
    d.register_valid = false;
  } else if (lost) {
    d.status = NandStatus::kFailed;
  }
  d.weak = !probes && !lost && ecc.weak();
  counters_.weak += d.weak;
}

void NandModel::finish_program(Die &d) {
  if (faults_.program_fails(store_.block_index(d.at), page_index(d.at), block(d.at).erase_count)) {
    ++counters_.failed_programs;
    d.status = NandStatus::kFailed;  // page and spare area stay torn
  } else {
    store_.set_page_state(page_index(d.at), PageState::kProgrammed);
  }
}

void NandModel::finish_erase(Die &d) {
  if (faults_.erase_fails(store_.block_index(d.at), block(d.at).erase_count)) {
    ++counters_.failed_erases;
    interrupt_erase(store_.block_index(d.at));
    d.status = NandStatus::kFailed;
    return;
  }
  erase_block(d.at);
}

void NandModel::erase_block(const NandAddress &at) {
  const size_t first = store_.block_index(at) * geometry().pages_per_block * geometry().slots_per_page;
  faults_.erased(first, size_t(geometry().pages_per_block) * geometry().slots_per_page);
  store_.erase_block(store_.block_index(at));
}

void NandModel::blank() {
  NandAddress at{};
  for (at.channel = 0; at.channel < geometry().channels; ++at.channel) {
    for (at.die = 0; at.die < geometry().dies_per_channel; ++at.die) {
      for (at.block = 0; at.block < geometry().blocks_per_die; ++at.block) {
        erase_block(at);
        block(at).erase_count = 0;
      }
    }
  }
}

void NandModel::finish(Die &d) {
  d.status = NandStatus::kOk;
  d.weak = false;
  switch (d.activity) {
    case Activity::kReading:
    case Activity::kProbing:
      finish_sense(d);
      break;
    case Activity::kProgramming:
      finish_program(d);
      break;
    case Activity::kErasing:
      finish_erase(d);
      break;
    case Activity::kIdle:
    case Activity::kLoading:
    case Activity::kEnded:
      return;
  }
  d.activity = Activity::kEnded;
  d.end_ns = kNever;
}

void NandModel::settle(uint32_t channel, uint64_t now_ns) {
  while (channel_end_ns_[channel] <= now_ns) {
    const uint64_t end = channel_end_ns_[channel];
    for (uint32_t i = 0; i < geometry().dies_per_channel; ++i) {
      Die &d = die(channel, i);
      if (d.end_ns != end) continue;
      if (d.activity == Activity::kProgramming || d.activity == Activity::kErasing) {
        gone_ns_ = end - 1;
        event();
        gone_ns_ = kNever;
      }
      finish(d);
      results_[channel].push_back({i, d.status, d.weak});
      break;
    }
    update_next_end(channel);
  }
}

bool NandModel::take_result(uint32_t channel, uint64_t now_ns, NandResult *result) {
  settle(channel, now_ns);
  if (results_[channel].empty()) return false;
  *result = results_[channel].front();
  results_[channel].pop_front();
  die(channel, result->die).activity = Activity::kIdle;
  return true;
}

void NandModel::tear(size_t page, uint32_t erases) {
  store_.set_page_state(page, faults_.spare_stays(page, erases) ? PageState::kTornButSpare : PageState::kTorn);
}

/// Cells of a page may also hold bits of the page before it, at another voltage.
void NandModel::interrupt_program(const NandAddress &at) {
  const size_t page = page_index(at);
  const uint32_t erases = block(at).erase_count;
  tear(page, erases);
  if (at.page == 0 || !faults_.cut_disturbs(page, erases)) return;
  if (store_.page_state(page - 1) != PageState::kProgrammed) return;
  tear(page - 1, erases);
  ++counters_.disturbed_pages;
}

void NandModel::interrupt_erase(size_t block_number) {
  Block &b = store_.block(block_number);
  const size_t first = block_number * geometry().pages_per_block;
  for (size_t page = first; page < first + geometry().pages_per_block; ++page) {
    if (store_.page_state(page) == PageState::kErased) continue;
    switch (random_.below(3)) {
      case 0:
        store_.set_page_state(page, PageState::kErased);
        break;
      case 1:
        tear(page, b.erase_count);
        break;
      default:
        break;  // unchanged
    }
  }
  b.state = BlockState::kHalfErased;
}

void NandModel::power_cut(uint64_t now_ns) {
  for (uint32_t c = 0; c < geometry().channels; ++c) {
    settle(c, std::min(now_ns, gone_ns_));
    results_[c].clear();
    for (uint32_t i = 0; i < geometry().dies_per_channel; ++i) {
      Die &d = die(c, i);
      if (d.activity == Activity::kErasing) interrupt_erase(store_.block_index(d.at));
      if (d.activity == Activity::kProgramming) interrupt_program(d.at);
      d.activity = Activity::kIdle;
      d.end_ns = kNever;
      d.register_valid = false;
    }
    update_next_end(c);
  }
  gone_ns_ = kNever;
}

}  // namespace orm
