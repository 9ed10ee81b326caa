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

/// All flash dies of a device: their content, their rules and their timing.
///
/// The model is strict. An operation that a real die does not allow throws NandViolation instead of doing something
/// plausible:
///   - a program that is not of the block's next page, or into a block whose erase was cut short (pages of a block are
///     programmed in order, each once between two erases; ONFI 4.0, 3.2 and the data sheets of MLC parts),
///   - a read of a page that was never programmed (a probe may),
///   - a transfer without a preceding `ok` of a read or probe of its die (several transfers may follow, of any slots of
///     the page, until the die's next operation),
///   - an operation on a busy die; a die is busy until the result of its last operation has been taken,
///   - any operation but a probe on a block that is marked bad,
///   - an address outside the geometry.
///
/// The caller passes the time in ns, which must never decrease. An operation takes effect at its end. While it runs,
/// the stored state is what an interruption would leave: a page under programming counts as torn, a block under erasure
/// as half erased. A failing operation (NandFaults) leaves the same.
///
/// Behind the port is a NAND controller with ECC (NandEcc), separate for data and spare area of each slot. Behind its
/// decoder it checks a CRC over the data, so miscorrected data is uncorrectable like data that was not decoded at all.
/// A miscorrected spare area is detected only by the CRC of its record.
class NandModel {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;

  /// New flash is erased. `seed` decides what interrupted erases leave. Throws ImageError.
  NandModel(const NandGeometry &geometry, const NandTiming &timing, const ImageFile &image, uint64_t seed,
            const NandFaultOptions &faults = {});

  /// Reports programs and erases to `events` from now on.
  void report_to(MediaEvents *events) { events_ = events; }

  const NandGeometry &geometry() const { return store_.geometry(); }
  const NandCounters &counters() const { return counters_; }

  /// Reads a page into the page register. Ends with ok or uncorrectable, for the data of slot `at.sub`. The spare area
  /// may be uncorrectable in either case.
  void start_read(const NandAddress &at, uint64_t now_ns);
  /// As read, but an unprogrammed page ends with `erased`. `uncorrectable`: the spare area is lost. `failed`: the spare
  /// area is good, the data is lost. A block that is marked bad ends with `failed` and a spare area of zeroes.
  void start_probe(const NandAddress &at, uint64_t now_ns);
  /// Slot `sub` of a die's page register: after the `ok` of a read slot_bytes of data and spare_bytes, after that of a
  /// probe the spare bytes only. Valid until the die's next operation or transfer.
  struct Transfer {
    const uint8_t *bytes;
    size_t len;
  };
  Transfer transfer(uint32_t channel, uint32_t die, uint32_t sub = 0);
  /// The same after a read, copied to the given destination: slot_bytes of data and spare_bytes.
  void transfer_to(uint32_t channel, uint32_t die, uint32_t sub, uint8_t *out);
  /// Accepts a program command; the die is busy from here on. `start_program` follows when the data has arrived.
  void accept_program(const NandAddress &at);
  /// Starts the array operation of the accepted program; `data` holds slot after slot: slot_bytes, then spare_bytes.
  void start_program(uint32_t channel, uint32_t die, const uint8_t *data, uint64_t now_ns);
  /// The same with the slots of the page where they lie, slots_per_page of them.
  using SlotBytes = NandStore::SlotBytes;
  void start_program(uint32_t channel, uint32_t die, const SlotBytes *slots, uint64_t now_ns);
  /// Erases the block; `at.page` is ignored.
  void start_erase(const NandAddress &at, uint64_t now_ns);

  /// Time at which the next operation ends; kNever: none is under way.
  uint64_t next_end_ns() const { return next_end_ns_; }
  /// The same for one channel.
  uint64_t next_end_ns(uint32_t channel) const { return channel_end_ns_[channel]; }
  bool has_result(uint32_t channel, uint64_t now_ns) const {
    return channel_end_ns_[channel] <= now_ns || !results_[channel].empty();
  }
  /// Takes the oldest result of a channel whose operation has ended by `now_ns`. False: there is none. Results of the
  /// same instant come in the order of their dies.
  bool take_result(uint32_t channel, uint64_t now_ns, NandResult *result);

  /// Cuts the power. A program under way leaves a torn page, with NandFaultOptions::cut_disturb possibly also the page
  /// before it. An erase under way leaves each programmed page of the block intact, torn or erased. All dies are idle
  /// afterwards.
  void power_cut(uint64_t now_ns);

  // For tests and checkers; no operation of the device.
  using PageState = NandStore::PageState;
  PageState page_state(const NandAddress &at) const { return store_.page_state(page_index(at)); }
  /// What is stored of slot `sub` of the page, whatever its state.
  SlotBytes stored(const NandAddress &at, uint32_t sub) const { return store_.slot(page_index(at), sub); }
  uint32_t erase_count(const NandAddress &at) const { return block(at).erase_count; }
  /// Erases every block, as in a new part. Power must be off.
  void blank();
  uint32_t reads_since_erase(const NandAddress &at) const { return block(at).reads; }
  /// As Image::check_kept().
  void check_kept() const { store_.check_kept(); }
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
    NandStatus status = NandStatus::kOk;  // status of the operation that has ended
    bool weak = false;                    // it was a marginal read
    bool register_valid = false;          // slot at.sub of the page at `at` was read well
    bool spare_only = false;              // only the spare area was requested
    EccResult spare = EccResult::kGood;   // ECC result of the spare area
    std::vector<uint8_t> slot_register;   // filled by the transfer, since nothing changes a page before that
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
  /// Lets all operations of a channel that end by `now_ns` take effect.
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
  uint64_t gone_ns_ = kNever;  // time of a cut in place of an operation's end; that operation has not ended
  NandCounters counters_;
  std::vector<Die> dies_;
  std::vector<std::deque<NandResult>> results_;  // by channel: ended and not yet taken
  std::vector<uint64_t> channel_end_ns_;
  uint64_t next_end_ns_ = kNever;
};

}  // namespace orm
#endif  // OPENREMAP_NAND_MODEL_H
