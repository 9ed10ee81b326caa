// SPDX-License-Identifier: Apache-2.0
//
// Drives of strangers: they take the standard commands, and are sent nothing else.
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "device_fixture.h"
#include "openremap_cmd.h"
#include "openremap_stats.h"

namespace openremap {
namespace {

struct Stranger {
  std::string name;
  std::function<void(MockConfig *)> change;
  std::string refusal;           // what openremap_refusal says, or a part of it
  bool reads_remap_log = false;  // nothing told it from ours before this page
};

const uint16_t kLogFails = NVME_STATUS_LOG_PAGE_INVALID;

const Stranger kStrangers[] = {
    {"OtherVendor",
     [](MockConfig *c) {
       c->vid = 0x144d;
       c->model = "Fast SSD 980";
     },
     "not an OpenRemap device: its PCI vendor is 0x144d and its model \"Fast SSD 980\""},
    {"OtherVendorWithOurModel", [](MockConfig *c) { c->vid = 0x8086; }, "its PCI vendor is 0x8086"},
    {"OtherModel", [](MockConfig *c) { c->model = "QEMU NVMe Ctrl"; }, "its model is \"QEMU NVMe Ctrl\""},
    {"LongerWord", [](MockConfig *c) { c->model = "OpenRemapper"; }, "its model is \"OpenRemapper\""},
    {"NoEffectsLog", [](MockConfig *c) { c->has_effects_log = false; }, "it has no log of the commands"},
    {"EffectsLogFails", [](MockConfig *c) { c->log_status[NVME_LOG_PAGE_COMMANDS_SUPPORTED] = kLogFails; },
     "its log of supported commands cannot be read"},
    {"NoVendorOpcode",
     [](MockConfig *c) {
       c->unlisted = {ORM_VENDOR_OPCODES_REMAP, ORM_VENDOR_OPCODES_REMAP_VECTOR};
     },
     "does not list opcode 0x80"},
    {"NoRemap", [](MockConfig *c) { c->unlisted = {ORM_VENDOR_OPCODES_REMAP}; }, "does not list opcode 0x80"},
    {"NoRemapVector", [](MockConfig *c) { c->unlisted = {ORM_VENDOR_OPCODES_REMAP_VECTOR}; },
     "does not list opcode 0x81"},
    {"NoRemapLog", [](MockConfig *c) { c->log_status[ORM_VENDOR_LOG_PAGES_REMAP_LOG] = kLogFails; },
     "its remap log page cannot be read", true},
    {"OtherPageOfTheSameNumber", [](MockConfig *c) { c->remap_log_version = 0x5A5A5A5A; },
     "its remap log page has another layout", true},
    {"FormatFour",
     [](MockConfig *c) {
       c->vid = 0x144d;
       c->block_formats = {9u << 16, 9u << 16 | 8, 12u << 16 | 8, 12u << 16 | 64, 12u << 16};
       c->flbas = 4;
     },
     "its PCI vendor is 0x144d"},
};

class KnownTest : public DeviceTest, public ::testing::WithParamInterface<Stranger> {};

TEST_P(KnownTest, AStrangersDriveIsSentNoVendorCommand) {
  GetParam().change(&MockController::config);
  Open();
  ASSERT_NE(openremap_refusal(dev_), nullptr);
  EXPECT_NE(std::string(openremap_refusal(dev_)).find(GetParam().refusal), std::string::npos)
      << openremap_refusal(dev_);

  // The standard commands.
  const std::vector<uint8_t> data = Pattern(2, 1);
  std::vector<uint8_t> back(data.size());
  ASSERT_EQ(openremap_write(dev_, 0, 2, data.data(), false), 0);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_copy(dev_, 0, 10, 2), 0);
  ASSERT_EQ(openremap_read(dev_, 10, 2, back.data()), 0);
  EXPECT_EQ(back, data);

  // Ours.
  for (const unsigned flags : {OPENREMAP_SHARE, OPENREMAP_MOVE}) {
    EXPECT_EQ(openremap_remap(dev_, 0, 20, 1, flags), -ENOTSUP);
    const openremap_remap_range range = {0, 20, 1};
    EXPECT_EQ(openremap_remap_vector(dev_, &range, 1, flags), -ENOTSUP);
  }
  for (unsigned opcode = 0x80; opcode <= 0xFF; opcode++) {
    nvme_submission_entry command;
    nvme_cmd_init(&command, static_cast<uint8_t>(opcode), 1);
    EXPECT_EQ(openremap_io(dev_, &command, nullptr, 0, nullptr), -ENOTSUP);
    if (opcode >= 0xC0) {
      EXPECT_EQ(openremap_admin(dev_, &command, nullptr, 0, nullptr), -ENOTSUP);
    }
  }
  orm_remap_log log;
  EXPECT_EQ(openremap_get_stats(dev_, &log), -ENOTSUP);
  EXPECT_EQ(openremap_get_log_page(dev_, ORM_VENDOR_LOG_PAGES_CRASH_LOG, 0, back.data(), 512), -ENOTSUP);

  for (const nvme_submission_entry &sent : mock()->log) EXPECT_LT(sent.opcode, 0x80);
  unsigned own_pages = 0;
  for (const nvme_submission_entry &sent : mock()->admin_log) {
    EXPECT_LT(sent.opcode, 0xC0);
    own_pages += sent.opcode == NVME_ADMIN_OPCODE_GET_LOG_PAGE && (sent.cdw10 & 0xFF) >= 0xC0;
  }
  EXPECT_EQ(own_pages, GetParam().reads_remap_log ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(Strangers, KnownTest, ::testing::ValuesIn(kStrangers),
                         [](const auto &stranger) { return stranger.param.name; });

TEST_F(KnownTest, OurDeviceIsKnown) {
  Open();
  EXPECT_EQ(openremap_refusal(dev_), nullptr);
  ASSERT_EQ(openremap_write(dev_, 0, 1, Pattern(1, 1).data(), false), 0);
  EXPECT_EQ(openremap_remap(dev_, 0, 20, 1, OPENREMAP_SHARE), 0);
}

TEST_F(KnownTest, AModelMayHaveFurtherWords) {
  for (const char *model : {"OpenRemap", "OpenRemap Cosmos+"}) {
    MockController::config.model = model;
    Open();
    EXPECT_EQ(openremap_refusal(dev_), nullptr) << model;
    openremap_close(dev_);
    dev_ = nullptr;
  }
}

TEST_F(KnownTest, AFormatKeepsTheBlockFormat) {
  MockController::config.block_formats = {9u << 16, 9u << 16, 12u << 16};
  MockController::config.flbas = 2;
  Open();
  ASSERT_EQ(openremap_format(dev_, true), 0);
  EXPECT_EQ(mock()->formats, std::vector<uint32_t>{2u | NVME_FORMAT_SES_USER_DATA << NVME_FORMAT_SES_SHIFT});
}

TEST_F(KnownTest, ABlockFormatThatDoesNotFitIsNamed) {
  MockController::config.block_formats = {9u << 16, 12u << 16};
  EXPECT_EQ(TryOpen(), -ENOTSUP);
  EXPECT_NE(error_.find("formatted to 512-byte blocks (format 0); its format 1 has the 4096-byte blocks"),
            std::string::npos)
      << error_;
}

}  // namespace
}  // namespace openremap
