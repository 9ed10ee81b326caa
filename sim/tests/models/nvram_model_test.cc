// SPDX-License-Identifier: Apache-2.0
#include "nvram_model.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sim_error.h"
#include "temp_dir.h"

namespace orm {
namespace {

std::vector<uint8_t> bytes(size_t n, uint8_t first) {
  std::vector<uint8_t> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = uint8_t(first + i);
  return v;
}

TEST(NvramModel, StartsZeroAndReadsBack) {
  NvramModel m(1024, "", 1);
  uint8_t out[16] = {1};
  ASSERT_TRUE(m.read(0, out, sizeof out));
  for (const uint8_t b : out) EXPECT_EQ(b, 0);
  const auto data = bytes(16, 3);
  ASSERT_TRUE(m.begin_write(32, data.data(), nullptr, 16));
  ASSERT_TRUE(m.read(32, out, sizeof out)) << "a write is seen at once";
  EXPECT_EQ(std::memcmp(out, data.data(), 16), 0);
}

TEST(NvramModel, StrobesSelectBytes) {
  NvramModel m(64, "", 1);
  const auto data = bytes(16, 1);
  const uint8_t strobe[16] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  ASSERT_TRUE(m.begin_write(16, data.data(), strobe, 16));
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(m.data()[i], i == 17 ? 2 : i == 31 ? 16 : 0) << i;
}

TEST(NvramModel, PortsAreAnsweredInTheirOwnOrder) {
  const auto data = bytes(8, 1);
  bool kept = false, lost = false;
  for (uint64_t seed = 0; seed < 32; ++seed) {
    NvramModel m(1024, "", seed);
    ASSERT_TRUE(m.begin_write(0, data.data(), nullptr, 8, 0));
    ASSERT_TRUE(m.begin_write(64, data.data(), nullptr, 8, 1));
    ASSERT_TRUE(m.begin_write(128, data.data(), nullptr, 8, 1));
    EXPECT_EQ(m.unanswered(), 3u);
    m.answer(1);  // the older write of port 1; that of port 0, which is older still, waits
    EXPECT_EQ(m.unanswered(), 2u);
    m.power_cut();
    EXPECT_EQ(std::memcmp(m.data() + 64, data.data(), 8), 0) << "it was answered";
    for (const size_t at : {0, 128}) {
      const bool there = std::memcmp(m.data() + at, data.data(), 8) == 0;
      EXPECT_TRUE(there || m.data()[at] == 0);
      (there ? kept : lost) = true;
    }
    EXPECT_EQ(m.unanswered(), 0u);
  }
  EXPECT_TRUE(kept && lost) << "chance decides about what was not answered";
}

TEST(NvramModel, PortsDoNotWriteOneUnitAtATime) {
  const auto data = bytes(32, 1);
  NvramModel m(1024, "", 1);
  ASSERT_TRUE(m.begin_write(64, data.data(), nullptr, 32, 0));
  ASSERT_TRUE(m.begin_write(80, data.data(), nullptr, 8, 0)) << "a port's own writes have an order";
  for (const uint64_t addr : {64u, 88u}) {
    EXPECT_THROW((void)m.begin_write(addr, data.data(), nullptr, 8, 1), PortViolation) << addr;
  }
  for (const uint64_t addr : {56u, 96u}) EXPECT_TRUE(m.begin_write(addr, data.data(), nullptr, 8, 1)) << addr;
  // Other bytes of the unit are no excuse: the unit is what survives or not.
  const uint8_t last[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  const auto other = bytes(16, 7);
  EXPECT_THROW((void)m.begin_write(48, other.data(), last, 16, 0), PortViolation) << "port 1 writes the unit at 56";
  // A burst that leaves the unit out does not touch it.
  const uint8_t none[16] = {1};
  EXPECT_TRUE(m.begin_write(48, other.data(), none, 16, 0));
  m.answer(0);
  m.answer(0);
  EXPECT_TRUE(m.begin_write(64, other.data(), nullptr, 8, 1)) << "the other port's writes there were answered";
}

TEST(NvramModel, CountsWhatIsWrittenToItsParts) {
  NvramModel m(1024, "", 1);
  const auto data = bytes(16, 1);
  ASSERT_TRUE(m.write_durable(0, data.data(), 16));
  ASSERT_EQ(m.parts().size(), 1u);
  EXPECT_EQ(m.parts()[0].written, 16u);
  m.count_parts({{"first", 0}, {"second", 64}, {"third", 512}});
  const uint8_t strobe[16] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  ASSERT_TRUE(m.begin_write(48, data.data(), strobe, 16));
  ASSERT_TRUE(m.begin_write(64, data.data(), nullptr, 16));
  ASSERT_TRUE(m.write_durable(1016, data.data(), 8));
  EXPECT_FALSE(m.write_durable(1020, data.data(), 8)) << "outside";
  EXPECT_EQ(m.parts()[0].written, 2u);
  EXPECT_EQ(m.parts()[1].written, 16u);
  EXPECT_EQ(m.parts()[2].written, 8u);
}

TEST(NvramModel, RefusesRangesOutside) {
  NvramModel m(64, "", 1);
  uint8_t buf[16] = {};
  EXPECT_FALSE(m.read(56, buf, 16));
  EXPECT_FALSE(m.read(UINT64_MAX, buf, 16));
  EXPECT_FALSE(m.begin_write(64, buf, nullptr, 8));
  EXPECT_FALSE(m.write_durable(60, buf, 8));
  EXPECT_EQ(m.unanswered(), 0u);
}

TEST(NvramModel, AnsweredWritesSurvive) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    NvramModel m(64, "", seed);
    const auto first = bytes(32, 1), second = bytes(32, 100);
    m.begin_write(0, first.data(), nullptr, 32);
    m.begin_write(32, second.data(), nullptr, 32);
    m.answer();
    m.answer();
    m.power_cut();
    EXPECT_EQ(std::memcmp(m.data(), first.data(), 32), 0) << "seed " << seed;
    EXPECT_EQ(std::memcmp(m.data() + 32, second.data(), 32), 0) << "seed " << seed;
  }
}

TEST(NvramModel, UnansweredWritesTearBetweenUnitsOnly) {
  unsigned kept = 0, lost = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    NvramModel m(64, "", seed);
    const auto old = bytes(64, 1), young = bytes(64, 101);
    m.write_durable(0, old.data(), 64);
    m.begin_write(0, young.data(), nullptr, 64);
    m.power_cut();
    for (size_t u = 0; u < 64; u += 8) {
      const bool is_old = std::memcmp(m.data() + u, old.data() + u, 8) == 0;
      const bool is_young = std::memcmp(m.data() + u, young.data() + u, 8) == 0;
      ASSERT_TRUE(is_old || is_young) << "seed " << seed;
      ++(is_old ? lost : kept);
    }
  }
  EXPECT_NEAR(kept, 400, 80);
  EXPECT_NEAR(lost, 400, 80);
}

