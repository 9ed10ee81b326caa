// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class GeometryTest : public FwTest {
 protected:
  void SetUp() override { boot_running(); }
  const geometry &now() const { return fw_->geometry; }
};

TEST_F(GeometryTest, IsThatOfTheHeader) {
  orm_nv_header h{};
  h.superblocks = 9;
  h.nsze = 1000;
  h.handles = 1;
  h.format_count = 7;
  geometry_load(fw_, &h);
  EXPECT_EQ(now().superblocks, 9u);
  EXPECT_EQ(now().nsze, 1000u);
  EXPECT_EQ(now().handles, 1u);
  EXPECT_EQ(now().format_count, 7u);
}

TEST_F(GeometryTest, HasNoMoreHandlesThanTheHardware) {
  orm_nv_header h{};
  h.handles = static_cast<uint8_t>(fw_->dev.handles + 1);
  geometry_load(fw_, &h);
  EXPECT_EQ(now().handles, fw_->dev.handles);
}

TEST_F(GeometryTest, ReachesAsFarAsPagesWereWrittenAndNeverShrinks) {
  geometry_set_namespace(fw_, 500, 1);
  geometry_reach(fw_, 400);
  EXPECT_EQ(now().nsze, 500u);
  geometry_reach(fw_, 600);
  EXPECT_EQ(now().nsze, 600u);
}

TEST_F(GeometryTest, CountsFormats) {
  const uint32_t before = now().format_count;
  geometry_formatted(fw_);
  EXPECT_EQ(now().format_count, before + 1);
  geometry_forget_formats(fw_);
  EXPECT_EQ(now().format_count, 0u);
}

}  // namespace
}  // namespace orm_test
