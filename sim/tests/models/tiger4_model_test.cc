// SPDX-License-Identifier: Apache-2.0
#include "tiger4_model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "sim_error.h"

namespace orm {
namespace {

constexpr NandGeometry kGeometry{1, 8, 5000, 128, 4096, 32, 4};
constexpr uint32_t kPage = 0x0000, kSpare = 0x4000, kEcc = 0x4100, kDone = 0x4180, kReport = 0x4184, kUser = 0x4200;
constexpr uint32_t kWayStride = 0x8000;
constexpr uint32_t kCrc = 1u << ORM_TIGER4_ECC_CRC_LSB, kSpareGood = 1u << ORM_TIGER4_ECC_SPARE_LSB;

std::string violation(const std::function<void()> &action) {
  try {
    action();
  } catch (const SimError &broken) {
    return broken.what();
  }
  return "";
}

/// A user of the controller with the memory that its data port writes and reads. Each way has a part of the memory.
class Tiger4Test : public testing::Test {
 protected:
  explicit Tiger4Test(const NandFaultOptions &faults = {}, uint32_t stray_zeros = 0)
      : nand(kGeometry, NandTiming{}, "", 1, faults),
        model(&nand, 0, Tiger4Timing{}, 7, stray_zeros),
        memory(8 * kWayStride / 4) {}

  uint32_t &word(uint32_t way, uint32_t offset) { return memory[(way * kWayStride + offset) / 4]; }
  void set(uint32_t address, uint32_t value) { ASSERT_TRUE(model.write(address, value, now)); }

  void command(uint32_t number, uint32_t way, uint32_t row = 0) {
    const uint32_t base = way * kWayStride;
    set(ORM_TIGER4_REGISTER_WAY, way);
    set(ORM_TIGER4_REGISTER_ROW, row);
    set(ORM_TIGER4_REGISTER_USER_DATA, base + kUser);
    set(ORM_TIGER4_REGISTER_DATA, base + kPage);
    set(ORM_TIGER4_REGISTER_SPARE, base + kSpare);
    set(ORM_TIGER4_REGISTER_ECC, base + kEcc);
    set(ORM_TIGER4_REGISTER_COMPLETION, base + (number == ORM_TIGER4_COMMAND_STATUS ? kReport : kDone));
    word(way, number == ORM_TIGER4_COMMAND_STATUS ? kReport : kDone) = 0;
    set(ORM_TIGER4_REGISTER_COMMAND, number);
  }

