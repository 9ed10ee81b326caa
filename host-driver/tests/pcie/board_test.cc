// SPDX-License-Identifier: Apache-2.0
// The driver on a board behind Etherbone: the mock controller at the far end of a UDP link on the loopback.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "board_function.h"
#include "fake_board.h"
#include "mock_controller.h"
#include "openremap.h"
#include "orm_regs.h"
#include "temp_dir.h"

namespace openremap {
namespace {

constexpr uint32_t kBar = 0xD0000000, kMemory = 0x50000000, kMemoryBytes = 8u << 20;
constexpr uint32_t kControl = 0xF0001000, kMessages = kControl + 4, kTaken = kControl + 8, kFaults = kControl + 12;

// The mock, as the board's bus has it. All but the constructor and the destructor runs in the link's thread.
class MockBoard {
 public:
  MockBoard() : memory_(kMemoryBytes / 4) {
    host_ = {this, Reads, Writes, Messages};
    pcie_device_options options{};
    char error[128];
    mock_ = MockController::Create(&options, &host_, error, sizeof(error));
    link_ =
        std::make_unique<orm::testing::FakeBoard>([this](uint32_t address) { return Read(address); },
                                                  [this](uint32_t address, uint32_t word) { Write(address, word); });
  }
  ~MockBoard() {
    link_.reset();  // its thread
    mock_->ops->close(mock_);
  }
  orm::testing::FakeBoard &link() { return *link_; }
  std::atomic<unsigned> lost_doorbells{0};  // so many of the next ones never arrive

 private:
  static bool Inside(uint64_t addr, size_t len) { return addr >= kMemory && addr + len <= kMemory + kMemoryBytes; }
  uint8_t *At(uint64_t addr) { return reinterpret_cast<uint8_t *>(memory_.data()) + (addr - kMemory); }

  static int Reads(void *ctx, uint64_t addr, void *buf, size_t len) {
    if (!Inside(addr, len)) return -EFAULT;
    std::memcpy(buf, static_cast<MockBoard *>(ctx)->At(addr), len);
    return 0;
  }
  static int Writes(void *ctx, uint64_t addr, const void *buf, size_t len) {
    if (!Inside(addr, len)) return -EFAULT;
    std::memcpy(static_cast<MockBoard *>(ctx)->At(addr), buf, len);
    return 0;
  }
  static void Messages(void *ctx, unsigned vector) { static_cast<MockBoard *>(ctx)->messages_ |= 1u << vector; }

  uint32_t Read(uint32_t address) {
    if (Inside(address, 4)) return memory_[(address - kMemory) / 4];
    if (address == kMessages) {
      (void)mock_->ops->run(mock_, 1000000);
      return messages_;
    }
    if (address == kControl) return 3;
    const uint32_t offset = address - kBar;
    if (offset >= ORM_BAR0_AQA && offset < ORM_BAR0_ACQ_LO + 8) return queues_[(offset - ORM_BAR0_AQA) / 4];
    uint64_t value = 0;
    (void)mock_->ops->bar0_read(mock_, offset, 4, &value);
    return static_cast<uint32_t>(value);
  }

  void Write(uint32_t address, uint32_t word) {
    if (Inside(address, 4)) {
      memory_[(address - kMemory) / 4] = word;
    } else if (address == kTaken) {
      messages_ &= ~word;
    } else if (address == kControl) {
      if ((word & 8) != 0) (void)mock_->ops->reset(mock_);
    } else {
      const uint32_t offset = address - kBar;
      if (offset >= ORM_BAR0_DOORBELL(0) && lost_doorbells != 0) {
        --lost_doorbells;
        return;
      }
      if (offset >= ORM_BAR0_AQA && offset < ORM_BAR0_ACQ_LO + 8) queues_[(offset - ORM_BAR0_AQA) / 4] = word;
      (void)mock_->ops->bar0_write(mock_, offset, 4, word);
    }
  }

