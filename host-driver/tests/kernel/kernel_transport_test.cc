// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "mock_kernel.h"
#include "temp_dir.h"

extern "C" {
#include "api/device.h"
#include "kernel/kernel_transport.h"
#include "openremap_cmd.h"
#include "orm_formats.h"
}

namespace openremap {
namespace {

using Page = std::vector<uint8_t>;

// A namespace behind the passthrough: pages by LPN, Identify data, and answers that a test can choose.
class KernelTransportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_.ioctl = [this](unsigned long request, void *arg) {
      return request == NVME_IOCTL_ID ? nsid_ : Execute(request == NVME_IOCTL_ADMIN64_CMD, arg);
    };
    os_ = kernel_.os();
  }
  void TearDown() override {
    if (dev_ != nullptr) {
      EXPECT_EQ(openremap_close(dev_), 0);
    }
    EXPECT_EQ(kernel_.open_files, 0) << "every file is closed again";
    EXPECT_EQ(kernel_.rings, 0) << "every ring is closed again";
  }

  int TryOpen() {
    openremap_options options{};
    options.node = "/dev/ng0n1";
    options.queue_depth = depth_;
    options.access = access_;
    transport *t = nullptr;
    int rc = kernel_transport_open(&os_, &options, &t, error_, sizeof(error_));
    return rc != 0 ? rc : device_open(t, &dev_, error_, sizeof(error_));
  }
  void Open() { ASSERT_EQ(TryOpen(), 0) << error_; }

  int Execute(bool admin, void *arg) {
    auto *c = static_cast<nvme_passthru_cmd64 *>(arg);
    log_.push_back(*c);
    if (const auto found = answers_.find(c->opcode); !admin && found != answers_.end()) return found->second;
    auto *data = reinterpret_cast<uint8_t *>(static_cast<uintptr_t>(c->addr));
    if (admin && c->opcode == NVME_ADMIN_OPCODE_IDENTIFY) return Identify(c, data);
    if (admin && c->opcode == NVME_ADMIN_OPCODE_GET_LOG_PAGE) return GetLog(c, data);
    const uint64_t lpn = c->cdw10 | uint64_t(c->cdw11) << 32;
    if (c->opcode == NVME_IO_OPCODE_WRITE || c->opcode == NVME_IO_OPCODE_READ) {
      EXPECT_EQ(c->data_len, ((c->cdw12 & 0xFFFF) + 1) * 4096);
      for (uint64_t i = 0; i <= (c->cdw12 & 0xFFFF); i++) {
        Page &page = pages_[lpn + i];
        page.resize(4096);
        if (c->opcode == NVME_IO_OPCODE_WRITE) {
          page.assign(data + 4096 * i, data + 4096 * (i + 1));
        } else {
          std::memcpy(data + 4096 * i, page.data(), 4096);
        }
      }
    }
    c->result = 7;
    return 0;
  }

  int Identify(nvme_passthru_cmd64 *c, uint8_t *data) {
    std::memset(data, 0, 4096);
    if (c->cdw10 == NVME_CNS_CONTROLLER) {
      nvme_identify_controller ctrl{};
      ctrl.mdts = mdts_;
      ctrl.vid = vid_;
      std::memcpy(ctrl.mn, "OpenRemap ", 10);
      ctrl.lpa = NVME_LPA_EFFECTS_LOG;
      ctrl.oncs = NVME_ONCS_COPY;
      nvme_identify_controller_pack(&ctrl, data);
    } else {
      nvme_identify_namespace ns{};
      ns.nsze = 1000;
      ns.lbaf0 = lbaf_;
      ns.mssrl = 64;
      ns.mcl = 128;
      ns.msrc = 3;
      nvme_identify_namespace_pack(&ns, data);
    }
    return identify_result_;
  }

