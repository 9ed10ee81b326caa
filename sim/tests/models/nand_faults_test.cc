// SPDX-License-Identifier: Apache-2.0
// Flash in which something goes wrong: chosen faults and those of chance, at the NandModel.
#include "nand_faults.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "nand_model.h"
#include "orm_bytes.h"
#include "sim_error.h"
#include "temp_dir.h"

namespace orm {
namespace {

constexpr NandGeometry kGeometry{2, 2, 4, 8, 4096, 32};
constexpr NandGeometry kWide{2, 1, 4, 8, 4096, 32, 4};

std::string violation(const std::function<void()> &action) {
  try {
    action();
  } catch (const NandViolation &e) {
    return e.what();
  }
  return "no violation";
}

class Flash {
 public:
  explicit Flash(const NandFaultOptions &faults = {}, const NandGeometry &geometry = kGeometry, uint64_t seed = 1,
                 const std::string &image = "")
      : model(geometry, NandTiming(), image, seed, faults) {}

  NandStatus program(const NandAddress &at, uint8_t fill = 0x5A) {
    const NandGeometry &g = model.geometry();
    const std::vector<uint8_t> page(g.page_bytes() + g.page_spare_bytes(), fill);
    model.accept_program(at);
    model.start_program(at.channel, at.die, page.data(), now);
    return wait(at);
  }
  void cut_program(const NandAddress &at) {
    const NandGeometry &g = model.geometry();
    const std::vector<uint8_t> page(g.page_bytes() + g.page_spare_bytes(), 0xA5);
    model.accept_program(at);
    model.start_program(at.channel, at.die, page.data(), now);
    model.power_cut(++now);
  }
  NandStatus read(const NandAddress &at) {
    model.start_read(at, now);
    return wait(at);
  }
  NandStatus probe(const NandAddress &at) {
    model.start_probe(at, now);
    return wait(at);
  }
  NandStatus erase(const NandAddress &at) {
    model.start_erase(at, now);
    return wait(at);
  }
  std::vector<uint8_t> transfer(const NandAddress &at) {
    const NandModel::Transfer t = model.transfer(at.channel, at.die, at.sub);
    return {t.bytes, t.bytes + t.len};
  }
  void spoil(const NandAddress &at, EccResult data, EccResult spare) {
    model.faults().spoil(model.slot_number(at), data, spare);
  }

  NandModel model;
  uint64_t now = 0;

