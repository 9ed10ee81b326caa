// SPDX-License-Identifier: Apache-2.0
// PageFS through libopenremap on the mock controller.
#include "pagefs/device/nvme_page_device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mock_controller.h"
#include "pagefs/fs/page_fs.h"

namespace openremap {
namespace {

using leveldb::Status;

class NvmePageDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    MockController::config = MockConfig();
    openremap_options options{};
    options.create = MockController::Create;
    options.timeout_ns = 100000000;
    char error[200] = "";
    ASSERT_EQ(openremap_open(&options, &handle_, error, sizeof(error)), 0) << error;
    device_ = std::make_unique<NvmePageDevice>(handle_);
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(MockController::instance->violations, std::vector<std::string>());
    openremap_close(handle_);
  }
  MockController *mock() { return MockController::instance; }

  openremap_device *handle_ = nullptr;
  std::unique_ptr<NvmePageDevice> device_;
};

TEST_F(NvmePageDeviceTest, GranularityIsTheNamespaces) {
  EXPECT_EQ(device_->WriteGranularity(), 1u) << "the mock tells of none";
  device_.reset();
  ASSERT_EQ(openremap_close(handle_), 0);
  MockController::config.npwg = 63;
  openremap_options options{};
  options.create = MockController::Create;
  options.timeout_ns = 100000000;
  ASSERT_EQ(openremap_open(&options, &handle_, nullptr, 0), 0);
  device_ = std::make_unique<NvmePageDevice>(handle_);
  EXPECT_EQ(device_->WriteGranularity(), 64u);
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(device_.get(), &fs).ok());
  fs.reset();
}

TEST_F(NvmePageDeviceTest, RunsGoOutSideBySide) {
  const std::string a(40 * kPageBytes, 'a'), b(kPageBytes, 'b');
  ASSERT_TRUE(device_->Write({{10, 40, a.data()}, {100, 1, b.data()}}, false).ok());
  EXPECT_GE(mock()->most_in_flight, 3u);
  std::string back(kPageBytes, '\0');
  ASSERT_TRUE(device_->Read(49, 1, &back[0]).ok());
  EXPECT_EQ(back[0], 'a');
  ASSERT_TRUE(device_->Read(100, 1, &back[0]).ok());
  EXPECT_EQ(back, b);
}

TEST_F(NvmePageDeviceTest, RemapsGoOutInTheOrderOfTheirTargets) {
  const std::string a(8 * kPageBytes, 'a');
  ASSERT_TRUE(device_->Write({{0, 8, a.data()}}, false).ok());
  bool refused = true;
  ASSERT_TRUE(device_->Remap({{0, 60, 1}, {6, 20, 2}, {3, 40, 1}}, &refused).ok());
  EXPECT_FALSE(refused);
  std::vector<std::pair<uint64_t, uint64_t>> sent;
  for (const orm_remap_range &r : mock()->last_remap) sent.emplace_back(r.src, r.dst);
  EXPECT_EQ(sent, (std::vector<std::pair<uint64_t, uint64_t>>{{6, 20}, {3, 40}, {0, 60}}));
}

TEST_F(NvmePageDeviceTest, ReadsTogetherGoOutSideBySide) {
  const std::string a(40 * kPageBytes, 'a'), b(kPageBytes, 'b');
  ASSERT_TRUE(device_->Write({{10, 40, a.data()}, {100, 1, b.data()}}, false).ok());
  mock()->most_in_flight = 0;
  std::string first(kPageBytes, '\0'), second(40 * kPageBytes, '\0'), third(kPageBytes, 'x');
  ASSERT_TRUE(device_->ReadTogether({{100, 1, &first[0]}, {10, 40, &second[0]}, {200, 1, &third[0]}}).ok());
  EXPECT_GE(mock()->most_in_flight, 4u);
  EXPECT_EQ(first, b);
  EXPECT_EQ(second, a);
  EXPECT_EQ(third, std::string(kPageBytes, '\0')) << "never written";
  EXPECT_TRUE(device_->ReadTogether({}).ok());
}

TEST_F(NvmePageDeviceTest, OneOfTheReadsTogetherFails) {
  std::string data(3 * kPageBytes, '\0');
  EXPECT_FALSE(
      device_->ReadTogether({{1, 1, &data[0]}, {4096, 1, &data[kPageBytes]}, {2, 1, &data[2 * kPageBytes]}}).ok())
      << "beyond the namespace";
  EXPECT_FALSE(device_->ReadTogether({{1, 1, &data[0]}, {2, 0, &data[kPageBytes]}}).ok()) << "no pages";
  EXPECT_TRUE(device_->ReadTogether({{1, 1, &data[0]}, {2, 1, &data[kPageBytes]}}).ok());
}

