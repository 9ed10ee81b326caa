// SPDX-License-Identifier: Apache-2.0
//
// fuzz - gives a device submission entries and register accesses that are mostly wrong. It must answer what it must,
// never hang, never stop, come back from every reset and keep the data that no command may have touched
// (docs/design/simulation.md).
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "command_line.h"
#include "fuzz/fuzz_entries.h"
#include "fuzz/fuzz_host.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "output.h"
#include "support/bad_option.h"
#include "test_seed.h"

namespace orm::fuzz {
namespace {

using Ull = unsigned long long;

struct Options {
  std::string device = "model";
  uint64_t seed = 1;
  uint64_t entries = 10'000;
  uint32_t superblocks = 8;
  std::string geometry;
  std::string cache;
  std::string firmware;
  bool stalls = false;

  const char *flash() const { return geometry.empty() ? nullptr : geometry.c_str(); }
  const char *data_cache() const { return cache.empty() ? nullptr : cache.c_str(); }
  const char *runs_firmware() const { return firmware.empty() ? nullptr : firmware.c_str(); }
};

constexpr uint64_t kRoundEntries = 400;
constexpr uint64_t kRegisterAccesses = 60;
constexpr size_t kLastEntries = 40;   // printed with a finding
constexpr uint32_t kBatch = 16;       // commands in flight when known data is written and read
constexpr uint64_t kSample = 24;      // pages compared after a round
constexpr uint64_t kWholeEvery = 32;  // rounds between comparisons of all pages

class Fuzzer {
 public:
  explicit Fuzzer(const Options &o)
      : o_(o),
        host_(o.device.c_str(), o.superblocks, o.seed, o.flash(), o.stalls, o.data_cache(), o.runs_firmware()),
        kept_(host_.pages() / 2),
        entries_(o.seed, host_.pages(), kept_, &host_.memory()),
        random_(entries_.random()) {}

  void run() {
    write_kept();
    while (sent_ < o_.entries) {
      const uint64_t draw = random_.below(8);
      kind_ = draw < 5 ? "commands" : draw < 7 ? "registers" : "queues";
      ++rounds_;
      if (draw < 5) {
        commands();
      } else {
        draw < 7 ? registers() : queues();
      }
      if (draw >= 5 || random_.below(4) == 0) recover();
      look(rounds_ % kWholeEvery == 0 ? kept_ : kSample);
    }
    recover();
    look(kept_);
  }

  void report() const {
    std::printf(
        "%llu entries (%llu answered with success, %llu with an error), %llu register accesses, %llu rounds, "
        "%llu resets, %llu power cycles, %llu pages compared; %.3f s of device time\n",
        Ull(sent_), Ull(good_), Ull(bad_), Ull(accesses_), Ull(rounds_), Ull(resets_), Ull(cuts_), Ull(compared_),
        double(now_ns()) / 1e9);
  }
  /// Prints the last actions before a finding, newest last.
  void report_last() const {
    std::printf("in round %llu (%s), after %llu entries; the last ones:\n", Ull(rounds_), kind_, Ull(sent_));
    for (const std::string &line : last_) std::printf("  %s\n", line.c_str());
  }

 private:
  uint64_t now_ns() const {
    pcie_function *fn = const_cast<Host &>(host_).function();
    return fn->ops->now_ns(fn);
  }

  void note(const std::string &line) {
    last_.push_back(line);
    if (last_.size() > kLastEntries) last_.pop_front();
  }

  void put(unsigned qid, const nvme_submission_entry &e, bool answered) {
    char line[200];
    const uint16_t cid = host_.put(qid, e, answered);
    std::snprintf(line, sizeof line,
                  "queue %u command %u: opcode %02x flags %02x nsid %x prp %llx %llx dwords %x %x %x %x %x %x", qid,
                  cid, e.opcode, e.flags, e.nsid, Ull(e.prp1), Ull(e.prp2), e.cdw10, e.cdw11, e.cdw12, e.cdw13, e.cdw14,
                  e.cdw15);
    note(line);
    ++sent_;
  }

  void count(const std::vector<Completion> &completions) {
    for (const Completion &c : completions) ++(c.status == 0 ? good_ : bad_);
  }

  /// Sends one entry to a queue with room. Asynchronous Event Requests may complete at any time.
  void send(bool queues) {
    const unsigned qid = random_.below(5) == 0 ? 0 : 1 + unsigned(random_.below(host_.io_queues()));
    if (!host_.room(qid)) return;
    const nvme_submission_entry e = qid == 0 ? entries_.admin(queues) : entries_.io();
    put(qid, e, !(qid == 0 && e.opcode == NVME_ADMIN_OPCODE_ASYNC_EVENT));
    rung_ |= 1u << qid;
    if (random_.below(4) == 0) ring();
  }

