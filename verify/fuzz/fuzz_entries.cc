// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_entries.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "orm_formats.h"

namespace orm::fuzz {
namespace {

// Pages of the input window.
constexpr uint32_t kDataPages = 24;  // data for writes, from page 0 on
constexpr uint32_t kListPages = 4;   // of each kind of list
constexpr uint32_t kFirstList = kDataPages;
constexpr uint32_t kFirstPrp = 48;  // PRP lists
constexpr uint32_t kPrpPages = 12;

constexpr uint8_t kIoOpcodes[] = {
    NVME_IO_OPCODE_READ,         NVME_IO_OPCODE_READ,
    NVME_IO_OPCODE_WRITE,        NVME_IO_OPCODE_WRITE,
    NVME_IO_OPCODE_FLUSH,        NVME_IO_OPCODE_DATASET_MANAGEMENT,
    NVME_IO_OPCODE_COPY,         NVME_IO_OPCODE_WRITE_ZEROES,
    ORM_VENDOR_OPCODES_REMAP,    ORM_VENDOR_OPCODES_REMAP_VECTOR,
    NVME_IO_OPCODE_WRITE,        NVME_IO_OPCODE_IO_MGMT_RECEIVE,
    NVME_IO_OPCODE_IO_MGMT_SEND,
};
constexpr uint8_t kAdminOpcodes[] = {
    NVME_ADMIN_OPCODE_GET_LOG_PAGE, NVME_ADMIN_OPCODE_IDENTIFY,     NVME_ADMIN_OPCODE_ABORT,
    NVME_ADMIN_OPCODE_SET_FEATURES, NVME_ADMIN_OPCODE_GET_FEATURES, NVME_ADMIN_OPCODE_ASYNC_EVENT,
    NVME_ADMIN_OPCODE_CREATE_IO_SQ, NVME_ADMIN_OPCODE_CREATE_IO_CQ, NVME_ADMIN_OPCODE_DELETE_IO_SQ,
    NVME_ADMIN_OPCODE_DELETE_IO_CQ,
};

constexpr uint64_t kTopBits = 0x8000'0000'8000'0000;

}  // namespace

void fill_page(uint8_t *page, uint64_t value) {
  SeededRandom random(value);
  for (uint32_t i = 0; i < kPage; i += 8) {
    const uint64_t word = random.next() | kTopBits;
    std::memcpy(page + i, &word, 8);
  }
}

Entries::Entries(uint64_t seed, uint64_t pages, uint64_t first_free, Memory *memory)
    : random_(seed), pages_(pages), first_free_(first_free), memory_(*memory) {
  for (uint32_t i = 0; i < kDataPages; ++i) fill_page(memory_.page(Memory::kInput + i * kPage), random_.next());
  fill_lists();
  fill_prps();
}

uint64_t Entries::number() {
  switch (random_.below(5)) {
    case 0:
      return random_.below(16);
    case 1:
      return (1ull << random_.below(64)) + random_.below(3) - 1;
    case 2:
      return ~0ull - random_.below(3);
    case 3:
      return pages_ - 8 + random_.below(16);
    default:
      return random_.next();
  }
}

/// An unmapped address: a random number, inverted if it is near the windows.
uint64_t Entries::wild() {
  const uint64_t address = number();
  return address >= Memory::kSubmission && address < Memory::kOutput + 0x10'0000'0000 ? ~address : address;
}

uint64_t Entries::address(bool to_host) {
  const uint64_t base = to_host ? Memory::kOutput : Memory::kInput;
  const uint64_t page = base + random_.below(to_host ? Memory::kOutputPages : kDataPages) * kPage;
  switch (random_.below(16)) {
    case 0:
      return wild();
    case 1:
      return page + random_.below(kPage);  // any byte
    case 2:
    case 3:
      return page + 4 * random_.below(kPage / 4);
    case 4:
      return to_host ? Memory::kInput : Memory::kOutput;  // wrong direction
    case 5:
      return base + ((to_host ? Memory::kOutputPages : Memory::kInputPages) - 1) * kPage;  // last page of the window
    default:
      return page;
  }
}

/// An LBA from the first free one on.
uint64_t Entries::target() { return first_free_ + random_.below(pages_ - first_free_); }

uint64_t Entries::list_page(List list) {
  return Memory::kInput + (kFirstList + unsigned(list) * kListPages + random_.below(kListPages)) * kPage;
}

void Entries::fill_lists() {
  for (unsigned list = 0; list < kLists; ++list) {
    for (uint32_t i = 0; i < kListPages; ++i) {
      uint8_t *page = memory_.page(Memory::kInput + (kFirstList + list * kListPages + i) * kPage);
      const uint32_t bytes = list == kDeallocate ? NVME_DSM_RANGE_BYTES : 32;
      for (uint32_t at = 0; at < kPage; at += bytes) {
        const uint64_t to = random_.below(12) == 0 ? std::max(number(), first_free_) : target();
        const uint64_t from = list == kMove ? target() : random_.below(12) == 0 ? number() : random_.below(pages_);
        const uint32_t n = random_.below(16) == 0 ? uint32_t(number()) : uint32_t(random_.below(3));
        if (list == kDeallocate) {
          const nvme_dsm_range range{uint32_t(random_.next()), n, to};
          nvme_dsm_range_pack(&range, page + at);
        } else if (list == kCopy) {
          nvme_copy_range range{};
          range.slba = from;
          range.nlb = uint16_t(n);
          nvme_copy_range_pack(&range, page + at);
        } else {
          orm_remap_range range{};
          range.src = from;
          range.dst = to;
          range.nlb = n;
          if (random_.below(64) == 0) range.reserved0 = uint32_t(random_.next());
          orm_remap_range_pack(&range, page + at);
        }
      }
    }
  }
}

/// Half of the lists name pages of the output window, half of the input window, with some invalid entries; the last
/// entry of each points to another list.
void Entries::fill_prps() {
  for (uint32_t i = 0; i < kPrpPages; ++i) {
    uint8_t *page = memory_.page(Memory::kInput + (kFirstPrp + i) * kPage);
    const bool bad = i >= kPrpPages / 2;
    for (uint32_t at = 0; at < kPage; at += 8) {
      const bool to_host = i % 2 == 0;
      uint64_t entry = (to_host ? Memory::kOutput + random_.below(Memory::kOutputPages) * kPage
                                : Memory::kInput + random_.below(kDataPages) * kPage);
      if (bad && random_.below(6) == 0) entry = address(to_host);
      if (at == kPage - 8) entry = Memory::kInput + (kFirstPrp + random_.below(kPrpPages)) * kPage;
      orm_put_le(page + at, entry, 8);
    }
  }
}

void Entries::data_pointers(nvme_submission_entry *e, bool to_host) {
  e->prp1 = address(to_host);
  if (random_.below(3) == 0) {
    e->prp2 = address(to_host);
    return;
  }
  e->prp2 = Memory::kInput + (kFirstPrp + 2 * random_.below(kPrpPages / 2) + (to_host ? 0 : 1)) * kPage;
  if (random_.below(3) == 0) e->prp2 += 8 * random_.below(kPage / 8);
}

/// A list's address: at an entry, at an invalid offset, in data (whose words name nothing), or unmapped.
void Entries::list_pointers(nvme_submission_entry *e, List list, uint32_t entry_bytes) {
  const auto place = [&](bool first) -> uint64_t {
    switch (random_.below(10)) {
      case 0:
        return wild();
      case 1:
        return Memory::kInput + random_.below(kDataPages) * kPage;
      case 2:
        return list_page(list) + 1 + random_.below(3);
      case 3:
        return first ? list_page(list) + entry_bytes * random_.below(kPage / entry_bytes) : list_page(list);
      default:
        return list_page(list);
    }
  };
  e->prp1 = place(true);
  e->prp2 = place(false);
}

void Entries::mutate(nvme_submission_entry *e) {
  for (uint64_t n = random_.below(4); n != 0; --n) {
    switch (random_.below(14)) {
      case 0:
        e->nsid = uint32_t(number());
        break;
      case 1:
        e->flags = uint8_t(random_.next());
        break;
      case 2:
        e->prp1 = wild();
        break;
      case 3:
        e->prp2 = wild();
        break;
      case 4:
        e->cdw10 = uint32_t(number());
        break;
      case 5:
        e->cdw11 = uint32_t(number());
        break;
      case 6:
        e->cdw12 = uint32_t(number());
        break;
      case 7:
        e->cdw13 = uint32_t(number());
        break;
      case 8:
        e->cdw14 = uint32_t(number());
        break;
      case 9:
        e->cdw15 = uint32_t(number());
        break;
      case 10:
        e->cdw12 ^= 1u << random_.below(32);
        break;
      case 11:
        e->mptr = number();
        break;
      case 12:
        e->cdw2 = e->cdw3 = uint32_t(number());
        break;
      default:
        e->opcode = uint8_t(random_.next());
        break;
    }
  }
}

/// A range that lies in the namespace and begins below the first free page moves up. One that does not lie in the
/// namespace stays as it is: the device must refuse it and change nothing.
void Entries::keep_range(uint32_t *low, uint32_t *high, uint64_t n) {
  const uint64_t lba = uint64_t(*high) << 32 | *low;
  if (lba >= first_free_ || lba + n > pages_) return;
  const uint64_t moved = first_free_ + lba % (pages_ - first_free_);
  *low = uint32_t(moved);
  *high = uint32_t(moved >> 32);
}

void Entries::keep_to_rule(nvme_submission_entry *e) {
  switch (e->opcode) {
    case NVME_IO_OPCODE_WRITE:
    case NVME_IO_OPCODE_WRITE_ZEROES:
    case 0x04:  // Write Uncorrectable
      keep_range(&e->cdw10, &e->cdw11, (e->cdw12 & 0xFFFFu) + 1ull);
      break;
    case NVME_IO_OPCODE_DATASET_MANAGEMENT:
      list_pointers(e, kDeallocate, NVME_DSM_RANGE_BYTES);
      break;
    case NVME_IO_OPCODE_COPY:
      keep_range(&e->cdw10, &e->cdw11, 1);
      list_pointers(e, kCopy, NVME_COPY_RANGE_BYTES);
      break;
    case ORM_VENDOR_OPCODES_REMAP:
      keep_range(&e->cdw12, &e->cdw13, e->cdw14);
      if ((e->cdw15 & ORM_VENDOR_FLAGS_MOVE) != 0) keep_range(&e->cdw10, &e->cdw11, e->cdw14);
      break;
    case ORM_VENDOR_OPCODES_REMAP_VECTOR:
      list_pointers(e, e->cdw15 != 0 ? kMove : kShare, ORM_REMAP_RANGE_BYTES);
      break;
    default:
      break;
  }
}

nvme_submission_entry Entries::io() {
  nvme_submission_entry e;
  const bool noise = random_.below(5) == 0;
  nvme_cmd_init(&e, noise ? uint8_t(random_.next()) : kIoOpcodes[random_.below(std::size(kIoOpcodes))], 1);
  data_pointers(&e, NVME_OPCODE_DIRECTION(e.opcode) == NVME_DATA_FROM_CONTROLLER);
  const uint64_t n = random_.below(8) == 0 ? random_.below(40) : random_.below(2);
  nvme_cmd_slba(&e, random_.below(pages_));
  e.cdw12 = uint32_t(n);
  if (noise) {
    e.nsid = random_.coin() ? 1 : uint32_t(number());
    for (uint32_t *word : {&e.cdw10, &e.cdw11, &e.cdw12, &e.cdw13, &e.cdw14, &e.cdw15}) *word = uint32_t(number());
  } else if (e.opcode == NVME_IO_OPCODE_DATASET_MANAGEMENT) {
    e.cdw10 = uint32_t(random_.below(8));
    e.cdw11 = NVME_DSM_DEALLOCATE;
  } else if (e.opcode == ORM_VENDOR_OPCODES_REMAP) {
    e.cdw12 = uint32_t(target());
    e.cdw14 = uint32_t(n + 1);
    e.cdw15 = uint32_t(random_.below(4));
  } else if (e.opcode == ORM_VENDOR_OPCODES_REMAP_VECTOR) {
    e.cdw10 = uint32_t(random_.below(8) == 0 ? random_.below(140) : 1 + random_.below(3));
    e.cdw11 = e.cdw12 = 0;
    e.cdw15 = uint32_t(random_.below(4) == 0 ? random_.below(4) : 0);
  } else if (e.opcode == NVME_IO_OPCODE_IO_MGMT_RECEIVE || e.opcode == NVME_IO_OPCODE_IO_MGMT_SEND) {
    e.cdw10 = NVME_IO_MGMT_RUH | uint32_t(random_.below(4)) << 16;
    e.cdw11 = uint32_t(random_.below(100));
  } else {
    if (random_.below(4) == 0) e.cdw12 |= NVME_RW_FUA;
    if (e.opcode == NVME_IO_OPCODE_WRITE && random_.coin()) {
      nvme_cmd_place(&e, uint16_t(random_.below(8) == 0 ? random_.next() : random_.below(5)));
    }
  }
  if (random_.below(3) != 0) mutate(&e);
  keep_to_rule(&e);
  return e;
}

nvme_submission_entry Entries::admin(bool queues) {
  nvme_submission_entry e;
  const bool noise = random_.below(5) == 0;
  nvme_cmd_init(&e, noise ? uint8_t(random_.next()) : kAdminOpcodes[random_.below(std::size(kAdminOpcodes))],
                uint32_t(random_.below(3) == 0 ? NVME_NSID_ALL : random_.below(3)));
  data_pointers(&e, NVME_OPCODE_DIRECTION(e.opcode) == NVME_DATA_FROM_CONTROLLER);
  e.cdw10 = random_.coin() ? uint32_t(random_.below(256)) : uint32_t(number());
  if (random_.coin()) e.cdw10 = (e.cdw10 & 0xFFFFu) | uint32_t(random_.below(1024)) << 16;
  for (uint32_t *word : {&e.cdw11, &e.cdw12, &e.cdw13, &e.cdw14, &e.cdw15}) {
    *word = random_.coin() ? 0 : uint32_t(number());
  }
  if (random_.coin()) mutate(&e);
  const bool deletes = e.opcode == NVME_ADMIN_OPCODE_DELETE_IO_SQ || e.opcode == NVME_ADMIN_OPCODE_DELETE_IO_CQ;
  const bool creates = e.opcode == NVME_ADMIN_OPCODE_CREATE_IO_SQ || e.opcode == NVME_ADMIN_OPCODE_CREATE_IO_CQ;
  if (queues && (deletes || creates) && random_.below(4) != 0) {
    e.flags = 0;
    e.cdw10 = uint32_t(1 + random_.below(kIoQueues)) | uint32_t(random_.below(300)) << 16;
    e.cdw11 = uint32_t(random_.below(kIoQueues + 2)) << 16 | NVME_QUEUE_INTERRUPTS | NVME_QUEUE_CONTIGUOUS;
    if (random_.coin()) e.prp1 &= ~uint64_t(kPage - 1);
  } else if (!queues && deletes && (e.cdw10 & 0xFFFFu) <= kIoQueues) {
    e.cdw10 |= kIoQueues + 1;  // no existing queue has this bit pattern
  }
  if (e.opcode == NVME_ADMIN_OPCODE_FORMAT_NVM) e.cdw10 |= 1;  // an unsupported LBA format
  return e;
}

}  // namespace orm::fuzz
