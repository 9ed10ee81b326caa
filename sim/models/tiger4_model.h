// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TIGER4_MODEL_H
#define OPENREMAP_TIGER4_MODEL_H

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nand_model.h"
#include "orm_tiger4.h"
#include "seeded_random.h"

namespace orm {

/// Times of the controller, in ns; those of the dies' arrays are NandModel's.
struct Tiger4Timing {
  uint64_t word_ns = 20;      // a word on the NAND bus: 8 bits at 200 MT/s
  uint64_t command_ns = 400;  // address, data or status phase of a command, before its words
  uint64_t reset_ns = 500'000;
};

/// The NAND controller of one channel of the Cosmos+ board: its registers, its queue of commands, its data port, its
/// ECC and the page registers of its ways. Behind it is one channel of a NandModel, whose dies are the ways.
///
/// The model is made from a description of the real one (docs/design/tiger4-port.md says what is known and what is a
/// guess). It is strict: what the real one does not allow, or what it is not known to allow, throws PortViolation, and
/// what a die does not allow NandViolation:
///   - a register that does not exist, a write to one that is read only, or of part of a word,
///   - a command that is unknown, that uses a register nobody has written since the reset, that names no die, or whose
///     buffers may make a burst cross 4 KiB,
///   - a command to a die that has not been reset and set to its fast interface since the controller's own reset,
///   - a command other than `status` to a busy way,
///   - a transfer that does not follow a trigger of the same row (whose number is the descrambler's seed),
///   - a program of a row that SLC mode does not use, or with spare bytes that NandModel has no place for.
///
/// Each call has the time in ns, which must never decrease. The data port's bursts are taken one by one with
/// `next_burst` and given back with `burst_done`, in their order.
class Tiger4Model {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;
  static constexpr uint32_t kWays = ORM_TIGER4_SIZE_WAYS;

  /// A burst of the data port, which is a master. `words`: what it writes.
  struct Burst {
    bool write = false;
    uint32_t address = 0;
    uint32_t beats = 0;
    std::array<uint32_t, ORM_TIGER4_SIZE_BURST_BEATS> words{};
  };

  /// `nand` has pages of 16 KiB, and of `spare_bytes` for each slot. `seed` decides about bits without a meaning.
  /// `stray_zeros`: most bits of an erased row that read as zero.
  Tiger4Model(NandModel *nand, uint32_t channel, const Tiger4Timing &timing, uint64_t seed, uint32_t stray_zeros = 0);

  /// A write of a register. False: it is not answered yet, because an earlier command waits for a place in the queue;
  /// ask again later.
  bool write(uint32_t offset, uint32_t value, uint64_t now_ns);
  uint32_t read(uint32_t offset, uint64_t now_ns);

  /// The next burst of the data port, if it begins by now. `burst_done` ends the oldest one; `words`: what was read.
  bool next_burst(uint64_t now_ns, Burst *burst);
  void burst_done(const uint32_t *words, uint64_t now_ns);

  /// Time of the next thing that happens by itself; kNever: none, or nothing before a burst is done.
  uint64_t next_event_ns(uint64_t now_ns);

  /// The controller's reset input. The dies go on with what they are doing; commands and bursts are gone.
  void reset(uint64_t now_ns);
  /// Cuts the power of controller and dies.
  void power_cut(uint64_t now_ns);

  /// Commands that were carried out, by number.
  uint64_t count(uint32_t command) const { return counts_[command]; }
  /// Most ways whose arrays worked at a time.
  uint32_t most_busy() const { return most_busy_; }

  /// Row of a page in SLC mode, and the row that tells of a bad block beside row 0.
  static uint32_t row_of(uint32_t block, uint32_t page);
  static uint32_t mark_row_of(uint32_t block);

