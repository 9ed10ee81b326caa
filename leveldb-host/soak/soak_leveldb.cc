// SPDX-License-Identifier: Apache-2.0
//
// soak-leveldb - overwrites the keys of a database that stays open, and looks at what it writes about itself:
// manifests, logs, info logs, metadata of the file system (docs/developing/testing.md). Last line: N overwrites, N
// violations.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "command_line.h"
#include "output.h"
#include "overwrite_soak.h"
#include "progress_line.h"
#include "test_seed.h"

namespace openremap {
namespace {

using Ull = unsigned long long;

void Print(const SoakOptions &o, const SoakResult &result) {
  std::printf("%s: %llu overwrites, %llu manifests; most in the first and in the second half:", RemapModeName(o.mode),
              Ull(result.overwrites), Ull(result.manifests));
  for (size_t i = 0; i < kFileKinds; i++) {
    if (static_cast<FileKind>(i) == FileKind::kOther) continue;
    std::printf(" %llu and %llu %s of %llu and %llu bytes,", Ull(result.files.at(i).first),
                Ull(result.files.at(i).second), FileKindName(static_cast<FileKind>(i)), Ull(result.bytes.at(i).first),
                Ull(result.bytes.at(i).second));
  }
  if (o.folder.empty()) {
    std::printf(" %llu and %llu pages of the device, %llu and %llu segments of its remap table,",
                Ull(result.used_pages.first), Ull(result.used_pages.second), Ull(result.segments.first),
                Ull(result.segments.second));
  }
  std::printf(" %llu and %llu KiB of memory\n", Ull(result.memory_bytes.first >> 10),
              Ull(result.memory_bytes.second >> 10));
  if (!result.wrong.empty()) std::printf("VIOLATION in mode %s: %s\n", RemapModeName(o.mode), result.wrong.c_str());
  orm::output::flush();
}

int Start(SoakOptions o, const std::vector<RemapMode> &modes) {
  orm::ProgressLine progress;
  o.progress = [&o, &progress](uint64_t done) {
    progress.show(std::string(RemapModeName(o.mode)) + ": overwrites", done, o.operations);
  };
  uint64_t done = 0, violations = 0;
  const std::string folder = o.folder;
  for (const RemapMode mode : modes) {
    o.mode = mode;
    if (!folder.empty()) {
      o.folder = folder + "/" + RemapModeName(mode);
      std::filesystem::create_directories(folder);
      std::filesystem::remove_all(o.folder);
    }
    const SoakResult result = RunSoak(o);
    progress.clear();
    Print(o, result);
    done += result.overwrites;
    if (!result.wrong.empty()) violations++;
  }
  std::printf("%llu overwrites, %llu violations\n", Ull(done), Ull(violations));
  orm::output::flush();
  return violations == 0 ? 0 : 1;
}

}  // namespace
}  // namespace openremap

int main(int argc, char **argv) {
  openremap::SoakOptions o;
  o.seed = openremap::DefaultSeed();
  std::vector<std::string> names, known;
  for (const openremap::RemapMode mode : openremap::RemapModes()) known.emplace_back(openremap::RemapModeName(mode));
  CLI::App app(
      "Overwrites random keys of a database that stays open, and checks that its files stay bounded and its contents "
      "right. Exit code: 0 no violations, 1 violations, 2 a usage error.",
      "soak-leveldb");
  orm::command_line::add_seed(&app, &o.seed);
  CLI::Option *const device = orm::command_line::add_device(&app, &o.device);
  app.add_option("--folder", o.folder,
                 "keep the database as plain files in this folder instead; a folder of a mode's name in it is removed")
      ->check([](const std::string &folder) { return std::string(folder.empty() ? "expected a folder" : ""); })
      ->excludes(device);
  app.add_option("--mode", names, "what compactions do with unchanged blocks; may be repeated (default: every mode)")
      ->check(CLI::IsMember(known));
  app.add_option("--operations", o.operations, "number of overwrites in each mode")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000'000}))
      ->capture_default_str();
  app.add_option("--keys", o.keys, "number of keys")->check(CLI::Range(1u, 100'000'000u))->capture_default_str();
  app.add_option("--value-size", o.value_bytes, "size of a value in bytes")
      ->check(CLI::Range(1u, 1u << 20))
      ->capture_default_str();
  app.add_option("--manifest-bytes", o.manifest_bytes, "least size of a manifest that is replaced, in bytes")
      ->check(CLI::Range(512u, 1u << 30))
      ->capture_default_str();
  app.add_option("--info-log-bytes", o.info_log_bytes, "size at which the info log becomes LOG.old, in bytes")
      ->check(CLI::Range(1024u, 1u << 30))
      ->capture_default_str();
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  std::vector<openremap::RemapMode> modes;
  for (const std::string &name : names.empty() ? known : names) {
    openremap::RemapMode mode{};
    if (openremap::ParseRemapMode(name, &mode)) modes.push_back(mode);
  }
  try {
    return openremap::Start(o, modes);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "soak-leveldb: %s\n", e.what());
    return 1;
  }
}
