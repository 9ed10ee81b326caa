// SPDX-License-Identifier: Apache-2.0
//
// What distinguishes one device from another: serial number, NQN, EUI-64 and NGUID, as a host sees them.
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "controller_fixture.h"
#include "pcie_debug.h"
#include "temp_dir.h"

namespace openremap {
namespace {

struct Names {
  std::string serial, subnqn, eui64, nguid;
};

bool operator==(const Names &a, const Names &b) {
  return a.serial == b.serial && a.subnqn == b.subnqn && a.eui64 == b.eui64 && a.nguid == b.nguid;
}

std::ostream &operator<<(std::ostream &out, const Names &names) { return out << names.serial << ' ' << names.subnqn; }

void ExpectAllDiffer(const Names &a, const Names &b) {
  EXPECT_NE(a.serial, b.serial);
  EXPECT_NE(a.subnqn, b.subnqn);
  EXPECT_NE(a.eui64, b.eui64);
  EXPECT_NE(a.nguid, b.nguid);
}

class IdentityControllerTest : public ControllerTest {
 protected:
  // What the open device reports now, not what it reported when it was opened.
  Names Reported() {
    nvme_identify_controller controller{};
    nvme_identify_namespace space{};
    EXPECT_EQ(openremap_identify_controller(dev_, &controller), 0);
    EXPECT_EQ(openremap_identify_namespace(dev_, &space), 0);
    Names names;
    names.serial.assign(controller.sn, controller.sn + sizeof(controller.sn));
    names.serial.erase(names.serial.find_last_not_of(' ') + 1);
    names.subnqn = reinterpret_cast<const char *>(controller.subnqn);
    names.eui64 = std::to_string(space.eui64);
    names.nguid.assign(space.nguid, space.nguid + sizeof(space.nguid));
    EXPECT_EQ(names.subnqn, "nqn.2026-01.org.openremap:nvme:" + names.serial);
    return names;
  }
  // Of the device in a folder, or in memory, opened with these options.
  Names Of(const std::string &folder, const char *serial = nullptr, bool new_identity = false) {
    Close();
    options_.device.image_dir = folder.empty() ? nullptr : folder.c_str();
    options_.device.serial = serial;
    options_.device.new_identity = new_identity;
    Open();
    return HasFatalFailure() ? Names() : Reported();
  }
  // Why the device does not open; `code`: as openremap_open().
  std::string Refusal(const std::string &folder, const char *serial, int code) {
    Close();
    options_.device.image_dir = folder.c_str();
    options_.device.serial = serial;
    options_.device.new_identity = 0;
    char error[300] = "";
    EXPECT_EQ(openremap_open(&options_, &dev_, error, sizeof(error)), code) << error;
    return error;
  }
  void PowerCycle(int (*meanwhile)(pcie_function *)) {
    pcie_function *fn = openremap_pcie_function(dev_);
    ASSERT_EQ(fn->ops->power_cut(fn), 0);
    ASSERT_EQ(meanwhile(fn), 0);
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
  }

  const orm::TempDir place_;
  const std::string one_ = place_.path + "/one", two_ = place_.path + "/two";
};

TEST_P(IdentityControllerTest, StaysWhateverHappensToTheMedia) {
  const Names names = Of(one_);
  Write(3, 5);
  ASSERT_EQ(openremap_format(dev_, true), 0);
  EXPECT_EQ(Reported(), names) << "after Format NVM";
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_EQ(Reported(), names) << "after a power cut";
  PowerCycle([](pcie_function *fn) { return pcie_device_blank_nvram(fn, 0); });
  EXPECT_EQ(Reported(), names) << "after NVRAM was lost";
  PowerCycle([](pcie_function *fn) { return pcie_device_blank_nvram(fn, 0) != 0 ? -1 : pcie_device_blank_flash(fn); });
  EXPECT_EQ(Reported(), names) << "after all was lost";
  EXPECT_EQ(Of(one_), names) << "in the next program";
  Close();
  std::filesystem::remove(one_ + "/nvram.img");
  EXPECT_EQ(Of(one_), names) << "without the file of NVRAM";
}

TEST_P(IdentityControllerTest, DiffersFromDeviceToDevice) {
  const Names one = Of(one_), two = Of(two_);
  ExpectAllDiffer(one, two);
  const Names memory = Of("");
  ExpectAllDiffer(memory, one);
  EXPECT_EQ(Of(""), memory) << "test programs are reproducible";
  ExpectAllDiffer(Of("", nullptr, true), Of("", nullptr, true));
  ExpectAllDiffer(Of("", "S1"), Of("", "S2"));
  EXPECT_EQ(Of(one_), one);
}

TEST_P(IdentityControllerTest, AnImageOfAnEarlierVersionGetsOneAtItsFirstStart) {
  const Names first = Of(one_);
  Write(3, 5);
  Close();
  ASSERT_TRUE(std::filesystem::remove(one_ + "/identity"));
  const Names given = Of(one_);
  ExpectAllDiffer(first, given);
  CheckAll();
  EXPECT_EQ(Of(one_), given);
  CheckAll();
}

TEST_P(IdentityControllerTest, ACopyGetsAnotherOnDemand) {
  const Names original = Of(one_);
  Write(3, 5);
  Close();
  std::filesystem::copy(one_, two_);
  EXPECT_EQ(Of(two_), original);
  const Names copy = Of(two_, nullptr, true);
  ExpectAllDiffer(original, copy);
  CheckAll();
  EXPECT_EQ(Of(two_), copy);
  EXPECT_EQ(Of(one_), original);
  EXPECT_EQ(Of(two_, "COPY-2", true).serial, "COPY-2");
  EXPECT_EQ(Of(two_).serial, "COPY-2");
}

TEST_P(IdentityControllerTest, SerialNumbersThatAreRefused) {
  for (const char *serial : {"", "123456789012345678901", "two words", "tab\t", "\xC3\xA4"}) {
    EXPECT_NE(Refusal(one_, serial, -EINVAL).find("serial number: "), std::string::npos) << serial;
    EXPECT_FALSE(std::filesystem::exists(one_)) << "nothing is made";
  }
  EXPECT_EQ(Of(one_, "12345678901234567890").serial, "12345678901234567890");
  EXPECT_NE(Refusal(one_, "S2", -EINVAL).find("has 12345678901234567890, not S2"), std::string::npos);
  Close();
  std::ofstream(one_ + "/identity") << "version 1\nserial S1\n";
  EXPECT_NE(Refusal(one_, nullptr, -ENODEV).find(one_ + "/identity: has no eui64"), std::string::npos);
}

TEST_P(IdentityControllerTest, ADeviceInUseKeepsIts) {
  const Names names = Of(one_, "S1");
  openremap_options options = options_;
  options.device.serial = "S2";
  options.device.new_identity = 1;
  openremap_device *second = nullptr;
  char error[300] = "";
  EXPECT_EQ(openremap_open(&options, &second, error, sizeof(error)), -ENODEV);
  EXPECT_NE(std::string(error).find("in use by another device"), std::string::npos) << error;
  EXPECT_EQ(Of(one_), names);
}

INSTANTIATE_TEST_SUITE_P(Kinds, IdentityControllerTest, EveryKind(),
                         [](const auto &kind) { return std::string(kind.param); });
INSTANTIATE_TEST_SUITE_P(Cached, IdentityControllerTest, CachedKinds(),
                         [](const auto &kind) { return std::string(kind.param); });

}  // namespace
}  // namespace openremap
