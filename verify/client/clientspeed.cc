// SPDX-License-Identifier: Apache-2.0
//
// clientspeed - 4 KiB random reads a second, in wall time, of a client without QEMU that drives vfio_device through its
// socket: doorbells as messages, with shadows in its memory (Doorbell Buffer Config), and as stores to the page that it
// maps. A benchmark to look at, not a timed test.
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "client/device_process.h"
#include "client/nvme_client.h"
#include "client/user_client.h"
#include "command_line.h"
#include "output.h"
#include "seeded_random.h"

namespace {

using orm::client::DeviceProcess;
using orm::client::NvmeClient;
using orm::client::UserClient;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string server, before;
  std::string device = "model";
  double seconds = 2;
  uint32_t rounds = 3;
  std::vector<uint32_t> depths = {1, 32};
  uint64_t seed = 1;
  bool json = false;
};

constexpr unsigned kQueue = 1;

struct Result {
  uint64_t reads = 0;
  double wall = 0;                 // seconds
  double device_cpu = 0, cpu = 0;  // of the device's process, and of this one, seconds

  double iops() const { return double(reads) / wall; }
};

double own_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// Keeps `depth` reads under way until the time is over.
Result measure(const Options &o, DeviceProcess *device, UserClient *user, NvmeClient *nvme, uint64_t blocks,
               uint32_t depth) {
  orm::SeededRandom random(o.seed);
  std::vector<uint64_t> pages;
  for (uint32_t i = 0; i < depth; ++i) pages.push_back(user->take_page());
  nvme_submission_entry e;
  const auto read = [&](uint16_t slot) {
    nvme_cmd_read(&e, 1, random.below(blocks), 1);
    e.cid = slot;
    e.prp1 = pages[slot];
    nvme->submit(kQueue, e);
    nvme->ring(kQueue);
  };
  const double device_cpu = device->cpu_seconds(), cpu = own_cpu_seconds();
  const auto begun = Clock::now();
  const auto end = begun + std::chrono::duration<double>(o.seconds);
  auto now = begun, last = begun;
  for (uint32_t i = 0; i < depth; ++i) read(uint16_t(i));
  uint64_t done = 0;
  while (nvme->in_flight(kQueue) != 0) {
    NvmeClient::Completion c;
    unsigned taken = 0;
    now = Clock::now();
    for (; nvme->poll(kQueue, &c); ++taken) {
      if (c.status != 0) throw std::runtime_error("a read ends with status " + std::to_string(c.status));
      if (now < end) read(c.cid);
    }
    done += taken;
    if (taken != 0) {
      nvme->ring_taken(kQueue);
      last = now;
    } else {
      if (now - last > std::chrono::seconds(UserClient::kPatienceSeconds)) throw std::runtime_error("a read hangs");
      sched_yield();  // the device may need this processor
    }
  }
  return {done, std::chrono::duration<double>(last - begun).count(), device->cpu_seconds() - device_cpu,
          own_cpu_seconds() - cpu};
}

enum class Way { kMessages, kMapped, kShadows };
constexpr const char *kWays[] = {"messages", "mapped", "shadows"};

struct Line {
  std::string name;
  uint32_t depth;
  Result result;
};

