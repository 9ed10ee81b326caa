// SPDX-License-Identifier: Apache-2.0
//
// firmwaretime - device time and the firmware's share of it, for starts and commands of many kinds, and how much work
// of each kind the firmware did. `./openremap firmware calibrate` makes the costs of a simulated CPU of it.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "command_line.h"
#include "measure/firmware_load.h"
#include "output.h"
#include "support/bad_option.h"

namespace orm::firmware_time {
namespace {

using Ull = unsigned long long;

const std::map<std::string, void (*)(Target, const Told &)> kLoads = {
    {"starts", starts}, {"commands", commands}, {"trims", trims}, {"short", short_life}};

void write_json(const std::string &path, const std::vector<Window> &windows) {
  FILE *out = std::fopen(path.c_str(), "w");
  if (out == nullptr) throw std::runtime_error(path + ": " + std::strerror(errno));
  const char *comma = "[\n";
  for (const Window &w : windows) {
    std::fprintf(out, "%s {\"name\": \"%s\", \"device_ns\": %llu, \"busy_ns\": %llu, \"work\": {", comma,
                 w.name.c_str(), Ull(w.device_ns), Ull(w.busy_ns));
    const char *inner = "";
    for (const auto &[kind, count] : w.work) {
      std::fprintf(out, "%s\"%s\": %llu", inner, kind.c_str(), Ull(count));
      inner = ", ";
    }
    std::fprintf(out, "}}");
    comma = ",\n";
  }
  std::fprintf(out, "\n]\n");
  try {
    output::flush(out, path);
  } catch (...) {
    (void)std::fclose(out);
    throw;
  }
  (void)std::fclose(out);  // it is flushed
}

int run(const Target &target, const std::string &load, const std::string &json) {
  std::vector<Window> windows;
  std::printf("%-28s %14s %14s\n", "window", "device, us", "firmware, us");
  std::fflush(stdout);  // windows may take a minute each
  const auto told = [&](const Window &w) {
    std::printf("%-28s %14.1f %14.1f\n", w.name.c_str(), double(w.device_ns) * 1e-3, double(w.busy_ns) * 1e-3);
    output::flush();
    windows.push_back(w);
  };
  try {
    kLoads.at(load)(target, told);
    if (!json.empty()) write_json(json, windows);
  } catch (const tools::BadOption &e) {
    std::fprintf(stderr, "firmwaretime: %s\n", e.what());
    return command_line::kWrongUse;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "firmwaretime: %s\n", e.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace orm::firmware_time

int main(int argc, char **argv) {
  orm::firmware_time::Target target;
  std::string load = "starts", json;
  CLI::App app("Device time and the firmware's share of it, for starts and commands of many kinds.", "firmwaretime");
  orm::command_line::add_device(&app, &target.kind);
  orm::command_line::add_firmware_cpu(&app, &target.cpu);
  orm::command_line::add_seed(&app, &target.seed);
  app.add_option("--load", load,
                 "starts: starts and recoveries; commands: commands of many kinds; trims: checkpoints of the trims; "
                 "short: what is compared between devices")
      ->check(CLI::IsMember({"starts", "commands", "trims", "short"}))
      ->capture_default_str();
  app.add_option("--json", json, "file for the figures");
  app.callback([&] {
    if (!json.empty()) orm::command_line::check_output("--json", json);
  });
  if (const auto exit = orm::command_line::parse(&app, argc, argv)) return *exit;
  return orm::firmware_time::run(target, load, json);
}
