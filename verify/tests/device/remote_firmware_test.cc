// SPDX-License-Identifier: Apache-2.0
//
// The firmware in QEMU: the image that a board runs, unchanged, behind a whole device. It is the device that native
// firmware is, byte for byte and ns for ns; and QEMU's faults end in one line.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "openremap.h"
#include "openremap_stats.h"
#include "orm_bytes.h"
#include "orm_interface.h"
#include "orm_regs.h"
#include "pcie_debug.h"
#include "pcie_function.h"
#include "seeded_random.h"
#include "temp_dir.h"
#include "test_seed.h"

namespace orm {
namespace {

using Bytes = std::vector<uint8_t>;

/// A device whose firmware has no data cache and takes no time, whatever the environment says.
struct Ssd {
  explicit Ssd(const char *kind, const std::string &firmware, uint32_t superblocks = 8) {
    openremap_options options{};
    options.device.kind = kind;
    options.device.superblocks = superblocks;
    options.device.remap_segments = 80;
    options.device.seed = openremap::TestSeed();
    options.device.cache = options.device.firmware_cpu = "none";
    options.device.firmware = firmware.c_str();
    options.create = pcie_device_create;
    result = openremap_open(&options, &dev, error, sizeof error);
    if (result != 0) dev = nullptr;
  }
  ~Ssd() { (void)!openremap_close(dev); }
  Ssd(const Ssd &) = delete;
  Ssd &operator=(const Ssd &) = delete;

  pcie_function *function() const { return openremap_pcie_function(dev); }

