// SPDX-License-Identifier: Apache-2.0
//
// The command line of a program: CLI11 reads it. Exit code 2 means wrong use.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace orm::command_line {

inline constexpr int kWrongUse = 2;

/// Adds --seed. Any number that is not negative is a seed; CLI11 alone would let a negative one wrap around.
inline void add_seed(CLI::App *app, uint64_t *seed) {
  const auto not_negative = [](const std::string &text) {
    return text.find('-') == std::string::npos ? std::string() : text + " is negative";
  };
  app->add_option("--seed", *seed, "seed of the random addresses and data")->check(not_negative)->capture_default_str();
}

/// Reads the command line into the variables that the options of `app` point at. Returns nothing when the program shall
/// go on. Otherwise it returns the exit code: 0 after a help text, kWrongUse after one line that says what is wrong.
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

}  // namespace orm::command_line
