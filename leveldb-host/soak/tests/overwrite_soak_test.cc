// SPDX-License-Identifier: Apache-2.0
//
// That long overwrites show what they are there to show: a sound database has no violation, defects made on purpose
// have one.
#include "overwrite_soak.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Status;

SoakOptions Short(RemapMode mode) {
  SoakOptions options;
  options.mode = mode;
  options.seed = openremap::TestSeed();
  options.keys = 2000;
  options.operations = 20000;
  options.manifest_bytes = 2048;
  options.info_log_bytes = 4096;
  return options;
}

// Does not remove files whose names contain a text.
class HoardingEnv : public InlineRemapEnv {
 public:
  HoardingEnv(leveldb::Env *base, RemapEnv *remap, std::string kept)
      : InlineRemapEnv(base, remap), kept_(std::move(kept)) {}
  Status RemoveFile(const std::string &fname) override {
    return fname.find(kept_) != std::string::npos ? Status::OK() : InlineRemapEnv::RemoveFile(fname);
  }

 private:
  const std::string kept_;
};

// LevelDB finds its manifest small, as stock LevelDB never asks.
class NeverRollingEnv : public InlineRemapEnv {
 public:
  using InlineRemapEnv::InlineRemapEnv;
  Status GetFileSize(const std::string &fname, uint64_t *size) override {
    const Status s = InlineRemapEnv::GetFileSize(fname, size);
    if (fname.find("MANIFEST-") != std::string::npos) *size = 0;
    return s;
  }
};

// The first info log stays the only one, and grows.
class OneLogEnv : public InlineRemapEnv {
 public:
  using InlineRemapEnv::InlineRemapEnv;
  Status RenameFile(const std::string &from, const std::string &to) override {
    return to.find("LOG.old") != std::string::npos ? Status::IOError("test", "not renamed")
                                                   : InlineRemapEnv::RenameFile(from, to);
  }
  Status NewLogger(const std::string &fname, leveldb::Logger **result) override {
    if (made_++ == 0) return InlineRemapEnv::NewLogger(fname, result);
    *result = nullptr;
    return Status::IOError("test", "no logger");
  }

 private:
  int made_ = 0;
};

TEST(OverwriteSoakTest, ASoundRunHasNoViolationAndRepeats) {
  const SoakResult first = RunSoak(Short(RemapMode::kBlend));
  EXPECT_EQ(first.wrong, "");
  EXPECT_GE(first.manifests, 2u);
  const SoakResult again = RunSoak(Short(RemapMode::kBlend));
  EXPECT_EQ(again.manifests, first.manifests);
  EXPECT_EQ(again.used_pages.second, first.used_pages.second);
}

TEST(OverwriteSoakTest, OverwritesAreCountedThatWereMade) {
  EXPECT_EQ(RunSoak(Short(RemapMode::kOff)).overwrites, 20000u);
  SoakOptions full = Short(RemapMode::kOff);
  full.keys = 100'000;  // more than fit on the device
  full.value_bytes = 1000;
  const SoakResult result = RunSoak(full);
  EXPECT_EQ(result.wrong.find("put: "), 0u) << result.wrong;
  EXPECT_EQ(result.overwrites, 0u);
}

TEST(OverwriteSoakTest, ALogMayHaveAValueThatIsLargerThanTheWriteBuffer) {
  SoakOptions large = Short(RemapMode::kRetain);
  large.keys = 2;
  large.value_bytes = 1 << 20;
  large.operations = 100;
  EXPECT_EQ(RunSoak(large).wrong.find("logs of"), std::string::npos);
}

TEST(OverwriteSoakTest, FilesThatAreNotRemovedAreFound) {
  const std::pair<const char *, const char *> cases[] = {
      {"MANIFEST-", "manifests"}, {".log", "logs"}, {".ldb", "tables"}};
  for (const auto &[kept, found] : cases) {
    SoakOptions options = Short(RemapMode::kOff);
    const std::string name = kept;
    options.wrap = [&name](leveldb::Env *base, RemapEnv *remap) {
      return std::make_unique<HoardingEnv>(base, remap, name);
    };
    const std::string wrong = RunSoak(options).wrong;
    EXPECT_NE(wrong.find(found), std::string::npos) << kept << ": " << wrong;
  }
}

TEST(OverwriteSoakTest, AManifestThatIsNeverReplacedIsFound) {
  SoakOptions options = Short(RemapMode::kOff);
  options.operations = 60000;
  options.wrap = [](leveldb::Env *base, RemapEnv *remap) { return std::make_unique<NeverRollingEnv>(base, remap); };
  const std::string wrong = RunSoak(options).wrong;
  EXPECT_NE(wrong.find("1 manifests of"), std::string::npos) << wrong;
}

TEST(OverwriteSoakTest, AnInfoLogThatGrowsIsFound) {
  SoakOptions options = Short(RemapMode::kOff);
  options.wrap = [](leveldb::Env *base, RemapEnv *remap) { return std::make_unique<OneLogEnv>(base, remap); };
  const std::string wrong = RunSoak(options).wrong;
  EXPECT_NE(wrong.find("1 info logs of"), std::string::npos) << wrong;
}

}  // namespace
}  // namespace openremap
