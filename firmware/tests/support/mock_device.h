// SPDX-License-Identifier: Apache-2.0
// The device below the firmware, for unit tests: registers, DRAM, NVRAM, NAND spare areas, host memory. Engines answer
// at once unless a test holds them, and the requests of the firmware are recorded. An access to a register that
// firmware must not use fails the test.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fw_work.h"
#include "orm_formats.h"
#include "orm_nvme.h"
#include "orm_regs.h"
#include "platform.h"

namespace orm_test {

struct Completion {
  uint8_t qid;
  uint16_t cid;
  uint16_t status;  // {DNR, M, CRD, SCT, SC}
  uint32_t dw0;
};

// kDataLost: its spare is good; kDataRetried: so is its data, at a read-retry level that probes do not try
enum class Page : uint8_t { kErased, kGood, kTorn, kDataLost, kDataRetried };

struct Slot {
  Page state = Page::kErased;
  std::array<uint8_t, ORM_OOB_RECORD_BYTES> oob{};
};

struct Superblock {
  uint32_t gen = 0, valid = 0, state = 0, epoch = 0;
};

struct QueueSetup {
  uint32_t id, entries, go;
  uint64_t base;
};

struct RemapRequest {
  std::vector<orm_remap_range> ranges;
  bool move, copy;
};

// A call of cache_clean or cache_invalidate, for a range of DRAM.
struct CacheCall {
  bool clean;
  uint32_t addr;
  size_t len;
  bool operator==(const CacheCall &o) const { return clean == o.clean && addr == o.addr && len == o.len; }
};

struct Chain {
  uint32_t count, tail, fill;
};

class MockDevice {
 public:
  static constexpr uint32_t kChannels = 2, kDiesPerChannel = 2, kPages = 4, kSuperblocks = 12, kManySuperblocks = 80;
  static constexpr uint32_t kDies = kChannels * kDiesPerChannel, kSlotsPerSb = kDies * kPages;
  static constexpr uint32_t kLpns = kSuperblocks * kSlotsPerSb, kQueues = 4, kEntries = 64;
  static constexpr uint32_t kSegments = 32, kSegBytes = 64, kPerChain = 8, kJournal = 16, kSharers = 31, kHandles = 4;
  static constexpr uint32_t kCopyPages = kJournal / 2;
  static constexpr uint32_t kCopy =
      ORM_PUT(ORM_FW_CAP_COPY_RANGES, ORM_REMAP_RANGES_MAX) | ORM_PUT(ORM_FW_CAP_COPY_PAGES, kCopyPages);
  static constexpr uint32_t kBuffers = 4;  // of firmware
  static constexpr uint32_t kReserve = 4;  // segments that only GC takes
  static constexpr uint32_t kDestageSlots = 2, kDestageLpn = kLpns - 2 * kDestageSlots * kSuperblocks;
  static constexpr uint32_t kL2p = 0, kRef = 0x2000, kLog = 0x3000, kFwDram = 0xB000, kDramBytes = kFwDram + 0x10000;
  static constexpr uint32_t kNvCounters = 0x200, kNvBlocks = 0x1000, kNvJournal = 0x1400, kNvBitmap = 0x1500,
                            kNvBitmapBytes = 0xC0, kNvTrimPointers = 0x1680, kNvSegments = 0x16C0,
                            kNvBytes = kNvSegments + kSegments * kSegBytes;
  static constexpr uint64_t kHost = 0x100000000;  // where host memory begins

  MockDevice();

