// SPDX-License-Identifier: Apache-2.0
#include "identity.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sim_error.h"
#include "temp_dir.h"

namespace orm {
namespace {

using std::filesystem::exists;

std::string file_of(const TempDir &dir) { return dir.path + "/" + DeviceIdentity::kFile; }

std::string text_of(const TempDir &dir) {
  std::ifstream file(file_of(dir));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void put_text(const TempDir &dir, const std::string &text) { std::ofstream(file_of(dir)) << text; }

/// As a program that makes or opens a device there.
Identity open_device(const TempDir &dir, const IdentityOptions &options = {}) {
  DeviceIdentity identity(dir.path, false, options);
  identity.keep();
  return identity.get();
}

template <class Error>
std::string refusal(const std::string &folder, bool unchanged, const IdentityOptions &options) {
  try {
    const DeviceIdentity identity(folder, unchanged, options);
  } catch (const Error &e) {
    return e.what();
  }
  return "";
}

bool same(const Identity &a, const Identity &b) { return a.serial == b.serial && a.eui64 == b.eui64; }

TEST(IdentityTest, SerialNumbers) {
  const struct {
    std::string serial;
    bool good;
  } cases[] = {
      {"A", true},
      {"12345678901234567890", true},
      {"!~", true},
      {"", false},
      {"123456789012345678901", false},
      {"a b", false},
      {"a\n", false},
      {"\t", false},
      {" a", false},
      {"a ", false},
      {"\x7F", false},
      {"\xC3\xA4", false},
      {"#1", true},
  };
  for (const auto &c : cases) {
    if (c.good) {
      EXPECT_EQ(identity_of(c.serial).serial, c.serial);
    } else {
      EXPECT_THROW(identity_of(c.serial), OptionError) << c.serial;
    }
  }
}

// Tests and records that name a serial number meet the same device in every run and in every version.
TEST(IdentityTest, ASerialNumberAlwaysHasTheSameEui64) {
  EXPECT_EQ(identity_of("S1").eui64, (std::array<uint8_t, 8>{0x92, 0x33, 0x7c, 0x50, 0x5c, 0xa3, 0x3b, 0x50}));
}

TEST(IdentityTest, Eui64sAreLocalAndDiffer) {
  std::set<std::array<uint8_t, 8>> seen;
  for (int i = 0; i < 10'000; ++i) {
    const Identity identity = identity_of("S" + std::to_string(i));
    EXPECT_EQ(identity.eui64[0] & 0x0F, 0x02) << "locally administered, no group";
    seen.insert(identity.eui64);
  }
  EXPECT_EQ(seen.size(), 10'000u);
}

TEST(IdentityTest, DrawnOnesDiffer) {
  const Identity a = drawn_identity(), b = drawn_identity();
  EXPECT_NE(a.serial, b.serial);
  EXPECT_NE(a.eui64, b.eui64);
  EXPECT_EQ(a.serial.size(), 19u);
  EXPECT_TRUE(same(identity_of(a.serial), a));
}

TEST(IdentityTest, AnImageKeepsWhatItWasGiven) {
  const TempDir one, two;
  const Identity a = open_device(one), b = open_device(two);
  EXPECT_NE(a.serial, b.serial);
  EXPECT_TRUE(same(open_device(one), a));
  EXPECT_TRUE(same(DeviceIdentity(one.path, true, {}).get(), a)) << "a program that only reads";
  EXPECT_TRUE(same(open_device(two), b));
}

TEST(IdentityTest, ACopyGetsAnother) {
  const TempDir one, two;
  const Identity a = open_device(one);
  std::filesystem::copy(file_of(one), file_of(two));
  EXPECT_TRUE(same(open_device(two), a)) << "nobody asked for another";
  const Identity b = open_device(two, {std::nullopt, true});
  EXPECT_NE(a.serial, b.serial);
  EXPECT_NE(a.eui64, b.eui64);
  EXPECT_TRUE(same(open_device(two), b));
  EXPECT_TRUE(same(open_device(one), a));
  EXPECT_TRUE(same(open_device(two, {"S2", true}), identity_of("S2")));
  EXPECT_TRUE(same(open_device(two), identity_of("S2")));
}

TEST(IdentityTest, AFixedSerialNumber) {
  const TempDir dir;
  EXPECT_TRUE(same(open_device(dir, {"S1", false}), identity_of("S1")));
  EXPECT_TRUE(same(open_device(dir, {"S1", false}), identity_of("S1")));
  EXPECT_EQ(refusal<OptionError>(dir.path, false, {"S2", false}),
            "serial number: the device in '" + dir.path + "' has S1, not S2");
  EXPECT_NE(refusal<OptionError>(dir.path, false, {"", false}), "");
  EXPECT_TRUE(same(open_device(dir), identity_of("S1")));
}

TEST(IdentityTest, InMemory) {
  EXPECT_TRUE(same(DeviceIdentity("", false, {}).get(), memory_identity()));
  EXPECT_TRUE(same(DeviceIdentity("", false, {"S1", false}).get(), identity_of("S1")));
  EXPECT_TRUE(same(DeviceIdentity("", false, {"S1", true}).get(), identity_of("S1")));
  DeviceIdentity drawn("", false, {std::nullopt, true});
  drawn.keep();
  EXPECT_NE(drawn.get().serial, memory_identity().serial);
}

TEST(IdentityTest, NothingIsWrittenBeforeTheDeviceIsThere) {
  const TempDir dir;
  const DeviceIdentity identity(dir.path, false, {});
  EXPECT_FALSE(exists(file_of(dir)));
  const DeviceIdentity nowhere(dir.path + "/no/folder", false, {});
  EXPECT_FALSE(exists(dir.path + "/no"));
}

TEST(IdentityTest, ReadersLeaveNoFile) {
  const TempDir dir;
  DeviceIdentity old(dir.path, true, {});
  old.keep();
  EXPECT_FALSE(exists(file_of(dir)));
  EXPECT_TRUE(same(old.get(), memory_identity()));
  EXPECT_EQ(refusal<OptionError>(dir.path, true, {std::nullopt, true}), "new identity: the images stay unchanged");
}

TEST(IdentityTest, TwoThatAreMadeInOneFolder) {
  const TempDir dir;
  DeviceIdentity first(dir.path, false, {}), second(dir.path, false, {});
  first.keep();
  EXPECT_THROW(second.keep(), ImageError);
  EXPECT_TRUE(same(open_device(dir), first.get()));
}

TEST(IdentityTest, WhatAPersonMayWrite) {
  const TempDir dir;
  put_text(dir, "# of the board's label\n\neui64 0025380000000001\nserial LABEL-7\nversion 1\n");
  const Identity identity = open_device(dir);
  EXPECT_EQ(identity.serial, "LABEL-7");
  EXPECT_EQ(identity.eui64, (std::array<uint8_t, 8>{0x00, 0x25, 0x38, 0, 0, 0, 0, 1}));
}

TEST(IdentityTest, BadFilesAreNamed) {
  const TempDir dir;
  const std::string good = "version 1\nserial S1\neui64 0200000000000001\n";
  const struct {
    std::string text, words;
  } cases[] = {
      {"", "has no version"},
      {"version 1\n", "has no serial"},
      {"version 1\nserial S1\n", "has no eui64"},
      {"version 1\nserial S1\neui64 02000000000", "'02000000000' is not 16 hexadecimal digits of one device"},
      {"version 2\nserial S1\neui64 0200000000000001\n", "identity version '2', this program knows version 1"},
      {"version 1\r\nserial S1\neui64 0200000000000001\n", "identity version '1\\x0d'"},
      {"version 1\nserial S1\neui64 0200000000000001\r\n", "eui64: '0200000000000001\\x0d' is not 16"},
      {"version 1\nserial 123456789\x1b[1m234567890\neui64 0200000000000001\n", "'123456789\\x1b[1m234567890' has not"},
      {"version\n", "line 1 is none of version, serial, eui64"},
      {good + "colour blue\n", "line 4 is none of"},
      {good + "serial S2\n", "two lines say serial"},
      {"version 1\nserial \neui64 0200000000000001\n", "serial: '' has not from 1 to 20 characters"},
      {"version 1\nserial S 1\neui64 0200000000000001\n", "serial: has a character"},
      {"version 1\nserial S1\r\neui64 0200000000000001\n", "serial: has a character"},
      {"version 1\nserial 123456789012345678901\neui64 0200000000000001\n", "has not from 1 to 20 characters"},
      {"version 1\nserial S1\neui64 0000000000000000\n", "eui64"},
      {"version 1\nserial S1\neui64 0100000000000001\n", "eui64"},
      {"version 1\nserial S1\neui64 02000000000000zz\n", "eui64"},
      {"version 1\nserial S1\neui64 -200000000000001\n", "eui64"},
      {std::string(64, '\0'), "line 1 is none of"},
      {std::string(5000, '#'), "not the identity of a device"},
  };
  for (const auto &c : cases) {
    put_text(dir, c.text);
    const std::string said = refusal<ImageError>(dir.path, false, {});
    EXPECT_NE(said.find(c.words), std::string::npos) << said << " for:\n" << c.text;
    EXPECT_EQ(said.find(file_of(dir) + ": "), 0u) << said;
    EXPECT_NE(said.find("--new-identity"), std::string::npos) << said;
    EXPECT_TRUE(std::all_of(said.begin(), said.end(), [](char letter) { return letter >= ' ' && letter <= '~'; }))
        << said;
    EXPECT_EQ(text_of(dir), c.text) << "it stays as it is";
  }
  const Identity mended = open_device(dir, {std::nullopt, true});
  EXPECT_TRUE(same(open_device(dir), mended));
}

TEST(IdentityTest, AFolderInPlaceOfTheFile) {
  const TempDir dir;
  ASSERT_EQ(mkdir(file_of(dir).c_str(), 0755), 0);
  EXPECT_NE(refusal<ImageError>(dir.path, false, {}).find("cannot read it"), std::string::npos);
  EXPECT_THROW(open_device(dir, {std::nullopt, true}), ImageError);
  EXPECT_FALSE(exists(file_of(dir) + ".new")) << "nothing is left behind";
}

TEST(IdentityTest, APipeInPlaceOfTheFileIsNotWaitedFor) {
  const TempDir dir;
  ASSERT_EQ(mkfifo(file_of(dir).c_str(), 0644), 0);
  EXPECT_EQ(refusal<ImageError>(dir.path, false, {}), file_of(dir) + ": not a regular file");
}

TEST(IdentityTest, ALinkToAFileThatIsNotThereIsNotReplaced) {
  const TempDir dir;
  const std::string elsewhere = dir.path + "/elsewhere";
  ASSERT_EQ(symlink(elsewhere.c_str(), file_of(dir).c_str()), 0);
  EXPECT_EQ(refusal<ImageError>(dir.path, false, {}), file_of(dir) + ": a link to a file that is not there");
  std::ofstream(elsewhere) << "version 1\nserial LINKED\neui64 0200000000000001\n";
  EXPECT_EQ(open_device(dir).serial, "LINKED");
}

TEST(IdentityTest, ASerialNumberIsShownInOneLine) {
  const TempDir dir;
  const std::string said = refusal<OptionError>(dir.path, false, {std::string("A\nB") + std::string(20, 'C'), false});
  EXPECT_EQ(said, "serial number: 'A\\x0aBCCCCCCCCCCCCCCCCCCCC' has not from 1 to 20 characters");
}

}  // namespace
}  // namespace orm
