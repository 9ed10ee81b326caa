// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_HWBENCH_DEVICE_H
#define OPENREMAP_HWBENCH_DEVICE_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "measure/hwbench_result.h"
#include "openremap.h"
#include "openremap_stats.h"
#include "orm_regs.h"
#include "pcie_debug.h"
#include "rtl_core.h"
#include "seeded_random.h"

namespace orm::hwbench {

struct Plan {
  uint64_t seed = 1;
  uint64_t commands = 1000;
  bool wide = false;
  std::string device = "rtl";  // or "soc": the same controller, with a CPU that runs the firmware
};

constexpr uint32_t kDepth = 64;  // entries of a queue

[[noreturn]] inline void die(const std::string &what) {
  std::fprintf(stderr, "hwbench: %s\n", what.c_str());
  std::exit(1);
}

inline void check(int status, const char *what) {
  char text[128];
  if (status != 0) die(std::string(what) + ": " + openremap_describe(status, text, sizeof text));
}

/// A device with its memory; closes it at the end.
class Device {
 public:
  struct Make {
    bool instant_nand;
    uint32_t superblocks;         // 0: all
    uint32_t over_provision_pct;  // 0: default
    uint64_t seed;
    bool wide;
    uint32_t io_queues = 1;  // of kDepth commands each
    const char *kind = "rtl";
  };
  explicit Device(const Make &make) : random_(make.seed) {
    openremap_options options{};
    options.device.kind = make.kind;
    options.device.seed = make.seed;
    options.device.superblocks = make.superblocks;
    options.device.over_provision_pct = make.over_provision_pct;
    options.device.instant_nand = make.instant_nand ? 1 : 0;
    options.device.firmware_cpu = "none";  // it measures the hardware, whatever the environment says
    if (make.wide) options.device.geometry = PCIE_WIDE_GEOMETRY;
    options.create = pcie_device_create;
    options.queue_depth = kDepth;
    options.io_queues = make.io_queues;
    char error[256] = "";
    if (openremap_open(&options, &dev_, error, sizeof error) != 0) die(error);
    pages_ = openremap_get_info(dev_)->pages;
    data_ = static_cast<uint8_t *>(openremap_dma_alloc(dev_, kDataPages * OPENREMAP_PAGE_BYTES));
    if (data_ == nullptr) die("cannot allocate DMA memory");
    for (size_t i = 0; i < kDataPages * OPENREMAP_PAGE_BYTES; ++i) data_[i] = uint8_t(random_.next());
  }
  ~Device() { check(openremap_close(dev_), "shutdown"); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  openremap_device *get() const { return dev_; }
  uint64_t pages() const { return pages_; }
  uint8_t *page(uint64_t i) const { return data_ + i % kDataPages * OPENREMAP_PAGE_BYTES; }
  uint64_t random_page() { return random_.below(pages_); }
  uint64_t cycle() const { return openremap_now_ns(dev_) / orm::kPeriodNs; }

  orm_remap_log stats() const {
    orm_remap_log log{};
    check(openremap_get_stats(dev_, &log), "counters");
    return log;
  }

  // Remaps and copies that the hardware has carried out.
  uint64_t by_hardware() const {
    uint64_t value = 0;
    check(pcie_device_counter(openremap_pcie_function(dev_), ORM_COUNTER_REMAPS_BY_HARDWARE, &value), "counter");
    return value;
  }

  // Writes every page in order and flushes.
  void fill() {
    const uint64_t step = openremap_get_info(dev_)->max_transfer_pages;
    for (uint64_t lpn = 0; lpn < pages_; lpn += step) {
      check(openremap_write(dev_, lpn, std::min(step, pages_ - lpn), page(0), false), "filling");
    }
    check(openremap_flush(dev_), "flush");
  }

  // `submit(i, done, arg)` sends the i-th command.
  using Submit = std::function<int(uint64_t, openremap_done, void *)>;

  // Background commands, kept in flight while the measured ones run; they are not measured.
  struct Beside {
    uint32_t depth;
    Submit submit;
  };

  // Keeps `depth` of `count` commands in flight.
  Result measure(const std::string &name, uint64_t count, uint32_t depth, uint64_t pages_each, const Submit &submit,
                 const Beside &beside = {0, {}}) {
    std::fprintf(stderr, "hwbench: %s\n", name.c_str());
    Result result{name, count, count * pages_each, 0, 0, 0, 0, {}};
    std::vector<Command> commands(count);
    Others others;
    uint64_t sent = 0, ended = 0, sent_beside = 0;
    const orm_remap_log before = stats();
    const uint64_t remaps = by_hardware();
    const uint64_t begin = cycle();
    while (ended < count) {
      for (; sent < count && sent - ended < depth; ++sent) {
        commands[sent] = {this, &ended, cycle(), 0, 0};
        check(submit(sent, Command::done, &commands[sent]), name.c_str());
      }
      for (; others.in_flight < beside.depth; ++others.in_flight) {
        check(beside.submit(sent_beside++, Others::done, &others), name.c_str());
      }
      if (openremap_poll(dev_, 1'000'000) < 0) die(name + ": the controller is lost");
    }
    result.cycles = cycle() - begin;
    const orm_remap_log after = stats();
    result.by_hardware = by_hardware() - remaps;
    result.gc_pages = after.gc_moved_pages - before.gc_moved_pages;
    result.stall_alloc = after.stall_alloc - before.stall_alloc;
    check(openremap_wait_all(dev_), name.c_str());
    check(others.status, name.c_str());
    for (const Command &c : commands) {
      check(c.status, name.c_str());
      result.latencies.push_back(c.end - c.begin);
    }
    std::sort(result.latencies.begin(), result.latencies.end());
    return result;
  }

 private:
  struct Command {
    Device *device;
    uint64_t *ended;
    uint64_t begin, end;
    int status;
    static void done(void *arg, int status, uint32_t) {
      auto *c = static_cast<Command *>(arg);
      c->end = c->device->cycle();
      c->status = status;
      ++*c->ended;
    }
  };
  struct Others {
    uint32_t in_flight = 0;
    int status = 0;
    static void done(void *arg, int status, uint32_t) {
      auto *o = static_cast<Others *>(arg);
      --o->in_flight;
      if (status != 0) o->status = status;
    }
  };
  static constexpr size_t kDataPages = 2 * kDepth;

  openremap_device *dev_ = nullptr;
  orm::SeededRandom random_;
  uint64_t pages_ = 0;
  uint8_t *data_ = nullptr;
};

}  // namespace orm::hwbench
#endif  // OPENREMAP_HWBENCH_DEVICE_H
