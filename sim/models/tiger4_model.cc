// SPDX-License-Identifier: Apache-2.0
#include "tiger4_model.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim_error.h"

namespace orm {
namespace {

constexpr uint32_t kChunks = ORM_TIGER4_SIZE_PAGE_BYTES / ORM_TIGER4_SIZE_CHUNK_BYTES;
constexpr uint32_t kBurstBytes = ORM_TIGER4_SIZE_BURST_BEATS * 4;
constexpr size_t kOpenBursts = 2;
constexpr uint32_t kUrgent = 1u << 31;

// Registers of each command, by the first register's address.
constexpr uint32_t bit(uint32_t address) { return 1u << ((address - ORM_TIGER4_REGISTER_ROW) / 4); }
constexpr uint32_t kRow = bit(ORM_TIGER4_REGISTER_ROW), kUser = bit(ORM_TIGER4_REGISTER_USER_DATA);
constexpr uint32_t kData = bit(ORM_TIGER4_REGISTER_DATA), kSpare = bit(ORM_TIGER4_REGISTER_SPARE);
constexpr uint32_t kEcc = bit(ORM_TIGER4_REGISTER_ECC), kDone = bit(ORM_TIGER4_REGISTER_COMPLETION);
constexpr uint32_t kWay = bit(ORM_TIGER4_REGISTER_WAY);

struct Known {
  uint32_t number;
  const char *name;
  uint32_t uses;
};
constexpr Known kCommands[] = {
    {ORM_TIGER4_COMMAND_NOP, "nop", 0},
    {ORM_TIGER4_COMMAND_RESET, "reset", kWay},
    {ORM_TIGER4_COMMAND_SET_FEATURES, "set_features", kWay | kUser},
    {ORM_TIGER4_COMMAND_TRIGGER, "trigger", kWay | kRow},
    {ORM_TIGER4_COMMAND_TRANSFER, "transfer", kWay | kRow | kData | kSpare | kEcc | kDone},
    {ORM_TIGER4_COMMAND_PROGRAM, "program", kWay | kRow | kData | kSpare},
    {ORM_TIGER4_COMMAND_ERASE, "erase", kWay | kRow},
    {ORM_TIGER4_COMMAND_STATUS, "status", kWay | kDone},
    {ORM_TIGER4_COMMAND_RAW, "raw", kWay | kData | kDone},
};

const Known &known(uint32_t number) {
  for (const Known &k : kCommands) {
    if (k.number == number) return k;
  }
  throw PortViolation("NAND controller: no command " + std::to_string(number));
}

std::vector<uint32_t> to_words(const std::vector<uint8_t> &bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

void flip(uint8_t *bytes, size_t len, uint64_t where) {
  for (size_t i = where % 7; i < len; i += 31) bytes[i] = uint8_t(bytes[i] ^ (1u << (i % 8)));
}

}  // namespace

Tiger4Model::Tiger4Model(NandModel *nand, uint32_t channel, const Tiger4Timing &timing, uint64_t seed,
                         uint32_t stray_zeros)
    : nand_(nand),
      channel_(channel),
      timing_(timing),
      seed_(seed),
      stray_zeros_(stray_zeros),
      random_(seed),
      counts_(ORM_TIGER4_COMMAND_RAW + 1) {
  const NandGeometry &g = nand->geometry();
  if (g.page_bytes() != ORM_TIGER4_SIZE_PAGE_BYTES || g.page_spare_bytes() > ORM_TIGER4_SIZE_SPARE_FREE)
    throw OptionError("NAND controller: pages have 16 KiB and at most 248 spare bytes");
  if (g.dies_per_channel > kWays || g.blocks_per_die > ORM_TIGER4_SIZE_BLOCKS_PER_LUN * ORM_TIGER4_SIZE_LUNS)
    throw OptionError("NAND controller: a channel has at most 8 ways of 8192 blocks");
  if (g.pages_per_block > ORM_TIGER4_SIZE_ROWS_PER_BLOCK / 2)
    throw OptionError("NAND controller: a block has at most 128 pages in SLC mode");
}

// ------------------------------------------------------------------ addresses

uint32_t Tiger4Model::row_of(uint32_t block, uint32_t page) {
  const uint32_t lun = block / ORM_TIGER4_SIZE_BLOCKS_PER_LUN;
  return lun << ORM_TIGER4_ROW_LUN_LSB | (block % ORM_TIGER4_SIZE_BLOCKS_PER_LUN) << ORM_TIGER4_ROW_BLOCK_LSB |
         (page == 0 ? 0 : 2 * page - 1);
}

uint32_t Tiger4Model::mark_row_of(uint32_t block) { return row_of(block, 0) | (ORM_TIGER4_SIZE_ROWS_PER_BLOCK - 1); }

/// Whether a row holds a page. The others are never programmed.
bool Tiger4Model::is_used(uint32_t row) const {
  const uint32_t in_block = row & ORM_TIGER4_ROW_PAGE_MASK;
  return in_block == 0 || (in_block % 2 == 1 && in_block / 2 + 1 < nand_->geometry().pages_per_block);
}

/// Of the way's row; of a row that holds no page, page 0 of its block.
NandAddress Tiger4Model::address_of(const Way &way, uint32_t number) const {
  const uint32_t lun = way.row >> ORM_TIGER4_ROW_LUN_LSB;
  const uint32_t block = way.row >> ORM_TIGER4_ROW_BLOCK_LSB & ORM_TIGER4_ROW_BLOCK_MASK;
  const uint32_t die_block = lun * ORM_TIGER4_SIZE_BLOCKS_PER_LUN + block;
  if (lun >= ORM_TIGER4_SIZE_LUNS || block >= ORM_TIGER4_SIZE_BLOCKS_PER_LUN ||
      die_block >= nand_->geometry().blocks_per_die)
    throw NandViolation("row " + std::to_string(way.row) + " is of no block");
  const uint32_t in_block = way.row & ORM_TIGER4_ROW_PAGE_MASK;
  return {channel_, number, die_block, is_used(way.row) && in_block != 0 ? in_block / 2 + 1 : 0};
}

// ------------------------------------------------------------------ registers

bool Tiger4Model::write(uint32_t offset, uint32_t value, uint64_t now_ns) {
  run(now_ns);
  if (blocked_) return false;
  if (offset == ORM_TIGER4_REGISTER_COMMAND) {
    Command c{value & 0xFF, 0, regs_};
    if ((value & ~kUrgent) > 0xFF) throw PortViolation("NAND controller: a command has 8 bits");
    check(c);
    if ((known(c.number).uses & kWay) != 0) c.way = reg(c, ORM_TIGER4_REGISTER_WAY);
    std::deque<Command> &queue = (value & kUrgent) != 0 ? urgent_ : queue_;
    if (queue.size() == ORM_TIGER4_SIZE_QUEUE) {
      blocked_ = true;
      waiting_ = c;
      waiting_urgent_ = (value & kUrgent) != 0;
    } else {
      queue.push_back(c);
    }
    run(now_ns);
    return true;
  }
  if (offset % 4 != 0 || offset < ORM_TIGER4_REGISTER_ROW || offset > ORM_TIGER4_REGISTER_WAY)
    throw PortViolation("NAND controller: write of register " + std::to_string(offset));
  if (offset == ORM_TIGER4_REGISTER_ROW && value >> 24 != 0) throw PortViolation("NAND controller: a row has 24 bits");
  if (offset == ORM_TIGER4_REGISTER_WAY && value >= kWays)
    throw PortViolation("NAND controller: no way " + std::to_string(value));
  regs_.values[(offset - ORM_TIGER4_REGISTER_ROW) / 4] = value;
  regs_.written |= bit(offset);
  return true;
}

uint32_t Tiger4Model::read(uint32_t offset, uint64_t now_ns) {
  run(now_ns);
  switch (offset) {
    case ORM_TIGER4_REGISTER_CHANNEL_BUSY:
      return blocked_;
    case ORM_TIGER4_REGISTER_READY: {
      uint32_t ready = 0;
      for (uint32_t w = 0; w < kWays; ++w) ready |= uint32_t(is_ready(ways_[w], now_ns)) << w;
      return ready;
    }
    case ORM_TIGER4_REGISTER_IDLE:
      return steps_.empty() && queue_.empty() && urgent_.empty() && !blocked_;
    case ORM_TIGER4_REGISTER_WAY:
      return 1u << regs_.values[(offset - ORM_TIGER4_REGISTER_ROW) / 4];
    default:
      if (offset % 4 != 0 || offset < ORM_TIGER4_REGISTER_ROW || offset > ORM_TIGER4_REGISTER_WAY)
        throw PortViolation("NAND controller: read of register " + std::to_string(offset));
      return regs_.values[(offset - ORM_TIGER4_REGISTER_ROW) / 4];
  }
}

uint32_t Tiger4Model::reg(const Command &c, uint32_t address) const {
  return c.regs.values[(address - ORM_TIGER4_REGISTER_ROW) / 4];
}

void Tiger4Model::check(const Command &c) const {
  const Known &k = known(c.number);
  const std::string name = std::string("NAND controller: ") + k.name;
  if ((k.uses & ~c.regs.written) != 0) throw PortViolation(name + " with a register that nobody has written");
  if ((k.uses & kWay) != 0 && reg(c, ORM_TIGER4_REGISTER_WAY) >= nand_->geometry().dies_per_channel)
    throw PortViolation(name + " of a way without a die");
  // Bursts of 128 bytes are split at no boundary, so their buffers begin at a multiple of it.
  for (const uint32_t address : {ORM_TIGER4_REGISTER_DATA, ORM_TIGER4_REGISTER_SPARE}) {
    if ((k.uses & bit(address)) != 0 && reg(c, address) % kBurstBytes != 0)
      throw PortViolation(name + ": a buffer that is not aligned to 128 bytes");
  }
  const std::pair<uint32_t, uint32_t> small[] = {{ORM_TIGER4_REGISTER_USER_DATA, 3},
                                                 {ORM_TIGER4_REGISTER_ECC, ORM_TIGER4_SIZE_ECC_WORDS},
                                                 {ORM_TIGER4_REGISTER_COMPLETION, 1}};
  for (const auto &[address, words] : small) {
    if ((k.uses & bit(address)) == 0) continue;
    const uint32_t at = reg(c, address);
    if (at % 4 != 0 || at / 4096 != (at + 4 * words - 1) / 4096)
      throw PortViolation(name + ": a burst that crosses 4 KiB");
  }
}

// ------------------------------------------------------------------ time

/// Lets the dies' operations that have ended take effect.
void Tiger4Model::settle(uint64_t now_ns) {
  NandResult result{};
  while (nand_->take_result(channel_, now_ns, &result)) {
    Way &way = ways_[result.die];
    way.array = false;
    way.failed = result.status == NandStatus::kFailed && !way.sensed;
  }
}

/// Begins commands and ends steps, as far as time and bursts allow.
void Tiger4Model::run(uint64_t now_ns) {
  settle(now_ns);
  for (;;) {
    if (blocked_ && (waiting_urgent_ ? urgent_ : queue_).size() < ORM_TIGER4_SIZE_QUEUE) {
      (waiting_urgent_ ? urgent_ : queue_).push_back(waiting_);
      blocked_ = false;
    }
    if (steps_.empty()) {
      std::deque<Command> &queue = urgent_.empty() ? queue_ : urgent_;
      if (queue.empty()) return;
      const Command c = queue.front();
      queue.pop_front();
      step_ns_ = now_ns;
      begin(c, now_ns);
      continue;
    }
    Step &step = steps_.front();
    const uint64_t end = step_ns_ + step.ns + timing_.word_ns * step.words.size();
    if (now_ns < end || arrived_ < step.words.size()) return;
    Step ended = std::move(step);
    steps_.pop_front();
    step_ns_ = now_ns;
    sent_ = arrived_ = 0;
    if (ended.at_end) ended.at_end(now_ns, ended.words);
  }
}

bool Tiger4Model::next_burst(uint64_t now_ns, Burst *burst) {
  run(now_ns);
  if (steps_.empty() || open_.size() == kOpenBursts) return false;
  const Step &step = steps_.front();
  if (sent_ == step.words.size()) return false;
  const size_t beats = std::min<size_t>(step.words.size() - sent_, ORM_TIGER4_SIZE_BURST_BEATS);
  // Written words have come over the NAND bus; read ones are on their way to it, and wait in a FIFO.
  const uint64_t words = step.write ? sent_ + beats : sent_ > 64 ? sent_ - 64 : 0;
  if (now_ns < step_ns_ + step.ns + timing_.word_ns * words) return false;
  burst->write = step.write;
  burst->address = step.address + uint32_t(sent_ * 4);
  // Bursts are powers of two.
  uint32_t n = 1;
  while (n * 2 <= beats) n *= 2;
  burst->beats = n;
  for (uint32_t i = 0; i < n && step.write; ++i) burst->words[i] = step.words[sent_ + i];
  sent_ += n;
  open_.push_back(n);
  return true;
}

void Tiger4Model::burst_done(const uint32_t *words, uint64_t now_ns) {
  if (open_.empty()) throw PortViolation("NAND controller: an answer to no burst");
  const uint32_t beats = open_.front();
  open_.pop_front();
  Step &step = steps_.front();
  if (!step.write) std::copy_n(words, beats, step.words.begin() + long(arrived_));
  arrived_ += beats;
  run(now_ns);
}

uint64_t Tiger4Model::next_event_ns(uint64_t now_ns) {
  run(now_ns);
  uint64_t next = nand_->next_end_ns(channel_);
  for (const Way &way : ways_) {
    if (way.ready_ns > now_ns) next = std::min(next, way.ready_ns);
  }
  if (steps_.empty()) return next;
  const Step &step = steps_.front();
  const uint64_t end = step_ns_ + step.ns + timing_.word_ns * step.words.size();
  if (sent_ < step.words.size()) return std::min(next, now_ns + 1);
  return arrived_ < step.words.size() ? next : std::min(next, end);
}

void Tiger4Model::reset(uint64_t now_ns) {
  settle(now_ns);
  queue_.clear();
  urgent_.clear();
  steps_.clear();
  open_.clear();
  blocked_ = false;
  regs_ = Registers();
  sent_ = arrived_ = 0;
  for (Way &way : ways_) way.was_reset = way.fast = way.sensed = false;
}

void Tiger4Model::power_cut(uint64_t now_ns) {
  reset(now_ns);
  nand_->power_cut(now_ns);
  for (Way &way : ways_) way = Way();
}

// ------------------------------------------------------------------ commands

void Tiger4Model::add(uint64_t ns, std::function<void(uint64_t)> at_end) {
  Step step;
  step.ns = ns;
  if (at_end) step.at_end = [f = std::move(at_end)](uint64_t now, const std::vector<uint32_t> &) { f(now); };
  steps_.push_back(std::move(step));
}

void Tiger4Model::add_words(bool write, uint32_t address, std::vector<uint32_t> words,
                            std::function<void(uint64_t, const std::vector<uint32_t> &)> at_end) {
  Step step;
  step.write = write;
  step.address = address;
  step.words = std::move(words);
  step.at_end = std::move(at_end);
  steps_.push_back(std::move(step));
}

void Tiger4Model::check_ready(const Command &c, const char *what) {
  const Way &way = way_of(c);
  const std::string name = std::string(what) + " of way " + std::to_string(c.way);
  if (way.array) throw NandViolation(name + ", which is busy");
  if (!way.was_reset) throw NandViolation(name + ", which was not reset at its start");
  if (!way.fast && c.number != ORM_TIGER4_COMMAND_SET_FEATURES)
    throw NandViolation(name + ", whose features are not set");
}

void Tiger4Model::begin(const Command &c, uint64_t now_ns) {
  ++counts_[c.number];
  // `status` may look at a busy die; `reset` checks for itself.
  if ((known(c.number).uses & kWay) != 0 && c.number != ORM_TIGER4_COMMAND_STATUS &&
      c.number != ORM_TIGER4_COMMAND_RESET) {
    if (way_of(c).ready_ns > now_ns)
      throw NandViolation(std::string(known(c.number).name) + " of a way that is being reset");
    check_ready(c, known(c.number).name);
  }
  switch (c.number) {
    case ORM_TIGER4_COMMAND_RESET:
      return begin_reset(c.way);
    case ORM_TIGER4_COMMAND_SET_FEATURES:
      return begin_features(c);
    case ORM_TIGER4_COMMAND_TRIGGER:
      return begin_trigger(c, now_ns);
    case ORM_TIGER4_COMMAND_TRANSFER:
      return begin_transfer(c);
    case ORM_TIGER4_COMMAND_PROGRAM:
      return begin_program(c);
    case ORM_TIGER4_COMMAND_ERASE:
      return begin_erase(c, now_ns);
    case ORM_TIGER4_COMMAND_STATUS:
      return begin_status(c);
    case ORM_TIGER4_COMMAND_RAW:
      return begin_raw(c);
    default:
      return;
  }
}

/// A reset in the middle of an operation would end that.
void Tiger4Model::begin_reset(uint32_t number) {
  Way &way = ways_[number];
  if (way.array) throw NandViolation("reset of way " + std::to_string(number) + ", which is busy");
  add(timing_.reset_ns, [&way](uint64_t now) {
    way.was_reset = true;
    way.sensed = false;
    way.failed = false;
    way.ready_ns = now;
  });
}

void Tiger4Model::begin_features(const Command &c) {
  Way &way = way_of(c);
  add(timing_.command_ns);
  add_words(false, reg(c, ORM_TIGER4_REGISTER_USER_DATA), std::vector<uint32_t>(3),
            [&way](uint64_t, const std::vector<uint32_t> &words) {
              const std::vector<uint32_t> right{ORM_TIGER4_WORD_FEATURE_02, ORM_TIGER4_WORD_FEATURE_10,
                                                ORM_TIGER4_WORD_FEATURE_01};
              if (words != right) throw NandViolation("features that do not set the fast interface");
              way.fast = true;
            });
}

void Tiger4Model::array_begins(Way *way) {
  way->array = true;
  way->failed = false;
  uint32_t busy = 0;
  for (const Way &w : ways_) busy += w.array;
  most_busy_ = std::max(most_busy_, busy);
}

void Tiger4Model::begin_trigger(const Command &c, uint64_t) {
  Way &way = way_of(c);
  way.row = reg(c, ORM_TIGER4_REGISTER_ROW);
  address_of(way, c.way);
  way.sensed = false;
  add(timing_.command_ns, [this, &way, number = c.way](uint64_t now) {
    nand_->start_probe(address_of(way, number), now);
    array_begins(&way);
    way.sensed = true;
  });
}

void Tiger4Model::begin_transfer(const Command &c) {
  const Way &way = way_of(c);
  if (!way.sensed || way.row != reg(c, ORM_TIGER4_REGISTER_ROW))
    throw NandViolation("transfer of a row that was not read, way " + std::to_string(c.way));
  const NandAddress at = address_of(way, c.way);
  const Verdict v = judge(at, way.row);
  std::vector<uint8_t> data = page_of(at, v);
  std::vector<uint8_t> spare(data.begin() + ORM_TIGER4_SIZE_PAGE_BYTES, data.end());
  data.resize(ORM_TIGER4_SIZE_PAGE_BYTES);
  add(timing_.command_ns);
  add_words(true, reg(c, ORM_TIGER4_REGISTER_DATA), to_words(data));
  add_words(true, reg(c, ORM_TIGER4_REGISTER_SPARE), to_words(spare));
  add_words(true, reg(c, ORM_TIGER4_REGISTER_ECC), ecc_words(v));
  add_words(true, reg(c, ORM_TIGER4_REGISTER_COMPLETION), {ORM_TIGER4_WORD_DONE});
}

void Tiger4Model::begin_raw(const Command &c) {
  const Way &way = way_of(c);
  if (!way.sensed) throw NandViolation("transfer without a read, way " + std::to_string(c.way));
  add(timing_.command_ns);
  add_words(true, reg(c, ORM_TIGER4_REGISTER_DATA), to_words(raw_row(address_of(way, c.way), way.row)));
  add_words(true, reg(c, ORM_TIGER4_REGISTER_COMPLETION), {ORM_TIGER4_WORD_DONE});
}

/// The array starts when all words have come, so a reset before leaves the flash as it was.
void Tiger4Model::begin_program(const Command &c) {
  Way &way = way_of(c);
  way.row = reg(c, ORM_TIGER4_REGISTER_ROW);
  way.sensed = false;
  if (!is_used(way.row)) throw NandViolation("program of row " + std::to_string(way.row) + ", which holds no page");
  const NandAddress at = address_of(way, c.way);
  auto data = std::make_shared<std::vector<uint32_t>>();
  add(timing_.command_ns);
  add_words(false, reg(c, ORM_TIGER4_REGISTER_DATA), std::vector<uint32_t>(ORM_TIGER4_SIZE_PAGE_BYTES / 4),
            [data](uint64_t, const std::vector<uint32_t> &words) { *data = words; });
  add_words(false, reg(c, ORM_TIGER4_REGISTER_SPARE), std::vector<uint32_t>(ORM_TIGER4_SIZE_SPARE_BYTES / 4),
            [this, data, at, &way](uint64_t now, const std::vector<uint32_t> &words) {
              const NandGeometry &g = nand_->geometry();
              const uint8_t *bytes = reinterpret_cast<const uint8_t *>(data->data());
              const uint8_t *spare = reinterpret_cast<const uint8_t *>(words.data());
              for (size_t i = g.page_spare_bytes(); i < ORM_TIGER4_SIZE_SPARE_FREE; ++i) {
                if (spare[i] != 0) throw NandViolation("program of spare bytes that nobody keeps");
              }
              std::vector<NandModel::SlotBytes> slots;
              for (uint32_t s = 0; s < g.slots_per_page; ++s)
                slots.push_back({bytes + size_t(s) * g.slot_bytes, spare + size_t(s) * g.spare_bytes});
              nand_->accept_program(at);
              nand_->start_program(channel_, at.die, slots.data(), now);
              array_begins(&way);
            });
}

void Tiger4Model::begin_erase(const Command &c, uint64_t) {
  Way &way = way_of(c);
  way.row = reg(c, ORM_TIGER4_REGISTER_ROW);
  way.sensed = false;
  add(timing_.command_ns, [this, &way, number = c.way](uint64_t now) {
    nand_->start_erase(address_of(way, number), now);
    array_begins(&way);
  });
}

void Tiger4Model::begin_status(const Command &c) {
  if (!way_of(c).was_reset) throw NandViolation("status of a way that was not reset at its start");
  add(timing_.command_ns, [this, c](uint64_t now) {
    settle(now);
    const Way &way = way_of(c);
    uint32_t status = 0x80;  // not write protected
    if (is_ready(way, now)) status |= ORM_TIGER4_WORD_READY_BITS | (way.failed ? 1 : 0);
    const uint32_t above = uint32_t(random_.next()) << 9;
    add_words(true, reg(c, ORM_TIGER4_REGISTER_COMPLETION), {above | status << ORM_TIGER4_REPORT_STATUS_LSB | 1});
  });
}

// ------------------------------------------------------------------ what a row holds

uint64_t Tiger4Model::hash(uint64_t what, uint64_t place) const {
  SeededRandom random((seed_ * 0x9E3779B97F4A7C15) ^ what << 56 ^ place);
  random.next();
  return random.next();
}

/// The ECC of a slot (NandFaults) in terms of this one: chunks of two codewords, spare bytes that are one chunk for the
/// page, and a CRC over all of it.
Tiger4Model::Verdict Tiger4Model::judge(const NandAddress &at, uint32_t row) const {
  Verdict v;
  if (!is_used(row) || nand_->is_marked_bad(at)) return v;
  const NandModel::PageState state =
      at.page < nand_->frontier(at) ? nand_->page_state(at) : NandModel::PageState::kErased;
  v.spare = state == NandModel::PageState::kTornButSpare;
  if (state != NandModel::PageState::kProgrammed) return v;
  v.spare = v.crc = true;
  const NandGeometry &g = nand_->geometry();
  const uint32_t per_slot = kChunks / g.slots_per_page;
  for (uint32_t s = 0; s < g.slots_per_page; ++s) {
    NandAddress slot = at;
    slot.sub = s;
    const size_t number = nand_->slot_number(slot);
    const EccOutcome ecc = nand_->faults().sense(number, {nand_->erase_count(at), nand_->reads_since_erase(at), 0});
    const uint32_t worst = uint32_t(hash(1, number) % per_slot);
    for (uint32_t i = 0; i < per_slot; ++i) {
      const uint32_t chunk = s * per_slot + i;
      v.decoded[chunk] = !(ecc.data == EccResult::kLost && i == worst);
      const uint32_t most = ecc.corrected * ORM_TIGER4_SIZE_MOST_ERRORS / NandEcc::kCorrectable;
      v.errors[chunk] = i == worst ? most : most / 2;
    }
    if (ecc.data == EccResult::kMiscorrected) v.foreign_data |= 1u << s;
    v.spare = v.spare && ecc.spare != EccResult::kLost;
    v.foreign_spare = v.foreign_spare || ecc.spare == EccResult::kMiscorrected;
    v.crc = v.crc && ecc.data == EccResult::kGood && ecc.spare == EccResult::kGood;
  }
  return v;
}

std::vector<uint32_t> Tiger4Model::ecc_words(const Verdict &v) {
  std::vector<uint32_t> words(ORM_TIGER4_SIZE_ECC_WORDS);
  uint32_t total = 0, worst = 0;
  for (uint32_t i = 0; i < kChunks; ++i) {
    words[1] |= uint32_t(v.decoded[i]) << i;
    if (!v.decoded[i]) continue;
    total += v.errors[i];
    worst = std::max(worst, v.errors[i]);
    const uint32_t first = (v.errors[i] + 1) / 2;
    words[2 + i / 4] |= (first << 4 | (v.errors[i] - first)) << (24 - 8 * (i % 4));
  }
  words[0] = uint32_t(v.crc) << ORM_TIGER4_ECC_CRC_LSB | uint32_t(v.spare) << ORM_TIGER4_ECC_SPARE_LSB |
             worst << ORM_TIGER4_ECC_WORST_LSB | (total & ORM_TIGER4_ECC_TOTAL_MASK) << ORM_TIGER4_ECC_TOTAL_LSB;
  return words;
}

/// Data and spare bytes as the ECC gives them.
std::vector<uint8_t> Tiger4Model::page_of(const NandAddress &at, const Verdict &v) const {
  const NandGeometry &g = nand_->geometry();
  std::vector<uint8_t> out(ORM_TIGER4_SIZE_PAGE_BYTES + ORM_TIGER4_SIZE_SPARE_BYTES);
  uint8_t *spare = out.data() + ORM_TIGER4_SIZE_PAGE_BYTES;
  for (uint32_t s = 0; s < g.slots_per_page; ++s) {
    const NandModel::SlotBytes bytes = nand_->stored(at, s);
    std::memcpy(out.data() + size_t(s) * g.slot_bytes, bytes.data, g.slot_bytes);
    std::memcpy(spare + size_t(s) * g.spare_bytes, bytes.spare, g.spare_bytes);
    if ((v.foreign_data >> s & 1) != 0) flip(out.data() + size_t(s) * g.slot_bytes, g.slot_bytes, 3);
  }
  for (uint32_t i = 0; i < kChunks; ++i) {
    if (!v.decoded[i]) flip(out.data() + size_t(i) * ORM_TIGER4_SIZE_CHUNK_BYTES, ORM_TIGER4_SIZE_CHUNK_BYTES, i);
  }
  if (!v.spare || v.foreign_spare) flip(spare, g.page_spare_bytes(), 1);
  for (uint32_t i = ORM_TIGER4_SIZE_SPARE_FREE; i < ORM_TIGER4_SIZE_SPARE_BYTES; ++i)
    spare[i] = uint8_t(hash(2, out[i % 97] + size_t(i)));
  return out;
}

/// The cells: ones where nothing was programmed, else as good as random, because a scrambler is before the NAND.
std::vector<uint8_t> Tiger4Model::raw_row(const NandAddress &at, uint32_t row) const {
  std::vector<uint8_t> out(ORM_TIGER4_SIZE_ROW_BYTES, 0xFF);
  const uint64_t place = uint64_t(at.die) << 32 | row;
  const bool first = (row & ORM_TIGER4_ROW_PAGE_MASK) == 0;
  const bool last = (row & ORM_TIGER4_ROW_PAGE_MASK) == ORM_TIGER4_SIZE_ROWS_PER_BLOCK - 1;
  if (nand_->is_marked_bad(at)) {
    // The mark is in one of two rows, or in both; in each in one of two bytes, or in both.
    const uint64_t how = hash(3, nand_->block_number(at));
    if ((first && how % 3 != 0) || (last && how % 3 != 1)) {
      if (how / 3 % 3 != 0) out[0] = 0;
      if (how / 3 % 3 != 1) out[ORM_TIGER4_SIZE_MARK_OFFSET] = 0;
    }
    return out;
  }
  const bool programmed =
      is_used(row) && at.page < nand_->frontier(at) && nand_->page_state(at) != NandModel::PageState::kErased;
  if (!programmed) {
    for (uint32_t n = 0; n < stray_zeros_; ++n) {
      const uint64_t where = hash(4, place ^ uint64_t(n) << 48) % (uint64_t(out.size()) * 8);
      const size_t byte = where / 8;
      if (byte != 0 && byte != ORM_TIGER4_SIZE_MARK_OFFSET) out[byte] = uint8_t(out[byte] & ~(1u << (where % 8)));
    }
    return out;
  }
  SeededRandom random(hash(5, place));
  for (uint8_t &byte : out) byte = uint8_t(random.next());
  if (nand_->page_state(at) == NandModel::PageState::kProgrammed) return out;
  // The fewer cells a program has reached before it was cut, the more like an erased row it looks.
  const uint64_t one_in = 1 + hash(6, place) % 16;
  for (size_t i = 0; i < out.size(); ++i) {
    if (random.below(one_in) != 0) out[i] = 0xFF;
  }
  return out;
}

}  // namespace orm