  openremap_device *dev = nullptr;
  int result = 0;
  char error[400] = "";
};

Bytes pages_of(uint64_t value, uint64_t pages) {
  Bytes bytes(pages * OPENREMAP_PAGE_BYTES);
  SeededRandom random(value);
  for (size_t at = 0; at < bytes.size(); at += 512) orm_put_le(&bytes[at], random.next(), 8);
  return bytes;
}

/// All that can be seen of a device after some work.
struct Seen {
  std::vector<int> statuses;
  Bytes data, mapping, nvram;
  orm_remap_log before{}, log{};  // the power cut, and at the end
  std::vector<uint64_t> counters;
  std::string flash;  // figures of the NAND model
  uint64_t ns = 0;
  std::vector<std::string> starts;  // steps of each start
};

/// Random commands on the first pages, of which some are wrong.
void work(const Ssd &ssd, uint64_t commands, uint64_t pages, Seen *seen) {
  openremap_device *dev = ssd.dev;
  SeededRandom random(openremap::TestSeed() + 1);
  const auto did = [&](int status) { seen->statuses.push_back(status); };
  constexpr uint64_t kFirst = 32;  // of the used pages, in one command each
  for (uint64_t lpn = 0; lpn + kFirst <= pages; lpn += kFirst) {
    did(openremap_write(dev, lpn, kFirst, pages_of(lpn, kFirst).data(), false));
  }
  for (uint64_t i = 0; i < commands; ++i) {
    const uint64_t lpn = random.below(pages), to = random.below(pages), n = 1 + random.below(8);
    switch (random.below(8)) {
      case 0: {
        const openremap_remap_range ranges[] = {{lpn, to, uint32_t(n)}, {to, (lpn + pages / 2) % pages, 2}};
        did(openremap_remap_vector(dev, ranges, 2, OPENREMAP_SHARE));
        break;
      }
      case 1:
        did(openremap_copy(dev, lpn, to, n));
        break;
      case 2: {
        const openremap_range gone{lpn, n};
        did(openremap_deallocate(dev, &gone, 1));
        break;
      }
      default:
        did(openremap_write(dev, lpn, n, pages_of(i, n).data(), random.below(4) == 0));
    }
  }
}

void start_steps(const Ssd &ssd, Seen *seen) {
  std::vector<pcie_device_step> steps(64);
  steps.resize(pcie_device_start_up(ssd.function(), steps.data(), steps.size()));
  for (const pcie_device_step &step : steps) {
    seen->starts.push_back(std::string(step.name) + " " + std::to_string(step.ns) + " " +
                           std::to_string(step.nvram_read) + " " + std::to_string(step.nvram_written));
  }
}

/// `span`: pages that are used; 0: all.
Seen look(const char *kind, const std::string &firmware, uint64_t commands, uint64_t span) {
  Seen seen;
  Ssd ssd(kind, firmware);
  EXPECT_NE(ssd.dev, nullptr) << ssd.error;
  if (ssd.dev == nullptr) return seen;
  openremap_device *dev = ssd.dev;
  pcie_function *fn = ssd.function();
  start_steps(ssd, &seen);
  const uint64_t pages = openremap_get_info(dev)->pages, used = span == 0 ? pages : span;
  work(ssd, commands, used, &seen);
  EXPECT_EQ(openremap_get_stats(dev, &seen.before), 0);
  pcie_device_set_temperature(fn, 350);
  EXPECT_EQ(openremap_power_cycle(dev), 0);
  start_steps(ssd, &seen);
  work(ssd, commands / 8, used, &seen);
  seen.data.resize(pages * OPENREMAP_PAGE_BYTES);
  for (uint64_t lpn = 0; lpn < pages; ++lpn) {
    seen.statuses.push_back(openremap_read(dev, lpn, 1, &seen.data[lpn * OPENREMAP_PAGE_BYTES]));
  }
  EXPECT_EQ(openremap_get_stats(dev, &seen.log), 0);
  for (unsigned i = 0; i < ORM_COUNTERS; ++i) {
    uint64_t value = 0;
    EXPECT_EQ(pcie_device_counter(fn, i, &value), 0);
    seen.counters.push_back(value);
  }
  size_t bytes = 0;
  const uint8_t *from = pcie_device_dram(fn, &bytes);
  seen.mapping.assign(from, from + 4 * pages);
  from = pcie_device_nvram(fn, &bytes);
  seen.nvram.assign(from, from + bytes);
  std::string stats(4096, '\0');
  fn->ops->sim_stats(fn, stats.data(), stats.size());
  const size_t at = stats.find("\"nand_model\"");
  seen.flash = stats.substr(at, stats.find('}', at) - at);
  seen.ns = fn->ops->now_ns(fn);
  return seen;
}

class RemoteFirmware : public ::testing::TestWithParam<const char *> {};

TEST_P(RemoteFirmware, IsTheDeviceThatNativeFirmwareIs) {
  const bool model = std::string(GetParam()) == "model";
  const uint64_t commands = model ? 1200 : 60, span = model ? 0 : 96;
  const Seen native = look(GetParam(), "native", commands, span), remote = look(GetParam(), "remote", commands, span);
  EXPECT_EQ(remote.statuses, native.statuses);
  EXPECT_TRUE(remote.data == native.data);
  EXPECT_TRUE(remote.mapping == native.mapping);
  EXPECT_TRUE(remote.nvram == native.nvram);
  EXPECT_EQ(std::memcmp(&remote.before, &native.before, sizeof native.before), 0);
  EXPECT_EQ(std::memcmp(&remote.log, &native.log, sizeof native.log), 0);
  EXPECT_EQ(remote.counters, native.counters);
  EXPECT_EQ(remote.flash, native.flash);
  EXPECT_EQ(remote.ns, native.ns);
  EXPECT_EQ(remote.starts, native.starts);
  // What makes it worth comparing.
  EXPECT_GT(native.before.remap_pages, model ? 100u : 5u);
  EXPECT_GT(native.before.host_trim_pages, 10u);
  EXPECT_GT(native.starts.size(), 8u);
  if (model) {
    EXPECT_GT(native.before.gc_moved_pages, 100u);
  }
}
#ifdef __SANITIZE_ADDRESS__
INSTANTIATE_TEST_SUITE_P(Kinds, RemoteFirmware, ::testing::Values("model"),
                         [](const auto &kind) { return std::string(kind.param); });
#else
INSTANTIATE_TEST_SUITE_P(Kinds, RemoteFirmware, ::testing::Values("model", "rtl"),
                         [](const auto &kind) { return std::string(kind.param); });
#endif

/// A process of this name below this one, or below `parent`; 0: none.
pid_t child_of(pid_t parent, const std::string &name) {
  for (const auto &task : std::filesystem::directory_iterator("/proc/" + std::to_string(parent) + "/task")) {
    std::ifstream children(task.path() / "children");
    for (pid_t child; children >> child;) {
      std::string is;
      std::getline(std::ifstream("/proc/" + std::to_string(child) + "/comm"), is);
      if (name.rfind(is, 0) == 0) return child;
    }
  }
  return 0;
}

constexpr char kQemu[] = "qemu-system-arm";

/// Whether the process has ended within 10 s: nobody may have asked for its exit code.
bool ends(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    std::string stat;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), stat);
    const size_t after = stat.rfind(')');
    if (after == std::string::npos || stat[after + 2] == 'Z') return true;
    usleep(10'000);
  }
  return false;
}

