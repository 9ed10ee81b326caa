// SPDX-License-Identifier: Apache-2.0
#include "pagefs/device/coarse_page_device.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "pagefs/tests/device/fake_page_device.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Status;

std::string Page(uint64_t stamp) {
  std::string page(kPageBytes, '\0');
  if (stamp == 0) return page;
  for (size_t i = 0; i < page.size(); i++) page[i] = static_cast<char>((stamp * 31 + i) * 2654435761u >> 7);
  return page;
}
std::string Pages(uint64_t count, uint64_t stamp) {
  std::string pages;
  for (uint64_t i = 0; i < count; i++) pages += Page(stamp);
  return pages;
}

class CoarsePageDeviceTest : public ::testing::Test {
 protected:
  std::string Read(uint64_t lpn) {
    std::string page(kPageBytes, '\0');
    EXPECT_TRUE(device_.Read(lpn, 1, &page[0]).ok());
    return page;
  }
  void Write(uint64_t lpn, uint64_t pages, uint64_t stamp) {
    const std::string data = Pages(pages, stamp);
    ASSERT_TRUE(device_.Write({{lpn, pages, data.data()}}, false).ok());
  }

  FakePageDevice below_{100};
  CoarsePageDevice device_{&below_, 8};
};

TEST_F(CoarsePageDeviceTest, OffersWholeUnits) {
  EXPECT_EQ(device_.Pages(), 96u);
  EXPECT_EQ(device_.WriteGranularity(), 8u);
  EXPECT_EQ(device_.MaxRemapPages() % 8, 0u);
  EXPECT_TRUE(device_.Write({{96, 1, Page(1).data()}}, false).IsIOError());
  EXPECT_TRUE(device_.Write({{90, UINT64_MAX, Page(1).data()}}, false).IsIOError());
  EXPECT_EQ(below_.write_commands, 0u);
}

TEST_F(CoarsePageDeviceTest, AWholeUnitCostsWhatItIs) {
  Write(16, 24, 1);
  EXPECT_EQ(device_.stats().host_pages, 24u);
  EXPECT_EQ(device_.stats().written_pages, 24u);
  EXPECT_EQ(device_.stats().modified_units, 0u);
  EXPECT_EQ(below_.read_commands, 0u);
}

TEST_F(CoarsePageDeviceTest, APartIsReadModifiedAndWritten) {
  Write(0, 24, 1);
  Write(6, 12, 2);  // two pages, a unit, two pages
  EXPECT_EQ(device_.stats().host_pages, 36u);
  EXPECT_EQ(device_.stats().written_pages, 48u);
  EXPECT_EQ(device_.stats().modified_units, 2u);
  EXPECT_EQ(device_.stats().read_pages, 12u);
  EXPECT_EQ(below_.pages_read, 12u);
  EXPECT_EQ(below_.pages_written, 48u);
  for (uint64_t lpn = 0; lpn < 24; lpn++) EXPECT_EQ(Read(lpn), Page(lpn < 6 || lpn >= 18 ? 1 : 2)) << lpn;
}

TEST_F(CoarsePageDeviceTest, RunsOfOneCallMakeAUnitWhole) {
  const std::string a = Pages(5, 1), b = Pages(3, 2);
  ASSERT_TRUE(device_.Write({{8, 5, a.data(), 0}, {13, 3, b.data(), 0}}, false).ok());
  EXPECT_EQ(device_.stats().modified_units, 0u);
  EXPECT_EQ(device_.stats().read_pages, 0u);
  EXPECT_EQ(Read(12), Page(1));
  EXPECT_EQ(Read(13), Page(2));
  // Holes on both sides and between, each read by itself.
  ASSERT_TRUE(device_.Write({{9, 1, a.data(), 0}, {11, 2, a.data(), 0}, {14, 1, a.data(), 0}}, false).ok());
  EXPECT_EQ(device_.stats().read_pages, 4u);
  EXPECT_EQ(Read(8), Page(1));
  EXPECT_EQ(Read(13), Page(2));
  EXPECT_EQ(Read(14), Page(1));
  EXPECT_EQ(Read(15), Page(2));
}

TEST_F(CoarsePageDeviceTest, OnlyWholeUnitsAreDeallocated) {
  Write(0, 32, 1);
  ASSERT_TRUE(device_.Deallocate({{12, 12}, {4, 4}, {8, 4}}).ok());  // 4 to 23 together
  EXPECT_EQ(device_.stats().kept_pages, 4u);
  EXPECT_EQ(below_.MappedPages(), 16u);
  EXPECT_EQ(Read(4), Page(1)) << "the other half of its unit is in use";
  EXPECT_EQ(Read(8), Page(0));
  ASSERT_TRUE(device_.Deallocate({{0, 4}}).ok());
  EXPECT_EQ(device_.stats().kept_pages, 8u) << "also when the rest follows";
  EXPECT_EQ(below_.MappedPages(), 16u);
  EXPECT_EQ(below_.deallocate_commands, 1u) << "nothing whole, no command";
}

