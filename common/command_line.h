// SPDX-License-Identifier: Apache-2.0
//
// The command line of a program: CLI11 reads it. Exit code 2 means wrong use.
#pragma once

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>

#include "output.h"

namespace orm::command_line {

inline constexpr int kWrongUse = 2;

/// The check of an option that takes any whole number. CLI11 alone would let a negative number wrap around, and take
/// 2^64 - 1 for a larger one. Returns what is wrong; empty: nothing.
inline std::string whole_number(const std::string &text) {
  if (text.find('-') != std::string::npos) return text + " is negative";
  errno = 0;
  (void)std::strtoull(text.c_str(), nullptr, 0);
  return errno == ERANGE ? text + " has more than 64 bits" : std::string();
}

/// Adds --seed. Any number of 64 bits is a seed.
inline void add_seed(CLI::App *app, uint64_t *seed) {
  app->add_option("--seed", *seed, "seed of the random addresses and data")->check(whole_number)->capture_default_str();
}

/// Adds --device, the kind of a simulated device as pcie_device_options has it; what `kind` holds is the default.
inline CLI::Option *add_device(CLI::App *app, std::string *kind) {
  return app
      ->add_option("--device", *kind,
                   "rtl: the Verilated controller; model: the fast model; soc: the controller with a CPU that "
                   "runs the firmware")
      ->check(CLI::IsMember({"rtl", "model", "soc"}))
      ->capture_default_str();
}

/// Adds --cache, as pcie_device_options has it; the device checks what it says.
inline CLI::Option *add_cache(CLI::App *app, std::string *cache) {
  return app->add_option("--cache", *cache,
                         "data cache between firmware and DRAM: none, keep or evict, the latter two with an optional "
                         ",line=BYTES (docs/design/simulation.md)");
}

/// Adds --firmware, as pcie_device_options has it; the device checks what it says.
inline CLI::Option *add_firmware(CLI::App *app, std::string *firmware) {
  return app->add_option("--firmware", *firmware,
                         "what runs the firmware: native, this process; or remote, QEMU with the Zynq's image, with an "
                         "optional ,image=FILE and ,patience=SECONDS (docs/design/firmware/ports.md)");
}

/// Adds --firmware-cpu, as pcie_device_options has it; the device checks what it says.
inline CLI::Option *add_firmware_cpu(CLI::App *app, std::string *cpu) {
  return app->add_option("--firmware-cpu", *cpu,
                         "rtl, model: whose time the firmware's computing takes: none, vexriscv or cortex-a9; by "
                         "default vexriscv (docs/design/firmware-time.md)");
}

/// For the callback of `app`: refuses an output file that cannot be written. A check of the option would not see its
/// default.
inline void check_output(const std::string &option, const std::string &path) {
  const std::string wrong = output::unwritable(path);
  if (!wrong.empty()) throw CLI::ValidationError(option, wrong);
}

/// Reads the command line into the variables that the options of `app` point at. Returns nothing when the program shall
/// go on. Otherwise it returns the exit code: 0 after a help text, 1 if that could not be written, kWrongUse after one
/// line that says what is wrong.
inline std::optional<int> parse(CLI::App *app, int argc, char **argv) {
  app->failure_message([](const CLI::App *failed, const CLI::Error &error) {
    return failed->get_name() + ": " + error.what() + " (try --help)\n";
  });
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    errno = 0;  // a help text that is longer than the buffer may fail before the flush
    if (app->exit(error) != 0) return kWrongUse;
    if (std::cout.flush()) return 0;  // CLI11 prints the help text
    const char *reason = errno != 0 ? std::strerror(errno) : "cannot be written";
    std::cerr << app->get_name() << ": standard output: " << reason << '\n';
    return 1;
  }
  return std::nullopt;
}

}  // namespace orm::command_line
