// SPDX-License-Identifier: Apache-2.0
//
// Format NVM on the whole controller.
#include <string>
#include <vector>

#include "controller_fixture.h"
#include "openremap_cmd.h"

namespace openremap {
namespace {

class FormatControllerTest : public ControllerTest {
 protected:
  void Format(bool erase) {
    ASSERT_EQ(openremap_format(dev_, erase), 0);
    for (auto &[lpn, version] : versions_) version = 0;
  }
  uint64_t Used() {
    nvme_identify_namespace ns{};
    EXPECT_EQ(openremap_identify_namespace(dev_, &ns), 0);
    EXPECT_EQ(ns.fpi, NVME_FPI_SUPPORTED) << "nothing remains to be formatted";
    return ns.nuse;
  }
  // Everything once, and then some: chains, trims, superblocks with little that is valid.
  void Fill() {
    for (uint64_t lpn = 0; lpn + 16 <= pages_; lpn += 16) Write(lpn, 16);
    for (uint64_t lpn = 0; lpn + 16 <= pages_; lpn += 64) Write(lpn, 16);
    ASSERT_EQ(Remap(0, 128, 32), 0);
    Deallocate(300, 40);
    ASSERT_EQ(openremap_flush(dev_), 0);
  }
};

TEST_P(FormatControllerTest, NothingIsLeft) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  EXPECT_GT(Used(), 0u);
  ASSERT_NO_FATAL_FAILURE(Format(false));
  EXPECT_EQ(Used(), 0u);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_NO_FATAL_FAILURE(Fill()) << "all of it can be used again";
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(FormatControllerTest, UserDataErase) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  const orm_remap_log before = Stats();
  ASSERT_NO_FATAL_FAILURE(Format(true));
  const orm_remap_log after = Stats();
  // All but those that streams have open: one of the host's handle that was used, and GC's.
  EXPECT_GE(after.superblocks_free + 2, options_.device.superblocks);
  EXPECT_GT(after.gc_victims, before.gc_victims);
  EXPECT_EQ(after.host_write_pages, before.host_write_pages) << "figures stay";
  EXPECT_EQ(Used(), 0u);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_NO_FATAL_FAILURE(Fill());
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_NO_FATAL_FAILURE(CheckCounters());
}

void Note(void *arg, int status, uint32_t) { *static_cast<int *>(arg) = status; }

TEST_P(FormatControllerTest, CommandsBesidesAreDoneOrRefused) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  constexpr int kInProgress = NVME_STATUS(NVME_STATUS_TYPE_GENERIC, NVME_STATUS_FORMAT_IN_PROGRESS);
  constexpr size_t kWrites = 12;
  nvme_submission_entry format;
  nvme_cmd_format(&format, 1, 0, NVME_FORMAT_SES_USER_DATA);
  int formatted = -1;
  std::vector<int> written(kWrites, -1);
  const Page data = Contents(1);
  for (size_t i = 0; i < kWrites; i++) {
    if (i == kWrites / 2) {
      openremap_poll(dev_, 20000);  // the first ones are inside
      ASSERT_EQ(openremap_submit_command(dev_, true, &format, nullptr, 0, Note, &formatted), 0);
      // The firmware has taken it, with a CPU, too. A poll returns early after a completion.
      const uint64_t until = openremap_now_ns(dev_) + 400'000;
      while (openremap_now_ns(dev_) < until) ASSERT_GE(openremap_poll(dev_, until - openremap_now_ns(dev_)), 0);
    }
    ASSERT_EQ(openremap_submit_write(dev_, i, 1, data.data(), false, Note, &written[i]), 0);
  }
  openremap_poll(dev_, 100000);
  int refused = 0;
  ASSERT_EQ(openremap_remap(dev_, 0, 100, 1, OPENREMAP_SHARE), kInProgress) << "firmware's own";
  ASSERT_EQ(openremap_copy(dev_, 0, 100, 1), kInProgress);
  ASSERT_EQ(openremap_wait_all(dev_), 0);
  EXPECT_EQ(formatted, 0);
  for (size_t i = 0; i < kWrites; i++) {
    if (written[i] == kInProgress) refused++;
    EXPECT_TRUE(written[i] == 0 || written[i] == kInProgress) << written[i];
    if (i < kWrites / 2) {
      EXPECT_EQ(written[i], 0) << "it was inside";
    }
  }
  EXPECT_GT(refused, 0);
  for (auto &[lpn, version] : versions_) version = 0;
  for (uint64_t lpn = 64; lpn < pages_; lpn++) ASSERT_NO_FATAL_FAILURE(CheckPage(lpn));
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
INSTANTIATE_TEST_SUITE_P(Devices, FormatControllerTest, EveryKind(), KindName);
INSTANTIATE_TEST_SUITE_P(Cached, FormatControllerTest, CachedKinds(), KindName);

}  // namespace
}  // namespace openremap