  void ring() {
    for (unsigned q = 0; q < kQueuePairs; ++q) {
      if ((rung_ >> q & 1) != 0) host_.ring(q);
    }
    rung_ = 0;
  }

  /// Random entries in valid queues: each must complete, and the controller must keep running.
  void commands() {
    for (uint64_t n = 0; n < kRoundEntries; ++n) {
      send(false);
      if (random_.below(8) == 0) count(host_.poll(random_.below(200'000)));
    }
    ring();
    count(host_.finish());
    const uint32_t csts = host_.read32(ORM_BAR0_CSTS);
    if (csts != ORM_BAR0_CSTS_RDY_MASK) throw Wrong("CSTS is " + std::to_string(csts) + " after commands");
  }

  /// Random register accesses while commands are in flight.
  void registers() {
    for (uint64_t n = 0; n < kRegisterAccesses; ++n) {
      if (random_.below(3) == 0) send(false);
      access();
      if (random_.below(4) == 0) (void)host_.poll(random_.below(100'000), false);
    }
  }

  void access() {
    pcie_function *fn = host_.function();
    static constexpr unsigned kSizes[] = {4, 4, 4, 8, 8, 1, 2, 3, 16};
    const unsigned size = kSizes[random_.below(std::size(kSizes))];
    uint64_t offset = random_.below(3) == 0   ? 0x1000 + 4 * random_.below(16)
                      : random_.below(3) == 0 ? random_.below(0x5000)
                                              : 4 * random_.below(20);
    if (random_.below(40) == 0) offset = entries_.number();
    const bool good = (size == 4 || size == 8) && offset % size == 0 && offset <= 0x4000 - size;
    uint64_t value = entries_.number();
    // Mostly valid configurations, so that invalid values reach a running controller.
    if (offset == ORM_BAR0_CC && random_.coin()) value = (value & 0xFFFFu) | 0x460000u;
    const bool writes = random_.coin();
    const int rc = writes ? fn->ops->bar0_write(fn, offset, size, value) : fn->ops->bar0_read(fn, offset, size, &value);
    char line[120];
    std::snprintf(line, sizeof line, "%s %u bytes at %llx: %llx", writes ? "write" : "read", size, Ull(offset),
                  Ull(value));
    note(line);
    ++accesses_;
    if (rc != (good ? 0 : -EINVAL)) throw Wrong("a register access gives " + std::to_string(rc));
  }

  /// Creates and deletes queues at valid and invalid addresses, and writes invalid doorbells.
  void queues() {
    for (uint64_t n = 0; n < kRoundEntries / 4; ++n) {
      send(true);
      if (random_.below(4) == 0) {
        const unsigned index =
            unsigned(random_.below(8) == 0 ? random_.below(ORM_BAR0_DOORBELL_COUNT) : random_.below(10));
        const uint32_t value = uint32_t(random_.coin() ? random_.below(2 * kEntries) : entries_.number());
        note("doorbell " + std::to_string(index) + ": " + std::to_string(value));
        host_.write_doorbell(index, value);
        ++accesses_;
      }
      if (random_.below(8) == 0) (void)host_.poll(random_.below(200'000), false);
    }
    ring();
    (void)host_.poll(1'000'000, false);
  }

  /// Resets the device; this must succeed in any state.
  void recover() {
    const uint64_t draw = random_.below(6);
    note(draw == 0 ? "power cycle" : draw < 3 ? "function reset" : "controller reset");
    if (draw == 0) {
      host_.power_cycle();
      ++cuts_;
    } else if (draw < 3) {
      host_.function_reset();
    }
    ++resets_;
    rung_ = 0;
    host_.start();
  }

  /// Prepares the pages that no command may change: written, some shared, some unmapped; then flushed.
  void write_kept() {
    value_.assign(kept_, 0);
    for (uint64_t lpn = 0; lpn < kept_; ++lpn) {
      if (lpn % 16 == 15) continue;  // never written
      uint8_t *page = host_.memory().page(Memory::kInput + (lpn % kBatch) * kPage);
      value_[lpn] = lpn + 1;
      fill_page(page, o_.seed + value_[lpn]);
      nvme_submission_entry e;
      nvme_cmd_write(&e, 1, lpn, 1, 0);
      e.prp1 = Memory::kInput + (lpn % kBatch) * kPage;
      must(1, e, "write");
    }
    for (uint64_t lpn = 8; lpn < kept_; lpn += 16) {
      nvme_submission_entry e;
      nvme_cmd_init(&e, ORM_VENDOR_OPCODES_REMAP, 1);
      nvme_cmd_slba(&e, lpn - 8);
      e.cdw12 = uint32_t(lpn);
      e.cdw14 = 1;
      must(1, e, "remap");
      value_[lpn] = value_[lpn - 8];
    }
    nvme_submission_entry e;
    nvme_cmd_flush(&e, 1);
    must(1, e, "flush");
    // A doorbell rung at random has the controller fetch what entries a queue held before. These must not be among
    // them: by now other data lies where they point.
    for (unsigned q = 0; q < kQueuePairs; ++q)
      std::memset(host_.memory().page(Memory::kSubmission + q * kPage), 0, kPage);
  }

  void must(unsigned qid, const nvme_submission_entry &e, const char *what) {
    const uint16_t status = host_.execute(qid, e);
    if (status != 0) throw Wrong(std::string(what) + " on a sound controller: status " + std::to_string(status));
  }

  /// Reads and checks `pages` of the pages that no command may change.
  void look(uint64_t pages) {
    std::vector<uint8_t> expected(kPage);
    for (uint64_t i = 0; i < pages; i += kBatch) {
      uint64_t lpns[kBatch];
      uint16_t cids[kBatch];
      const uint64_t n = std::min<uint64_t>(kBatch, pages - i);
      for (uint64_t k = 0; k < n; ++k) {
        lpns[k] = pages == kept_ ? i + k : random_.below(kept_);
        nvme_submission_entry e;
        nvme_cmd_read(&e, 1, lpns[k], 1);
        e.prp1 = Memory::kOutput + k * kPage;
        cids[k] = host_.put(1, e);
      }
      host_.ring(1);
      for (const Completion &c : host_.finish()) {
        if (c.qid != 1 || std::find(cids, cids + n, c.cid) == cids + n || c.status == 0) continue;
        throw Wrong("a page that nobody touched cannot be read: status " + std::to_string(c.status));
      }
      for (uint64_t k = 0; k < n; ++k) {
        if (value_[lpns[k]] == 0) {
          std::fill(expected.begin(), expected.end(), uint8_t(0));
        } else {
          fill_page(expected.data(), o_.seed + value_[lpns[k]]);
        }
        ++compared_;
        if (std::memcmp(host_.memory().page(Memory::kOutput + k * kPage), expected.data(), kPage) == 0) continue;
        throw Wrong("LPN " + std::to_string(lpns[k]) + ", which nobody touched, has other data");
      }
    }
  }

  Options o_;
  Host host_;
  uint64_t kept_;  // number of pages, from 0 on, that no command may change
  Entries entries_;
  SeededRandom &random_;
  std::vector<uint64_t> value_;  // with the seed, what the data is drawn from; 0: unmapped
  std::deque<std::string> last_;
  const char *kind_ = "start";
  uint32_t rung_ = 0;
  uint64_t sent_ = 0, good_ = 0, bad_ = 0, accesses_ = 0, rounds_ = 0, resets_ = 0, cuts_ = 0, compared_ = 0;
};

int start(const Options &o) {
  try {
    std::printf("fuzz --device %s --seed %llu --entries %llu --superblocks %u%s%s%s%s%s%s%s\n", o.device.c_str(),
                Ull(o.seed), Ull(o.entries), o.superblocks, o.geometry.empty() ? "" : " --geometry ",
                o.geometry.c_str(), o.stalls ? " --stalls" : "", o.cache.empty() ? "" : " --cache ", o.cache.c_str(),
                o.firmware.empty() ? "" : " --firmware ", o.firmware.c_str());
    output::flush();
    Fuzzer fuzzer(o);
    try {
      fuzzer.run();
    } catch (const Wrong &found) {
      std::printf("FOUND: %s\n", found.what());
      fuzzer.report_last();
      fuzzer.report();
      output::flush();
      return 1;
    }
    fuzzer.report();
    output::flush();
    return 0;
  } catch (const tools::BadOption &e) {
    std::fprintf(stderr, "fuzz: %s\n", e.what());
    return command_line::kWrongUse;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "fuzz: %s\n", e.what());
    return 1;
  }
}

}  // namespace
}  // namespace orm::fuzz

int main(int argc, char **argv) {
  orm::fuzz::Options o;
  o.seed = openremap::DefaultSeed();
  CLI::App app(
      "Sends a device mostly invalid submission queue entries and register accesses, with resets in between, and "
      "checks "
      "that it still answers and that all other data is intact. Exit code: 0 no findings, 1 findings, 2 a usage error.",
      "fuzz");
  orm::command_line::add_device(&app, &o.device);
  orm::command_line::add_seed(&app, &o.seed);
  app.add_option("--entries", o.entries, "number of submission queue entries")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--superblocks", o.superblocks, "flash size in superblocks")
      ->check(CLI::Range(8, 64))
      ->capture_default_str();
  app.add_option(
      "--geometry", o.geometry,
      "flash geometry, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]; the RTL takes only the one that it was built for (default)");
  app.add_flag("--stalls", o.stalls,
               "stall the buses of the RTL's memories and flash and delay their responses, depending on the seed");
  orm::command_line::add_cache(&app, &o.cache);
  orm::command_line::add_firmware(&app, &o.firmware);
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  return orm::fuzz::start(o);
}
