// SPDX-License-Identifier: Apache-2.0
#include "side_pages.h"

#include <gtest/gtest.h>

#include "trace_files.h"

namespace openremap {
namespace {

using Op = PageOperation;
using Records = std::vector<PageRecord>;

PageRecord WriteAs(PageKind kind, uint64_t lpn, uint64_t pages) {
  PageRecord record = WriteOf(lpn, pages);
  record.kind = kind;
  return record;
}

class SidePagesTest : public ::testing::Test {
 protected:
  SidePagesTest() : side_({false, false, true, false, true}) {}  // log, other

  SidePages side_;
};

TEST_F(SidePagesTest, CallsAreOfTheDeviceThatHasThePages) {
  const PageRecord table = WriteAs(PageKind::kTable, 0, 10), log = WriteAs(PageKind::kLog, 20, 5);
  const PageRecord metadata = WriteAs(PageKind::kMetadata, 40, 1), other = WriteAs(PageKind::kOther, 12, 1);
  EXPECT_EQ(side_.Filter({table, log, metadata, other}), (Records{table, metadata}));
  EXPECT_EQ(side_.count(), 6u);
  EXPECT_EQ(side_.Filter({RecordOf(Op::kRead, 5, 30)}),
            (Records{RecordOf(Op::kRead, 5, 7), RecordOf(Op::kRead, 13, 7), RecordOf(Op::kRead, 25, 10)}));
  EXPECT_EQ(side_.Filter({RecordOf(Op::kRead, 20, 5)}), Records());
  EXPECT_EQ(side_.Filter({RecordOf(Op::kDeallocate, 22, 10)}), (Records{RecordOf(Op::kDeallocate, 25, 7)}));
  EXPECT_EQ(side_.count(), 3u) << "what is deallocated belongs to none";
  EXPECT_EQ(side_.Filter({RecordOf(Op::kRead, 20, 5)}), (Records{RecordOf(Op::kRead, 22, 3)}));
  EXPECT_EQ(side_.Filter({RecordOf(Op::kFlush)}), (Records{RecordOf(Op::kFlush)}));
}

TEST_F(SidePagesTest, APageIsWhereItWasLastWritten) {
  side_.Filter({WriteAs(PageKind::kLog, 0, 10)});
  const Records table = {WriteAs(PageKind::kTable, 2, 3)};
  EXPECT_EQ(side_.Filter(table), table);
  EXPECT_EQ(side_.Filter({RecordOf(Op::kRead, 0, 10)}), (Records{RecordOf(Op::kRead, 2, 3)}));
  EXPECT_EQ(side_.Filter({RemapOf(2, 8, 2)}), (Records{RemapOf(2, 8, 2)}));
  EXPECT_EQ(side_.Filter({RecordOf(Op::kRead, 7, 3)}), (Records{RecordOf(Op::kRead, 8, 2)}));
  EXPECT_EQ(side_.count(), 5u);
}

TEST_F(SidePagesTest, HugeDeallocationsTakeNoTime) {
  side_.Filter({WriteAs(PageKind::kLog, 7, 1)});
  const uint64_t most = uint64_t{1} << 62;
  EXPECT_EQ(side_.Filter({RecordOf(Op::kDeallocate, 0, most)}),
            (Records{RecordOf(Op::kDeallocate, 0, 7), RecordOf(Op::kDeallocate, 8, most - 8)}));
}

}  // namespace
}  // namespace openremap
