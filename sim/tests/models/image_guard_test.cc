// SPDX-License-Identifier: Apache-2.0
//
// Images whose file system fails below the mapping. Each case runs in a child process, which the guard ends.
#include "image_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "image.h"
#include "sim_error.h"
#include "small_file_system.h"
#include "temp_dir.h"

namespace orm {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

constexpr size_t kBytes = 1 << 20;
const std::vector<ImageField> kShape = {{"blocks", 4}};
constexpr int kCannotMount = 77, kGoneOn = 78;

/// An allocator that promises room and takes none, as a file system that copies on write may.
int promise(int, size_t, size_t) { return 0; }

/// What an ImageError of `action` says, on stderr; the exit code tells that it was an error and not the guard.
[[noreturn]] void say_error(const std::function<void()> &action) {
  try {
    action();
  } catch (const ImageError &e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    std::_Exit(3);
  }
  std::_Exit(kGoneOn);
}

class ImageGuardDeathTest : public ::testing::Test {
 protected:
  std::string path(const char *name = "a.img") const { return dir_.path + "/" + name; }
  void make() const { const Image image(path(), "test", kShape, kBytes); }
  void mount_or_exit(const char *size, bool read_only = false) const {
    if (!openremap::MountSmallFileSystem(dir_.path, size, read_only).empty()) std::_Exit(kCannotMount);
  }

