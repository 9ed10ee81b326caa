// SPDX-License-Identifier: Apache-2.0
// A device on the mock controller, and page contents that show where they belong.
#ifndef OPENREMAP_HOST_DRIVER_TESTS_DEVICE_FIXTURE_H_
#define OPENREMAP_HOST_DRIVER_TESTS_DEVICE_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mock_controller.h"
#include "openremap.h"

namespace openremap {

// Bytes that differ from page to page and from tag to tag.
inline std::vector<uint8_t> Pattern(uint64_t pages, uint32_t tag) {
  std::vector<uint8_t> data(pages * OPENREMAP_PAGE_BYTES);
  for (size_t i = 0; i < data.size(); i++) {
    data[i] = static_cast<uint8_t>((i * 2654435761u + i / OPENREMAP_PAGE_BYTES * 97 + tag * 31) >> 3);
  }
  return data;
}

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    MockController::config = MockConfig();
    MockController::ForgetImages();
    options_.create = MockController::Create;
    options_.timeout_ns = 100000000;
    options_.ready_timeout_ns = 1000000000;
  }
  void TearDown() override {
    if (dev_ != nullptr) {
      if (expect_clean_) {
        EXPECT_EQ(mock()->violations, std::vector<std::string>());
      }
      openremap_close(dev_);
    }
  }

  void Open() { ASSERT_EQ(TryOpen(), 0) << error_; }
  int TryOpen() {
    char error[200] = "";
    const int rc = openremap_open(&options_, &dev_, error, sizeof(error));
    error_ = error;
    return rc;
  }
  MockController *mock() { return MockController::instance; }

  openremap_options options_{};
  openremap_device *dev_ = nullptr;
  std::string error_;
  bool expect_clean_ = true;  // a test of bad commands sets it to false
};

}  // namespace openremap

#endif  // OPENREMAP_HOST_DRIVER_TESTS_DEVICE_FIXTURE_H_
