// SPDX-License-Identifier: Apache-2.0
//
// Common options and parsing of the command lines in this folder. CLI11 parses them; exit code 2 means wrong usage.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace orm::tools {

inline constexpr int kWrongUse = 2;

/// Adds --seed, which takes any number. CLI11 would let a negative one wrap around.
inline void add_seed(CLI::App *app, uint64_t *seed) {
  const auto not_negative = [](const std::string &text) {
    return text.find('-') == std::string::npos ? std::string() : text + " is negative";
  };
  app->add_option("--seed", *seed, "seed of addresses and data")->check(not_negative)->capture_default_str();
}

/// The seed of tests: OPENREMAP_SEED, by default 1.
inline uint64_t default_seed() {
  const char *text = std::getenv("OPENREMAP_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
}

/// Parses the command line into the variables of `app`'s options. Returns an exit code if the program must end, after
/// it has printed the help text or one line with the error.
inline std::optional<int> parse(CLI::App *app, int argc, char **argv) {
  app->failure_message([](const CLI::App *failed, const CLI::Error &error) {
    return failed->get_name() + ": " + error.what() + " (try --help)\n";
  });
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app->exit(error) == 0 ? 0 : kWrongUse;
  }
  return std::nullopt;
}

}  // namespace orm::tools
