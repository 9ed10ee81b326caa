// SPDX-License-Identifier: Apache-2.0
#include "shadow_dram.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "seeded_random.h"

namespace orm {
namespace {

constexpr size_t kBytes = 1024;

CacheOptions keep(uint32_t line = 32) { return {CacheOptions::Mode::kKeep, line}; }
CacheOptions evict(uint32_t line = 32) { return {CacheOptions::Mode::kEvict, line}; }

/// The controller writes a byte.
void put(DramModel &dram, size_t at, uint8_t byte) { ASSERT_TRUE(dram.write(at, &byte, nullptr, 1)); }

template <class Call>
std::string violation(Call &&call) {
  try {
    call();
  } catch (const CacheViolation &e) {
    return e.what();
  }
  return "";
}

TEST(ShadowDram, OptionsAreParsed) {
  EXPECT_EQ(parse_cache("").mode, CacheOptions::Mode::kNone);
  EXPECT_EQ(parse_cache("none").mode, CacheOptions::Mode::kNone);
  EXPECT_EQ(parse_cache("keep").mode, CacheOptions::Mode::kKeep);
  EXPECT_EQ(parse_cache("keep").line, 32u);
  EXPECT_EQ(parse_cache("evict,line=16").mode, CacheOptions::Mode::kEvict);
  EXPECT_EQ(parse_cache("evict,line=16").line, 16u);
  EXPECT_EQ(parse_cache("keep,line=4096").line, 4096u);
  for (const char *wrong : {"all", "keep,", "keep,line", "keep,line=", "keep,line=48", "keep,line=8", "keep,line=8192",
                            "keep,line=64x", "keep,lines=64", "none,line=64", ",line=64", "keep,line=99999999999"}) {
    EXPECT_THROW(parse_cache(wrong), OptionError) << wrong;
  }
}

TEST(ShadowDram, NothingMovesByItself) {
  DramModel dram(kBytes);
  ShadowDram shadow(dram, keep(), 1);
  EXPECT_EQ(std::memcmp(shadow.view(), dram.data(), kBytes), 0);
  shadow.view()[100] = 1;
  put(dram, 200, 2);
  for (int i = 0; i < 10'000; ++i) shadow.moment();
  EXPECT_EQ(dram.data()[100], DramModel::kPattern);
  EXPECT_EQ(shadow.view()[200], DramModel::kPattern);
  EXPECT_EQ(shadow.evictions(), 0u);
}

TEST(ShadowDram, StartsWithWhatDramHolds) {
  DramModel dram(kBytes);
  put(dram, 200, 2);
  ShadowDram shadow(dram, keep(), 1);
  EXPECT_EQ(shadow.view()[200], 2);
}

TEST(ShadowDram, CleanAndInvalidateMoveWholeLines) {
  DramModel dram(kBytes);
  ShadowDram shadow(dram, keep(), 1);
  shadow.view()[64] = 1;
  shadow.view()[95] = 2;
  shadow.view()[96] = 3;  // of the next line
  shadow.clean(70, 1);
  EXPECT_EQ(dram.data()[64], 1);
  EXPECT_EQ(dram.data()[95], 2);
  EXPECT_EQ(dram.data()[96], DramModel::kPattern);
  put(dram, 160, 4);
  put(dram, 191, 5);
  put(dram, 192, 6);
  shadow.invalidate(191, 1);
  EXPECT_EQ(shadow.view()[160], 4);
  EXPECT_EQ(shadow.view()[191], 5);
  EXPECT_EQ(shadow.view()[192], DramModel::kPattern);
  shadow.invalidate(190, 4);
  EXPECT_EQ(shadow.view()[192], 6);
}

TEST(ShadowDram, ACleanOfACleanLineWritesNothing) {
  DramModel dram(kBytes);
  ShadowDram shadow(dram, keep(), 1);
  put(dram, 40, 7);
  shadow.clean(0, kBytes);
  EXPECT_EQ(dram.data()[40], 7);
  EXPECT_EQ(shadow.view()[40], DramModel::kPattern) << "nor does it read";
  shadow.view()[100] = 1;
  shadow.clean(100, 1);
  put(dram, 100, 9);
  shadow.clean(100, 1);
  EXPECT_EQ(dram.data()[100], 9) << "the line was clean";
}

TEST(ShadowDram, AnInvalidateOfADirtyLineIsReported) {
  DramModel dram(kBytes);
  ShadowDram shadow(dram, keep(), 1);
  shadow.view()[65] = 1;
  EXPECT_NE(violation([&] { shadow.invalidate(80, 100); }).find("line at 0x40"), std::string::npos);
  shadow.clean(64, 1);
  EXPECT_EQ(violation([&] { shadow.invalidate(80, 100); }), "");
}

TEST(ShadowDram, ALineThatBothHaveWrittenIsReported) {
  DramModel dram(kBytes);
  ShadowDram shadow(dram, keep(), 1);
  shadow.view()[65] = 1;
  put(dram, 90, 2);
  EXPECT_NE(violation([&] { shadow.clean(64, 8); }).find("at 0x5a"), std::string::npos);
  DramModel other(kBytes);
  ShadowDram narrow(other, keep(16), 1);  // in a line of its own there is nothing wrong
  narrow.view()[65] = 1;
  put(other, 90, 2);
  EXPECT_EQ(violation([&] { narrow.clean(64, 8); }), "");
  // Both wrote the same byte: the order decides, as without a cache.
  narrow.view()[128] = 1;
  put(other, 128, 2);
  EXPECT_EQ(violation([&] { narrow.clean(128, 1); }), "");
  EXPECT_EQ(other.data()[128], 1);
}

TEST(ShadowDram, RangesOutsideAreReported) {
  DramModel dram(kBytes - 8);  // the last line is cut
  ShadowDram shadow(dram, keep(), 1);
  EXPECT_NE(violation([&] { shadow.clean(kBytes - 8, 1); }), "");
  EXPECT_NE(violation([&] { shadow.invalidate(8, kBytes); }), "");
  EXPECT_FALSE(shadow.fill(kBytes, 0, 1));
  shadow.view()[kBytes - 9] = 1;
  EXPECT_EQ(violation([&] { shadow.clean(0, kBytes - 8); }), "");
  EXPECT_EQ(dram.data()[kBytes - 9], 1);
}

TEST(ShadowDram, AFillIsAWriteOfTheCpu) {
  DramModel dram(kBytes);
  ShadowDram shadow(dram, keep(), 1);
  ASSERT_TRUE(shadow.fill(64, 0, 64));
  EXPECT_EQ(dram.data()[64], DramModel::kPattern);
  EXPECT_NE(violation([&] { shadow.invalidate(64, 1); }), "");
  shadow.clean(64, 64);
  EXPECT_EQ(dram.data()[127], 0);
}

TEST(ShadowDram, LinesLeaveAtMomentsOfTheSeed) {
  const auto run = [](uint64_t seed) {
    DramModel dram(kBytes);
    ShadowDram shadow(dram, evict(), seed);
    std::vector<uint64_t> when;
    for (uint64_t i = 0; i < 3000; ++i) {
      const size_t at = i % kBytes;
      const uint8_t byte = shadow.view()[at] = uint8_t(shadow.view()[at] + 1);
      shadow.moment();
      EXPECT_EQ(shadow.view()[at], byte) << "nothing that the CPU wrote is lost";
      when.push_back(shadow.evictions());
    }
    return when;
  };
  EXPECT_GT(run(1).back(), 100u);
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(ShadowDram, LinesAreReadAgainAtMoments) {
  DramModel dram(kBytes);
  ShadowDram shadow(dram, evict(), 1);
  for (size_t at = 0; at < kBytes; at += 32) put(dram, at, 1);
  for (int i = 0; i < 20'000; ++i) shadow.moment();
  EXPECT_EQ(std::memcmp(shadow.view(), dram.data(), kBytes), 0);
}

TEST(ShadowDram, AnEvictionFindsALineThatBothHaveWritten) {
  DramModel dram(kBytes);
  ShadowDram shadow(dram, evict(), 1);
  shadow.view()[65] = 1;
  put(dram, 90, 2);
  const std::string wrong = violation([&] {
    for (int i = 0; i < 20'000; ++i) shadow.moment();
  });
  EXPECT_NE(wrong.find("an eviction of the line at 0x40"), std::string::npos) << wrong;
}

// With both sides in lines of their own, cleaned and invalidated as platform.h says, both see all of it.
TEST(ShadowDram, ContractKept) {
  for (const CacheOptions &options : {keep(), evict(), keep(128), evict(16)}) {
    DramModel dram(kBytes);
    ShadowDram shadow(dram, options, 1);
    SeededRandom random(1);
    for (int i = 0; i < 2000; ++i) {
      const size_t at = random.below(kBytes / 2), len = 1 + random.below(100);
      const uint8_t byte = uint8_t(random.next());
      std::memset(shadow.view() + at, byte, len);
      shadow.moment();
      shadow.clean(at, len);
      for (size_t k = at; k < at + len; ++k) ASSERT_EQ(dram.data()[k], byte);
      const size_t from = kBytes / 2 + 128 + random.below(200);
      std::memset(dram.data() + from, byte, len);
      shadow.moment();
      shadow.invalidate(from, len);
      for (size_t k = from; k < from + len; ++k) ASSERT_EQ(shadow.view()[k], byte);
    }
  }
}

}  // namespace
}  // namespace orm