TEST_F(CoarsePageDeviceTest, OnlyWholeUnitsAreRemapped) {
  Write(0, 16, 1);
  bool refused = false;
  for (const RemapRun &run : {RemapRun{1, 41, 8}, {0, 44, 8}, {0, 40, 7}, {4, 40, 8}}) {
    ASSERT_TRUE(device_.Remap({{8, 32, 8}, run}, &refused).ok());
    EXPECT_TRUE(refused);
  }
  EXPECT_EQ(device_.stats().refused_remaps, 4u);
  EXPECT_EQ(below_.remap_commands, 0u);
  ASSERT_TRUE(device_.Remap({{0, 32, 16}}, &refused).ok());
  EXPECT_FALSE(refused);
  EXPECT_EQ(Read(47), Page(1));
}

TEST_F(CoarsePageDeviceTest, AFailedReadWritesNothing) {
  Write(0, 8, 1);
  below_.damaged = {3};
  const uint64_t written = below_.pages_written;
  EXPECT_TRUE(device_.Write({{0, 1, Page(2).data()}}, false).IsIOError());
  EXPECT_EQ(below_.pages_written, written);
  EXPECT_TRUE(device_.Write({{3, 1, Page(2).data()}}, false).ok()) << "the damaged page is the new one";
}

// ---- Against an oracle, with power cuts -----------------------------------------------------------------------------

// What each page may hold: its newest contents, and all that a power cut may leave of it.
class PageOracle {
 public:
  explicit PageOracle(uint64_t pages) : now_(pages, 0), possible_(pages, std::set<uint64_t>{0}) {}

  void Write(uint64_t lpn, uint64_t stamp, bool durable) {
    now_[lpn] = stamp;
    if (durable) possible_[lpn].clear();
    possible_[lpn].insert(stamp);
  }
  // A change under way when power went: the page has it or not.
  void MayHave(uint64_t lpn, uint64_t stamp) { possible_[lpn].insert(stamp); }
  void Flush() {
    for (size_t lpn = 0; lpn < now_.size(); lpn++) possible_[lpn] = {now_[lpn]};
  }
  uint64_t Now(uint64_t lpn) const { return now_[lpn]; }
  // After a cut: takes over what is there. Whether that is allowed.
  bool Recovered(uint64_t lpn, uint64_t stamp) {
    const bool allowed = possible_[lpn].count(stamp) != 0;
    now_[lpn] = stamp;
    possible_[lpn] = {stamp};
    return allowed;
  }

 private:
  std::vector<uint64_t> now_;
  std::vector<std::set<uint64_t>> possible_;
};

