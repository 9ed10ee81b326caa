// SPDX-License-Identifier: Apache-2.0
// Large requests, many requests, and the other requests when one fails.
#include <cerrno>

#include "device_fixture.h"

namespace openremap {
namespace {

struct Outcome {
  int done = 0;
  int status = 0;
};

void Record(void *arg, int status, uint32_t) {
  auto *outcome = static_cast<Outcome *>(arg);
  outcome->done++;
  outcome->status = status;
}

using RequestTest = DeviceTest;

TEST_F(RequestTest, BigTransfersGoOutInPiecesSideBySide) {
  Open();
  const uint64_t pages = 500;  // 16 pieces of at most 32
  const auto data = Pattern(pages, 3);
  ASSERT_EQ(openremap_write(dev_, 100, pages, data.data(), false), 0);
  EXPECT_EQ(mock()->log.size(), 16u);
  EXPECT_GE(mock()->most_in_flight, 16u);
  std::vector<uint8_t> back(data.size());
  ASSERT_EQ(openremap_read(dev_, 100, pages, back.data()), 0);
  EXPECT_EQ(back, data);
}

TEST_F(RequestTest, ManySmallRequestsKeepTheQueueFull) {
  options_.queue_depth = 32;
  options_.io_queues = 2;
  Open();
  const uint64_t count = 300;
  const auto data = Pattern(count, 4);
  std::vector<Outcome> outcomes(count);
  for (uint64_t i = 0; i < count; i++) {
    ASSERT_EQ(openremap_submit_write(dev_, i, 1, &data[i * OPENREMAP_PAGE_BYTES], false, Record, &outcomes[i]), 0);
  }
  EXPECT_EQ(openremap_in_flight(dev_), count);
  ASSERT_EQ(openremap_wait_all(dev_), 0);
  EXPECT_EQ(mock()->most_in_flight, 64u);
  for (const Outcome &outcome : outcomes) {
    EXPECT_EQ(outcome.done, 1);
    EXPECT_EQ(outcome.status, 0);
  }
  std::vector<uint8_t> back(data.size());
  ASSERT_EQ(openremap_read(dev_, 0, count, back.data()), 0);
  EXPECT_EQ(back, data);
}

TEST_F(RequestTest, OutOfOrderCompletionsFindTheirRequests) {
  MockController::config.reverse_order = true;
  Open();
  const auto data = Pattern(200, 5);
  ASSERT_EQ(openremap_write(dev_, 0, 200, data.data(), false), 0);
  std::vector<uint8_t> back(data.size());
  ASSERT_EQ(openremap_read(dev_, 0, 200, back.data()), 0);
  EXPECT_EQ(back, data);
}

TEST_F(RequestTest, DmaMemoryIsUsedInPlaceAtAnyDwordOffset) {
  Open();
  const auto data = Pattern(40, 6);
  auto *memory = static_cast<uint8_t *>(openremap_dma_alloc(dev_, data.size() + 8192));
  ASSERT_NE(memory, nullptr);
  openremap_driver_stats before{}, after{};
  openremap_get_driver_stats(dev_, &before);
  for (size_t offset : {0u, 4u, 2044u, 4092u}) {
    std::copy(data.begin(), data.end(), memory + offset);
    ASSERT_EQ(openremap_write(dev_, 10, 40, memory + offset, false), 0);
    std::fill_n(memory, data.size() + 8192, uint8_t{0xEE});
    ASSERT_EQ(openremap_read(dev_, 10, 40, memory + offset), 0);
    EXPECT_TRUE(std::equal(data.begin(), data.end(), memory + offset));
    EXPECT_EQ(memory[offset + data.size()], 0xEE) << "bytes past the end were written";
    if (offset != 0) {
      EXPECT_EQ(memory[offset - 1], 0xEE);
    }
  }
  openremap_get_driver_stats(dev_, &after);
  EXPECT_EQ(after.bounced_bytes, before.bounced_bytes);
  openremap_dma_free(dev_, memory);
}

TEST_F(RequestTest, OddCallerMemoryIsCopied) {
  Open();
  const auto data = Pattern(3, 7);
  std::vector<uint8_t> odd(data.size() + 1);
  std::copy(data.begin(), data.end(), odd.begin() + 1);
  ASSERT_EQ(openremap_write(dev_, 5, 3, odd.data() + 1, false), 0);
  std::fill(odd.begin(), odd.end(), uint8_t{0});
  ASSERT_EQ(openremap_read(dev_, 5, 3, odd.data() + 1), 0);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), odd.begin() + 1));
}