  std::vector<uint32_t> memory_;
  uint32_t queues_[5] = {};  // the mock's AQA, ASQ and ACQ cannot be read
  uint32_t messages_ = 0;
  pcie_host host_{};
  pcie_function *mock_ = nullptr;
  std::unique_ptr<orm::testing::FakeBoard> link_;
};

pcie_function *Create(const pcie_device_options *options, const pcie_host *host, char *error, size_t error_len) {
  try {
    return orm::make_board(*options, *host);
  } catch (const std::exception &e) {
    std::snprintf(error, error_len, "%s", e.what());
    errno = dynamic_cast<const orm::BoardError *>(&e) != nullptr ? EINVAL : EIO;
    return nullptr;
  }
}

class BoardTest : public ::testing::Test {
 protected:
  BoardTest() {
    MockController::config = MockConfig();
    facts_ = folder_.path + "/host.json";
    std::ofstream(facts_) << "{\"registers\": {\"board_control\": " << kControl << ", \"board_messages\": " << kMessages
                          << ", \"board_taken\": " << kTaken << ", \"board_faults\": " << kFaults
                          << "}, \"places\": {\"bar\": " << kBar << ", \"host_memory\": " << kMemory
                          << ", \"host_memory_bytes\": " << kMemoryBytes << "}}";
    options_.create = Create;
    board_ = std::make_unique<MockBoard>();
    kind_ = std::string("board:") + orm::testing::FakeBoard::kAddress + ":" + std::to_string(board_->link().port()) +
            ",facts=" + facts_;
  }
  ~BoardTest() override {
    if (dev_ != nullptr) (void)openremap_close(dev_);
    if (MockController::instance == nullptr) return;
    EXPECT_TRUE(MockController::instance->violations.empty()) << MockController::instance->violations.front();
  }

  int TryOpen() {
    options_.device.kind = kind_.c_str();
    char error[256] = "";
    const int rc = openremap_open(&options_, &dev_, error, sizeof(error));
    error_ = error;
    return rc;
  }
  void Open() { ASSERT_EQ(TryOpen(), 0) << error_; }

  std::vector<uint8_t> Pattern(size_t pages, unsigned first) {
    std::vector<uint8_t> data(pages * OPENREMAP_PAGE_BYTES);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>((i * 31 + i / 4096 + first) % 251);
    return data;
  }

  // Data both ways, with PRP lists, around the ends of both rings, and a remap.
  void UseIt() {
    const auto data = Pattern(7, 3);
    ASSERT_EQ(openremap_write(dev_, 20, 7, data.data(), false), 0);
    std::vector<uint8_t> back(data.size());
    ASSERT_EQ(openremap_read(dev_, 20, 7, back.data()), 0);
    EXPECT_EQ(back, data);
    ASSERT_EQ(openremap_remap(dev_, 20, 40, 7, 0), 0);
    std::fill(back.begin(), back.end(), uint8_t{0});
    ASSERT_EQ(openremap_read(dev_, 40, 7, back.data()), 0);
    EXPECT_EQ(back, data);
    const auto page = Pattern(1, 77);
    for (unsigned i = 0; i < 12; ++i) ASSERT_EQ(openremap_write(dev_, 100 + i, 1, page.data(), false), 0) << i;
    back.resize(page.size());
    ASSERT_EQ(openremap_read(dev_, 111, 1, back.data()), 0);
    EXPECT_EQ(back, page);
  }