 private:
  NandStatus wait(const NandAddress &at) {
    now = model.next_end_ns(at.channel);
    NandResult result{};
    EXPECT_TRUE(model.take_result(at.channel, now, &result));
    return result.status;
  }
};

const std::vector<uint8_t> kSpare(32, 0x5A);

TEST(NandFaults, LostDataIsUncorrectableAndItsSpareIsNot) {
  Flash f;
  const NandAddress at{1, 0, 2, 0};
  ASSERT_EQ(f.program(at), NandStatus::kOk);
  f.spoil(at, EccResult::kLost, EccResult::kGood);
  EXPECT_EQ(f.read(at), NandStatus::kUncorrectable);
  EXPECT_NE(violation([&] { f.transfer(at); }).find("transfer without a read"), std::string::npos);
  EXPECT_EQ(f.probe(at), NandStatus::kFailed);
  EXPECT_EQ(f.transfer(at), kSpare);
  EXPECT_EQ(f.model.counters().uncorrectable, 2u);
  ASSERT_EQ(f.erase(at), NandStatus::kOk);
  ASSERT_EQ(f.program(at), NandStatus::kOk);
  EXPECT_EQ(f.read(at), NandStatus::kOk) << "until the erase";
}

TEST(NandFaults, ALostSpareIsTheProbesConcern) {
  Flash f;
  const NandAddress at{0, 0, 0, 0};
  ASSERT_EQ(f.program(at), NandStatus::kOk);
  f.spoil(at, EccResult::kGood, EccResult::kLost);
  EXPECT_EQ(f.probe(at), NandStatus::kUncorrectable);
  EXPECT_EQ(f.read(at), NandStatus::kOk);
  const std::vector<uint8_t> slot = f.transfer(at);
  EXPECT_EQ(std::vector<uint8_t>(slot.begin(), slot.begin() + 4096), std::vector<uint8_t>(4096, 0x5A));
  EXPECT_NE(std::vector<uint8_t>(slot.begin() + 4096, slot.end()), kSpare);
}

TEST(NandFaults, TheCrcBehindTheDecoderFindsMiscorrectedData) {
  Flash f;
  const NandAddress at{0, 1, 0, 0};
  ASSERT_EQ(f.program(at), NandStatus::kOk);
  f.spoil(at, EccResult::kMiscorrected, EccResult::kGood);
  EXPECT_EQ(f.read(at), NandStatus::kUncorrectable);
  EXPECT_EQ(f.model.counters().miscorrected, 1u);
  EXPECT_EQ(f.probe(at), NandStatus::kFailed);
}

TEST(NandFaults, AMiscorrectedSpareIsDeliveredAsIfItWereGood) {
  Flash f;
  const NandAddress at{0, 1, 0, 0};
  ASSERT_EQ(f.program(at), NandStatus::kOk);
  f.spoil(at, EccResult::kGood, EccResult::kMiscorrected);
  EXPECT_EQ(f.probe(at), NandStatus::kOk);
  EXPECT_NE(f.transfer(at), kSpare);
}

TEST(NandFaults, OnlyTheSlotOfAPageThatIsReadCounts) {
  Flash f({}, kWide);
  ASSERT_EQ(f.program({0, 0, 0, 0}), NandStatus::kOk);
  f.spoil({0, 0, 0, 0, 2}, EccResult::kLost, EccResult::kGood);
  for (uint32_t sub = 0; sub < 4; ++sub) {
    EXPECT_EQ(f.read({0, 0, 0, 0, sub}), sub == 2 ? NandStatus::kUncorrectable : NandStatus::kOk) << sub;
  }
  EXPECT_NE(violation([&] { f.transfer({0, 0, 0, 0, 1}); }).find("another slot than was read"), std::string::npos);
  EXPECT_NE(violation([&] { f.read({0, 0, 0, 0, 4}); }).find("of no slot"), std::string::npos);
}

TEST(NandFaults, AProgramThatFailsLeavesATornPage) {
  Flash f;
  f.model.faults().fail_program(2);
  EXPECT_EQ(f.program({0, 0, 0, 0}), NandStatus::kOk);
  EXPECT_EQ(f.program({0, 0, 0, 1}), NandStatus::kFailed);
  EXPECT_EQ(f.program({0, 0, 0, 2}), NandStatus::kOk) << "the block goes on";
  EXPECT_EQ(f.read({0, 0, 0, 1}), NandStatus::kUncorrectable);
  EXPECT_EQ(f.probe({0, 0, 0, 1}), NandStatus::kUncorrectable);
  EXPECT_EQ(f.model.page_state({0, 0, 0, 1}), NandModel::PageState::kTorn);
  EXPECT_EQ(f.model.counters().failed_programs, 1u);
}

TEST(NandFaults, ABlockThatDoesNotEraseTakesNoProgram) {
  Flash f;
  const NandAddress at{1, 1, 3, 0};
  ASSERT_EQ(f.program(at), NandStatus::kOk);
  f.model.faults().fail_erase(f.model.block_number(at));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(f.erase(at), NandStatus::kFailed);
  EXPECT_EQ(f.model.erase_count(at), 0u);
  EXPECT_NE(violation([&] { f.program({1, 1, 3, 1}); }).find("program without erase"), std::string::npos);
  EXPECT_EQ(f.erase({1, 1, 2, 0}), NandStatus::kOk) << "another block";
}

TEST(NandFaults, MarkedBlocksAreOnlyProbed) {
  NandFaultOptions o;
  o.factory_bad = 3;
  TempDir dir;
  std::vector<NandAddress> marked;
  for (int again = 0; again < 2; ++again) {  // with another seed: the marks are in the image
    Flash f(o, kGeometry, 1 + uint64_t(again), dir.path + "/flash.img");
    std::vector<NandAddress> found;
    for (uint32_t c = 0; c < 2; ++c)
      for (uint32_t d = 0; d < 2; ++d)
        for (uint32_t b = 0; b < 4; ++b)
          if (f.model.is_marked_bad({c, d, b, 0})) found.push_back({c, d, b, 0});
    ASSERT_EQ(found.size(), 3u);
    for (const NandAddress &at : found) {
      EXPECT_EQ(f.probe(at), NandStatus::kFailed);
      EXPECT_EQ(f.transfer(at), std::vector<uint8_t>(32, 0));
      EXPECT_NE(violation([&] { f.erase(at); }).find("marked bad"), std::string::npos);
      EXPECT_NE(violation([&] { f.read(at); }).find("marked bad"), std::string::npos);
      EXPECT_NE(violation([&] { f.program(at); }).find("marked bad"), std::string::npos);
    }
    if (again == 0) marked = found;
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(f.model.block_number(found[i]), f.model.block_number(marked[i]));
  }
}

TEST(NandFaults, MoreMarksThanBlocksAreRefused) {
  NandFaultOptions o;
  o.factory_bad = 17;
  EXPECT_THROW(Flash f(o), OptionError);
}

// The same slots have the same errors, in whatever order they are read.
TEST(NandFaults, ChanceBelongsToThePlace) {
  NandFaultOptions o;
  o.bit_errors = 33;
  const NandFaults a(o, 7), b(o, 7), other(o, 8);
  int good = 0, lost = 0, differ = 0;
  for (size_t i = 0; i < 2000; ++i) {
    const EccOutcome x = a.sense(i, {}), y = b.sense(i, {});
    EXPECT_EQ(x.data, y.data);
    EXPECT_EQ(x.corrected, y.corrected);
    EXPECT_LE(x.corrected, NandEcc::kCorrectable);
    good += x.data == EccResult::kGood;
    lost += x.data == EccResult::kLost;
    differ += x.corrected != other.sense(i, {}).corrected;
  }
  EXPECT_GT(good, 1000);
  EXPECT_GT(lost, 100) << "10 % of the codewords have more than 40 errors";
  EXPECT_GT(differ, 1000);
}

// Each read-retry level has its own errors, fewer than the one before; the same ones again when it is tried again.
TEST(NandFaults, ARetryHasFewerErrors) {
  NandFaultOptions o;
  o.bit_errors = 60;
  const NandFaults faults(o, 7);
  int lost[4] = {};
  uint64_t corrected[4] = {};
  for (size_t i = 0; i < 1000; ++i) {
    for (uint32_t level = 0; level < 4; ++level) {
      const EccOutcome x = faults.sense(i, {0, 0, level}), again = faults.sense(i, {0, 0, level});
      EXPECT_EQ(x.corrected, again.corrected);
      lost[level] += x.data != EccResult::kGood;
      corrected[level] += x.corrected;
    }
  }
  EXPECT_GT(lost[0], 950);
  EXPECT_GT(lost[1], 50) << "with 30 errors on average";
  EXPECT_LT(lost[1], 500);
  EXPECT_EQ(lost[2] + lost[3], 0);
  EXPECT_GT(corrected[2], corrected[3] * 3 / 2);
}

TEST(NandFaults, ReadsOfABlockDisturbIt) {
  NandFaultOptions o;
  o.bit_errors = 5;
  o.read_disturb = 100;
  const NandFaults faults(o, 7);
  for (size_t slot = 0; slot < 200; ++slot) {
    uint32_t before = 0;
    for (uint32_t reads : {0u, 100u, 200u, 300u}) {
      const EccOutcome x = faults.sense(slot, {0, reads, 0});
      ASSERT_EQ(x.data, EccResult::kGood);
      ASSERT_GE(x.corrected, before) << "the same cells, and more";
      before = x.corrected;
    }
    EXPECT_EQ(faults.sense(slot, {0, 1000000, 0}).data == EccResult::kGood, false);
  }
}

TEST(NandFaults, ASlotIsWeakBeforeItIsLost) {
  NandFaultOptions o;
  o.bit_errors = 5;
  o.read_disturb = 100;
  Flash f(o);
  const NandAddress at{0, 1, 0, 0};
  ASSERT_EQ(f.program(at), NandStatus::kOk);
  uint64_t reads = 0, weak_from = 0;
  while (f.read(at) == NandStatus::kOk) {
    ASSERT_LT(++reads, 5000u);
    if (f.model.counters().weak == 1 && weak_from == 0) weak_from = reads;
  }
  EXPECT_GT(weak_from, 100u);
  EXPECT_GT(reads, weak_from + 50);
  EXPECT_EQ(f.model.reads_since_erase(at), reads + 1);
  EXPECT_EQ(f.model.reads_since_erase({0, 1, 1, 0}), 0u) << "of another block";
  NandAddress level = at;
  level.retry = 1;
  EXPECT_EQ(f.read(level), NandStatus::kOk);
  EXPECT_EQ(f.model.counters().retries, 1u);
  ASSERT_EQ(f.erase(at), NandStatus::kOk);
  EXPECT_EQ(f.model.reads_since_erase(at), 0u);
  ASSERT_EQ(f.program(at), NandStatus::kOk);
  EXPECT_EQ(f.read(at), NandStatus::kOk);
}

TEST(NandFaults, ChosenDriftIsGoneAtItsLevel) {
  Flash f;
  NandAddress at{1, 0, 2, 0};
  ASSERT_EQ(f.program(at), NandStatus::kOk);
  f.model.faults().spoil(f.model.slot_number(at), EccResult::kLost, EccResult::kLost, 2);
  for (at.retry = 0; at.retry < 4; ++at.retry) {
    const NandStatus expected = at.retry < 2 ? NandStatus::kUncorrectable : NandStatus::kOk;
    EXPECT_EQ(f.read(at), expected) << at.retry;
    EXPECT_EQ(f.probe(at), expected) << at.retry;
  }
}

TEST(NandFaults, FailuresComeWithWear) {
  NandFaultOptions o;
  o.program_fail = 0.01;
  o.erase_fail = 0.01;
  o.wear = 100;
  NandFaults faults(o, 3);
  int young = 0, old = 0;
  for (size_t page = 0; page < 20000; ++page) {
    young += faults.program_fails(0, page, 0);
    old += faults.program_fails(0, page, 900);
  }
  EXPECT_NEAR(young, 200, 60);
  EXPECT_NEAR(old, 2000, 200);
  for (size_t block = 0; block < 500; ++block) {
    if (!faults.erase_fails(block, 0)) continue;
    EXPECT_TRUE(faults.erase_fails(block, 1)) << "it has failed before";
    return;
  }
  ADD_FAILURE() << "no erase failed";
}

TEST(NandFaults, ABlockWhoseProgramFailedFailsMoreOften) {
  NandFaultOptions options;
  options.program_fail = 0.001;
  options.program_fail_again = 0.5;
  NandFaults faults(options, 1);
  size_t page = 0;
  while (page < 100'000 && !faults.program_fails(7, page, 0)) ++page;
  int again = 0, others = 0;
  for (size_t n = 1; n <= 1000; ++n) {
    again += faults.program_fails(7, page + n, 1) ? 1 : 0;
    others += faults.program_fails(1000 + n, 200'000 + n, 1) ? 1 : 0;
  }
  EXPECT_GT(again, 400);
  EXPECT_LT(again, 600);
  EXPECT_LT(others, 20) << "other blocks are as they were";
}

TEST(NandFaults, ACutProgramDisturbsThePageBeforeIt) {
  NandFaultOptions options;
  options.cut_disturb = 1;
  Flash f(options, kWide);
  for (const NandAddress at : {NandAddress{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}}) {
    ASSERT_EQ(f.program(at), NandStatus::kOk);
  }
  f.cut_program({0, 0, 0, 2});
  EXPECT_EQ(f.model.counters().disturbed_pages, 1u);
  EXPECT_EQ(f.read({0, 0, 0, 0}), NandStatus::kOk) << "only the one before it";
  EXPECT_EQ(f.read({0, 0, 1, 0}), NandStatus::kOk) << "of the same block";
  for (uint32_t sub = 0; sub < 4; ++sub) EXPECT_EQ(f.read({0, 0, 0, 1, sub}), NandStatus::kUncorrectable) << sub;
  f.cut_program({0, 0, 0, 3});
  EXPECT_EQ(f.model.counters().disturbed_pages, 1u) << "the page before it was torn already";
  f.cut_program({0, 0, 2, 0});
  EXPECT_EQ(f.read({0, 0, 1, 0}), NandStatus::kOk) << "the first page of a block has none before it";
  ASSERT_EQ(f.erase({0, 0, 0, 0}), NandStatus::kOk);
  for (uint32_t page = 0; page < 2; ++page) ASSERT_EQ(f.program({0, 0, 0, page}), NandStatus::kOk);
  EXPECT_EQ(f.read({0, 0, 0, 1}), NandStatus::kOk);
}

TEST(NandFaults, SomeCutProgramsDisturb) {
  NandFaultOptions options;
  options.cut_disturb = 0.25;
  uint64_t disturbed = 0;
  int spares = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Flash f(options, kGeometry, seed);
    ASSERT_EQ(f.program({1, 1, 3, 0}), NandStatus::kOk);
    f.cut_program({1, 1, 3, 1});
    disturbed += f.model.counters().disturbed_pages;
    spares += f.model.page_state({1, 1, 3, 0}) == NandModel::PageState::kTornButSpare ? 1 : 0;
  }
  EXPECT_NEAR(double(disturbed), 100, 30);
  EXPECT_NEAR(spares, 50, 25) << "of half of them the spare is good";
  Flash f;
  ASSERT_EQ(f.program({0, 0, 0, 0}), NandStatus::kOk);
  f.cut_program({0, 0, 0, 1});
  EXPECT_EQ(f.read({0, 0, 0, 0}), NandStatus::kOk) << "none unless asked for";
}

TEST(NandFaults, OptionsAsText) {
  const NandFaultOptions o = parse_nand_faults(
      "factory-bad=4,program-fail=1e-3,program-fail-again=0.5,erase-fail=0.5,bit-errors=7,wear=100,read-disturb=1e4,"
      "cut-disturb=0.25");
  EXPECT_EQ(o.factory_bad, 4u);
  EXPECT_EQ(o.program_fail, 1e-3);
  EXPECT_EQ(o.program_fail_again, 0.5);
  EXPECT_EQ(o.erase_fail, 0.5);
  EXPECT_EQ(o.bit_errors, 7);
  EXPECT_EQ(o.wear, 100);
  EXPECT_EQ(o.read_disturb, 1e4);
  EXPECT_EQ(o.cut_disturb, 0.25);
  EXPECT_EQ(parse_nand_faults("").factory_bad, 0u);
  for (const char *wrong : {"bad=1", "factory-bad", "bit-errors=x", "bit-errors=-1", "erase-fail=1x", "wear=0",
                            "bit-errors=500", "program-fail=2", "erase-fail=1.1", "cut-disturb=1.1"}) {
    EXPECT_THROW(parse_nand_faults(wrong), OptionError) << wrong;
  }
}

}  // namespace
}  // namespace orm