  int GetLog(nvme_passthru_cmd64 *c, uint8_t *data) {
    std::memset(data, 0, c->data_len);
    if ((c->cdw10 & 0xFF) == NVME_LOG_PAGE_COMMANDS_SUPPORTED) {
      for (const int opcode : {ORM_VENDOR_OPCODES_REMAP, ORM_VENDOR_OPCODES_REMAP_VECTOR})
        data[1024 + 4 * opcode] = NVME_EFFECT_SUPPORTED;
    } else {
      orm_remap_log log{};
      log.version = 1;
      orm_remap_log_pack(&log, data);
    }
    return log_result_;
  }

  void TellStatusAndErrnoApart() {
    Open();
    // Do Not Retry and More come with the kernel's status.
    answers_[NVME_IO_OPCODE_FLUSH] = 0x4000 | 0x2000 | NVME_STATUS(2, 0x81);
    EXPECT_EQ(openremap_flush(dev_), NVME_STATUS(2, 0x81));
    answers_[NVME_IO_OPCODE_FLUSH] = -EINTR;
    EXPECT_EQ(openremap_flush(dev_), -EINTR);
    answers_.clear();
    uint32_t result = 0;
    nvme_submission_entry e;
    nvme_cmd_flush(&e, 1);
    EXPECT_EQ(openremap_io(dev_, &e, nullptr, 0, &result), 0);
    EXPECT_EQ(result, 7u);
  }

  static constexpr int kNotPermitted = -EACCES;
  MockKernel kernel_;
  kernel_os os_{};
  openremap_device *dev_ = nullptr;
  char error_[200] = "";
  uint32_t depth_ = 0;
  openremap_access access_ = OPENREMAP_ACCESS_SHARED;
  int nsid_ = 1;
  uint8_t mdts_ = 5;
  uint32_t lbaf_ = 12u << 16;
  uint16_t vid_ = 0x1234;
  int identify_result_ = 0;
  int log_result_ = 0;
  std::map<uint8_t, int> answers_;  // I/O commands, by opcode
  std::map<uint64_t, Page> pages_;
  std::vector<nvme_passthru_cmd64> log_;
};

TEST_F(KernelTransportTest, ReadsBackWhatItWrites) {
  Open();
  EXPECT_EQ(kernel_.opened, "/dev/ng0n1");
  EXPECT_EQ(openremap_get_info(dev_)->max_transfer_pages, 32u);
  Page data(100 * 4096);
  for (size_t i = 0; i < data.size(); i++) data[i] = uint8_t(i / 4096 + i);
  log_.clear();
  ASSERT_EQ(openremap_write(dev_, 5, 100, data.data(), true), 0);
  ASSERT_EQ(log_.size(), 4u) << "pieces of what the controller takes";
  EXPECT_EQ(log_[0].nsid, 1u);
  EXPECT_EQ(log_[3].cdw10, 5u + 96);
  EXPECT_EQ(log_[3].cdw12 & 0xFFFF, 3u);
  Page back(data.size());
  ASSERT_EQ(openremap_read(dev_, 5, 100, back.data()), 0);
  EXPECT_EQ(back, data);
  EXPECT_EQ(openremap_pcie_function(dev_), nullptr);
}

TEST_F(KernelTransportTest, AnotherNumberOfTheNamespace) {
  nsid_ = 3;
  Open();
  log_.clear();
  ASSERT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(log_.at(0).nsid, 3u);
}

TEST_F(KernelTransportTest, StatusAndErrnoAreToldApart) { TellStatusAndErrnoApart(); }

TEST_F(KernelTransportTest, TransfersFitTheKernelToo) {
  mdts_ = 0;  // any length
  Open();
  EXPECT_EQ(openremap_get_info(dev_)->max_transfer_pages, 128u);
}

TEST_F(KernelTransportTest, VendorCommandsGoOutAsTheyAre) {
  Open();
  log_.clear();
  ASSERT_EQ(openremap_remap(dev_, 10, 20, 5, OPENREMAP_MOVE), 0);
  EXPECT_EQ(log_.at(0).opcode, ORM_VENDOR_OPCODES_REMAP);
  EXPECT_EQ(log_.at(0).cdw10, 10u);
  EXPECT_EQ(log_.at(0).cdw12, 20u);
  EXPECT_EQ(log_.at(0).cdw14, 5u);
  EXPECT_EQ(log_.at(0).cdw15, ORM_VENDOR_FLAGS_MOVE);
  EXPECT_EQ(log_.at(0).data_len, 0u);
}

