// SPDX-License-Identifier: Apache-2.0
#include "nand_model.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <string>

#include "sim_error.h"
#include "temp_dir.h"

namespace orm {
namespace {

constexpr NandGeometry kGeometry{2, 2, 4, 8, 4096, 32};
constexpr size_t kPageBytes = 4096 + 32;

std::vector<uint8_t> page(uint32_t seed) {
  std::vector<uint8_t> data(kPageBytes);
  SeededRandom random(seed);
  for (uint8_t &b : data) b = uint8_t(random.next());
  return data;
}

/// A flash that a test drives one operation at a time.
class Flash {
 public:
  explicit Flash(const std::string &image = "", uint64_t seed = 1) : model(kGeometry, NandTiming(), image, seed) {}

  NandStatus wait(const NandAddress &at) {
    now = model.next_end_ns(at.channel);
    NandResult result{};
    EXPECT_TRUE(model.take_result(at.channel, now, &result));
    EXPECT_EQ(result.die, at.die);
    return result.status;
  }
  NandStatus program(const NandAddress &at, uint32_t seed) {
    start_program(at, seed);
    return wait(at);
  }
  void start_program(const NandAddress &at, uint32_t seed) {
    model.accept_program(at);
    model.start_program(at.channel, at.die, page(seed).data(), now);
  }
  NandStatus read(const NandAddress &at, std::vector<uint8_t> *data = nullptr) {
    model.start_read(at, now);
    return finish(at, data);
  }
  NandStatus probe(const NandAddress &at, std::vector<uint8_t> *data = nullptr) {
    model.start_probe(at, now);
    return finish(at, data);
  }
  NandStatus erase(const NandAddress &at) {
    model.start_erase(at, now);
    return wait(at);
  }

  NandModel model;
  uint64_t now = 0;