// More than the device may reach: what comes after that is ordinary memory, whose data is copied into what was left
// free.
TEST_F(NvmePageDeviceTest, MemoryThatTheDeviceReachesAndOther) {
  constexpr size_t kPages = 64, kChunks = 200;
  std::vector<char *> chunks;
  for (size_t i = 0; i < kChunks; i++) {
    chunks.push_back(device_->NewMemory(kPages * kPageBytes));
    ASSERT_NE(chunks.back(), nullptr);
    std::memset(chunks.back(), static_cast<int>(i), kPages * kPageBytes);
  }
  void *const left = openremap_dma_alloc(handle_, 1 << 20);
  EXPECT_NE(left, nullptr);
  openremap_dma_free(handle_, left);
  ASSERT_TRUE(device_->Write({{0, kPages, chunks.front()}, {100, kPages, chunks.back()}}, false).ok());
  std::string back(kPages * kPageBytes, '\0');
  ASSERT_TRUE(device_->Read(0, kPages, &back[0]).ok());
  EXPECT_EQ(back, std::string(back.size(), '\0'));
  ASSERT_TRUE(device_->Read(100, kPages, &back[0]).ok());
  EXPECT_EQ(back, std::string(back.size(), static_cast<char>(kChunks - 1)));
  for (char *chunk : chunks) device_->FreeMemory(chunk);
  void *const most = openremap_dma_alloc(handle_, 24 << 20);
  EXPECT_NE(most, nullptr) << "given back";
  openremap_dma_free(handle_, most);
}

TEST_F(NvmePageDeviceTest, DurableWritesUseForceUnitAccess) {
  const std::string data(kPageBytes, 'x');
  ASSERT_TRUE(device_->Write({{5, 1, data.data()}}, true).ok());
  ASSERT_EQ(openremap_power_cycle(handle_), 0);
  std::string back(kPageBytes, '\0');
  ASSERT_TRUE(device_->Read(5, 1, &back[0]).ok());
  EXPECT_EQ(back, data);
}

TEST_F(NvmePageDeviceTest, WritesNameThePlacementHandlesOfTheDevice) {
  EXPECT_EQ(device_->Placements(), 3u);
  const size_t commands = mock()->log.size();
  EXPECT_EQ(device_->Placements(), 3u);
  EXPECT_EQ(mock()->log.size(), commands) << "asked once";
  const std::string data(4 * kPageBytes, 'x');
  ASSERT_TRUE(device_->Write({{5, 4, data.data(), 2}, {20, 1, data.data(), 1}, {30, 2, data.data()}}, false).ok());
  EXPECT_EQ(mock()->placed, (std::array<uint64_t, 3>{0, 1, 4})) << "what names no handle carries no directive";
}

TEST_F(NvmePageDeviceTest, AnUpdateBeginsAReclaimUnitOfItsPlacement) {
  EXPECT_EQ(device_->UnitPages(), MockController::kUnitPages);
  const size_t commands = mock()->admin_log.size();
  EXPECT_EQ(device_->UnitPages(), MockController::kUnitPages);
  EXPECT_EQ(mock()->admin_log.size(), commands) << "asked once";
  const std::string data(4 * kPageBytes, 'x');
  ASSERT_TRUE(device_->Write({{5, 4, data.data(), 2}, {20, 1, data.data(), 1}}, false).ok());
  ASSERT_TRUE(device_->BeginUnit(2).ok());
  EXPECT_EQ(mock()->placed, (std::array<uint64_t, 3>{0, 1, 0}));
  mock()->faults.status_of_opcode[NVME_IO_OPCODE_IO_MGMT_SEND] = NVME_STATUS_INVALID_FIELD;
  EXPECT_TRUE(device_->BeginUnit(1).IsIOError());
}

TEST_F(NvmePageDeviceTest, ADeviceThatTellsOfNoUnitsBeginsNone) {
  mock()->faults.log_status[NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS] = NVME_STATUS_LOG_PAGE_INVALID;
  EXPECT_EQ(device_->UnitPages(), 0u);
  EXPECT_TRUE(device_->BeginUnit(0).IsNotSupportedError());
  EXPECT_EQ(mock()->log.size(), 1u) << "the handles' status only";
}

TEST_F(NvmePageDeviceTest, ADeviceWithoutDataPlacementHasOnePlace) {
  mock()->faults.status_of_opcode[NVME_IO_OPCODE_IO_MGMT_RECEIVE] = NVME_STATUS_INVALID_OPCODE;
  EXPECT_EQ(device_->Placements(), 1u);
  EXPECT_EQ(device_->UnitPages(), 0u);
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(device_.get(), &fs).ok());
  PageFs::File table;
  ASSERT_TRUE(fs->Create("table", &table).ok());
  fs->Place(table, 3);
  ASSERT_TRUE(fs->Append(table, "x", false).ok());
  ASSERT_TRUE(fs->Sync(table).ok());
  ASSERT_TRUE(fs->CloseWriting(table).ok());
  fs.reset();
  EXPECT_EQ(mock()->placed, (std::array<uint64_t, 3>{}));
}