TEST(NvramModel, ThreeWritesToOneUnitEndAsOneOfThem) {
  unsigned seen[4] = {};
  for (uint64_t seed = 0; seed < 400; ++seed) {
    NvramModel m(8, "", seed);
    for (uint8_t v = 1; v <= 3; ++v) {
      const std::vector<uint8_t> data(8, v);
      m.begin_write(0, data.data(), nullptr, 8);
    }
    m.answer();  // the first is durable: the unit cannot go back to zero
    m.power_cut();
    ASSERT_LE(m.data()[0], 3);
    ++seen[m.data()[0]];
    for (size_t i = 1; i < 8; ++i) ASSERT_EQ(m.data()[i], m.data()[0]);
  }
  EXPECT_EQ(seen[0], 0u);
  for (int v = 1; v <= 3; ++v) EXPECT_GT(seen[v], 50u) << v;
}

TEST(NvramModel, ADurableWriteIsNotUndoneByAnOlderOneThatIsTorn) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    NvramModel m(16, "", seed);
    const auto torn = bytes(16, 1), durable = bytes(8, 200);
    m.begin_write(0, torn.data(), nullptr, 16);
    m.write_durable(8, durable.data(), 8);
    m.power_cut();
    EXPECT_EQ(std::memcmp(m.data() + 8, durable.data(), 8), 0) << "seed " << seed;
  }
}

TEST(NvramModel, SameSeedSameOutcome) {
  const auto run = [](uint64_t seed) {
    NvramModel m(256, "", seed);
    const auto data = bytes(256, 7);
    m.begin_write(0, data.data(), nullptr, 256);
    m.power_cut();
    return std::vector<uint8_t>(m.data(), m.data() + 256);
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

TEST(NvramModel, BlankIsAllOneByteAndNoEvent) {
  MediaEvents events;
  NvramModel m(64, "", 1);
  m.report_to(&events);
  const auto data = bytes(8, 3);
  ASSERT_TRUE(m.write_durable(0, data.data(), 8));
  const uint64_t before = events.count();
  for (const uint8_t byte : {uint8_t(0xFF), uint8_t(0)}) {
    m.blank(byte);
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(m.data()[i], byte) << i;
  }
  EXPECT_EQ(events.count(), before);
}

TEST(NvramModel, ImageKeepsIt) {
  TempDir dir;
  const auto data = bytes(8, 50);
  {
    NvramModel m(4096, dir.path + "/nvram.img", 1);
    m.write_durable(80, data.data(), 8);
  }
  NvramModel m(4096, dir.path + "/nvram.img", 1);
  EXPECT_EQ(std::memcmp(m.data() + 80, data.data(), 8), 0);
}

// Units in front of the one at which power goes are written; of the others each may be or not.
TEST(NvramModel, PowerGoesInTheMiddleOfADurableWrite) {
  bool kept = false, lost = false;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    NvramModel m(64, "", seed);
    MediaEvents events;
    m.report_to(&events);
    events.cut_before(3);
    const auto data = bytes(32, 1);
    EXPECT_THROW((void)m.write_durable(0, data.data(), 32), PowerGone);
    m.power_cut();
    EXPECT_EQ(std::memcmp(m.data(), data.data(), 16), 0) << "seed " << seed;
    for (size_t unit = 16; unit < 32; unit += 8) {
      const bool there = std::memcmp(m.data() + unit, data.data() + unit, 8) == 0;
      const uint8_t zeros[8] = {};
      EXPECT_TRUE(there || std::memcmp(m.data() + unit, zeros, 8) == 0) << "seed " << seed;
      (there ? kept : lost) = true;
    }
  }
  EXPECT_TRUE(kept && lost);
}

TEST(NvramModel, PowerGoesInsteadOfAWriteOrOfItsAnswer) {
  for (uint64_t cut : {1u, 2u, 3u}) {
    NvramModel m(64, "", 7);
    MediaEvents events;
    m.report_to(&events);
    events.cut_before(cut);
    const auto data = bytes(8, 1);
    int done = 0;
    try {
      m.begin_write(0, data.data(), nullptr, 8);
      ++done;
      m.answer();
      ++done;
    } catch (const PowerGone &) {
    }
    EXPECT_EQ(done, int(cut) - 1);
    EXPECT_EQ(m.unanswered(), cut == 2 ? 1u : 0u);
    EXPECT_EQ(events.left(), cut == 3 ? 1u : 0u);
  }
}

}  // namespace
}  // namespace orm
