// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_recorder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "openremap_cmd.h"
#include "orm_formats.h"

namespace orm::lockstep {
namespace {

uint64_t u64(uint32_t low, uint32_t high) { return low | uint64_t(high) << 32; }
uint64_t blocks(const nvme_submission_entry &e) { return (e.cdw12 & 0xFFFF) + uint64_t(1); }

/// A descriptor list of `count` records of `size` bytes; nothing if the event has fewer.
template <class Append>
bool each(const openremap_trace_event &event, size_t count, size_t size, Append append) {
  const auto *list = static_cast<const uint8_t *>(event.data);
  if (list == nullptr || event.bytes < count * size) return false;
  for (size_t i = 0; i < count; ++i) append(list + i * size);
  return true;
}

bool deallocate(const openremap_trace_event &event, Command *c) {
  const size_t count = (event.command->cdw10 & 0xFF) + size_t(1);
  return (event.command->cdw11 & NVME_DSM_DEALLOCATE) != 0 && each(event, count, NVME_DSM_RANGE_BYTES, [&](auto *in) {
           nvme_dsm_range range;
           nvme_dsm_range_unpack(&range, in);
           c->ranges.push_back({range.slba, 0, range.nlb});
         });
}

bool vector(const openremap_trace_event &event, Command *c) {
  return each(event, event.command->cdw10, ORM_REMAP_RANGE_BYTES, [&](auto *in) {
    orm_remap_range range;
    orm_remap_range_unpack(&range, in);
    c->ranges.push_back({range.src, range.dst, range.nlb});
  });
}

bool copy(const openremap_trace_event &event, Command *c) {
  if ((event.command->cdw12 & 0xFF) != 0) return false;  // a stream's command has one range
  c->dst = c->lpn;
  return each(event, 1, NVME_COPY_RANGE_BYTES, [&](auto *in) {
    nvme_copy_range range;
    nvme_copy_range_unpack(&range, in);
    c->lpn = range.slba;
    c->pages = range.nlb + uint64_t(1);
  });
}

bool update(const openremap_trace_event &event, Command *c) {
  if (event.command->cdw10 != NVME_IO_MGMT_RUH) return false;  // a stream's command has one handle
  return each(event, 1, 2, [&](auto *in) { c->handle = int(orm_get_le(in, 2)); });
}

bool burstable(Kind kind) {
  return kind == Kind::kRead || kind == Kind::kWrite || kind == Kind::kRemap || kind == Kind::kFlush;
}

bool meet(uint64_t a, uint64_t a_pages, uint64_t b, uint64_t b_pages) { return a < b + b_pages && b < a + a_pages; }

bool meet(const Command &a, const Command &b) {
  const auto target = [](const Command &c) { return c.kind == Kind::kRemap ? c.pages : 0; };
  return meet(a.lpn, a.pages, b.lpn, b.pages) || meet(a.lpn, a.pages, b.dst, target(b)) ||
         meet(a.dst, target(a), b.lpn, b.pages) || meet(a.dst, target(a), b.dst, target(b));
}

}  // namespace

std::optional<Command> decode(const openremap_trace_event &event) {
  const nvme_submission_entry &e = *event.command;
  Command c;
  c.lpn = u64(e.cdw10, e.cdw11);
  c.pages = blocks(e);
  bool known = true;
  switch (e.opcode) {
    case NVME_IO_OPCODE_READ:
      c.kind = Kind::kRead;
      break;
    case NVME_IO_OPCODE_WRITE:
      c.kind = Kind::kWrite;
      c.flag = (e.cdw12 & NVME_RW_FUA) != 0;
      if ((e.cdw12 >> NVME_WRITE_DTYPE_SHIFT & 0xF) == NVME_DIRECTIVE_DATA_PLACEMENT) {
        c.handle = int(e.cdw13 >> NVME_WRITE_DSPEC_SHIFT);
      }
      c.value = std::hash<std::string_view>{}({static_cast<const char *>(event.data), event.bytes});
      break;
    case NVME_IO_OPCODE_FLUSH:
      c = Command{};
      break;
    case NVME_IO_OPCODE_WRITE_ZEROES:
      c.kind = Kind::kWriteZeroes;
      c.flag = (e.cdw12 & NVME_WZ_DEAC) != 0;
      break;
    case NVME_IO_OPCODE_DATASET_MANAGEMENT:
      c.kind = Kind::kDeallocate;
      known = deallocate(event, &c);
      break;
    case NVME_IO_OPCODE_COPY:
      c.kind = Kind::kCopy;
      known = copy(event, &c);
      break;
    case NVME_IO_OPCODE_IO_MGMT_RECEIVE:
      c.kind = Kind::kPlacement;
      break;
    case NVME_IO_OPCODE_IO_MGMT_SEND:
      c.kind = Kind::kPlacement;
      known = update(event, &c);
      break;
    case ORM_VENDOR_OPCODES_REMAP:
      c.kind = Kind::kRemap;
      c.dst = u64(e.cdw12, e.cdw13);
      c.pages = e.cdw14;
      c.flag = (e.cdw15 & ORM_VENDOR_FLAGS_MOVE) != 0;
      break;
    case ORM_VENDOR_OPCODES_REMAP_VECTOR:
      c.kind = Kind::kRemapVector;
      c.flag = (e.cdw15 & ORM_VENDOR_FLAGS_MOVE) != 0;
      known = vector(event, &c);
      break;
    default:
      known = false;
  }
  if (!known) return std::nullopt;
  return c;
}

Recorder::Recorder(std::string path, const DeviceOptions &device)
    : path_(std::move(path)), file_(path_, std::ios::binary) {
  if (!file_) throw StreamError(path_ + ": " + std::strerror(errno));
  file_ << to_text({device, {}});
}

Recorder::~Recorder() {
  if (!closed_) write_group();  // keeps the commands so far; close() reports errors
}

void Recorder::trace(void *recorder, const openremap_trace_event *event) {
  static_cast<Recorder *>(recorder)->add(*event);
}

bool Recorder::joins(const Command &command) const {
  return group_.size() < kMostParts && burstable(command.kind) && burstable(group_.front().kind) &&
         std::none_of(group_.begin(), group_.end(), [&](const Command &c) { return meet(c, command); });
}

void Recorder::add(const openremap_trace_event &event) {
  if (closed_) return;
  const std::optional<Command> command = decode(event);
  if (!group_.empty() && (event.in_flight == 0 || !command || !joins(*command))) write_group();
  if (command) {
    group_.push_back(*command);
  } else {
    ++unknown_;
  }
}

void Recorder::write_group() {
  if (group_.empty()) return;
  Command burst;
  burst.kind = Kind::kBurst;
  burst.parts = std::exchange(group_, {});
  file_ << to_line(burst.parts.size() == 1 ? burst.parts.front() : burst) << '\n';
}

void Recorder::close() {
  closed_ = true;
  write_group();
  file_.close();
  if (!file_) throw StreamError(path_ + ": cannot be written");
  if (unknown_ != 0) {
    throw StreamError(path_ + ": lacks " + std::to_string(unknown_) + " commands that a stream cannot express");
  }
}

}  // namespace orm::lockstep