TEST_F(KernelTransportTest, WhereVendorCommandsAreNotPermittedCopyShares) {
  Open();
  answers_[ORM_VENDOR_OPCODES_REMAP] = answers_[ORM_VENDOR_OPCODES_REMAP_VECTOR] = kNotPermitted;
  log_.clear();
  ASSERT_EQ(openremap_remap(dev_, 10, 20, 5, OPENREMAP_SHARE), 0);
  EXPECT_EQ(log_.back().opcode, NVME_IO_OPCODE_COPY);
  EXPECT_EQ(log_.back().cdw10, 20u);
  EXPECT_EQ(log_.back().data_len, uint32_t(NVME_COPY_RANGE_BYTES));
  const openremap_remap_range row[] = {{10, 100, 60}, {200, 160, 1}, {300, 161, 2}};
  ASSERT_EQ(openremap_remap_vector(dev_, row, 3, OPENREMAP_SHARE), 0);
  EXPECT_EQ(log_.back().opcode, NVME_IO_OPCODE_COPY);
  EXPECT_EQ(log_.back().cdw12 & 0xFF, 2u);
  EXPECT_EQ(log_.back().data_len, 3u * NVME_COPY_RANGE_BYTES);
  answers_[NVME_IO_OPCODE_COPY] = NVME_STATUS(0, 0x80);
  EXPECT_EQ(openremap_remap(dev_, 10, 20, 5, OPENREMAP_SHARE), NVME_STATUS(0, 0x80)) << "the device's word counts";
}

TEST_F(KernelTransportTest, WhatCopyCannotSayStaysRefused) {
  Open();
  answers_[ORM_VENDOR_OPCODES_REMAP] = answers_[ORM_VENDOR_OPCODES_REMAP_VECTOR] = kNotPermitted;
  EXPECT_EQ(openremap_remap(dev_, 10, 20, 5, OPENREMAP_MOVE), kNotPermitted);
  EXPECT_EQ(openremap_remap(dev_, 10, 200, 65, OPENREMAP_SHARE), kNotPermitted) << "longer than one range of Copy";
  const openremap_remap_range apart[] = {{10, 100, 1}, {11, 102, 1}};
  EXPECT_EQ(openremap_remap_vector(dev_, apart, 2, OPENREMAP_SHARE), kNotPermitted) << "targets not in a row";
  const openremap_remap_range large[] = {{10, 100, 64}, {200, 164, 64}, {300, 228, 1}};
  EXPECT_EQ(openremap_remap_vector(dev_, large, 3, OPENREMAP_SHARE), kNotPermitted) << "more pages than Copy takes";
  const openremap_remap_range many[] = {{10, 100, 1}, {20, 101, 1}, {30, 102, 1}, {40, 103, 1}, {50, 104, 1}};
  EXPECT_EQ(openremap_remap_vector(dev_, many, 5, OPENREMAP_SHARE), kNotPermitted) << "more ranges than Copy takes";
  for (const auto &c : log_) EXPECT_NE(c.opcode, NVME_IO_OPCODE_COPY);
}

TEST_F(KernelTransportTest, OtherErrorsOfARemapAreNotCopied) {
  Open();
  answers_[ORM_VENDOR_OPCODES_REMAP] = NVME_STATUS(7, ORM_VENDOR_STATUS_REMAP_OVERLAP);
  EXPECT_EQ(openremap_remap(dev_, 10, 12, 5, OPENREMAP_SHARE), NVME_STATUS(7, ORM_VENDOR_STATUS_REMAP_OVERLAP));
  EXPECT_EQ(log_.back().opcode, ORM_VENDOR_OPCODES_REMAP);
}