  void step(uint64_t ns) {
    now += ns;
    Tiger4Model::Burst burst;
    while (model.next_burst(now, &burst)) {
      uint32_t *at = &memory.at(burst.address / 4);
      EXPECT_EQ(burst.address / 4096, (burst.address + 4 * burst.beats - 1) / 4096);
      if (burst.write) std::copy_n(burst.words.begin(), burst.beats, at);
      model.burst_done(at, now);
    }
  }
  /// Until the way's word at the offset has bit 0.
  void until(uint32_t way, uint32_t offset) {
    for (int i = 0; i < 2'000'000 && (word(way, offset) & 1) == 0; ++i) step(10);
    ASSERT_EQ(word(way, offset) & 1, 1u);
  }
  uint32_t status(uint32_t way) {
    command(ORM_TIGER4_COMMAND_STATUS, way);
    until(way, kReport);
    return word(way, kReport) >> ORM_TIGER4_REPORT_STATUS_LSB & ORM_TIGER4_REPORT_STATUS_MASK;
  }
  /// Until the way is ready; its status.
  uint32_t ready(uint32_t way) {
    for (;;) {
      const uint32_t byte = status(way);
      if ((byte & ORM_TIGER4_WORD_READY_BITS) == ORM_TIGER4_WORD_READY_BITS) return byte;
      while ((model.read(ORM_TIGER4_REGISTER_READY, now) >> way & 1) == 0) step(1000);
    }
  }
  void start(uint32_t way) {
    word(way, kUser) = ORM_TIGER4_WORD_FEATURE_02;
    word(way, kUser + 4) = ORM_TIGER4_WORD_FEATURE_10;
    word(way, kUser + 8) = ORM_TIGER4_WORD_FEATURE_01;
    command(ORM_TIGER4_COMMAND_RESET, way);
    ready(way);
    command(ORM_TIGER4_COMMAND_SET_FEATURES, way);
    ready(way);
  }
  uint32_t program(uint32_t way, uint32_t block, uint32_t page, uint32_t seed) {
    fill(way, seed);
    command(ORM_TIGER4_COMMAND_PROGRAM, way, Tiger4Model::row_of(block, page));
    return ready(way);
  }
  uint32_t erase(uint32_t way, uint32_t block) {
    command(ORM_TIGER4_COMMAND_ERASE, way, Tiger4Model::row_of(block, 0));
    return ready(way);
  }
  void fill(uint32_t way, uint32_t seed) {
    SeededRandom random(seed);
    for (uint32_t i = 0; i < ORM_TIGER4_SIZE_PAGE_BYTES; i += 4) word(way, kPage + i) = uint32_t(random.next());
    for (uint32_t i = 0; i < ORM_TIGER4_SIZE_SPARE_BYTES; i += 4)
      word(way, kSpare + i) = i < kGeometry.page_spare_bytes() ? uint32_t(random.next()) : 0;
  }
  /// Whether page and used spare bytes of the way are those of the seed.
  bool holds(uint32_t way, uint32_t seed) {
    SeededRandom random(seed);
    bool same = true;
    for (uint32_t i = 0; i < ORM_TIGER4_SIZE_PAGE_BYTES; i += 4)
      same = same && word(way, kPage + i) == uint32_t(random.next());
    for (uint32_t i = 0; i < kGeometry.page_spare_bytes(); i += 4)
      same = same && word(way, kSpare + i) == uint32_t(random.next());
    return same;
  }
  void trigger(uint32_t way, uint32_t row) {
    command(ORM_TIGER4_COMMAND_TRIGGER, way, row);
    ready(way);
  }
  void read_row(uint32_t way, uint32_t row) {
    trigger(way, row);
    command(ORM_TIGER4_COMMAND_TRANSFER, way, row);
    until(way, kDone);
    EXPECT_EQ(word(way, kDone), ORM_TIGER4_WORD_DONE);
  }
  void read(uint32_t way, uint32_t block, uint32_t page) { read_row(way, Tiger4Model::row_of(block, page)); }
  bool passes(uint32_t way) {
    return (word(way, kEcc) & (kCrc | kSpareGood)) == (kCrc | kSpareGood) && word(way, kEcc + 4) == ~0u;
  }
  uint32_t worst(uint32_t way) { return word(way, kEcc) >> ORM_TIGER4_ECC_WORST_LSB & ORM_TIGER4_ECC_WORST_MASK; }
  /// Bytes of the row that are not FFh.
  uint32_t raw(uint32_t way, uint32_t row) {
    trigger(way, row);
    memory.resize(10 * kWayStride / 4);
    set(ORM_TIGER4_REGISTER_DATA, 8 * kWayStride);
    set(ORM_TIGER4_REGISTER_COMPLETION, way * kWayStride + kDone);
    word(way, kDone) = 0;
    set(ORM_TIGER4_REGISTER_COMMAND, ORM_TIGER4_COMMAND_RAW);
    until(way, kDone);
    uint32_t spots = 0;
    for (uint32_t i = 0; i < ORM_TIGER4_SIZE_ROW_BYTES; ++i) spots += raw_byte(i) != 0xFF;
    return spots;
  }
  uint8_t raw_byte(uint32_t offset) { return uint8_t(word(8, offset & ~3u) >> (8 * (offset % 4))); }

