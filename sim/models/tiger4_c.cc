// SPDX-License-Identifier: Apache-2.0
#include "tiger4_c.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include "nand_faults.h"
#include "nand_model.h"
#include "sim_error.h"
#include "tiger4_model.h"

using orm::EccOutcome;
using orm::EccResult;
using orm::NandAddress;
using orm::NandGeometry;
using orm::NandModel;
using orm::NandTiming;
using orm::Tiger4Model;
using orm::Tiger4Timing;

struct orm_tiger4 {
  orm_tiger4(const orm_tiger4_options &o, const char *faults)
      : nand(NandGeometry{1, o.dies, o.blocks, o.pages, 4096, 32, 4}, NandTiming{o.read_ns, o.program_ns, o.erase_ns},
             "", o.seed, orm::parse_nand_faults(faults)),
        model(&nand, 0, Tiger4Timing{o.word_ns, o.command_ns, o.reset_ns}, o.seed, o.stray_zeros) {}

  NandModel nand;
  Tiger4Model model;
  std::string error;
};

namespace {

/// -1 and the text, if the action breaks a rule.
template <class Action>
int guarded(orm_tiger4 *t, Action action) {
  try {
    return action();
  } catch (const std::exception &broken) {
    t->error = broken.what();
    return -1;
  }
}

}  // namespace

orm_tiger4 *orm_tiger4_open(const orm_tiger4_options *options, const char *faults) {
  try {
    return std::make_unique<orm_tiger4>(*options, faults).release();
  } catch (const orm::SimError &) {
    return nullptr;
  }
}

void orm_tiger4_close(orm_tiger4 *t) { std::unique_ptr<orm_tiger4>(t).reset(); }

const char *orm_tiger4_error(const orm_tiger4 *t) { return t->error.c_str(); }

int orm_tiger4_write(orm_tiger4 *t, uint32_t offset, uint32_t value, uint64_t now_ns) {
  return guarded(t, [&] { return int(t->model.write(offset, value, now_ns)); });
}

int orm_tiger4_read(orm_tiger4 *t, uint32_t offset, uint32_t *value, uint64_t now_ns) {
  return guarded(t, [&] {
    *value = t->model.read(offset, now_ns);
    return 1;
  });
}

int orm_tiger4_next_burst(orm_tiger4 *t, orm_tiger4_burst *burst, uint64_t now_ns) {
  return guarded(t, [&] {
    Tiger4Model::Burst b;
    if (!t->model.next_burst(now_ns, &b)) return 0;
    burst->write = b.write;
    burst->address = b.address;
    burst->beats = b.beats;
    std::copy(b.words.begin(), b.words.end(), burst->words);
    return 1;
  });
}

int orm_tiger4_burst_done(orm_tiger4 *t, const uint32_t *words, uint64_t now_ns) {
  return guarded(t, [&] {
    t->model.burst_done(words, now_ns);
    return 1;
  });
}

int orm_tiger4_reset(orm_tiger4 *t, uint64_t now_ns) {
  return guarded(t, [&] {
    t->model.reset(now_ns);
    return 1;
  });
}

int orm_tiger4_power_cut(orm_tiger4 *t, uint64_t now_ns) {
  return guarded(t, [&] {
    t->model.power_cut(now_ns);
    return 1;
  });
}

uint64_t orm_tiger4_count(const orm_tiger4 *t, uint32_t command) { return t->model.count(command); }

uint32_t orm_tiger4_most_busy(const orm_tiger4 *t) { return t->model.most_busy(); }

void orm_tiger4_spoil(orm_tiger4 *t, uint32_t die, uint32_t block, uint32_t page, uint32_t sub, int data, int spare) {
  const size_t slot = t->nand.slot_number(NandAddress{0, die, block, page, sub});
  t->nand.faults().spoil(slot, EccResult(data), EccResult(spare));
}

void orm_tiger4_fail_program(orm_tiger4 *t, uint64_t nth) { t->nand.faults().fail_program(nth); }

void orm_tiger4_fail_erase(orm_tiger4 *t, uint32_t die, uint32_t block) {
  t->nand.faults().fail_erase(t->nand.block_number(NandAddress{0, die, block, 0}));
}

int orm_tiger4_is_bad(orm_tiger4 *t, uint32_t die, uint32_t block) {
  return t->nand.is_marked_bad(NandAddress{0, die, block, 0});
}

uint32_t orm_tiger4_frontier(orm_tiger4 *t, uint32_t die, uint32_t block) {
  return t->nand.frontier(NandAddress{0, die, block, 0});
}

int orm_tiger4_page_state(orm_tiger4 *t, uint32_t die, uint32_t block, uint32_t page) {
  const NandAddress at{0, die, block, page};
  return page < t->nand.frontier(at) ? int(t->nand.page_state(at)) : 0;
}

int orm_tiger4_sense(orm_tiger4 *t, uint32_t die, uint32_t block, uint32_t page, uint32_t sub) {
  const NandAddress at{0, die, block, page, sub};
  const EccOutcome ecc =
      t->nand.faults().sense(t->nand.slot_number(at), {t->nand.erase_count(at), t->nand.reads_since_erase(at), 0});
  if (ecc.data == EccResult::kGood && ecc.spare == EccResult::kGood) return int(ecc.corrected);
  return ecc.spare == EccResult::kGood ? -int(ecc.data) : -2 - int(ecc.spare);
}