TEST_F(KernelTransportTest, WhatOnlyTheDriverCanDo) {
  Open();
  EXPECT_EQ(openremap_reset(dev_), -ENOTSUP);
  EXPECT_EQ(openremap_power_cycle(dev_), -ENOTSUP);
  nvme_submission_entry e;
  nvme_cmd_read(&e, 1, 0, 1);
  e.prp1 = 4096;
  EXPECT_EQ(openremap_io(dev_, &e, nullptr, 0, nullptr), -EINVAL) << "PRPs are the kernel's";
  const uint64_t now = openremap_now_ns(dev_);
  EXPECT_GT(openremap_now_ns(dev_), now);
  void *memory = openremap_dma_alloc(dev_, 5000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 4096, 0u);
  openremap_dma_free(dev_, memory);
}

// The transport over io_uring. Commands are carried out as they are sent. They end in a different order, when the queue
// is full or when the test says so.
class KernelRingTest : public KernelTransportTest {
 protected:
  void SetUp() override {
    KernelTransportTest::SetUp();
    kernel_.has_ring = true;
    kernel_.file.st_mode = S_IFCHR;
    kernel_.send = [this](const nvme_uring_cmd &c, uint32_t tag) {
      if (refuse_ != 0) return refuse_;
      sent_++;
      most_ = std::max(most_, ++under_way_);
      nvme_passthru_cmd64 as_ioctl{};
      as_ioctl.opcode = c.opcode;
      as_ioctl.nsid = c.nsid;
      as_ioctl.addr = c.addr;
      as_ioctl.data_len = c.data_len;
      as_ioctl.cdw10 = c.cdw10;
      as_ioctl.cdw11 = c.cdw11;
      as_ioctl.cdw12 = c.cdw12;
      as_ioctl.cdw14 = c.cdw14;
      as_ioctl.timeout_ms = c.timeout_ms;
      const int status = Execute(false, &as_ioctl);
      under_way_--;
      if (hold_) {
        kernel_.ended.clear();
      } else {
        kernel_.ended.push_front({tag, status, uint32_t(as_ioctl.result)});
      }
      return 0;
    };
  }

  size_t sent_ = 0, under_way_ = 0, most_ = 0;
  int refuse_ = 0;
  bool hold_ = false;  // nothing ends
};

void NoteEnd(void *arg, int status, uint32_t) { *static_cast<int *>(arg) = status; }

TEST_F(KernelRingTest, ReadsBackWhatItWritesManyAtATime) {
  Open();
  EXPECT_EQ(kernel_.ring_depth, 64u);
  EXPECT_EQ(openremap_get_info(dev_)->queue_depth, 64u);
  Page data(300 * 4096);
  for (size_t i = 0; i < data.size(); i++) data[i] = uint8_t(i / 4096 + i);
  ASSERT_EQ(openremap_write(dev_, 5, 300, data.data(), true), 0);
  EXPECT_EQ(sent_, 10u) << "pieces of 32 pages";
  Page back(data.size());
  ASSERT_EQ(openremap_read(dev_, 5, 300, back.data()), 0);
  EXPECT_EQ(back, data);
  EXPECT_EQ(log_.back().nsid, 1u);
  EXPECT_EQ(log_.back().timeout_ms, 30000u);
}

TEST_F(KernelRingTest, TheDepthOfTheOptions) {
  depth_ = 4;
  Open();
  EXPECT_EQ(kernel_.ring_depth, 4u);
  hold_ = true;
  std::vector<Page> pages(6, Page(4096));
  std::vector<int> status(6, 1);
  for (size_t i = 0; i < 6; i++) {
    ASSERT_EQ(openremap_submit_read(dev_, i, 1, pages[i].data(), NoteEnd, &status[i]), 0);
  }
  openremap_poll(dev_, 0);
  EXPECT_EQ(sent_, 4u) << "the others wait";
  hold_ = false;
  for (uint32_t tag = 0; tag < 4; tag++) kernel_.ended.push_back({tag, 0, 0});
  ASSERT_EQ(openremap_wait_all(dev_), 0);
  EXPECT_EQ(sent_, 6u);
  for (int s : status) EXPECT_EQ(s, 0);
}