  TempDir dir_;
};

TEST_F(ImageGuardDeathTest, AFileThatIsTruncatedIsNamed) {
  for (const bool unchanged : {false, true}) {
    make();
    EXPECT_EXIT(
        {
          const Image image({path(), unchanged}, "test", kShape, kBytes);
          if (truncate(path().c_str(), 4096) != 0) std::_Exit(kGoneOn);
          std::_Exit(image.data()[kBytes - 1] == 0 ? kGoneOn : 2);
        },
        ExitedWithCode(1), "^image_guard_test: " + path() + ": was truncated while a device used it\n$");
    unlink(path().c_str());
  }
  make();
  EXPECT_EXIT(
      {
        Image image(path(), "test", kShape, kBytes);
        if (truncate(path().c_str(), 4096) != 0) std::_Exit(kGoneOn);
        *image.writable(kBytes - 1, 1) = 1;
        std::_Exit(kGoneOn);
      },
      ExitedWithCode(1), ": was truncated while a device used it");
}

// How a process ends by a bus error that is no image's: the handler before is the system's, or AddressSanitizer's.
#if defined(__SANITIZE_ADDRESS__)
ExitedWithCode EndedByBusError() { return ExitedWithCode(1); }
constexpr char kBusErrorSays[] = "AddressSanitizer: BUS";
#else
KilledBySignal EndedByBusError() { return KilledBySignal(SIGBUS); }
constexpr char kBusErrorSays[] = "";
#endif

TEST_F(ImageGuardDeathTest, OtherBusErrorsEndTheProcessAsBefore) {
  make();
  EXPECT_EXIT(
      {
        const Image image(path(), "test", kShape, kBytes);
        const int fd = open(path("other").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        void *mapped = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
        std::_Exit(*static_cast<volatile char *>(mapped) == 0 ? kGoneOn : 2);
      },
      EndedByBusError(), kBusErrorSays);
  EXPECT_EXIT(
      {
        { const Image gone(path(), "test", kShape, kBytes); }
        (void)raise(SIGBUS);
        std::_Exit(kGoneOn);
      },
      EndedByBusError(), kBusErrorSays);
}

TEST_F(ImageGuardDeathTest, EndsTheProgramInOneLine) {
  EXPECT_EXIT(end_program("ssd/flash.img: why"), ExitedWithCode(1), "^image_guard_test: ssd/flash.img: why\n$");
}

TEST_F(ImageGuardDeathTest, AFileThatHasNotKeptWhatWasWrittenIsToldAtTheEnd) {
  const std::pair<std::function<void()>, const char *> faults[] = {
      {[&] { (void)!truncate(path().c_str(), 0); }, "a.img: was truncated while a device used it"},
      {[&] { (void)!truncate(path().c_str(), 2 * kBytes); }, "a.img: was truncated while a device used it"},
      {[&] { unlink(path().c_str()); }, "a.img: was removed while a device used it"},
      {[] {}, ""},
  };
  for (const auto &[fault, text] : faults) {
    unlink(path().c_str());
    Image image(path(), "test", kShape, kBytes);
    fault();
    std::string said;
    try {
      image.check_kept();
    } catch (const ImageError &e) {
      said = e.what();
    }
    EXPECT_EQ(said, *text == '\0' ? "" : dir_.path + "/" + text);
  }
}

TEST_F(ImageGuardDeathTest, AFileSizeLimitIsAnErrorAndNoSignal) {
  EXPECT_EXIT(
      {
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = kBytes / 2;
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(kGoneOn);
        say_error([&] { const Image image(path(), "test", kShape, kBytes); });
      },
      ExitedWithCode(3), "^error: .*a.img: cannot set its size: File too large\n$");
  EXPECT_NE(access(path().c_str(), F_OK), 0) << "a file that is no image is left";
}

TEST_F(ImageGuardDeathTest, AFullFileSystem) {
  const std::string why = openremap::NoSmallFileSystem(dir_.path);
  if (!why.empty()) GTEST_SKIP() << why;
  const std::string file = path();
  const std::string no_space = "a.img: cannot be written: No space left on device\n$";
  // A store without room in the file.
  EXPECT_EXIT(
      {
        mount_or_exit("256k");
        say_error([&] {
          Image image(file, "test", kShape, kBytes);
          for (size_t at = 0; at < kBytes; at += 4096) *image.writable(at, 1) = 1;
        });
      },
      ExitedWithCode(3), "^error: .*" + no_space);
  // The same where the file system had promised room: the guard is the last line.
  EXPECT_EXIT(
      {
        mount_or_exit("256k");
        ImageFile promised(file);
        promised.allocate = promise;
        say_error([&] {
          Image image(promised, "test", kShape, kBytes);
          for (size_t at = 0; at < kBytes; at += 4096) *image.writable(at, 1) = 1;
        });
      },
      ExitedWithCode(1), "^image_guard_test: .*a.img: No space left on device\n$");
  // What was written before is there once there is room.
  EXPECT_EXIT(
      {
        mount_or_exit("256k");
        size_t written = 0;
        try {
          Image image(file, "test", kShape, kBytes);
          for (; written < kBytes; written += 4096) *image.writable(written, 1) = 1;
        } catch (const ImageError &) {
        }
        if (mount(nullptr, dir_.path.c_str(), nullptr, MS_REMOUNT, "size=4m") != 0) std::_Exit(kGoneOn);
        Image image(file, "test", kShape, kBytes);
        for (size_t at = 0; at < kBytes; at += 4096) {
          if (image.data()[at] != (at < written ? 1 : 0)) std::_Exit(2);
          *image.writable(at, 1) = 1;
        }
        std::_Exit(written > 0 && written < kBytes ? 0 : kGoneOn);
      },
      ExitedWithCode(0), "");
  // Room that is asked for at the start: all of it or no file.
  EXPECT_EXIT(
      {
        mount_or_exit("256k");
        ImageFile reserved(file);
        reserved.reserve = true;
        try {
          const Image image(reserved, "test", kShape, kBytes);
        } catch (const ImageError &e) {
          std::fprintf(stderr, "error: %s\n", e.what());
        }
        std::_Exit(access(file.c_str(), F_OK) == 0 ? kGoneOn : 3);
      },
      ExitedWithCode(3), "^error: .*a.img: cannot reserve 1052672 bytes: No space left on device\n$");
  // A new file without room for its first page.
  EXPECT_EXIT(
      {
        mount_or_exit("64k");
        FILE *filler = std::fopen(path("filler").c_str(), "w");
        std::setbuf(filler, nullptr);
        while (std::fputc('x', filler) != EOF) {
        }
        say_error([&] { const Image image(file, "test", kShape, kBytes); });
      },
      ExitedWithCode(3), "^error: .*" + no_space);
}

TEST_F(ImageGuardDeathTest, AReadOnlyFileSystem) {
  const std::string why = openremap::NoSmallFileSystem(dir_.path);
  if (!why.empty()) GTEST_SKIP() << why;
  EXPECT_EXIT(
      {
        mount_or_exit("256k", true);
        say_error([&] { const Image image(path(), "test", kShape, kBytes); });
      },
      ExitedWithCode(3), "^error: .*a.img: cannot open it for writing: Read-only file system\n$");
  // One that is there may be looked at.
  EXPECT_EXIT(
      {
        mount_or_exit("256k");
        make();
        if (mount(nullptr, dir_.path.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) std::_Exit(kGoneOn);
        { const Image image({path(), true}, "test", kShape, kBytes); }
        say_error([&] { const Image image(path(), "test", kShape, kBytes); });
      },
      ExitedWithCode(3), "^error: .*a.img: cannot open it for writing: Read-only file system\n$");
}

}  // namespace
}  // namespace orm
