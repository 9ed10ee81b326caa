// SPDX-License-Identifier: Apache-2.0
#include "full/full_host.h"

#include <algorithm>
#include <cerrno>

#include "openremap_cmd.h"
#include "orm_formats.h"
#include "support/bad_option.h"
#include "support/device_rest.h"
#include "support/sim_figures.h"

namespace orm::full {
namespace {

constexpr uint64_t kPollNs = 1'000'000;
constexpr uint64_t kSampleEvery = 256;  // commands
constexpr int kMostRestMs = 2000;       // several collections of a nearly full superblock
constexpr size_t kDataBytes = kMostWritePages * OPENREMAP_PAGE_BYTES;

constexpr int kSharerLimit = NVME_STATUS(NVME_STATUS_TYPE_VENDOR, ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT);

std::string describe(int status) {
  char text[128];
  return openremap_describe(status, text, sizeof text);
}

std::string describe(const Command &command) {
  std::string text = name_of(command.kind);
  for (const openremap_remap_range &r : command.ranges) {
    if (is_remap(command.kind)) text += " " + std::to_string(r.src) + ">";
    text += (is_remap(command.kind) ? "" : " ") + std::to_string(r.dst) + "+" + std::to_string(r.pages);
  }
  return text;
}

nvme_submission_entry remap_command(const Command &command, uint8_t *list, size_t *bytes) {
  nvme_submission_entry entry;
  const openremap_remap_range &first = command.ranges.front();
  if (command.kind == Kind::kCopy) {
    nvme_copy_range range{};
    range.slba = first.src;
    range.nlb = uint16_t(first.pages - 1);
    nvme_copy_range_pack(&range, list);
    nvme_cmd_copy(&entry, 1, first.dst, 1);
    *bytes = NVME_COPY_RANGE_BYTES;
    return entry;
  }
  if (command.kind == Kind::kVector) {
    for (const openremap_remap_range &r : command.ranges) {
      const orm_remap_range range{r.src, r.dst, uint32_t(r.pages), 0, 0};
      orm_remap_range_pack(&range, list + *bytes);
      *bytes += ORM_REMAP_RANGE_BYTES;
    }
    nvme_cmd_init(&entry, ORM_VENDOR_OPCODES_REMAP_VECTOR, 1);
    entry.cdw10 = uint32_t(command.ranges.size());
    return entry;
  }
  nvme_cmd_init(&entry, ORM_VENDOR_OPCODES_REMAP, 1);
  entry.cdw10 = uint32_t(first.src);
  entry.cdw12 = uint32_t(first.dst);
  entry.cdw14 = uint32_t(first.pages);
  entry.cdw15 = command.kind == Kind::kMove ? unsigned(OPENREMAP_MOVE) : unsigned(OPENREMAP_SHARE);
  return entry;
}

nvme_submission_entry trim_command(const Command &command, uint8_t *list, size_t *bytes) {
  nvme_submission_entry entry;
  if (command.kind == Kind::kWriteZeroes) {
    nvme_cmd_write_zeroes(&entry, 1, command.ranges.front().dst, uint32_t(command.ranges.front().pages), 1);
    return entry;
  }
  for (const openremap_remap_range &r : command.ranges) {
    const nvme_dsm_range range{0, uint32_t(r.pages), r.dst};
    nvme_dsm_range_pack(&range, list + *bytes);
    *bytes += NVME_DSM_RANGE_BYTES;
  }
  nvme_cmd_deallocate(&entry, 1, uint32_t(command.ranges.size()));
  return entry;
}

}  // namespace

Host::Host(const HostOptions &options) : options_(options), operations_(options.depth) {
  openremap_options open{};
  open.device.kind = "model";
  open.device.geometry = options.geometry.empty() ? nullptr : options.geometry.c_str();
  open.device.superblocks = options.superblocks;
  open.device.over_provision_pct = options.over_provision_pct;
  open.device.remap_segments = options.segments;
  open.device.seed = options.seed;
  open.create = pcie_device_create;
  open.queue_depth = options.depth;
  open.timeout_ns = options.limit_ns;
  char error[256] = "";
  if (const int rc = openremap_open(&open, &dev_, error, sizeof error)) tools::no_device(rc, error);
  oracle_ = std::make_unique<Oracle>(openremap_get_info(dev_)->pages);
  generator_ = std::make_unique<Generator>(oracle_.get(), options.seed);
  for (Operation &op : operations_) {
    op.host = this;
    op.data = static_cast<uint8_t *>(openremap_dma_alloc(dev_, kDataBytes));
    if (op.data == nullptr) throw std::runtime_error("cannot allocate DMA memory");
    idle_.push_back(&op);
  }
  sharer_limit_ = log().sharer_limit;
}

Host::~Host() { (void)openremap_close(dev_); }

void Host::ok(int status, const char *what) const {
  if (status != 0) throw Violation(std::string(what) + ": " + describe(status));
}

void Host::note(const std::string &wrong) {
  if (wrong_.empty()) wrong_ = wrong;
}

orm_remap_log Host::log() const {
  orm_remap_log log{};
  ok(openremap_get_stats(dev_, &log), "counters");
  return log;
}

// ---- Commands in flight

/// With all that is in flight done: firmware's remaps and hardware's copies pass each other, so what is sent later may
/// be carried out earlier. References to the targets' old slots are given up after that (docs/design/remap.md).
uint32_t Host::most_sharers(const Command &command) const {
  uint32_t most = 0;
  for (const Change &change : command.changes) {
    if (change.to.slot != 0) most = std::max(most, oracle_->sharers(change.to.slot));
  }
  return most;
}

int Host::submit(Operation *op) {
  const Command &c = op->command;
  nvme_submission_entry entry;
  size_t bytes = 0;
  if (is_remap(c.kind)) {
    entry = remap_command(c, op->data, &bytes);
  } else if (c.kind == Kind::kDeallocate || c.kind == Kind::kWriteZeroes) {
    entry = trim_command(c, op->data, &bytes);
  } else if (c.kind == Kind::kFlush) {
    return openremap_submit_flush(dev_, done, op);
  } else if (c.kind == Kind::kRead) {
    return openremap_submit_read(dev_, c.ranges[0].dst, c.ranges[0].pages, op->data, done, op);
  } else {
    uint8_t *page = op->data;
    for (const Change &change : c.changes) {
      fill_page(change.to.content, page);
      page += OPENREMAP_PAGE_BYTES;
    }
    return openremap_submit_write(dev_, c.ranges[0].dst, c.ranges[0].pages, op->data, c.kind == Kind::kWriteFua, done,
                                  op);
  }
  return openremap_submit_command(dev_, false, &entry, bytes == 0 ? nullptr : op->data, bytes, done, op);
}

void Host::send(Command command) {
  Operation *op = idle_.back();
  idle_.pop_back();
  op->command = std::move(command);
  oracle_->begin(op->command.changes);
  op->remaps = is_remap(op->command.kind);
  op->most_sharers = 0;
  if (op->remaps) {
    ++remapping_;
    for (Operation &other : operations_) {
      if (other.remaps) other.most_sharers = std::max(other.most_sharers, most_sharers(other.command));
    }
  }
  op->begin_ns = now_ns();
  ok(submit(op), "submission");
}

void Host::done(void *arg, int status, uint32_t) {
  auto *op = static_cast<Operation *>(arg);
  op->host->end(op, status);
}

void Host::end(Operation *op, int status) {
  const Command &c = op->command;
  const uint64_t took_ns = now_ns() - op->begin_ns;
  if (is_remap(c.kind)) --remapping_;
  op->remaps = false;
  ++ended_;
  if (status == 0) {
    latencies_[size_t(c.kind)].add(took_ns);
    if (c.kind == Kind::kRead) check_read(*op);
    if (c.kind == Kind::kWrite || c.kind == Kind::kWriteFua) written_ += c.changes.size();
    if (is_remap(c.kind)) ++refusals_.done;
    oracle_->apply(c.changes);
  } else if (is_remap(c.kind) && openremap_should_write_instead(status)) {
    refused(op, status);
  } else {
    note(describe(c) + ": " + describe(status) + " after " + std::to_string(took_ns / 1000) + " us");
  }
  if (status == 0 || !is_remap(c.kind)) release(oracle_.get(), c);
  idle_.push_back(op);
}

/// After a refused remap, the host writes the pages. The writes take over the claims.
void Host::refused(Operation *op, int status) {
  const Command &c = op->command;
  oracle_->cancel(c.changes);
  if (status != kSharerLimit) {
    ++refusals_.no_room;
  } else {
    ++refusals_.sharer_limit;
    if (op->most_sharers <= sharer_limit_) {
      note(describe(c) + ": refused for its sharers, of which a slot would have had " +
           std::to_string(op->most_sharers));
    }
  }
  for (const openremap_remap_range &range : c.ranges) {
    oracle_->release(range.src, range.pages);
    for (uint64_t i = 0; i < range.pages; ++i) {
      const Page &source = oracle_->page(range.src + i);
      if (source.slot != 0) {
        instead_.emplace_back(range.dst + i, source.content);
      } else {
        oracle_->release(range.dst + i, 1);  // the source was a hole; the page stays unchanged
      }
    }
  }
}

void Host::check_read(const Operation &op) {
  const openremap_remap_range &range = op.command.ranges[0];
  for (uint64_t i = 0; i < range.pages; ++i) {
    const std::string wrong = oracle_->check(range.dst + i, op.data + i * OPENREMAP_PAGE_BYTES);
    if (!wrong.empty()) note(wrong);
    ++compared_;
  }
}

void Host::poll() {
  const int status = openremap_poll(dev_, kPollNs);
  if (status < 0) note("the controller is lost: " + describe(status));
  if (!wrong_.empty()) throw Violation(wrong_);
}

void Host::write_instead() {
  const auto [lpn, content] = instead_.front();
  instead_.pop_front();
  send(generator_->instead(lpn, content));
}

void Host::drain() {
  while (!instead_.empty() || idle_.size() < operations_.size()) {
    while (!instead_.empty() && !idle_.empty()) write_instead();
    poll();
  }
}

// ---- Phases of the program

void Host::fill() {
  for (const uint64_t lpn : oracle_->without_own_slot()) {
    while (idle_.empty()) poll();
    if (auto command = generator_->write(lpn)) send(std::move(*command));
  }
  drain();
  if (!oracle_->without_own_slot().empty()) throw Violation("the namespace is not full after a fill");
}

void Host::storm(const Storm &storm, uint64_t pages_written) {
  const uint64_t remaps_before = refusals_.done, refused_before = refusals_.no_room;
  // At most a quarter of the queue: remaps are executed one by one and would soon fill the queue.
  const uint32_t remaps_in_flight = std::max(1u, options_.depth / 4);
  uint64_t next_sample = ended_;
  while (written_ < pages_written) {
    while (!instead_.empty() && !idle_.empty()) write_instead();
    while (!idle_.empty()) {
      auto command = generator_->next(storm, remapping_ < remaps_in_flight);
      if (!command) break;
      send(std::move(*command));
    }
    poll();
    if (ended_ >= next_sample) {
      next_sample = ended_ + kSampleEvery;
      sample();
    }
  }
  drain();
  if (refusals_.no_room - refused_before > 100 && refusals_.done == remaps_before) {
    throw Violation("no remap at all found room in a storm of " + std::string(storm.name));
  }
}

void Host::sample() {
  const uint32_t free = log().segments_free;
  ++segments_.count;
  segments_.sum += free;
  segments_.least = std::min(segments_.least, free);
}

void Host::flush() { ok(openremap_flush(dev_), "flush"); }

void Host::power_cycle() { ok(openremap_power_cycle(dev_), "power cycle"); }

void Host::verify_pages() {
  for (uint64_t lpn = 0; lpn < pages(); lpn += kMostWritePages) {
    while (idle_.empty()) poll();
    const uint64_t some = std::min(kMostWritePages, pages() - lpn);
    if (!oracle_->claim(lpn, some)) throw Violation("a page is still claimed by a command that has ended");
    send({Kind::kRead, {{0, lpn, some}}, {}});
  }
  drain();
  if (oracle_->most_sharers() > sharer_limit_) throw Violation("a slot has more sharers than the device says it can");
}

void Host::verify() {
  verify_pages();
  flush();
  // The model counts a program when it begins, the device when it ends: collections may have programs in flight.
  if (!tools::device_rests(dev_, kMostRestMs)) throw Violation("the device does not come to rest");
  const orm_remap_log l = log();
  const auto equal = [](const char *what, uint64_t found, uint64_t expected) {
    if (found == expected) return;
    throw Violation(std::string(what) + ": " + std::to_string(found) + ", not " + std::to_string(expected));
  };
  equal("host_write_pages", l.host_write_pages, written_);
  equal("nand_program_host", l.nand_program_host, l.host_write_pages);
  pcie_function *fn = openremap_pcie_function(dev_);
  const tools::SimFigures figures(fn);
  equal("slots programmed in all", openremap_nand_pages(&l), figures["programs"] * figures["slots_per_page"]);
  equal("crashes of the firmware", l.crashes, 0);
}

}  // namespace orm::full
