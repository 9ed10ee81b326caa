// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "core/hal.h"
}

#include <string>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

struct HalTest : ::testing::Test {
  MockDevice dev;
  platform port = *dev.port();
};

TEST_F(HalTest, NvramIsZeroedInPieces) {
  std::fill(dev.nvram.begin(), dev.nvram.end(), uint8_t{0xEE});
  hal_nv_zero(&port, 8, 200);
  EXPECT_EQ(dev.nvram[7], 0xEE);
  for (uint32_t i = 8; i < 208; i++) EXPECT_EQ(dev.nvram[i], 0) << i;
  EXPECT_EQ(dev.nvram[208], 0xEE);
}

TEST_F(HalTest, LinesBeyondTheLevelAreNotLogged) {
  port.log_level = PLATFORM_LOG_INFO;
  hal_log(&port, PLATFORM_LOG_DEBUG, "detail %d", 1);
  EXPECT_TRUE(dev.debug_log.empty());
  hal_log(&port, PLATFORM_LOG_INFO, "line %d", 2);
  hal_log(&port, PLATFORM_LOG_ERROR, "line %d", 3);
  EXPECT_EQ(dev.log, (std::vector<std::string>{"line 2", "line 3"}));
  port.log = nullptr;
  hal_log(&port, PLATFORM_LOG_ERROR, "nobody listens");
}

TEST_F(HalTest, DramIsFilledByThePortIfItCan) {
  hal_dram_fill(&port, 4, 0x5A, 3);
  EXPECT_EQ(dev.dram[3], 0);
  EXPECT_EQ(dev.dram[4], 0x5A);
  EXPECT_EQ(dev.dram[6], 0x5A);
  EXPECT_EQ(dev.dram[7], 0);
  port.dram_fill = [](void *ctx, uint32_t addr, uint8_t byte, size_t len) {
    static_cast<MockDevice *>(ctx)->log.push_back(std::to_string(addr) + " " + std::to_string(byte) + " " +
                                                  std::to_string(len));
  };
  hal_dram_fill(&port, 64, 0xFF, 32);
  EXPECT_EQ(dev.log.back(), "64 255 32");
  EXPECT_EQ(dev.dram[64], 0);
}

TEST_F(HalTest, LongLinesAreCut) {
  hal_log(&port, PLATFORM_LOG_INFO, "%s", std::string(300, 'x').c_str());
  EXPECT_EQ(dev.log.back(), std::string(159, 'x'));
  port.log = nullptr;
  hal_log(&port, PLATFORM_LOG_ERROR, "nobody hears it");
  EXPECT_EQ(dev.log.size(), 1u);
}

}  // namespace
}  // namespace orm_test