  orm::TempDir folder_;
  std::string facts_, kind_, error_;
  openremap_options options_{};
  std::unique_ptr<MockBoard> board_;
  openremap_device *dev_ = nullptr;
};

TEST_F(BoardTest, TheDriverUsesItAsAnyDevice) {
  options_.queue_depth = 4;
  Open();
  EXPECT_STREQ(openremap_get_info(dev_)->serial, "MOCK0001");
  UseIt();
  EXPECT_LE(board_->link().longest(), 127u);
  char stats[256];
  pcie_function *fn = openremap_pcie_function(dev_);
  ASSERT_GT(fn->ops->sim_stats(fn, stats, sizeof(stats)), 0);
  EXPECT_NE(std::string(stats).find("\"repeats\": 0,"), std::string::npos) << stats;
}

TEST_F(BoardTest, PacketsThatAreLostDoubledAndLateChangeNothing) {
  options_.queue_depth = 4;
  board_->link().faults.lose_question = 97;
  board_->link().faults.lose_answer = 61;
  board_->link().faults.twice = 5;
  board_->link().faults.late = 53;
  Open();
  UseIt();
}

TEST_F(BoardTest, ADoorbellThatIsLostIsRungAgain) {
  Open();
  board_->lost_doorbells = 1;
  const uint64_t before = openremap_now_ns(dev_);
  std::vector<uint8_t> page(OPENREMAP_PAGE_BYTES);
  EXPECT_EQ(openremap_read(dev_, 0, 1, page.data()), 0);
  EXPECT_EQ(board_->lost_doorbells, 0u);
  EXPECT_GE(openremap_now_ns(dev_) - before, 250000000u);
}

TEST_F(BoardTest, SeveralCommandsInFlightComeBack) {
  options_.queue_depth = 4;
  options_.io_queues = 2;
  MockController::config.reverse_order = true;
  Open();
  const auto data = Pattern(6, 9);
  int done = 0;
  const auto count = [](void *arg, int status, uint32_t) {
    EXPECT_EQ(status, 0);
    ++*static_cast<int *>(arg);
  };
  for (unsigned i = 0; i < 6; ++i) {
    ASSERT_EQ(openremap_submit_write(dev_, i, 1, data.data() + i * OPENREMAP_PAGE_BYTES, false, count, &done), 0);
  }
  ASSERT_EQ(openremap_wait_all(dev_), 0);
  EXPECT_EQ(done, 6);
  std::vector<uint8_t> back(data.size());
  ASSERT_EQ(openremap_read(dev_, 0, 6, back.data()), 0);
  EXPECT_EQ(back, data);
}

TEST_F(BoardTest, AResetStartsItAgain) {
  Open();
  ASSERT_EQ(openremap_reset(dev_), 0);
  UseIt();
}

TEST_F(BoardTest, PowerCannotBeSwitched) {
  Open();
  EXPECT_EQ(openremap_power_cycle(dev_), -ENOTSUP);
}

TEST_F(BoardTest, ABoardThatIsSilentIsNotOpened) {
  board_->link().faults.silent = true;
  EXPECT_EQ(TryOpen(), -ENODEV);
  EXPECT_EQ(error_, "board 127.0.0.2: no answer within 1.6 s");
}

TEST_F(BoardTest, ABoardThatFallsSilentEndsWithAnError) {
  Open();
  board_->link().faults.silent = true;
  std::vector<uint8_t> page(OPENREMAP_PAGE_BYTES);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(openremap_read(dev_, 0, 1, page.data()), -EIO);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "board 127.0.0.2: no answer within 1.6 s\n");
}

TEST_F(BoardTest, OptionsThatABoardCannotHaveAreRefused) {
  options_.device.geometry = "2x2x64x32";
  EXPECT_EQ(TryOpen(), -EINVAL);
  EXPECT_EQ(error_, "device: a board has no other geometry than that of its bitstream");
  options_.device.geometry = nullptr;
  options_.device.image_dir = "ssd";
  EXPECT_EQ(TryOpen(), -EINVAL);
  options_.device.image_dir = nullptr;
  kind_ += ",speed=3";
  EXPECT_EQ(TryOpen(), -EINVAL);
  EXPECT_EQ(error_, "device: 'speed=3' is neither facts=FILE nor slower=N");
}

TEST_F(BoardTest, MemoryThatIsNotSharedIsRefused) {
  Open();
  pcie_function *fn = openremap_pcie_function(dev_);
  uint64_t base = 0, bytes = 0;
  fn->ops->shared_memory(fn, &base, &bytes);
  EXPECT_EQ(base, kMemory);
  EXPECT_EQ(bytes, kMemoryBytes);
  uint8_t byte = 1;
  EXPECT_EQ(fn->ops->shared_write(fn, base - 1, &byte, 1), -EFAULT);
  EXPECT_EQ(fn->ops->shared_read(fn, base + bytes, &byte, 1), -EFAULT);
  EXPECT_EQ(fn->ops->shared_read(fn, base + 1, &byte, SIZE_MAX), -EFAULT);
  // Bytes beside what is written stay.
  const uint64_t end = base + bytes;
  const uint8_t eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_EQ(fn->ops->shared_write(fn, end - 8, eight, 8), 0);
  const uint8_t three[3] = {10, 11, 12};
  ASSERT_EQ(fn->ops->shared_write(fn, end - 6, three, 3), 0);
  uint8_t back[8];
  ASSERT_EQ(fn->ops->shared_read(fn, end - 8, back, 8), 0);
  EXPECT_EQ(std::vector<uint8_t>(back, back + 8), (std::vector<uint8_t>{1, 2, 10, 11, 12, 6, 7, 8}));
  uint64_t value = 0;
  EXPECT_EQ(fn->ops->bar0_read(fn, 2, 4, &value), -EINVAL);
  EXPECT_EQ(fn->ops->bar0_read(fn, 16 * 1024, 4, &value), -EINVAL);
}

}  // namespace
}  // namespace openremap