/// A whole ELF of this build's firmware.
std::string image() { return ORM_ZYNQ_IMAGE; }

TEST(RemoteFirmwareErrors, OptionsThatAreWrong) {
  for (const auto &[firmware, says] : std::vector<std::pair<std::string, std::string>>{
           {"remotely", "is not native or remote"},
           {"native,image=x", "is not native or remote"},
           {"remote,", "is not native or remote"},
           {"remote,image=", "is not native or remote"},
           {"remote,image=/nowhere/x.elf", "image '/nowhere/x.elf': No such file or directory"},
           {"remote,image=/proc/self/exe", "no ELF file for ARM"},
           {"remote,patience=0", "patience '0' is not from 1 to 3600 seconds"},
           {"remote,patience=5s", "patience '5s' is not from 1 to 3600 seconds"},
           {"remote,patience=", "patience '' is not from 1 to 3600 seconds"},
       }) {
    const Ssd ssd("model", firmware);
    EXPECT_EQ(ssd.result, -EINVAL) << firmware;
    EXPECT_NE(std::string(ssd.error).find(says), std::string::npos) << ssd.error;
  }
}

/// What is said of such an image.
std::string said_of(const std::string &path) {
  pcie_device_options options{};
  options.kind = "model";
  const std::string firmware = "remote,image=" + path;
  options.firmware = firmware.c_str();
  char error[400] = "";
  return pcie_device_check(&options, error, sizeof error) == 0 ? "nothing" : error;
}