TEST_F(KernelRingTest, StatusAndErrnoAreToldApart) { TellStatusAndErrnoApart(); }

TEST_F(KernelRingTest, WhereVendorCommandsAreNotPermittedCopyShares) {
  Open();
  answers_[ORM_VENDOR_OPCODES_REMAP] = kNotPermitted;
  ASSERT_EQ(openremap_remap(dev_, 10, 20, 5, OPENREMAP_SHARE), 0);
  EXPECT_EQ(log_.back().opcode, NVME_IO_OPCODE_COPY);
}

TEST_F(KernelRingTest, EndsOfNoCommandAreLeftAlone) {
  Open();
  kernel_.ended.push_back({63, 0, 0});
  kernel_.ended.push_back({64, 0, 0});
  kernel_.ended.push_back({UINT32_MAX, 0, 0});
  EXPECT_EQ(openremap_flush(dev_), 0);
}

TEST_F(KernelRingTest, WhatTheKernelDoesNotTakeFails) {
  Open();
  refuse_ = -EBADF;
  EXPECT_EQ(openremap_flush(dev_), -EBADF);
  refuse_ = 0;
  EXPECT_EQ(openremap_flush(dev_), 0);
}

TEST_F(KernelRingTest, ALostRingFailsWhatIsUnderWay) {
  Open();
  hold_ = true;
  kernel_.ring_wait_result = -EBADF;
  std::vector<Page> pages(3, Page(4096));
  std::vector<int> status(3, 1);
  for (size_t i = 0; i < 3; i++) {
    ASSERT_EQ(openremap_submit_read(dev_, i, 1, pages[i].data(), NoteEnd, &status[i]), 0);
  }
  EXPECT_EQ(openremap_wait_all(dev_), -EBADF);
  for (int s : status) EXPECT_EQ(s, -EBADF);
  EXPECT_EQ(kernel_.rings, 0);
  EXPECT_EQ(openremap_flush(dev_), -EBADF) << "and goes on failing";
}

TEST_F(KernelRingTest, BlockDevicesAndOldKernelsHaveTheIoctls) {
  kernel_.has_ring = false;
  Open();
  EXPECT_EQ(openremap_get_info(dev_)->queue_depth, 1u);
  EXPECT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(sent_, 0u);
  ASSERT_EQ(openremap_close(dev_), 0);
  dev_ = nullptr;
  kernel_.has_ring = true;
  kernel_.file.st_mode = S_IFBLK;
  Open();
  EXPECT_EQ(kernel_.rings, 0);
  EXPECT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(sent_, 0u);
}

TEST_F(KernelTransportTest, NodesThatCannotBeOpened) {
  kernel_.open_result = -EACCES;
  EXPECT_EQ(TryOpen(), -EACCES);
  EXPECT_NE(std::strstr(error_, "root"), nullptr) << error_;
  kernel_.open_result = -ENOENT;
  EXPECT_EQ(TryOpen(), -ENODEV);
  EXPECT_NE(std::strstr(error_, "/dev/ng0n1"), nullptr) << error_;
  kernel_.open_result = 3;
  nsid_ = -ENOTTY;
  EXPECT_EQ(TryOpen(), -ENODEV);
  EXPECT_NE(std::strstr(error_, "not an NVMe namespace"), nullptr) << error_;
  nsid_ = 1;
  identify_result_ = kNotPermitted;
  EXPECT_EQ(TryOpen(), kNotPermitted);
  identify_result_ = 0;
  lbaf_ = 9u << 16;
  EXPECT_EQ(TryOpen(), -ENOTSUP);
  EXPECT_NE(std::strstr(error_, "4096"), nullptr) << error_;
}