  // The same superblocks of pages of four slots: half the dies, with half the pages.
  void make_wide() {
    dies_per_channel = 1;
    pages_per_block = 2;
    slots_per_page = 4;
  }
  // A new device: of another geometry the old NVRAM is refused.
  void forget_all() {
    std::fill(nvram.begin(), nvram.end(), uint8_t{0});
    std::fill(flash.begin(), flash.end(), Slot{});
  }
  // The last page is kept for a summary; two logs.
  void make_summaries(uint32_t pages = 1) { summary_slots = pages * slots_per_page; }
  uint32_t data_slots() const { return kSlotsPerSb - summary_slots; }
  uint32_t summary_slot(uint32_t sb_, uint32_t k = 0) const { return sb_ * kSlotsPerSb + data_slots() + k; }
  uint8_t *log_at(uint32_t log_, uint32_t offset = 0) {
    return &dram[kLog + log_ * summary_slots * ORM_SLOT_BYTES + offset * ORM_SLOT_RECORD_BYTES];
  }
  // The hardware has logged what flash holds of the superblock, which is full: the log is due. Slots without a good
  // OobRecord that names an LPN keep what was there before.
  void finish_log(uint32_t log_, uint32_t sb_);
  // More than firmware looks at in one poll.
  void make_long() {
    superblocks = kManySuperblocks;
    sb.resize(superblocks);
    flash.resize(lpns());
  }
  // A remap table of `count` segments, with chains of up to `per_chain_`.
  void make_segments(uint32_t count, uint32_t per_chain_) {
    segments = count;
    per_chain = per_chain_;
    nvram.resize(kNvSegments + count * kSegBytes);
  }
  // From now on firmware counts its work. What passes through the port is not in it.
  std::array<uint64_t, FW_WORK_KINDS> work{};
  void count_work() { port_.work = work.data(); }
  uint32_t lpns() const { return superblocks * kSlotsPerSb; }
  uint32_t dies() const { return kChannels * dies_per_channel; }
  bool has_block_of(const std::set<uint32_t> &slots, uint32_t slot) const {
    for (uint32_t s : slots) {
      if (s / kSlotsPerSb == slot / kSlotsPerSb && die_of(s) == die_of(slot)) return true;
    }
    return false;
  }
  uint32_t die_of(uint32_t slot) const { return slot / slots_per_page % dies(); }

  const platform *port() const { return &port_; }
  platform_options &options() { return port_.options; }
  platform_identity &identity() { return port_.identity; }
  uint8_t &board() { return port_.board; }

  // ---- what a test sets up or looks at
  uint32_t superblocks = kSuperblocks, dies_per_channel = kDiesPerChannel, pages_per_block = kPages, slots_per_page = 1,
           summary_slots = 0, segments = kSegments, per_chain = kPerChain;
  std::map<uint32_t, uint32_t> logs_due;  // superblock by log
  std::vector<uint8_t> dram, nvram, host;
  std::vector<Slot> flash;
  std::map<uint32_t, std::vector<uint8_t>> data;  // of slots that a test gave some
  std::vector<Superblock> sb;
  std::deque<std::pair<uint8_t, nvme_submission_entry>> mailbox;
  std::vector<Completion> completions;
  std::vector<QueueSetup> queues;
  std::set<uint32_t> direct_vectors;  // that take no part in interrupt coalescing
  std::vector<uint32_t> erased;       // slots named in erases
  std::vector<std::string> log;
  std::vector<std::string> debug_log;
  std::vector<CacheCall> cache_calls;       // nothing else: CPU and hardware see the same bytes
  uint64_t pets = 0;                        // of the watchdog
  std::function<void(uint32_t)> on_access;  // before each register access, with its offset
  std::map<uint32_t, uint32_t> reg;         // plain registers, by offset
  uint64_t now_ns = 0;
  uint32_t irq_events = 0;  // sticky bits of IRQ_STATUS
  uint32_t memory_error = 0, memory_error_at = 0;
  bool io_quiet = true, completion_room = true;
  bool admin_room = true;                        // of the admin completion queue, for a request that is held
  std::array<uint32_t, kQueues + 1> engines{};   // commands of each queue inside the hardware
  std::array<uint32_t, kQueues + 1> firmware{};  // commands that firmware has taken and not completed
  std::vector<Completion> dropped;               // posted while the controller was disabled
  uint16_t kelvin = 300;
  bool erase_fails = false;
  std::set<uint32_t> worn;         // slots whose block's erases fail: any slot of it
  std::set<uint32_t> flagged_bad;  // as `worn`: blocks that were marked in the factory
  std::set<uint32_t> unreadable;   // slots whose reads fail; probes do not
  uint32_t nand_reads = 0, nand_probes = 0;
  std::vector<uint32_t> programmed;  // first slots of pages that firmware programmed
  std::set<uint32_t> program_fails;  // pages that cannot be, by their first slot
  std::function<void()> on_program;  // before each page is programmed
  std::array<std::vector<uint8_t>, kBuffers> buffers;
  uint32_t data_delay = 1;               // looks at NAND_AT until NAND_DATA is ready
  std::function<void()> on_nvram_write;  // before each write

