// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "openremap.h"
#include "orm_formats.h"
#include "orm_version.h"

namespace {

std::string Describe(int status) {
  char text[160];
  return openremap_describe(status, text, sizeof(text));
}

TEST(StatusTest, NamesStandardVendorAndHostErrors) {
  EXPECT_EQ(Describe(0), "success");
  EXPECT_EQ(Describe(NVME_STATUS(0, 0x80)), "LBA Out of Range (NVMe status 0x080)");
  EXPECT_EQ(Describe(NVME_STATUS(2, 0x81)), "Unrecovered Read Error (NVMe status 0x281)");
  EXPECT_EQ(Describe(NVME_STATUS(3, 0x71)),
            "Command Aborted By Host: Linux gave it up, because it timed out or the controller was reset (NVMe status "
            "0x371)");
  EXPECT_EQ(Describe(NVME_STATUS(3, 0x55)), "unknown status (NVMe status 0x355)");
  EXPECT_NE(Describe(NVME_STATUS(7, ORM_VENDOR_STATUS_REMAP_OVERLAP)).find("remap_overlap: "), std::string::npos);
#define NAMED(name, value, text) EXPECT_NE(Describe(NVME_STATUS(7, value)).find(#name ": " text), std::string::npos);
  ORM_VENDOR_STATUS_ITEMS(NAMED)
#undef NAMED
  EXPECT_NE(Describe(-ETIMEDOUT).find("timed out"), std::string::npos);
}

TEST(StatusTest, FitsAnyBuffer) {
  char text[8];
  EXPECT_EQ(std::string(openremap_describe(NVME_STATUS(0, 0x80), text, sizeof(text))), "LBA Out");
}

TEST(StatusTest, TheLibraryHasTheVersionOfTheProject) {
  EXPECT_STREQ(openremap_version(), ORM_VERSION);
  const std::string numbers = std::to_string(ORM_VERSION_MAJOR) + "." + std::to_string(ORM_VERSION_MINOR) + "." +
                              std::to_string(ORM_VERSION_PATCH);
  EXPECT_EQ(numbers, ORM_VERSION);
}

}  // namespace