  NandModel nand;
  Tiger4Model model;
  std::vector<uint32_t> memory;
  uint64_t now = 0;
};

TEST_F(Tiger4Test, ProgramsReadsAndErasesAPage) {
  start(2);
  EXPECT_EQ(program(2, 3, 0, 11), 0xE0u);
  EXPECT_EQ(program(2, 3, 1, 12), 0xE0u);
  fill(2, 99);
  read(2, 3, 0);
  EXPECT_TRUE(passes(2));
  EXPECT_TRUE(holds(2, 11));
  read(2, 3, 1);
  EXPECT_TRUE(holds(2, 12));
  EXPECT_EQ(worst(2), 0u);
  EXPECT_EQ(erase(2, 3), 0xE0u);
  read(2, 3, 0);
  EXPECT_FALSE(passes(2));
  EXPECT_EQ(word(2, kEcc) & (kCrc | kSpareGood), 0u);
  EXPECT_EQ(raw(2, Tiger4Model::row_of(3, 0)), 0u);
}

TEST_F(Tiger4Test, RowsArePagesOfSlcModeInTwoLuns) {
  EXPECT_EQ(Tiger4Model::row_of(0, 0), 0u);
  EXPECT_EQ(Tiger4Model::row_of(0, 1), 1u);
  EXPECT_EQ(Tiger4Model::row_of(1, 2), 0x103u);
  EXPECT_EQ(Tiger4Model::row_of(4095, 127), 0x0FFFFDu);
  EXPECT_EQ(Tiger4Model::row_of(4096, 0), 0x200000u);
  EXPECT_EQ(Tiger4Model::mark_row_of(4097), 0x2001FFu);
  start(0);
  program(0, 4097, 0, 5);
  EXPECT_EQ(nand.frontier({0, 0, 4097, 0}), 1u);
  read(0, 4097, 0);
  EXPECT_TRUE(holds(0, 5));
}

TEST_F(Tiger4Test, WaysWorkAtATime) {
  for (uint32_t way = 0; way < 8; ++way) start(way);
  for (uint32_t way = 0; way < 8; ++way) command(ORM_TIGER4_COMMAND_ERASE, way, Tiger4Model::row_of(1, 0));
  for (int i = 0; i < 2000; ++i) step(10);
  EXPECT_EQ(model.read(ORM_TIGER4_REGISTER_READY, now), 0u);
  EXPECT_EQ(model.most_busy(), 8u);
  EXPECT_EQ(status(3), 0x80u);
  for (uint32_t way = 0; way < 8; ++way) EXPECT_EQ(ready(way), 0xE0u);
}

TEST_F(Tiger4Test, TakesTheTimeOfBusAndArrays) {
  start(0);
  program(0, 0, 0, 1);
  trigger(0, 0);
  const uint64_t begin = now;
  command(ORM_TIGER4_COMMAND_TRANSFER, 0, 0);
  until(0, kDone);
  EXPECT_NEAR(double(now - begin), 4160 * 20 + 400, 2000);
  const uint64_t before = now;
  command(ORM_TIGER4_COMMAND_TRIGGER, 0, 0);
  while (model.read(ORM_TIGER4_REGISTER_READY, now) & 1) step(10);
  while (!(model.read(ORM_TIGER4_REGISTER_READY, now) & 1)) step(10);
  EXPECT_NEAR(double(now - before), 40'400, 100);
}

TEST_F(Tiger4Test, AFullQueueHoldsTheNextWrite) {
  start(0);
  EXPECT_EQ(model.read(ORM_TIGER4_REGISTER_IDLE, now), 1u);
  for (uint32_t i = 0; i < 1 + ORM_TIGER4_SIZE_QUEUE; ++i) command(ORM_TIGER4_COMMAND_STATUS, 0);
  EXPECT_EQ(model.read(ORM_TIGER4_REGISTER_CHANNEL_BUSY, now), 0u);
  set(ORM_TIGER4_REGISTER_COMMAND, ORM_TIGER4_COMMAND_STATUS);
  EXPECT_EQ(model.read(ORM_TIGER4_REGISTER_CHANNEL_BUSY, now), 1u);
  EXPECT_EQ(model.read(ORM_TIGER4_REGISTER_IDLE, now), 0u);
  EXPECT_FALSE(model.write(ORM_TIGER4_REGISTER_ROW, 1, now));
  for (int i = 0; i < 100; ++i) step(100);
  EXPECT_TRUE(model.write(ORM_TIGER4_REGISTER_ROW, 1, now));
  EXPECT_EQ(model.read(ORM_TIGER4_REGISTER_CHANNEL_BUSY, now), 0u);
}

TEST_F(Tiger4Test, AnUrgentCommandOvertakes) {
  start(0);
  start(1);
  command(ORM_TIGER4_COMMAND_STATUS, 0);
  command(ORM_TIGER4_COMMAND_ERASE, 1, 0);
  set(ORM_TIGER4_REGISTER_WAY, 1);
  set(ORM_TIGER4_REGISTER_COMPLETION, kWayStride + kReport);
  set(ORM_TIGER4_REGISTER_COMMAND, 1u << 31 | ORM_TIGER4_COMMAND_STATUS);
  until(1, kReport);
  EXPECT_EQ(word(1, kReport) >> 1 & 0xFF, 0xE0u) << "the erase has not begun";
  for (int i = 0; i < 500; ++i) step(10);
  EXPECT_EQ(status(1), 0x80u);
}

TEST_F(Tiger4Test, ReportsFailures) {
  start(0);
  nand.faults().fail_program(1);
  EXPECT_EQ(program(0, 0, 0, 1) & ORM_TIGER4_WORD_FAIL_BITS, 1u);
  read(0, 0, 0);
  EXPECT_FALSE(passes(0));
  EXPECT_GT(raw(0, 0), 64u) << "a torn row is no erased one";
  nand.faults().fail_erase(0);
  EXPECT_EQ(erase(0, 0) & ORM_TIGER4_WORD_FAIL_BITS, 1u);
  EXPECT_EQ(erase(0, 1) & ORM_TIGER4_WORD_FAIL_BITS, 0u);
}

TEST_F(Tiger4Test, TellsWhatTheEccSaysOfEachChunk) {
  start(0);
  program(0, 0, 0, 1);
  nand.faults().spoil(nand.slot_number({0, 0, 0, 0, 2}), EccResult::kLost, EccResult::kGood);
  read(0, 0, 0);
  EXPECT_FALSE(passes(0));
  EXPECT_EQ(word(0, kEcc) & (kCrc | kSpareGood), kSpareGood);
  const uint32_t bad = ~word(0, kEcc + 4);
  EXPECT_EQ(bad & (bad - 1), 0u) << "one chunk";
  EXPECT_NE(bad & 0x00FF0000u, 0u) << "of slot 2";
  nand.faults().spoil(nand.slot_number({0, 0, 0, 0, 2}), EccResult::kMiscorrected, EccResult::kGood);
  read(0, 0, 0);
  EXPECT_EQ(word(0, kEcc + 4), ~0u);
  EXPECT_EQ(word(0, kEcc) & (kCrc | kSpareGood), kSpareGood) << "the CRC finds it";
  nand.faults().spoil(nand.slot_number({0, 0, 0, 0, 2}), EccResult::kGood, EccResult::kLost);
  read(0, 0, 0);
  EXPECT_EQ(word(0, kEcc) & (kCrc | kSpareGood), 0u);
}

class Tiger4WornTest : public Tiger4Test {
 protected:
  static NandFaultOptions options() {
    NandFaultOptions o;
    o.bit_errors = 26;
    return o;
  }
  Tiger4WornTest() : Tiger4Test(options()) {}
};

TEST_F(Tiger4WornTest, AWarningIsWhatNandModelCallsWeak) {
  start(0);
  int warned = 0, fine = 0;
  for (uint32_t page = 0; page < 40; ++page) {
    program(0, 0, page, page);
    read(0, 0, page);
    uint32_t most = 0;
    bool lost = false;
    for (uint32_t sub = 0; sub < 4; ++sub) {
      const EccOutcome ecc = nand.faults().sense(nand.slot_number({0, 0, 0, page, sub}), {0, 0, 0});
      most = std::max(most, ecc.corrected);
      lost = lost || ecc.data != EccResult::kGood || ecc.spare != EccResult::kGood;
    }
    EXPECT_EQ(passes(0), !lost);
    if (lost) continue;
    EXPECT_EQ(worst(0) > ORM_TIGER4_SIZE_WARNING, most >= NandEcc::kWeak) << page;
    warned += most >= NandEcc::kWeak;
    fine += most < NandEcc::kWeak;
  }
  EXPECT_GT(warned, 5);
  EXPECT_GT(fine, 0);
}

class Tiger4BadTest : public Tiger4Test {
 protected:
  static NandFaultOptions options() {
    NandFaultOptions o;
    o.factory_bad = 16'000;
    return o;
  }
  Tiger4BadTest() : Tiger4Test(options(), 6) {}
};

TEST_F(Tiger4BadTest, MarksAreInRawRows) {
  start(0);
  std::map<std::string, int> seen;
  for (uint32_t block = 0; block < 60; ++block) {
    const bool bad = nand.is_marked_bad({0, 0, block, 0});
    std::string where;
    for (const uint32_t row : {Tiger4Model::row_of(block, 0), Tiger4Model::mark_row_of(block)}) {
      EXPECT_LE(raw(0, row), 6u) << "an erased row, or nearly";
      where += raw_byte(0) != 0xFF ? "d" : "-";
      where += raw_byte(ORM_TIGER4_SIZE_MARK_OFFSET) != 0xFF ? "s" : "-";
    }
    EXPECT_EQ(where != "----", bad) << block;
    ++seen[where];
  }
  EXPECT_GT(seen.size(), 4u) << "several ways to mark a block";
}

TEST_F(Tiger4Test, APowerCutTearsThePageUnderProgram) {
  start(0);
  program(0, 0, 0, 1);
  fill(0, 2);
  command(ORM_TIGER4_COMMAND_PROGRAM, 0, Tiger4Model::row_of(0, 1));
  step(10);
  while ((model.read(ORM_TIGER4_REGISTER_READY, now) & 1) != 0) step(1000);
  model.power_cut(now);
  start(0);
  read(0, 0, 0);
  EXPECT_TRUE(holds(0, 1));
  read(0, 0, 1);
  EXPECT_FALSE(passes(0));
  EXPECT_GT(raw(0, Tiger4Model::row_of(0, 1)), 64u);
}

TEST_F(Tiger4Test, AResetBeforeTheLastWordLeavesTheFlashAsItWas) {
  start(0);
  command(ORM_TIGER4_COMMAND_PROGRAM, 0, 0);
  step(10'000);
  model.reset(now);
  EXPECT_EQ(nand.frontier({0, 0, 0, 0}), 0u);
  EXPECT_EQ(model.read(ORM_TIGER4_REGISTER_IDLE, now), 1u);
  start(0);
  EXPECT_EQ(program(0, 0, 0, 4), 0xE0u);
}

TEST_F(Tiger4Test, AResetLetsTheArrayGoOn) {
  start(0);
  fill(0, 3);
  command(ORM_TIGER4_COMMAND_PROGRAM, 0, 0);
  while ((model.read(ORM_TIGER4_REGISTER_READY, now) & 1) != 0) step(1000);
  model.reset(now);
  while ((model.read(ORM_TIGER4_REGISTER_READY, now) & 1) == 0) step(1000);
  start(0);
  read(0, 0, 0);
  EXPECT_TRUE(holds(0, 3));
}

TEST_F(Tiger4Test, RefusesWhatTheControllerDoesNotKnow) {
  EXPECT_NE(violation([&] { model.write(0x40, 0, now); }), "");
  EXPECT_NE(violation([&] { model.write(0x24, 0, now); }), "") << "read only";
  EXPECT_NE(violation([&] { model.write(0x06, 0, now); }), "");
  EXPECT_NE(violation([&] { model.write(ORM_TIGER4_REGISTER_WAY, 8, now); }), "");
  EXPECT_NE(violation([&] { model.write(ORM_TIGER4_REGISTER_ROW, 1 << 24, now); }), "");
  EXPECT_NE(violation([&] { model.read(0x3C, now); }), "");
  EXPECT_NE(violation([&] { model.write(ORM_TIGER4_REGISTER_COMMAND, 61, now); }), "");
  EXPECT_NE(violation([&] { model.write(ORM_TIGER4_REGISTER_COMMAND, ORM_TIGER4_COMMAND_RESET, now); }), "")
      << "no way was written";
  model.write(ORM_TIGER4_REGISTER_WAY, 3, now);
  EXPECT_EQ(model.read(ORM_TIGER4_REGISTER_WAY, now), 8u) << "one bit of eight";
}

TEST_F(Tiger4Test, RefusesBuffersThatMayCrossAPage) {
  start(0);
  trigger(0, 0);
  set(ORM_TIGER4_REGISTER_DATA, 64);
  EXPECT_NE(violation([&] { model.write(ORM_TIGER4_REGISTER_COMMAND, ORM_TIGER4_COMMAND_TRANSFER, now); }), "");
  set(ORM_TIGER4_REGISTER_DATA, 128);
  set(ORM_TIGER4_REGISTER_ECC, 4096 - 8);
  EXPECT_NE(violation([&] { model.write(ORM_TIGER4_REGISTER_COMMAND, ORM_TIGER4_COMMAND_TRANSFER, now); }), "");
}

TEST_F(Tiger4Test, RefusesWhatADieDoesNotAllow) {
  const auto refused = [&](uint32_t number, uint32_t row) {
    return violation([&] {
      command(number, 0, row);
      for (int i = 0; i < 20'000; ++i) step(10);
    });
  };
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_ERASE, 0), "") << "no reset";
  model.power_cut(now);
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_STATUS, 0), "") << "no reset";
  model.power_cut(now);
  command(ORM_TIGER4_COMMAND_RESET, 0);
  ready(0);
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_ERASE, 0), "") << "slow interface";
  model.power_cut(now);
  word(0, kUser) = 0;
  command(ORM_TIGER4_COMMAND_RESET, 0);
  ready(0);
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_SET_FEATURES, 0), "") << "wrong features";
  model.power_cut(now);
  start(0);
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_TRANSFER, 0), "") << "no trigger";
  model.power_cut(now);
  start(0);
  program(0, 0, 0, 1);
  trigger(0, 0);
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_TRANSFER, 1), "") << "another row";
  model.power_cut(now);
  start(0);
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_PROGRAM, 2), "") << "no row of SLC mode";
  model.power_cut(now);
  start(0);
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_PROGRAM, 0), "") << "programmed twice";
  model.power_cut(now);
  start(0);
  word(0, kSpare + 128) = 1;
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_PROGRAM, 1), "") << "spare bytes that nobody keeps";
  model.power_cut(now);
  start(0);
  command(ORM_TIGER4_COMMAND_ERASE, 0, 0);
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_TRIGGER, 0), "") << "busy";
  model.power_cut(now);
  start(0);
  EXPECT_NE(refused(ORM_TIGER4_COMMAND_ERASE, Tiger4Model::row_of(4999, 0) + 256), "") << "no such block";
}

TEST(Tiger4Options, FlashThatTheControllerCannotHaveIsRefused) {
  const auto refused = [](const NandGeometry &g) {
    return violation([&] {
      NandModel nand(g, NandTiming{}, "", 1);
      Tiger4Model model(&nand, 0, Tiger4Timing{}, 1);
    });
  };
  EXPECT_EQ(refused({1, 8, 8192, 128, 4096, 32, 4}), "");
  EXPECT_NE(refused({1, 8, 64, 128, 4096, 32, 1}), "");
  EXPECT_NE(refused({1, 16, 64, 128, 4096, 32, 4}), "");
  EXPECT_NE(refused({1, 8, 64, 256, 4096, 32, 4}), "");
  EXPECT_NE(refused({1, 1, 16384, 128, 4096, 32, 4}), "");
  EXPECT_NE(refused({1, 1, 64, 128, 4096, 64, 4}), "");
}

}  // namespace
}  // namespace orm