  // engines: `hold` keeps them busy until the test releases
  bool hold_nand = false;  // no operation of firmware's ends
  bool hold_dma = false, hold_remap = false, hold_gc = false, hold_fence = false;
  uint32_t dma_status = 0;
  std::deque<uint32_t> remap_results;  // {result, range << 8} words for the next remaps; none: success
  std::vector<RemapRequest> remaps;
  bool remaps_apply = false;  // Copies from pages without data take effect; otherwise remaps are recorded only
  std::vector<uint32_t> victims;
  std::set<uint32_t> program_failed;  // superblocks in which a program has failed since their erase
  std::set<uint32_t> weak;            // and those of which a read nearly did
  std::set<uint32_t> retired;         // victims that were not to come back
  bool copies_fail = false;           // of the next collection, which is not ok then
  bool gc_ok = true;
  uint32_t gc_why = 0;                           // of an outcome that is not ok: GC_STATUS's full or refused
  std::function<void()> on_gc;                   // after each collection
  std::vector<uint32_t> compactions;             // superblocks whose chain was to be compacted; they end at once
  std::map<uint32_t, uint32_t> stale;            // segments that this gives back; none: refused
  std::vector<uint32_t> destagings;              // superblocks whose chain was to be destaged; they end at once
  std::map<uint32_t, uint32_t> destage_outcome;  // GC_STATUS of a destaging that does not end well
  std::function<void()> on_destage;              // after each destaging
  std::map<uint32_t, uint32_t> destaged;         // SB_DESTAGED by superblock
  uint32_t fences = 0;
  uint64_t seq = 0;
  uint32_t journal_head = 0, journal_used = 0;
  std::vector<uint32_t> free_list;
  std::map<uint32_t, Chain> chains;
  std::map<uint32_t, uint32_t> links;
  std::vector<uint32_t> free_segments;
  uint32_t segments_least = 0xFFFF;
  std::vector<uint32_t> restores;
  std::map<uint32_t, uint32_t> open_streams;  // ALLOC_OPEN by stream
  std::vector<uint32_t> closed_handles;
  std::function<void()> on_close;  // instead of what the hardware does
  std::array<uint64_t, ORM_COUNTERS> counters{};

  void release_dma();
  void release_remap();
  void hand_over_gc();  // the youngest victim is moved: another one may be started
  void release_gc();    // the oldest one's collection ends
  void release_fence();

  // Power off and on: DRAM, registers, tables and queues are gone; flash and NVRAM stay.
  void power_cycle();