void run_server(const Options &o, const std::string &server, Way way, const char *name, std::vector<Line> *results) {
  const bool map = way == Way::kMapped;
  std::vector<std::string> arguments = {"--device", o.device, "--seed", std::to_string(o.seed)};
  if (map) arguments.emplace_back("--map-doorbells");
  if (way == Way::kShadows) arguments.emplace_back("--shadow-doorbells");
  DeviceProcess device(server, arguments);
  UserClient user(device.socket(), map ? UserClient::Doorbells::kPage : UserClient::Doorbells::kMessages);
  NvmeClient nvme(&user);
  if (user.maps_doorbells() != map) throw std::runtime_error(server + " does not let its doorbells be mapped");
  nvme.enable();
  if (way == Way::kShadows) nvme.use_shadows();
  nvme.create_pair(kQueue);
  const uint64_t blocks = nvme.blocks();
  // Reads of blocks that hold nothing would not reach the flash.
  const uint64_t page = user.take_page();
  nvme_submission_entry e;
  for (uint64_t lba = 0; lba < blocks; ++lba) {
    nvme_cmd_write(&e, 1, lba, 1, 0);
    e.prp1 = page;
    if (nvme.io(kQueue, e).status != 0) throw std::runtime_error("a write fails");
  }
  for (const uint32_t depth : o.depths) {
    const Result r = measure(o, &device, &user, &nvme, blocks, depth);
    results->push_back({name, depth, r});
    if (o.json) continue;
    std::printf("%-24s depth %2u %9.0f IOPS, %5.1f us of the device's CPU time a read\n", name, depth, r.iops(),
                r.device_cpu / double(r.reads) * 1e6);
    std::fflush(stdout);
  }
}

/// {"mapped": {"1": [{"iops": 50139, "reads": 100278, "wall_s": 2, "device_cpu_s": 0.54, "client_cpu_s": 1.98}, ...
void print(const std::vector<Line> &results) {
  std::map<std::string, std::map<uint32_t, std::vector<Result>>> by_way;
  for (const Line &line : results) by_way[line.name][line.depth].push_back(line.result);
  std::string text;
  for (auto &[way, depths] : by_way) {
    text += (text.empty() ? "{\"" : ", \"") + way + "\": {";
    bool first = true;
    for (auto &[depth, runs] : depths) {
      std::sort(runs.begin(), runs.end(), [](const Result &a, const Result &b) { return a.iops() < b.iops(); });
      text += (first ? "\"" : ", \"") + std::to_string(depth) + "\": [";
      first = false;
      for (const Result &r : runs) {
        char one[200];
        std::snprintf(one, sizeof one,
                      "%s{\"iops\": %.0f, \"reads\": %llu, \"wall_s\": %.6f, \"device_cpu_s\": %.6f, "
                      "\"client_cpu_s\": %.6f}",
                      &r == runs.data() ? "" : ", ", r.iops(), static_cast<unsigned long long>(r.reads), r.wall,
                      r.device_cpu, r.cpu);
        text += one;
      }
      text += "]";
    }
    text += "}";
  }
  std::printf("%s}\n", text.c_str());
}

}  // namespace

int main(int argc, char **argv) {
  Options o;
  CLI::App app(
      "Measures 4 KiB random reads a second, of wall time, of a client that drives vfio_device without QEMU: with "
      "doorbells as messages, with shadows of them in its memory, and with doorbells that it maps.",
      "clientspeed");
  app.add_option("--server", o.server, "vfio_device program (default: that beside this program)");
  app.add_option("--before", o.before, "an earlier vfio_device to compare with; measured with messages alone");
  orm::command_line::add_device(&app, &o.device);
  app.add_option("--seconds", o.seconds, "length of each measurement")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  app.add_option("--rounds", o.rounds, "how often everything is measured")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--depth", o.depths, "commands under way; may be repeated (default: 1 and 32)")
      ->check(CLI::Range(1u, NvmeClient::kEntries - 1));
  orm::command_line::add_seed(&app, &o.seed);
  app.add_flag(
      "--json", o.json,
      "one JSON object on standard output: by way and depth, sorted by IOPS, each run with its reads, wall time, and "
      "CPU times of the device and of this client");
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  if (o.server.empty()) o.server = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "vfio_device";
  std::vector<Line> results;
  try {
    for (uint32_t round = 0; round < o.rounds; ++round) {
      if (!o.before.empty()) run_server(o, o.before, Way::kMessages, "before", &results);
      for (const Way way : {Way::kMessages, Way::kShadows, Way::kMapped})
        run_server(o, o.server, way, kWays[int(way)], &results);
    }
    if (o.json) print(results);
    orm::output::flush();
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "clientspeed: %s\n", e.what());
    return 1;
  }
}
