// SPDX-License-Identifier: Apache-2.0
#include "rocksplugin/plugin_uri.h"

#include <gtest/gtest.h>

#include <string>

namespace openremap {
namespace {

TEST(PluginUriTest, DevicesFoldersAndNodes) {
  PluginTarget target;
  ASSERT_TRUE(ParsePluginUri("pagefs://model", "", &target).ok());
  EXPECT_EQ(target.kind + "," + target.image_dir + "," + target.node, "model,,");
  ASSERT_TRUE(ParsePluginUri("pagefs://rtl/tmp/images", "", &target).ok());
  EXPECT_EQ(target.kind + "," + target.image_dir + "," + target.node, "rtl,/tmp/images,");
  ASSERT_TRUE(ParsePluginUri("pagefs:///dev/ng0n1", "placement=table", &target).ok());
  EXPECT_EQ(target.kind + "," + target.image_dir + "," + target.node, ",,/dev/ng0n1");
  EXPECT_TRUE(target.mount.table_units);
}

TEST(PluginUriTest, OptionsAreWords) {
  PluginTarget target;
  ASSERT_TRUE(ParsePluginUri("pagefs://model", "  geometry=2x4x64x64 superblocks=32\tplacement=off ", &target).ok());
  EXPECT_EQ(target.geometry, "2x4x64x64");
  EXPECT_EQ(target.superblocks, 32u);
  EXPECT_FALSE(target.mount.placement);
  EXPECT_FALSE(target.mount.table_units);
  ASSERT_TRUE(ParsePluginUri("pagefs://model", "", &target).ok());
  EXPECT_TRUE(target.mount.placement) << "the default again";
  EXPECT_EQ(target.superblocks, 0u);
}

TEST(PluginUriTest, WhatIsWrongIsNamed) {
  const struct {
    const char *uri, *options, *said;
  } wrong[] = {
      {"pagefs://", "", "pagefs://: expected"},
      {"pagefs:///", "", "expected"},
      {"pagefs://disk", "", "pagefs://disk: expected pagefs://model"},
      {"posix://model", "", "posix://model: expected"},
      {"pagefs://model", "superblocks=many", "superblocks=many: expected a number"},
      {"pagefs://model", "superblocks=-1", "superblocks=-1: expected a number"},
      {"pagefs://model", "placement=on", "placement=on: expected off, level or table"},
      {"pagefs://model", "geometry=", "geometry=: expected geometry="},
      {"pagefs://model", "colour=red", "colour=red: expected geometry="},
      {"pagefs:///dev/ng0n1", "superblocks=8", "for simulated devices"},
  };
  for (const auto &one : wrong) {
    PluginTarget target;
    const leveldb::Status s = ParsePluginUri(one.uri, one.options, &target);
    EXPECT_TRUE(s.IsInvalidArgument()) << one.uri;
    EXPECT_NE(s.ToString().find(one.said), std::string::npos) << s.ToString();
  }
}

}  // namespace
}  // namespace openremap
