// SPDX-License-Identifier: Apache-2.0
//
// What the programs of this folder say about their command line: CLI11 reads it, exit code 2 is wrong use.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace orm::tools {

inline constexpr int kWrongUse = 2;

/// A seed: any number. CLI11 would let a negative one wrap around.
inline void add_seed(CLI::App *app, uint64_t *seed) {
  const auto not_negative = [](const std::string &text) {
    return text.find('-') == std::string::npos ? std::string() : text + " is negative";
  };
  app->add_option("--seed", *seed, "seed of the random addresses and data")->check(not_negative)->capture_default_str();
}

/// What the tests give to all that is random, OPENREMAP_SEED, else 1.
inline uint64_t default_seed() {
  const char *text = std::getenv("OPENREMAP_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
}

/// Reads the command line into what `app`'s options point at. An exit code if the program shall end here, after a help
/// text or one line that says what is wrong.
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