TEST_F(RequestTest, FirstFailureIsReportedAndStopsTheRest) {
  options_.queue_depth = 2;
  Open();
  mock()->faults.fail_after_commands = 3;
  const auto data = Pattern(32 * 20, 8);
  EXPECT_EQ(openremap_write(dev_, 0, 32 * 20, data.data(), false), NVME_STATUS(0, 0x06));
  EXPECT_LT(mock()->log.size(), 20u) << "pieces after a failure are not sent";
  mock()->faults.fail_after_commands = -1;
  EXPECT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(openremap_in_flight(dev_), 0u);
}

TEST_F(RequestTest, AFailedReadLeavesTheBufferAlone) {
  Open();
  mock()->faults.status_of_opcode[NVME_IO_OPCODE_READ] = NVME_STATUS(2, 0x81);
  std::vector<uint8_t> data(OPENREMAP_PAGE_BYTES, 0x5A);
  EXPECT_EQ(openremap_read(dev_, 0, 1, data.data()), NVME_STATUS(2, 0x81));
  EXPECT_EQ(data, std::vector<uint8_t>(OPENREMAP_PAGE_BYTES, 0x5A));
}

TEST_F(RequestTest, WorksWithLittleDmaMemoryAndSaysWhenThereIsNone) {
  options_.dma_bytes = 1 << 20;
  options_.queue_depth = 32;
  Open();
  const auto data = Pattern(1000, 9);  // four times the memory there is
  ASSERT_EQ(openremap_write(dev_, 0, 1000, data.data(), false), 0);
  std::vector<void *> held;
  while (void *page = openremap_dma_alloc(dev_, OPENREMAP_PAGE_BYTES)) held.push_back(page);
  EXPECT_EQ(openremap_write(dev_, 0, 1, data.data(), false), -ENOMEM);
  for (void *page : held) openremap_dma_free(dev_, page);
  EXPECT_EQ(openremap_write(dev_, 0, 1, data.data(), false), 0);
}

TEST_F(RequestTest, RefusesEmptyAndWrappingRanges) {
  Open();
  uint8_t page[OPENREMAP_PAGE_BYTES];
  EXPECT_EQ(openremap_read(dev_, 0, 0, page), -EINVAL);
  EXPECT_EQ(openremap_read(dev_, UINT64_MAX, 2, page), -EINVAL);
  nvme_submission_entry c{};
  EXPECT_EQ(openremap_io(dev_, &c, page, 0, nullptr), -EINVAL);
  EXPECT_EQ(openremap_io(dev_, &c, nullptr, 4096, nullptr), -EINVAL);
  EXPECT_EQ(openremap_in_flight(dev_), 0u);
}

TEST_F(RequestTest, CloseFinishesWhatWasSubmitted) {
  options_.device.image_dir = "close";
  Open();
  const auto data = Pattern(1, 10);
  Outcome outcome;
  ASSERT_EQ(openremap_submit_write(dev_, 3, 1, data.data(), false, Record, &outcome), 0);
  ASSERT_EQ(openremap_close(dev_), 0);
  dev_ = nullptr;
  EXPECT_EQ(outcome.done, 1);
  EXPECT_EQ(outcome.status, 0);
}

struct Traced {
  std::vector<nvme_submission_entry> commands;
  std::vector<std::vector<uint8_t>> data;
  std::vector<size_t> in_flight;
};

void Trace(void *arg, const openremap_trace_event *event) {
  auto *traced = static_cast<Traced *>(arg);
  traced->commands.push_back(*event->command);
  const auto *data = static_cast<const uint8_t *>(event->data);
  traced->data.emplace_back(data, data + event->bytes);
  traced->in_flight.push_back(event->in_flight);
}

TEST_F(RequestTest, TheTraceIsToldOfEachIoCommandThatIsSent) {
  Traced traced;
  options_.trace = Trace;
  options_.trace_arg = &traced;
  Open();
  const auto data = Pattern(40, 7);
  ASSERT_EQ(openremap_write(dev_, 100, 40, data.data(), true), 0);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(traced.commands.size(), 3u) << "no admin commands";
  EXPECT_EQ(traced.commands[0].opcode, NVME_IO_OPCODE_WRITE);
  EXPECT_EQ(traced.commands[0].cdw10, 100u);
  EXPECT_EQ(traced.commands[0].cdw12, 31u | NVME_RW_FUA);
  EXPECT_EQ(traced.commands[1].cdw10, 132u);
  EXPECT_EQ(traced.commands[1].cdw12, 7u | NVME_RW_FUA);
  EXPECT_EQ(traced.commands[2].opcode, NVME_IO_OPCODE_FLUSH);
  EXPECT_EQ(traced.in_flight, (std::vector<size_t>{0, 1, 0})) << "pieces go side by side, the flush after them";
  traced.data[0].insert(traced.data[0].end(), traced.data[1].begin(), traced.data[1].end());
  EXPECT_EQ(traced.data[0], data);
  EXPECT_TRUE(traced.data[2].empty());
}

}  // namespace
}  // namespace openremap