 private:
  NandStatus finish(const NandAddress &at, std::vector<uint8_t> *data) {
    const NandStatus status = wait(at);
    if (status == NandStatus::kOk) {
      const NandModel::Transfer t = model.transfer(at.channel, at.die);
      if (data != nullptr) data->assign(t.bytes, t.bytes + t.len);
    } else if (data != nullptr) {
      data->clear();
    }
    return status;
  }
};

std::string violation(const std::function<void()> &action) {
  try {
    action();
  } catch (const NandViolation &e) {
    return e.what();
  }
  return "no violation";
}
#define EXPECT_VIOLATION(action, text) \
  EXPECT_NE(violation([&] { action; }).find(text), std::string::npos) << violation([&] { action; })

TEST(NandModel, ZeroesOverOldDataAreZeroes) {
  Flash flash;
  const NandAddress at{0, 1, 2, 0};
  EXPECT_EQ(flash.program(at, 5), NandStatus::kOk);
  EXPECT_EQ(flash.erase(at), NandStatus::kOk);
  const std::vector<uint8_t> zeroes(kPageBytes);
  flash.model.accept_program(at);
  flash.model.start_program(at.channel, at.die, zeroes.data(), flash.now);
  EXPECT_EQ(flash.wait(at), NandStatus::kOk);
  std::vector<uint8_t> data;
  EXPECT_EQ(flash.read(at, &data), NandStatus::kOk);
  EXPECT_EQ(data, zeroes);
}

TEST(NandModel, StoresDataAndSpareOfEachPage) {
  Flash f;
  uint32_t seed = 0;
  for (uint32_t c = 0; c < 2; ++c)
    for (uint32_t d = 0; d < 2; ++d)
      for (uint32_t b = 0; b < 4; ++b)
        for (uint32_t p = 0; p < 8; ++p) ASSERT_EQ(f.program({c, d, b, p}, ++seed), NandStatus::kOk);
  seed = 0;
  std::vector<uint8_t> data;
  for (uint32_t c = 0; c < 2; ++c)
    for (uint32_t d = 0; d < 2; ++d)
      for (uint32_t b = 0; b < 4; ++b)
        for (uint32_t p = 0; p < 8; ++p) {
          ASSERT_EQ(f.read({c, d, b, p}, &data), NandStatus::kOk);
          ASSERT_EQ(data, page(++seed));
        }
  EXPECT_EQ(f.model.counters().programs, 128u);
  EXPECT_EQ(f.model.counters().reads, 128u);
  EXPECT_EQ(f.model.counters().transfers, 128u);
  EXPECT_EQ(f.model.counters().erases, 0u);
}

TEST(NandModel, TakesTheTimeOfEachOperation) {
  Flash f;
  f.start_program({0, 0, 0, 0}, 1);
  EXPECT_EQ(f.model.next_end_ns(), 200'000u);
  NandResult result{};
  EXPECT_FALSE(f.model.take_result(0, 199'999, &result));
  EXPECT_FALSE(f.model.take_result(1, 1'000'000, &result)) << "the other channel";
  EXPECT_TRUE(f.model.take_result(0, 200'000, &result));
  f.now = 300'000;
  f.model.start_read({0, 0, 0, 0}, f.now);
  EXPECT_EQ(f.model.next_end_ns(), 340'000u);
  f.model.start_erase({1, 1, 0, 0}, f.now);
  EXPECT_EQ(f.model.next_end_ns(), 340'000u);
  EXPECT_EQ(f.model.next_end_ns(1), 2'300'000u);
  EXPECT_TRUE(f.model.take_result(0, 340'000, &result));
  EXPECT_EQ(f.model.next_end_ns(), 2'300'000u);
}

TEST(NandModel, DiesWorkSideBySideAndAnswerInOrderOfTheirEnds) {
  Flash f;
  f.model.start_erase({0, 0, 0, 0}, 0);
  f.start_program({0, 1, 0, 0}, 1);
  NandResult result{};
  ASSERT_TRUE(f.model.take_result(0, 5'000'000, &result));
  EXPECT_EQ(result.die, 1u);
  ASSERT_TRUE(f.model.take_result(0, 5'000'000, &result));
  EXPECT_EQ(result.die, 0u);
  EXPECT_FALSE(f.model.take_result(0, 5'000'000, &result));
}

TEST(NandModel, AProbeTellsErasedPagesAndDeliversTheSpareOfOthers) {
  Flash f;
  EXPECT_EQ(f.probe({0, 0, 0, 0}), NandStatus::kErased);
  f.program({0, 0, 0, 0}, 5);
  std::vector<uint8_t> spare;
  EXPECT_EQ(f.probe({0, 0, 0, 0}, &spare), NandStatus::kOk);
  const std::vector<uint8_t> all = page(5);
  EXPECT_EQ(spare, std::vector<uint8_t>(all.begin() + 4096, all.end()));
  EXPECT_EQ(f.model.counters().probes, 2u);
}

TEST(NandModel, EraseMakesABlockProgrammableAgainAndCounts) {
  Flash f;
  const NandAddress first{1, 0, 2, 0};
  f.program(first, 1);
  f.program({1, 0, 2, 1}, 2);
  f.program({1, 0, 3, 0}, 3);
  EXPECT_EQ(f.model.frontier(first), 2u);
  EXPECT_EQ(f.erase({1, 0, 2, 7}), NandStatus::kOk) << "the page is ignored";
  EXPECT_EQ(f.model.frontier(first), 0u);
  EXPECT_EQ(f.model.erase_count(first), 1u);
  EXPECT_EQ(f.probe(first), NandStatus::kErased);
  std::vector<uint8_t> data;
  EXPECT_EQ(f.read({1, 0, 3, 0}, &data), NandStatus::kOk) << "the next block is untouched";
  EXPECT_EQ(data, page(3));
  EXPECT_EQ(f.program(first, 4), NandStatus::kOk);
}

TEST(NandModel, ProgramOutOfOrderIsAViolation) {
  Flash f;
  EXPECT_VIOLATION(f.model.accept_program({0, 0, 0, 1}),
                   "program out of order, channel 0 die 0 block 0 page 1; the next page is 0");
  f.program({0, 0, 0, 0}, 1);
  EXPECT_VIOLATION(f.model.accept_program({0, 0, 0, 2}), "out of order");
}

TEST(NandModel, ProgramWithoutEraseIsAViolation) {
  Flash f;
  f.program({0, 0, 0, 0}, 1);
  EXPECT_VIOLATION(f.model.accept_program({0, 0, 0, 0}), "program without erase");
  std::vector<uint8_t> data;
  f.read({0, 0, 0, 0}, &data);
  EXPECT_EQ(data, page(1)) << "nothing changed";
}

TEST(NandModel, ReadOfAnUnprogrammedPageIsAViolation) {
  Flash f;
  EXPECT_VIOLATION(f.model.start_read({0, 0, 0, 0}, 0), "read of an unprogrammed page");
  f.program({0, 0, 0, 0}, 1);
  f.erase({0, 0, 0, 0});
  EXPECT_VIOLATION(f.model.start_read({0, 0, 0, 0}, f.now), "read of an unprogrammed page");
}

TEST(NandModel, TransferWithoutReadIsAViolation) {
  Flash f;
  EXPECT_VIOLATION(f.model.transfer(0, 0), "transfer without a read");
  f.program({0, 0, 0, 0}, 1);
  EXPECT_VIOLATION(f.model.transfer(0, 0), "transfer without a read");
  f.read({0, 0, 0, 0});
  f.model.transfer(0, 0);  // twice is fine
  f.probe({0, 0, 0, 1});
  EXPECT_VIOLATION(f.model.transfer(0, 0), "transfer without a read") << "there is nothing in an erased page";
  f.read({0, 0, 0, 0});
  f.erase({0, 0, 1, 0});
  EXPECT_VIOLATION(f.model.transfer(0, 0), "transfer without a read");
}

TEST(NandModel, AnOperationOnABusyDieIsAViolation) {
  Flash f;
  f.model.accept_program({0, 0, 0, 0});
  EXPECT_VIOLATION(f.model.start_probe({0, 0, 1, 0}, 0), "probe on a busy die");
  f.model.start_program(0, 0, page(1).data(), 0);
  EXPECT_VIOLATION(f.model.start_erase({0, 0, 1, 0}, 0), "erase on a busy die");
  EXPECT_VIOLATION(f.model.transfer(0, 0), "transfer on a busy die");
  EXPECT_VIOLATION(f.model.start_erase({0, 0, 1, 0}, 500'000), "erase on a busy die")
      << "its result has not been taken";
  NandResult result{};
  EXPECT_TRUE(f.model.take_result(0, 500'000, &result));
  f.model.start_erase({0, 0, 1, 0}, 500'000);
}

TEST(NandModel, AnAddressOutsideIsAViolation) {
  Flash f;
  EXPECT_VIOLATION(f.model.start_probe({2, 0, 0, 0}, 0), "outside the flash");
  EXPECT_VIOLATION(f.model.start_probe({0, 2, 0, 0}, 0), "outside the flash");
  EXPECT_VIOLATION(f.model.start_probe({0, 0, 4, 0}, 0), "outside the flash");
  EXPECT_VIOLATION(f.model.start_probe({0, 0, 0, 8}, 0), "outside the flash");
  EXPECT_VIOLATION(f.model.start_erase({0, 0, 4, 0}, 0), "outside the flash");
}

TEST(NandModel, PowerCutTearsAProgram) {
  Flash f;
  const NandAddress done{0, 0, 0, 0}, torn{0, 0, 0, 1};
  f.program(done, 1);
  f.start_program(torn, 2);
  f.model.power_cut(f.now + 100'000);
  EXPECT_EQ(f.model.next_end_ns(), NandModel::kNever);
  std::vector<uint8_t> data;
  EXPECT_EQ(f.read(done, &data), NandStatus::kOk);
  EXPECT_EQ(data, page(1));
  EXPECT_EQ(f.read(torn, &data), NandStatus::kUncorrectable);
  EXPECT_VIOLATION(f.model.transfer(0, 0), "transfer without a read");
  EXPECT_EQ(f.probe(torn), NandStatus::kUncorrectable);
  EXPECT_VIOLATION(f.model.accept_program(torn), "program without erase");
  EXPECT_EQ(f.program({0, 0, 0, 2}, 3), NandStatus::kOk) << "the block goes on behind it";
}

TEST(NandModel, PowerCutAtTheVeryEndOfAProgramKeepsIt) {
  Flash f;
  f.start_program({0, 0, 0, 0}, 1);
  f.model.power_cut(200'000);
  EXPECT_EQ(f.read({0, 0, 0, 0}), NandStatus::kOk);
}

// Nothing of an operation, half of it, or all: at its start, at its end, and after it.
TEST(NandModel, PowerGoesInsteadOfAStartOrAnEnd) {
  const NandAddress at{0, 0, 0, 0};
  for (const uint64_t cut : {1u, 2u, 3u}) {
    for (const bool erase : {false, true}) {
      SCOPED_TRACE(std::to_string(cut) + (erase ? " of an erase" : " of a program"));
      Flash f;
      if (erase) f.program(at, 1);
      MediaEvents events;
      f.model.report_to(&events);
      events.cut_before(cut);
      int done = 0;
      try {
        if (!erase) f.start_program(at, 1);
        if (erase) f.model.start_erase(at, f.now);
        ++done;
        f.wait(at);
        ++done;
      } catch (const PowerGone &) {
      }
      EXPECT_EQ(done, int(cut) - 1);
      EXPECT_EQ(f.model.page_state(at) == NandModel::PageState::kTorn, !erase && cut == 2);
      f.now += 10'000'000;  // the device may be long in noticing
      f.model.power_cut(f.now);
      const NandStatus status = f.probe(at);
      if (!erase) {
        if (cut == 2) {
          EXPECT_TRUE(status == NandStatus::kUncorrectable || status == NandStatus::kFailed) << "the spare may be good";
        } else {
          EXPECT_EQ(status, cut == 1 ? NandStatus::kErased : NandStatus::kOk);
        }
      } else if (cut != 2) {
        EXPECT_EQ(status, cut == 1 ? NandStatus::kOk : NandStatus::kErased);
      } else {
        EXPECT_VIOLATION(f.model.accept_program(at), "program without erase");
      }
      if (cut == 3) {
        EXPECT_EQ(events.count(), 2u);
      }
    }
  }
}

TEST(NandModel, PowerCutBeforeTheDataCameChangesNothing) {
  Flash f;
  f.model.accept_program({0, 0, 0, 0});
  f.model.power_cut(1000);
  EXPECT_EQ(f.probe({0, 0, 0, 0}), NandStatus::kErased);
  EXPECT_EQ(f.program({0, 0, 0, 0}, 1), NandStatus::kOk);
}

TEST(NandModel, PowerCutLeavesABlockHalfErased) {
  unsigned seen[3] = {};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Flash f("", seed);
    for (uint32_t p = 0; p < 8; ++p) f.program({0, 0, 1, p}, p);
    f.model.start_erase({0, 0, 1, 0}, f.now);
    f.model.power_cut(f.now + 1'000'000);
    EXPECT_VIOLATION(f.model.accept_program({0, 0, 1, 0}), "program without erase");
    for (uint32_t p = 0; p < 8; ++p) {
      std::vector<uint8_t> data;
      const NandStatus status = f.probe({0, 0, 1, p}, &data);
      if (status == NandStatus::kOk) {
        const std::vector<uint8_t> all = page(p);
        EXPECT_EQ(data, std::vector<uint8_t>(all.begin() + 4096, all.end()));
        ++seen[0];
      } else {
        ++seen[status == NandStatus::kErased ? 1 : 2];
      }
    }
    EXPECT_EQ(f.erase({0, 0, 1, 0}), NandStatus::kOk);
    EXPECT_EQ(f.program({0, 0, 1, 0}, 9), NandStatus::kOk);
  }
  for (const unsigned n : seen) EXPECT_GT(n, 20u) << "intact, erased and torn pages all occur";
}

TEST(NandModel, ImageKeepsPagesFrontiersAndWear) {
  TempDir dir;
  {
    Flash f(dir.path + "/flash.img");
    f.erase({1, 1, 3, 0});
    f.program({1, 1, 3, 0}, 7);
  }
  Flash f(dir.path + "/flash.img");
  std::vector<uint8_t> data;
  EXPECT_EQ(f.read({1, 1, 3, 0}, &data), NandStatus::kOk);
  EXPECT_EQ(data, page(7));
  EXPECT_EQ(f.model.frontier({1, 1, 3, 0}), 1u);
  EXPECT_EQ(f.model.erase_count({1, 1, 3, 0}), 1u);
  EXPECT_VIOLATION(f.model.accept_program({1, 1, 3, 0}), "program without erase");
}

TEST(NandModel, AKilledProcessIsAPowerCut) {
  TempDir dir;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Flash f(dir.path + "/flash.img");
    for (uint32_t p = 0; p < 8; ++p) f.program({1, 0, 0, p}, p);
    f.program({0, 0, 0, 0}, 1);
    f.start_program({0, 0, 0, 1}, 2);
    f.model.start_erase({1, 0, 0, 0}, f.now);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  Flash f(dir.path + "/flash.img");
  EXPECT_EQ(f.read({0, 0, 0, 0}), NandStatus::kOk);
  EXPECT_EQ(f.probe({0, 0, 0, 1}), NandStatus::kUncorrectable);
  EXPECT_VIOLATION(f.model.accept_program({1, 0, 0, 0}), "program without erase");
}

constexpr NandGeometry kWide{2, 2, 4, 8, 4096, 32, 4};

/// Slot after slot, as the bus has it.
std::vector<uint8_t> wide_page(uint32_t seed) {
  std::vector<uint8_t> all;
  for (uint32_t sub = 0; sub < 4; ++sub) {
    const std::vector<uint8_t> slot = page(seed + sub);
    all.insert(all.end(), slot.begin(), slot.end());
  }
  return all;
}

class WideFlash {
 public:
  explicit WideFlash(const std::string &image = "") : model(kWide, NandTiming(), image, 1) {}
  NandStatus wait(const NandAddress &at) {
    now = model.next_end_ns(at.channel);
    NandResult result{};
    EXPECT_TRUE(model.take_result(at.channel, now, &result));
    return result.status;
  }
  void start_program(const NandAddress &at, uint32_t seed) {
    model.accept_program(at);
    model.start_program(at.channel, at.die, wide_page(seed).data(), now);
  }
  std::vector<uint8_t> transfer(const NandAddress &at, uint32_t sub) {
    const NandModel::Transfer t = model.transfer(at.channel, at.die, sub);
    return {t.bytes, t.bytes + t.len};
  }

  NandModel model;
  uint64_t now = 0;
};

TEST(NandModel, ReadsSeveralSlotsOfAPageThatWasSensedOnce) {
  WideFlash f;
  for (uint32_t p = 0; p < 2; ++p) {
    f.start_program({1, 0, 2, p}, 10 + 4 * p);
    ASSERT_EQ(f.wait({1, 0, 2, p}), NandStatus::kOk);
  }
  for (uint32_t p = 0; p < 2; ++p) {
    const NandAddress at{1, 0, 2, p};
    f.model.start_read(at, f.now);
    ASSERT_EQ(f.wait(at), NandStatus::kOk);
    for (uint32_t sub : {3u, 0u, 1u, 2u, 2u}) EXPECT_EQ(f.transfer(at, sub), page(10 + 4 * p + sub)) << sub;
    std::vector<uint8_t> out(kPageBytes);
    f.model.transfer_to(1, 0, 1, out.data());
    EXPECT_EQ(out, page(10 + 4 * p + 1));
    EXPECT_VIOLATION(f.model.transfer(1, 0, 4), "transfer of slot 4");
    f.model.start_probe(at, f.now);
    EXPECT_VIOLATION(f.model.transfer(1, 0, 0), "busy die");
    ASSERT_EQ(f.wait(at), NandStatus::kOk);
    const std::vector<uint8_t> whole = page(10 + 4 * p + 3);
    EXPECT_EQ(f.transfer(at, 3), std::vector<uint8_t>(whole.begin() + 4096, whole.end()));
    EXPECT_VIOLATION(f.model.transfer_to(1, 0, 3, out.data()), "after a probe");
  }
  EXPECT_EQ(f.model.counters().programs, 2u) << "of pages";
  EXPECT_EQ(f.model.counters().reads, 2u);
  EXPECT_EQ(f.model.counters().probes, 2u);
}

TEST(NandModel, ProgramsTheSlotsOfAPageFromWhereTheyLie) {
  WideFlash f;
  std::vector<uint8_t> slots[4] = {page(7), page(5), page(6), page(5)};
  NandModel::SlotBytes bytes[4];
  for (int sub = 0; sub < 4; ++sub) bytes[sub] = {slots[sub].data(), slots[3 - sub].data() + 4096};
  f.model.accept_program({0, 1, 0, 0});
  f.model.start_program(0, 1, bytes, f.now);
  ASSERT_EQ(f.wait({0, 1, 0, 0}), NandStatus::kOk);
  f.model.start_read({0, 1, 0, 0}, f.now);
  ASSERT_EQ(f.wait({0, 1, 0, 0}), NandStatus::kOk);
  for (uint32_t sub = 0; sub < 4; ++sub) {
    std::vector<uint8_t> expected = slots[sub];
    std::copy(slots[3 - sub].begin() + 4096, slots[3 - sub].end(), expected.begin() + 4096);
    EXPECT_EQ(f.transfer({0, 1, 0, 0}, sub), expected) << sub;
  }
}

TEST(NandModel, ATornPageIsTornInAllItsSlots) {
  WideFlash f;
  f.start_program({0, 0, 0, 0}, 1);
  ASSERT_EQ(f.wait({0, 0, 0, 0}), NandStatus::kOk);
  f.start_program({0, 0, 0, 1}, 5);
  f.model.power_cut(f.now + 1);
  f.model.start_probe({0, 0, 0, 1}, f.now);
  EXPECT_EQ(f.wait({0, 0, 0, 1}), NandStatus::kUncorrectable);
  EXPECT_VIOLATION(f.model.transfer(0, 0, 0), "transfer without a read");
  f.model.start_probe({0, 0, 0, 2}, f.now);
  EXPECT_EQ(f.wait({0, 0, 0, 2}), NandStatus::kErased);
  EXPECT_VIOLATION(f.model.accept_program({0, 0, 0, 1}), "program without erase");
}

TEST(NandModel, SlotsOfPagesStayInTheImage) {
  TempDir dir;
  {
    WideFlash f(dir.path + "/flash.img");
    for (uint32_t p = 0; p < 8; ++p) {
      f.start_program({1, 1, 3, p}, 4 * p);
      ASSERT_EQ(f.wait({1, 1, 3, p}), NandStatus::kOk);
    }
    f.start_program({1, 1, 2, 0}, 99);
    ASSERT_EQ(f.wait({1, 1, 2, 0}), NandStatus::kOk);
    f.model.start_erase({1, 1, 2, 0}, f.now);
    ASSERT_EQ(f.wait({1, 1, 2, 0}), NandStatus::kOk);
  }
  WideFlash f(dir.path + "/flash.img");
  for (uint32_t p = 0; p < 8; ++p) {
    const NandAddress at{1, 1, 3, p};
    f.model.start_read(at, f.now);
    ASSERT_EQ(f.wait(at), NandStatus::kOk);
    for (uint32_t sub = 0; sub < 4; ++sub)
      ASSERT_EQ(f.transfer(at, sub), page(4 * p + sub)) << "the erase kept to its block";
  }
  f.model.start_probe({1, 1, 2, 0}, f.now);
  EXPECT_EQ(f.wait({1, 1, 2, 0}), NandStatus::kErased);
}

TEST(NandModel, AnotherNumberOfSlotsIsRefused) {
  TempDir dir;
  { Flash f(dir.path + "/flash.img"); }
  try {
    WideFlash f(dir.path + "/flash.img");
    FAIL() << "opened";
  } catch (const ImageError &e) {
    EXPECT_NE(std::string(e.what()).find("made for 4096 bytes per page, this device has 16384"), std::string::npos)
        << e.what();
  }
}

TEST(NandModel, AnotherGeometryIsRefused) {
  TempDir dir;
  { Flash f(dir.path + "/flash.img"); }
  NandGeometry other = kGeometry;
  other.blocks_per_die = 8;
  try {
    NandModel model(other, NandTiming(), dir.path + "/flash.img", 1);
    FAIL() << "opened";
  } catch (const ImageError &e) {
    EXPECT_NE(std::string(e.what()).find("made for 4 blocks per die, this device has 8"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace orm