TEST_F(KernelTransportTest, APartitionIsNotItsNamespace) {
  const orm::TempDir sysfs;
  kernel_.block_devices = sysfs.path;
  os_ = kernel_.os();
  kernel_.file.st_mode = S_IFBLK;
  kernel_.file.st_rdev = makedev(259, 3);
  const std::filesystem::path device = std::filesystem::path(sysfs.path) / "259:3";
  ASSERT_TRUE(std::filesystem::create_directory(device));
  Open();
  ASSERT_EQ(openremap_close(dev_), 0);
  dev_ = nullptr;
  std::ofstream(device / "partition") << "2\n";
  EXPECT_EQ(TryOpen(), -ENODEV);
  EXPECT_NE(std::strstr(error_, "a partition: name its namespace"), nullptr) << error_;
}

TEST_F(KernelTransportTest, ANodeIsClaimedWhereThatIsAskedFor) {
  Open();
  EXPECT_EQ(kernel_.claimed, "");
  ASSERT_EQ(openremap_close(dev_), 0);
  dev_ = nullptr;
  access_ = OPENREMAP_ACCESS_READER;
  Open();
  EXPECT_EQ(kernel_.claimed, "readers /dev/ng0n1");
  EXPECT_EQ(kernel_.open_files, 2);
  ASSERT_EQ(openremap_close(dev_), 0);
  dev_ = nullptr;
  EXPECT_EQ(kernel_.open_files, 0);
  access_ = OPENREMAP_ACCESS_ALONE;
  Open();
  EXPECT_EQ(kernel_.claimed, "alone /dev/ng0n1");
}

TEST_F(KernelTransportTest, ANodeThatIsInUseIsSentNothing) {
  kernel_.claim_result = -EBUSY;
  access_ = OPENREMAP_ACCESS_ALONE;
  EXPECT_EQ(TryOpen(), -EBUSY);
  EXPECT_STREQ(error_, "/dev/ng0n1: in use: another program has opened it, or a file system on it is mounted");
  access_ = OPENREMAP_ACCESS_READER;
  EXPECT_EQ(TryOpen(), -EBUSY);
  EXPECT_STREQ(error_, "/dev/ng0n1: in use: another program has opened it for itself");
  EXPECT_TRUE(log_.empty());
}

TEST_F(KernelTransportTest, AStrangersDriveIsSentNoVendorCommand) {
  vid_ = 0x144d;
  Open();
  ASSERT_NE(openremap_refusal(dev_), nullptr);
  EXPECT_EQ(std::string(openremap_refusal(dev_)),
            "not an OpenRemap device: its PCI vendor is 0x144d and its model \"OpenRemap\"");
  EXPECT_EQ(openremap_remap(dev_, 10, 20, 5, OPENREMAP_SHARE), -ENOTSUP);
  const openremap_remap_range range = {10, 20, 5};
  EXPECT_EQ(openremap_remap_vector(dev_, &range, 1, OPENREMAP_SHARE), -ENOTSUP);
  for (const nvme_passthru_cmd64 &sent : log_) EXPECT_LT(sent.opcode, 0x80);
}

// Linux reads log pages for root only, so the device cannot be known. It takes Copy all the same.
TEST_F(KernelTransportTest, WithoutRootNoVendorCommandIsSent) {
  log_result_ = kNotPermitted;
  Open();
  EXPECT_EQ(
      std::string(openremap_refusal(dev_)),
      "not known to be an OpenRemap device: its log of supported commands cannot be read, which Linux allows to root "
      "only");
  EXPECT_EQ(openremap_remap(dev_, 10, 20, 5, OPENREMAP_MOVE), kNotPermitted);
  EXPECT_EQ(openremap_remap(dev_, 10, 20, 5, OPENREMAP_SHARE), 0);
  EXPECT_EQ(log_.back().opcode, NVME_IO_OPCODE_COPY);
  for (const nvme_passthru_cmd64 &sent : log_) EXPECT_LT(sent.opcode, 0x80);
}

TEST_F(KernelTransportTest, ALogThatIsNotCompletedIsNoVerdict) {
  log_result_ = -EINTR;
  EXPECT_EQ(TryOpen(), -EINTR);
  log_result_ = NVME_STATUS_LOG_PAGE_INVALID;
  Open();
  EXPECT_NE(openremap_refusal(dev_), nullptr);
}

}  // namespace
}  // namespace openremap