// Random commands on up to 96 pages, each of which names its stamp in its first bytes. What went wrong; empty: nothing.
template <class Device>
std::string RunCuts(uint64_t seed, uint64_t cuts, uint64_t unit, CoarseStats *sum, uint64_t *remapped = nullptr) {
  std::mt19937_64 random(seed);
  FakePageDevice below(96, seed);
  Device device(&below, unit);
  const uint64_t pages_there = device.Pages();  // whole units only
  PageOracle oracle(pages_there);
  uint64_t stamp = 0;
  const auto page = [](uint64_t value) {
    std::string data = Page(value);
    for (unsigned i = 0; i < 8; i++) data[i] = static_cast<char>(value >> 8 * i);
    return data;
  };
  const auto read = [&](uint64_t lpn) -> uint64_t {
    std::string data(kPageBytes, '\0');
    if (!device.Read(lpn, 1, &data[0]).ok()) return UINT64_MAX;
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) value |= static_cast<uint64_t>(static_cast<uint8_t>(data[i])) << 8 * i;
    return data == page(value) ? value : UINT64_MAX;
  };
  for (uint64_t cut = 0; cut < cuts; cut++) {
    below.CutAfter(random() % 300);
    while (below.HasPower()) {
      const uint64_t lpn = random() % pages_there;
      const uint64_t pages = 1 + random() % std::min<uint64_t>(24, pages_there - lpn);
      switch (random() % 9) {
        case 0:
          if (device.Flush().ok()) oracle.Flush();
          break;
        case 1: {
          const bool ok = device.Deallocate({{lpn, pages}}).ok();
          for (uint64_t p = (lpn + unit - 1) / unit * unit; p + unit <= lpn + pages; p += unit) {
            for (uint64_t i = 0; i < unit; i++) {
              if (ok) {
                oracle.Write(p + i, 0, true);
              } else {
                oracle.MayHave(p + i, 0);
              }
            }
          }
          break;
        }
        case 2: {
          if (read(lpn) != oracle.Now(lpn) && below.HasPower()) return "page " + std::to_string(lpn) + " reads wrong";
          break;
        }
        case 3: {
          // Half of them are of whole units, the only ones that can be remapped.
          uint64_t source = lpn, target = random() % pages_there, many = pages;
          if (random() % 2 == 0) {
            source -= source % unit;
            target -= target % unit;
            many = std::max(unit, many - many % unit);
          }
          many = std::min({many, pages_there - source, pages_there - target});
          if (source < target + many && target < source + many) break;
          const bool whole = source % unit == 0 && target % unit == 0 && many % unit == 0;
          bool refused = false;
          const bool ok = device.Remap({{source, target, many}}, &refused).ok();
          bool mapped = true;
          for (uint64_t i = 0; i < many; i++) mapped &= oracle.Now(source + i) != 0;
          if (!ok && mapped && whole && below.HasPower()) return "a remap of whole units failed";
          if (ok && !refused && !whole) return "a remap of parts was not refused";
          if (ok && refused && whole) return "a remap of whole units was refused";
          if (ok && !refused && remapped) *remapped += many;
          for (uint64_t i = 0; i < many; i++) {
            if (ok && !refused) {
              oracle.Write(target + i, oracle.Now(source + i), true);
            } else if (!ok && whole && !below.HasPower()) {
              oracle.MayHave(target + i, oracle.Now(source + i));
            }
          }
          break;
        }
        default: {
          const bool durable = random() % 4 == 0;
          std::string data;
          for (uint64_t i = 0; i < pages; i++) data += page(stamp + 1 + i);
          // In two runs, side by side.
          const uint64_t first = pages / 2;
          std::vector<WriteRun> runs = {{lpn + first, pages - first, data.data() + first * kPageBytes, 0}};
          if (first != 0) runs.push_back({lpn, first, data.data(), 0});
          const bool ok = device.Write(runs, durable).ok();
          for (uint64_t i = 0; i < pages; i++) {
            if (ok) {
              oracle.Write(lpn + i, stamp + 1 + i, durable);
            } else {
              oracle.MayHave(lpn + i, stamp + 1 + i);
            }
          }
          stamp += pages;
        }
      }
    }
    below.PowerOn(random());
    for (uint64_t lpn = 0; lpn < pages_there; lpn++) {
      const uint64_t value = read(lpn);
      if (value == UINT64_MAX) return "page " + std::to_string(lpn) + " is torn";
      if (!oracle.Recovered(lpn, value)) {
        return "page " + std::to_string(lpn) + " has " + std::to_string(value) + " after cut " + std::to_string(cut);
      }
    }
  }
  sum->modified_units += device.stats().modified_units;
  sum->kept_pages += device.stats().kept_pages;
  return "";
}

TEST(CoarsePageDeviceRandomTest, PagesAreOldOrNewAfterEachCut) {
  RecordProperty("seed", std::to_string(TestSeed()));
  for (uint64_t unit = 1; unit <= 8; unit++) {
    CoarseStats sum;
    uint64_t remapped = 0;
    ASSERT_EQ(RunCuts<CoarsePageDevice>(TestSeed() * 1000 + unit, 40, unit, &sum, &remapped), "")
        << "unit " << unit << ", OPENREMAP_SEED=" << TestSeed();
    EXPECT_NE(remapped, 0u) << "unit " << unit;
    EXPECT_EQ(sum.modified_units != 0, unit != 1);
    EXPECT_EQ(sum.kept_pages != 0, unit != 1);
  }
}

// Defects made on purpose.
class DeallocatesPartsToo : public CoarsePageDevice {
 public:
  DeallocatesPartsToo(PageDevice *below, uint64_t unit) : CoarsePageDevice(below, unit), unit_(unit) {}
  Status Deallocate(const std::vector<PageRun> &runs) override {
    const uint64_t begin = runs[0].lpn / unit_ * unit_;
    return CoarsePageDevice::Deallocate({{begin, (runs[0].lpn + runs[0].pages + unit_ - 1) / unit_ * unit_ - begin}});
  }

 private:
  const uint64_t unit_;
};
class WritesZeroesAround : public CoarsePageDevice {
 public:
  WritesZeroesAround(PageDevice *below, uint64_t unit) : CoarsePageDevice(below, unit), below_(below), unit_(unit) {}
  Status Write(const std::vector<WriteRun> &runs, bool durable) override {
    std::string unit(unit_ * kPageBytes, '\0');
    unit.replace((runs[0].lpn % unit_) * kPageBytes, kPageBytes, runs[0].data, kPageBytes);
    const Status s = below_->Write({{runs[0].lpn / unit_ * unit_, unit_, unit.data(), 0}}, durable);
    return s.ok() ? CoarsePageDevice::Write(runs, durable) : s;
  }

 private:
  PageDevice *const below_;
  const uint64_t unit_;
};

TEST(CoarsePageDeviceRandomTest, DefectsAreFound) {
  CoarseStats sum;
  EXPECT_NE(RunCuts<DeallocatesPartsToo>(1, 10, 8, &sum), "");
  EXPECT_NE(RunCuts<WritesZeroesAround>(1, 10, 8, &sum), "");
}

}  // namespace
}  // namespace openremap
