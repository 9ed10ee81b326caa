// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NAND_MODEL_H
#define OPENREMAP_NAND_MODEL_H

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "image.h"
#include "media_events.h"
#include "nand_faults.h"
#include "nand_store.h"
#include "nand_types.h"
#include "seeded_random.h"

namespace orm {

/// All flash dies of a device: what they store, what they allow, how long they take.
///
/// Strict: an operation that a real die does not allow throws NandViolation instead of doing something plausible:
///   - a program that is not of the block's next page, or into a block whose erase was cut short (pages of a block are
///     programmed in order, each once between two erases; ONFI 4.0, 3.2 and the data sheets of MLC parts),
///   - a read of a page that was never programmed (a probe may),
///   - a transfer that does not follow the `ok` of a read or probe of its die: several may, of any slots of the page,
///     until the die's next operation,
///   - an operation on a die that is busy; a die is busy until the result of its last operation has been taken,
///   - anything but a probe of a block that is marked bad,
///   - an address outside the geometry.
///
/// Time is passed in, in ns, never running backwards. An operation takes effect at its end. While it runs, the stored
/// state is what an interruption would leave: a page under programming counts as torn, a block under erasure as half
/// erased. That is also what an operation leaves that fails (NandFaults).
///
/// Behind the port is a NAND controller with ECC (NandEcc), data and spare of each slot apart. Behind its decoder it
/// checks a CRC over the data, so data that was decoded into something else is uncorrectable like data that was not
/// decoded at all; of a spare only its record's own CRC can tell.
class NandModel {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;

  /// `seed` decides what interrupted erases leave. A fresh flash is erased. Throws
  /// ImageError.
  NandModel(const NandGeometry &geometry, const NandTiming &timing, const ImageFile &image, uint64_t seed,
            const NandFaultOptions &faults = {});

  /// Tells of programs and erases, from now on.
  void report_to(MediaEvents *events) { events_ = events; }

  const NandGeometry &geometry() const { return store_.geometry(); }
  const NandCounters &counters() const { return counters_; }

  /// Array to page register; ends with ok or uncorrectable: the data of the slot `at.sub`. Its spare may be what ECC
  /// could not correct.
  void start_read(const NandAddress &at, uint64_t now_ns);
  /// As read, but an unprogrammed page ends with `erased`. Uncorrectable: the spare; `failed`: the spare is good, the
  /// data is not. A block that is marked bad ends with `failed` and a spare of zeroes.
  void start_probe(const NandAddress &at, uint64_t now_ns);
  /// What the page register of a die delivers of slot `sub` of the page: after the `ok` of a read slot_bytes of data
  /// and spare_bytes, after that of a probe only the spare bytes. Valid until the die's next operation or transfer.
  struct Transfer {
    const uint8_t *bytes;
    size_t len;
  };
  Transfer transfer(uint32_t channel, uint32_t die, uint32_t sub = 0);
  /// The same, after a read, straight to where it is wanted: slot_bytes of data and spare_bytes.
  void transfer_to(uint32_t channel, uint32_t die, uint32_t sub, uint8_t *out);
  /// The program command; the die is busy from here on. `start_program` follows when the data is in.
  void accept_program(const NandAddress &at);
  /// Starts the array operation of the accepted program; `data` holds slot after slot: slot_bytes, then spare_bytes.
  void start_program(uint32_t channel, uint32_t die, const uint8_t *data, uint64_t now_ns);
  /// The same with the slots of the page where they lie, slots_per_page of them.
  using SlotBytes = NandStore::SlotBytes;
  void start_program(uint32_t channel, uint32_t die, const SlotBytes *slots, uint64_t now_ns);
  /// The whole block; `at.page` is ignored.
  void start_erase(const NandAddress &at, uint64_t now_ns);

  /// When the next operation under way ends; kNever: none is under way.
  uint64_t next_end_ns() const { return next_end_ns_; }
  /// When the next operation under way on one channel ends.
  uint64_t next_end_ns(uint32_t channel) const { return channel_end_ns_[channel]; }
  bool has_result(uint32_t channel, uint64_t now_ns) const {
    return channel_end_ns_[channel] <= now_ns || !results_[channel].empty();
  }
  /// Takes the oldest result of a channel whose operation has ended by `now_ns`; false: there is none. Two that end at
  /// one instant come in the order of their dies.
  bool take_result(uint32_t channel, uint64_t now_ns, NandResult *result);