TEST(RemoteFirmwareErrors, FilesThatAreNoImage) {
  const TempDir folder;
  const std::string path = folder.path + "/x.elf";
  const auto refused = [&](const std::string &why) {
    EXPECT_EQ(said_of(path), "firmware: image '" + path + "': " + why);
  };
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  refused("not a regular file");  // at once: nobody writes to it
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  refused("not a regular file");
  std::filesystem::remove(path);
  std::ifstream file(image(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  constexpr size_t kHeader = 52, kProgramHeaders = 28, kCount = 44;  // of a 32-bit ELF: its size, and offsets in it
  const auto write = [&](const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  write(whole);
  EXPECT_EQ(said_of(path), "nothing");
  for (const size_t bytes : {size_t(0), size_t(20), kHeader - 1}) {
    write(whole.substr(0, bytes));
    refused("no ELF file for ARM");
  }
  for (const size_t bytes : {kHeader, kHeader + 40, whole.size() / 8, whole.size() / 2}) {
    write(whole.substr(0, bytes));
    refused("the file is cut short");
  }
  std::string other = whole;
  other[kCount] = other[kCount + 1] = 0;
  write(other);
  refused("an ELF file without anything to load");
  other = whole;
  for (size_t i = 0; i < 4; ++i) other[kProgramHeaders + i] = '\xff';
  write(other);
  refused("the file is cut short");
}

TEST(RemoteFirmwareErrors, TooFewFileDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  std::string last;
  for (const rlim_t most : {8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 40}) {
    const rlimit few{most, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const Ssd ssd("model", "remote");
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    last = ssd.error;
    if (ssd.dev != nullptr) continue;
    EXPECT_EQ(ssd.result, -ENODEV) << most;
    EXPECT_NE(last.find("Too many open files"), std::string::npos) << most << ": " << last;
    EXPECT_EQ(last.find('\n'), std::string::npos) << most << ": " << last;
  }
  EXPECT_EQ(last, "") << "these are enough";
}

TEST(RemoteFirmwareErrors, WhatCannotGoTogether) {
  openremap_options options{};
  options.create = pcie_device_create;
  options.device.kind = "model";
  options.device.firmware = "remote";
  options.device.cache = "keep";
  openremap_device *dev = nullptr;
  char error[400] = "";
  EXPECT_EQ(openremap_open(&options, &dev, error, sizeof error), -EINVAL);
  EXPECT_NE(std::string(error).find("cache"), std::string::npos) << error;
  options.device.cache = "none";
  options.device.firmware_cpu = "vexriscv";
  EXPECT_EQ(openremap_open(&options, &dev, error, sizeof error), -EINVAL);
  EXPECT_NE(std::string(error).find("firmware CPU"), std::string::npos) << error;
  options.device.firmware_cpu = nullptr;
  options.device.geometry = "8x8x8192x256";  // DRAM for 512 GiB
  EXPECT_EQ(openremap_open(&options, &dev, error, sizeof error), -EINVAL);
  EXPECT_NE(std::string(error).find("the firmware's processor room for"), std::string::npos) << error;
}

TEST(RemoteFirmwareErrors, AMachineWithoutQemu) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const Ssd ssd("model", "remote");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(ssd.result, -ENODEV);
  EXPECT_NE(std::string(ssd.error).find("qemu-system-arm is required"), std::string::npos) << ssd.error;
}

TEST(RemoteFirmwareErrors, AnImageOfAnotherInterface) {
  std::ifstream file(image(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  uint8_t digest[4];
  orm_put_le(digest, ORM_INTERFACE_DIGEST, sizeof digest);
  const size_t at = bytes.find(reinterpret_cast<const char *>(digest), 0, sizeof digest);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = char(bytes[at] ^ 1);
  TempDir folder;
  const std::string other = folder.path + "/a,b.elf";
  // A comma would end the option's value.
  EXPECT_EQ(Ssd("model", "remote,image=" + other).result, -EINVAL);
  const std::string name = folder.path + "/other.elf";
  std::ofstream(name, std::ios::binary) << bytes;
  const Ssd ssd("model", "remote,image=" + name);
  EXPECT_EQ(ssd.result, -ENODEV);
  EXPECT_EQ(std::string(ssd.error),
            "firmware in QEMU: '" + name +
                "' has another version of the interface; make it anew: ./openremap firmware build");
}

/// The next read fails, the device is dead, and stderr says why.
void expect_dead(const Ssd &ssd, const std::string &why) {
  ::testing::internal::CaptureStderr();
  orm_remap_log log{};
  EXPECT_EQ(openremap_get_stats(ssd.dev, &log), -EIO);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(why), std::string::npos) << said;
  uint64_t value = 0;
  EXPECT_EQ(ssd.function()->ops->bar0_read(ssd.function(), 0, 4, &value), -EIO);
}

TEST(RemoteFirmwareErrors, AQemuThatDies) {
  const Ssd ssd("model", "remote");
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  const pid_t qemu = child_of(getpid(), kQemu);
  ASSERT_NE(qemu, 0);
  ASSERT_EQ(kill(qemu, SIGKILL), 0);
  expect_dead(ssd, "firmware in QEMU: QEMU has ended: signal 9");
}

TEST(RemoteFirmwareErrors, AQemuThatNoLongerAnswers) {
  pid_t qemu = 0;
  {
    const Ssd ssd("model", "remote,patience=1");
    ASSERT_NE(ssd.dev, nullptr) << ssd.error;
    qemu = child_of(getpid(), kQemu);
    ASSERT_NE(qemu, 0);
    ASSERT_EQ(kill(qemu, SIGSTOP), 0);
    expect_dead(ssd, "firmware in QEMU: no answer for 1 s");
  }
  EXPECT_TRUE(ends(qemu)) << "it goes with the device";
}

TEST(RemoteFirmwareErrors, QemuEndsWithAProgramThatIsKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t program = fork();
  if (program == 0) {
    const Ssd ssd("model", "remote");
    const pid_t qemu = ssd.dev == nullptr ? 0 : child_of(getpid(), kQemu);
    (void)!write(ready[1], &qemu, sizeof qemu);
    for (;;) pause();
  }
  pid_t qemu = 0;
  ASSERT_EQ(read(ready[0], &qemu, sizeof qemu), ssize_t(sizeof qemu));
  ASSERT_GT(qemu, 0);
  EXPECT_EQ(kill(qemu, 0), 0) << "it runs";
  ASSERT_EQ(kill(program, SIGKILL), 0);
  ASSERT_EQ(waitpid(program, nullptr, 0), program);
  EXPECT_TRUE(ends(qemu));
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace orm
