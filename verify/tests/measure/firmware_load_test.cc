// SPDX-License-Identifier: Apache-2.0
// What the windows of `firmwaretime` say of a model.
#include "measure/firmware_load.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/bad_option.h"

namespace orm::firmware_time {
namespace {

// A poll counts for the window that it begins in, and may end in the next one.
constexpr uint64_t kPollNs = 20'000;

Target small(const char *cpu) {
  Target target;
  target.cpu = cpu;
  target.superblocks = 8;
  target.segments = 68;
  return target;
}

struct Windows {
  explicit Windows(const char *cpu) {
    Load load(small(cpu), [this](const Window &w) { all.push_back(w); });
    const uint64_t pages = load.pages();
    load.identify(2);
    load.fill(pages, 16);
    load.remap("remaps", 3, 8, pages);
    load.remap("remaps that ascend", 3, 8, pages, Load::Targets::kAscend);
    load.trim(5, pages);
    load.restart_clean("start");
  }
  uint64_t work(size_t window, const std::string &kind) const {
    for (const auto &[name, count] : all.at(window).work)
      if (name == kind) return count;
    ADD_FAILURE() << "no kind " << kind;
    return 0;
  }
  std::vector<Window> all;
};

TEST(FirmwareLoad, AWindowHasItsOwnTimeAndWork) {
  const Windows w("vexriscv");
  std::vector<std::string> names;
  for (const Window &one : w.all) {
    names.push_back(one.name);
    EXPECT_LE(one.busy_ns, one.device_ns + kPollNs) << one.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"format and start", "Identify", "fill", "remaps", "remaps that ascend",
                                             "trims", "shutdown", "start"}));
  EXPECT_EQ(w.work(1, "command"), 2u);
  EXPECT_EQ(w.work(1, "range"), 0u);
  EXPECT_EQ(w.work(3, "range"), 3u * 8);
  EXPECT_EQ(w.work(4, "range"), 0u);
  EXPECT_EQ(w.work(0, "start"), 1u);
  EXPECT_EQ(w.work(6, "start"), 0u);
  EXPECT_EQ(w.work(7, "start"), 1u) << "counts of a start are those since power-on";
  EXPECT_GT(w.work(0, "nvram_write_unit"), w.work(7, "nvram_write_unit")) << "it has formatted";
}

TEST(FirmwareLoad, WithoutACpuOnlyAccessesTakeTime) {
  const Windows timed("vexriscv"), plain("none");
  ASSERT_EQ(timed.all.size(), plain.all.size());
  for (size_t i = 0; i < plain.all.size(); ++i) EXPECT_LE(plain.all[i].busy_ns, timed.all[i].busy_ns) << i;
  EXPECT_LT(plain.all[1].busy_ns * 10, timed.all[1].busy_ns);
  EXPECT_EQ(plain.work(1, "bytes"), timed.work(1, "bytes"));
}

TEST(FirmwareLoad, ACpuThatThereIsNotIsAWrongOption) {
  EXPECT_THROW(Load(small("z80"), [](const Window &) {}), tools::BadOption);
}

}  // namespace
}  // namespace orm::firmware_time