  /// Power goes: operations that have not ended leave a torn page (with cut_disturb of NandFaultOptions the page
  /// before it is torn as well), or a block in which each page that was programmed is intact, torn or erased. All
  /// dies are idle afterwards.
  void power_cut(uint64_t now_ns);

  // For tests and checkers; no operation of the device.
  using PageState = NandStore::PageState;
  PageState page_state(const NandAddress &at) const { return store_.page_state(page_index(at)); }
  /// What is stored of slot `sub` of the page, whatever its state.
  SlotBytes stored(const NandAddress &at, uint32_t sub) const { return store_.slot(page_index(at), sub); }
  uint32_t erase_count(const NandAddress &at) const { return block(at).erase_count; }
  /// Every block is erased from now on, as in a part that was never programmed. While power is off.
  void blank();
  uint32_t reads_since_erase(const NandAddress &at) const { return block(at).reads; }
  bool is_marked_bad(const NandAddress &at) const { return block(at).marked_bad != 0; }
  NandFaults &faults() { return faults_; }
  /// As NandFaults numbers them.
  size_t slot_number(const NandAddress &at) const { return page_index(at) * geometry().slots_per_page + at.sub; }
  size_t block_number(const NandAddress &at) const { return store_.block_index(at); }
  /// Page that the block's next program must name.
  uint32_t frontier(const NandAddress &at) const { return block(at).frontier; }

 private:
  using BlockState = NandStore::BlockState;
  using Block = NandStore::Block;
  enum class Activity : uint8_t { kIdle, kLoading, kReading, kProbing, kProgramming, kErasing, kEnded };
  struct Die {
    Activity activity = Activity::kIdle;
    NandAddress at{};
    uint64_t end_ns = kNever;
    NandStatus status = NandStatus::kOk;  // of the operation that has ended
    bool weak = false;                    // it was a read that nearly failed
    bool register_valid = false;          // the page at `at` was sensed and read well, its slot at.sub that is
    bool spare_only = false;              // and only its spare was asked for
    EccResult spare = EccResult::kGood;   // what is delivered of it
    std::vector<uint8_t> slot_register;   // filled when it is transferred: nothing changes a page before that
  };

  Die &die(uint32_t channel, uint32_t d) { return dies_[channel * geometry().dies_per_channel + d]; }
  size_t page_index(const NandAddress &at) const { return store_.page_index(at); }
  Block &block(const NandAddress &at) { return store_.block(at); }
  const Block &block(const NandAddress &at) const { return store_.block(at); }

  void check_address(const char *op, const NandAddress &at) const;
  Die &claim(const char *op, const NandAddress &at);
  Die &claim_sensed(uint32_t channel, uint32_t die, uint32_t sub);
  void start(Die &die, Activity activity, const NandAddress &at, uint64_t end_ns);
  void start_sense(Activity activity, const char *op, const NandAddress &at, uint64_t now_ns);
  /// Lets everything that ends by `now_ns` on one channel take effect.
  void settle(uint32_t channel, uint64_t now_ns);
  void finish(Die &die);
  void finish_sense(Die &die);
  void finish_erase(Die &die);
  void erase_block(const NandAddress &at);
  void finish_program(Die &die);
  void mark_bad_blocks();
  bool data_is_lost(const EccOutcome &ecc, size_t slot);
  void deliver_spare(const Die &die, uint32_t sub, uint8_t *out) const;
  void tear(size_t page, uint32_t erases);
  void interrupt_program(const NandAddress &at);
  void interrupt_erase(size_t block_number);
  void update_next_end(uint32_t channel);
  void event() {
    if (events_ != nullptr) events_->next();
  }

  NandStore store_;
  NandTiming timing_;
  SeededRandom random_;
  NandFaults faults_;
  MediaEvents *events_ = nullptr;
  uint64_t gone_ns_ = kNever;  // power went instead of the end of an operation: what ends then has not ended
  NandCounters counters_;
  std::vector<Die> dies_;
  std::vector<std::deque<NandResult>> results_;  // per channel, ended and not yet taken
  std::vector<uint64_t> channel_end_ns_;
  uint64_t next_end_ns_ = kNever;
};

}  // namespace orm
#endif  // OPENREMAP_NAND_MODEL_H
