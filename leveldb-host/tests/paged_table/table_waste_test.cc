// SPDX-License-Identifier: Apache-2.0
#include "paged_table/table_waste.h"

#include <memory>
#include <vector>

#include "paged_table/table_fixture.h"

namespace openremap {
namespace {

std::vector<Entry> Items(const std::vector<uint64_t> &numbers, uint64_t sequence = 1) {
  std::vector<Entry> block;
  for (const uint64_t n : numbers) block.push_back(Item(n, sequence));
  return block;
}

class TableWasteTest : public TableFixture {
 protected:
  // Of a table of these runs, newest first.
  double Waste(const std::vector<std::vector<std::vector<Entry>>> &runs) {
    const uint64_t size = runs.size() == 1 ? BuildPaged(1, runs[0]) : BuildRuns(1, runs);
    leveldb::RandomAccessFile *raw = nullptr;
    EXPECT_TRUE(env_.NewRandomAccessFile(Name(1), &raw).ok());
    const std::unique_ptr<leveldb::RandomAccessFile> file(raw);
    leveldb::Options options = options_;
    options.comparator = &comparator_;
    leveldb::Table *opened = nullptr;
    EXPECT_TRUE(leveldb::Table::Open(options, raw, size, &opened).ok());
    const std::unique_ptr<leveldb::Table> table(opened);
    empty_ = WasteOf(*table, size) * static_cast<double>(size);
    return WasteOf(*table, size);
  }
  double empty_ = 0;  // bytes of the last table
};

// An entry takes about a kilobyte, a block a page or several.
TEST_F(TableWasteTest, CountsWhatBlocksLeaveOfTheirPages) {
  Waste({{Items({1, 2, 3}), Items({4, 5, 6})}});
  EXPECT_NEAR(empty_, 1000, 150) << "behind the first block; the index follows the last";
  Waste({{Items({1}), Items({2}), Items({3})}});
  EXPECT_NEAR(empty_, 2 * 3000, 300);
}

TEST_F(TableWasteTest, CountsEachRunAndNotWhatLiesBetweenThem) {
  options_.remap.mode = RemapMode::kBlend;
  Waste({{Items({1}, 2), Items({2}, 2)}, {Items({3}), Items({4}), Items({5})}});
  EXPECT_NEAR(empty_, 3 * 3000, 450);
}

TEST_F(TableWasteTest, ATableOfOneBlockHasNone) { EXPECT_EQ(Waste({{Items({1})}}), 0); }

}  // namespace
}  // namespace openremap