  // ---- helpers
  uint32_t l2p(uint32_t lpn) const;
  uint8_t ref(uint32_t slot) const { return dram[kRef + slot]; }
  void program(uint32_t slot, uint32_t lpn, uint64_t seq_, uint32_t gen, uint8_t stream = ORM_STREAM_HOST);
  void write_entry(uint32_t seg, uint32_t index, uint32_t sb_, uint32_t gen, uint32_t offset, uint32_t lpn,
                   uint64_t seq_, uint16_t epoch = 0);
  void write_segment(uint32_t seg, uint32_t sb_, uint32_t index, uint32_t prev, uint32_t gen, uint16_t epoch = 0);
  void write_journal(uint32_t index, uint32_t lpn, uint32_t pages, uint64_t seq_);
  void write_commit(uint64_t seq_);
  void write_checkpoint(uint64_t seq_);
  // The TrimWord of `first`, a multiple of its LPNs; and what it says of one.
  // The word from LPN `first` on, and the pointer of its region: it counts for events up to `seq_`.
  void write_trims(uint32_t bitmap, uint32_t first, uint64_t trimmed_, uint64_t seq_);
  orm_trim_pointer trim_pointer(uint32_t lpn) const;
  // Whether the bitmap that counts says so.
  bool trimmed(uint32_t lpn) const;
  void write_block(uint32_t sb_, uint32_t gen, uint16_t epoch = 0, uint8_t set = 0);
  // Bad superblocks of the first BadWord, bit by superblock; one that does not pass fails the test.
  uint64_t bad_word() const;
  void write_bad_word(uint64_t bad);
  static uint32_t destage_lpn(uint32_t sb_, uint32_t set, uint32_t k) {
    return kDestageLpn + (2 * sb_ + set - 1) * kDestageSlots + k;
  }
  // Puts a destaged part of a chain into `slot`, programmed under the set's LPN; the header says so.
  void write_destaged(uint32_t slot, uint64_t seq_, uint32_t slot_gen, uint32_t set, const orm_destage_header &h,
                      const std::vector<orm_remap_entry> &entries);
  uint8_t block_set(uint32_t sb_) const { return nvram[kNvBlocks + sb_ * ORM_BLOCK_RECORD_BYTES + 6]; }
  bool irq() const;
  uint32_t irq_status() const;

 private:
  platform port_{};
  uint32_t selected_counter_ = 0, latched_ = 0;
  uint32_t data_at_ = 0, data_looks_ = 0;  // of NAND_AT and NAND_DATA
  bool read_done_ = false;
  bool dma_busy_ = false, remap_busy_ = false, gc_moving_ = false, fence_busy_ = false;
  uint32_t remap_outcome_ = 0;
  uint64_t remap_from_ = 0;  // seq when the remap under way began
  struct GcOutcome {
    uint32_t sb = 0, status = 0;
    bool chain = false;
  };
  std::deque<uint32_t> gc_flights_;    // victims, the oldest one first
  std::deque<GcOutcome> gc_outcomes_;  // that firmware has not dropped
  bool gc_room() const { return !gc_moving_ && gc_flights_.size() + gc_outcomes_.size() < 2; }
  void run_compaction(uint32_t sb_);
  void run_destaging(uint32_t sb_);
  uint32_t nand_data(uint32_t word);
  struct Result {
    uint32_t slot, status;
    uint32_t buffers = 0, first = 0;  // that it has
  };
  std::deque<Result> nand_results_;

  uint32_t read(uint32_t offset);
  void write(uint32_t offset, uint32_t value);
  // By register block, each in its file. Nothing, or `known` becomes false: the register is of another block.
  std::optional<uint32_t> read_host(uint32_t offset);
  std::optional<uint32_t> read_caps(uint32_t offset);
  std::optional<uint32_t> read_gc(uint32_t offset);
  std::optional<uint32_t> read_nand(uint32_t offset);
  std::optional<uint32_t> read_remap(uint32_t offset);
  std::optional<uint32_t> read_tables(uint32_t offset);
  void write_host(uint32_t offset, uint32_t value, bool &known);
  void write_gc(uint32_t offset, uint32_t value, bool &known);
  void write_nand(uint32_t offset, uint32_t value, bool &known);
  void write_remap(uint32_t offset, uint32_t value, bool &known);
  void write_tables(uint32_t offset, uint32_t value, bool &known);
  void run_nand(uint32_t word);
  uint32_t run_program(uint32_t slot);
  void run_buffer_dma(bool to_buffer);
  bool is_idle(uint32_t buffer) const;
  void run_dma(uint32_t word);
  void run_remap(uint32_t word);
  void apply_copy(const RemapRequest &r);
  void move_data(uint32_t bytes, bool to_host);
  uint8_t *host_at(uint64_t addr, size_t len);
};

// An admin or I/O command with the fields that most tests need.
nvme_submission_entry command(uint8_t opcode, uint32_t nsid = 0, uint32_t cdw10 = 0, uint32_t cdw11 = 0,
                              uint64_t prp1 = MockDevice::kHost);

}  // namespace orm_test