TEST_F(NvmePageDeviceTest, NeighboursAreDeallocatedAsOneRange) {
  const std::string data(4 * kPageBytes, 'x');
  ASSERT_TRUE(device_->Write({{5, 4, data.data()}}, false).ok());
  ASSERT_TRUE(device_->Deallocate({{5, 2}, {7, 1}, {8, 1}}).ok());
  EXPECT_EQ(mock()->log.back().cdw10, 0u) << "one range, zero-based";
  EXPECT_TRUE(mock()->pages.empty());
}

TEST_F(NvmePageDeviceTest, RoomIsARefusalAndOtherErrorsAreErrors) {
  const std::string data(kPageBytes, 'x');
  ASSERT_TRUE(device_->Write({{5, 1, data.data()}}, false).ok());
  bool refused = true;
  EXPECT_TRUE(device_->Remap({{5, 50, 1}}, &refused).ok());
  EXPECT_FALSE(refused);
  mock()->faults.sharer_limit = 2;
  EXPECT_TRUE(device_->Remap({{5, 51, 1}}, &refused).ok());
  EXPECT_TRUE(refused);
  const Status s = device_->Remap({{900, 51, 1}}, &refused);
  EXPECT_TRUE(s.IsIOError());
  EXPECT_FALSE(refused);
  EXPECT_NE(s.ToString().find("remap_unmapped"), std::string::npos) << s.ToString();
}

TEST_F(NvmePageDeviceTest, DeviceWithoutRemapRefusesAlways) {
  mock()->faults.status_of_opcode[ORM_VENDOR_OPCODES_REMAP_VECTOR] = NVME_STATUS_INVALID_OPCODE;
  const std::string data(kPageBytes, 'x');
  ASSERT_TRUE(device_->Write({{5, 1, data.data()}}, false).ok());
  bool refused = false;
  EXPECT_TRUE(device_->Remap({{5, 50, 1}}, &refused).ok());
  EXPECT_TRUE(refused);
  const size_t commands = mock()->log.size();
  EXPECT_TRUE(device_->Remap({{5, 50, 1}}, &refused).ok());
  EXPECT_TRUE(refused);
  EXPECT_EQ(mock()->log.size(), commands) << "asked once";
}

TEST_F(NvmePageDeviceTest, AStrangersDriveIsWrittenInstead) {
  device_.reset();
  ASSERT_EQ(openremap_close(handle_), 0);
  MockController::config.vid = 0x144d;
  openremap_options options{};
  options.create = MockController::Create;
  ASSERT_EQ(openremap_open(&options, &handle_, nullptr, 0), 0);
  device_ = std::make_unique<NvmePageDevice>(handle_);
  const std::string data(kPageBytes, 'x');
  ASSERT_TRUE(device_->Write({{5, 1, data.data()}}, false).ok());
  bool refused = false;
  EXPECT_TRUE(device_->Remap({{5, 50, 1}}, &refused).ok());
  EXPECT_TRUE(refused);
  for (const nvme_submission_entry &sent : mock()->log) EXPECT_LT(sent.opcode, 0x80);
}

TEST_F(NvmePageDeviceTest, DeviceErrorsBecomeIoErrorsWithTheirName) {
  mock()->faults.status_of_opcode[NVME_IO_OPCODE_WRITE] = NVME_STATUS_WRITE_FAULT;
  const std::string data(kPageBytes, 'x');
  const Status s = device_->Write({{5, 1, data.data()}}, false);
  EXPECT_TRUE(s.IsIOError());
  EXPECT_NE(s.ToString().find("Write Fault"), std::string::npos) << s.ToString();
}

TEST_F(NvmePageDeviceTest, FileSystemSurvivesAPowerCycleOfTheController) {
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(device_.get(), &fs).ok());
  PageFs::File file;
  ASSERT_TRUE(fs->Create("synced", &file).ok());
  ASSERT_TRUE(fs->Append(file, std::string(50000, 's'), false).ok());
  ASSERT_TRUE(fs->Sync(file).ok());
  ASSERT_TRUE(fs->CloseWriting(file).ok());
  ASSERT_EQ(openremap_power_cycle(handle_), 0);
  std::unique_ptr<PageFs> again;
  ASSERT_TRUE(PageFs::Open(device_.get(), &again).ok());
  uint64_t size = 0;
  ASSERT_TRUE(again->FileSize("synced", &size).ok());
  EXPECT_EQ(size, 50000u);
}

}  // namespace
}  // namespace openremap