 private:
  struct Registers {
    std::array<uint32_t, 7> values{};  // by address, from `row` on
    uint32_t written = 0;              // bits of `values`
  };
  struct Command {
    uint32_t number = 0;
    uint32_t way = 0;
    Registers regs;
  };
  /// Part of a command that is carried out. It begins when the one before has ended, and ends `ns` later or, if it has
  /// words, with its last burst.
  struct Step {
    uint64_t ns = 0;
    bool write = false;
    uint32_t address = 0;
    std::vector<uint32_t> words;  // written, or read
    std::function<void(uint64_t now_ns, const std::vector<uint32_t> &words)> at_end;
  };
  struct Way {
    bool was_reset = false;  // since the controller's reset
    bool fast = false;       // its features are set
    bool sensed = false;     // the page register holds `row`
    uint32_t row = 0;
    bool failed = false;    // the last program or erase did
    uint64_t ready_ns = 0;  // end of a reset; an array operation ends when NandModel says so
    bool array = false;     // an array operation is under way
  };
  /// What a row is, and what the ECC says of it.
  struct Verdict {
    bool decoded[ORM_TIGER4_SIZE_PAGE_BYTES / ORM_TIGER4_SIZE_CHUNK_BYTES] = {};
    uint32_t errors[ORM_TIGER4_SIZE_PAGE_BYTES / ORM_TIGER4_SIZE_CHUNK_BYTES] = {};
    bool spare = false;
    bool crc = false;
    bool foreign_spare = false;  // decoded into another codeword
    uint32_t foreign_data = 0;   // slots whose data was
  };

  NandAddress address_of(const Way &way, uint32_t number) const;
  bool is_used(uint32_t row) const;
  Way &way_of(const Command &c) { return ways_[c.way]; }
  uint32_t reg(const Command &c, uint32_t address) const;
  void check(const Command &c) const;
  void check_ready(const Command &c, const char *what);
  void push(const Command &c);
  void run(uint64_t now_ns);
  void begin(const Command &c, uint64_t now_ns);
  void settle(uint64_t now_ns);
  bool is_ready(const Way &way, uint64_t now_ns) const { return !way.array && way.ready_ns <= now_ns; }
  void add(uint64_t ns, std::function<void(uint64_t)> at_end = nullptr);
  void add_words(bool write, uint32_t address, std::vector<uint32_t> words,
                 std::function<void(uint64_t, const std::vector<uint32_t> &)> at_end = nullptr);
  void begin_reset(uint32_t way);
  void begin_features(const Command &c);
  void begin_trigger(const Command &c, uint64_t now_ns);
  void begin_transfer(const Command &c);
  void begin_raw(const Command &c);
  void begin_program(const Command &c);
  void begin_erase(const Command &c, uint64_t now_ns);
  void begin_status(const Command &c);
  void array_begins(Way *way);
  Verdict judge(const NandAddress &at, uint32_t row) const;
  std::vector<uint32_t> ecc_words(const Verdict &v);
  std::vector<uint8_t> page_of(const NandAddress &at, const Verdict &v) const;
  std::vector<uint8_t> raw_row(const NandAddress &at, uint32_t row) const;
  uint64_t hash(uint64_t what, uint64_t place) const;

  NandModel *nand_;
  uint32_t channel_;
  Tiger4Timing timing_;
  uint64_t seed_;
  uint32_t stray_zeros_;
  SeededRandom random_;
  Registers regs_;
  std::array<Way, kWays> ways_{};
  std::deque<Command> queue_, urgent_;
  bool blocked_ = false;  // `waiting_` has no place in its queue
  bool waiting_urgent_ = false;
  Command waiting_;
  std::deque<Step> steps_;     // of the command under way
  uint64_t step_ns_ = 0;       // when the first of them began
  size_t sent_ = 0;            // of its words, those that bursts have
  size_t arrived_ = 0;         // of its words, those whose bursts are done
  std::deque<uint32_t> open_;  // beats of the bursts that are not done
  std::vector<uint64_t> counts_;
  uint32_t most_busy_ = 0;
};

}  // namespace orm
#endif  // OPENREMAP_TIGER4_MODEL_H
