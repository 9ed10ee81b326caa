// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_pair.h"

#include <algorithm>
#include <utility>

#include "lockstep/lockstep_counters.h"
#include "lockstep/lockstep_media.h"
#include "lockstep/lockstep_ssd.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "top/params.h"

namespace orm::lockstep {
namespace {

// Steps between comparisons of the counters, as reading the log takes an admin command, and looks at the media.
constexpr size_t kLookEvery = 100;
constexpr size_t kMediaEvery = 25;
// With a larger mapping table, looks at the media take too much memory: each makes several tables of its size.
constexpr uint32_t kMostLooked = 1 << 20;

/// Whether one of the two had no room for a remap.
bool one_is_full(const Outcome &a, const Outcome &b) {
  for (size_t i = 0; i < std::min(a.statuses.size(), b.statuses.size()); ++i) {
    if (openremap_should_write_instead(a.statuses[i]) != openremap_should_write_instead(b.statuses[i])) return true;
  }
  return false;
}

bool remaps(const Command &c) {
  return c.kind == Kind::kRemap || c.kind == Kind::kRemapVector || c.kind == Kind::kCopy;
}

/// Remaps side by side in `burst`. Whether GC meets one waiting for its lock, gives way and loads the chain again, or
/// finds it behind the one before, is a matter of cycles; each time it looks all entries of the chain up.
size_t remaps_beside(const Command &burst) {
  return size_t(std::count_if(burst.parts.begin(), burst.parts.end(), remaps));
}

std::string answers(const Ssd &ssd, const Outcome &outcome) {
  std::string text = std::string(ssd.kind()) + ": statuses";
  for (const int status : outcome.statuses) text += " " + std::to_string(status);
  return text;
}

/// The options of the first device: `firmware` is the second one's, which is compared with native firmware. So is
/// `firmware_remaps`, which is compared with remaps of the hardware.
DeviceOptions with_native_firmware(DeviceOptions o) {
  if (!o.firmware.empty()) o.firmware = "native";
  o.firmware_remaps = false;
  return o;
}

class Pair {
 public:
  Pair(const std::vector<Command> &commands, const PairOptions &o)
      : commands_(commands),
        o_(o),
        a_(o.first, with_native_firmware(o.device)),
        b_(o.second, o.device),
        media_(a_.pages()),
        looks_(a_.lpns() <= kMostLooked) {
    if (o.fault) fault_ = o.fault();
  }

  Verdict run() {
    try {
      run_commands();
    } catch (const DeadDevice &e) {
      v_.difference = e.what();
      v_.at = std::min(v_.at + 1, commands_.size());  // it died of this one
    }
    return v_;
  }

 private:
  void run_commands() {
    v_.pages = a_.pages();
    if (a_.pages() != b_.pages()) {
      v_.difference = "the devices differ in size";
      return;
    }
    rest();
    if (!o_.device.no_rest) mapping_ = a_.sharing();
    bool same = o_.device.no_rest || same_media(true);
    for (const Command &c : commands_) {
      if (!same) break;
      const uint64_t began = cycles();
      same = step(c) && (v_.over || same_mapping());
      const uint64_t took = cycles() - began;
      Cost &cost = v_.costs[c.kind];
      ++cost.commands;
      cost.cycles += took;
      if (o_.progress) o_.progress(v_.at, c, took);
      ++v_.at;
      if (!same || v_.over) break;
      if (!looks_ || v_.at % kMediaEvery == 0) note_chains();
      if (v_.at % kMediaEvery == 0 && !o_.device.no_rest) same = same_media(false);
      if (same && v_.at % kLookEvery == 0) same = same_counters();
    }
    if (v_.equal() && !v_.over) (void)(same_content() && same_counters() && flushed() && same_media(true));
    const orm_remap_log log = a_.log();
    v_.gc_moved = log.gc_moved_pages;
    v_.compactions = log.chain_compactions;
    v_.destaged = log.chains_destaged;
    v_.host_written = log.host_write_pages;
    v_.remapped = log.remap_pages;
    v_.program_fails = log.nand_program_fails;
    note_remaps();
    v_.read_retries = log.nand_read_retries;
    v_.cpu_seconds = a_.figure("cpu_seconds");
    v_.evaluated_cycles = cycles();
  }

  /// Longest chains of the first device.
  void note_chains() {
    if (o_.device.no_rest) return;
    const std::vector<Ssd::Chain> now = a_.chains();
    chains_.resize(now.size());
    for (size_t sb = 0; sb < now.size(); ++sb) {
      v_.longest = std::max<uint64_t>(v_.longest, now[sb].segments);
      if (now[sb].gen != chains_[sb].gen) v_.collected = std::max<uint64_t>(v_.collected, chains_[sb].segments);
    }
    chains_ = now;
  }

  bool differ(std::string what) {
    v_.difference = std::move(what);
    return false;
  }

  /// The counters begin anew with each power-on.
  void note_remaps() {
    v_.by_hardware += a_.counter(ORM_COUNTER_REMAPS_BY_HARDWARE);
    v_.handed_over += a_.counter(ORM_COUNTER_REMAPS_HANDED_OVER);
  }

  uint64_t cycles() const { return uint64_t(a_.figure("evaluated_cycles")); }

  void rest() {
    if (o_.device.no_rest) return;
    a_.rest();
    b_.rest();
    before_ = work();
  }

  /// Work of garbage collection so far, on each device.
  struct Work {
    uint64_t reads_a = 0, reads_b = 0;
    uint64_t programs_a = 0, programs_b = 0;
    uint64_t erases_a = 0, erases_b = 0;
    uint64_t padding_a = 0, padding_b = 0;  // including the host's pages
    uint64_t fails = 0;                     // slots whose program failed, the same on both devices
    uint64_t compactions_a = 0, compactions_b = 0;
  };
  bool differs(orm_counter which) const { return a_.counter(which) != b_.counter(which); }
  Work work() const {
    return {a_.counter(ORM_COUNTER_NAND_READ_GC),       b_.counter(ORM_COUNTER_NAND_READ_GC),
            a_.counter(ORM_COUNTER_NAND_PROGRAM_GC),    b_.counter(ORM_COUNTER_NAND_PROGRAM_GC),
            a_.counter(ORM_COUNTER_NAND_ERASE),         b_.counter(ORM_COUNTER_NAND_ERASE),
            a_.counter(ORM_COUNTER_NAND_PROGRAM_PAD),   b_.counter(ORM_COUNTER_NAND_PROGRAM_PAD),
            a_.counter(ORM_COUNTER_NAND_PROGRAM_FAILS), a_.counter(ORM_COUNTER_CHAIN_COMPACTIONS),
            b_.counter(ORM_COUNTER_CHAIN_COMPACTIONS)};
  }

  /// After a command and the rest behind it. `raced`: GC read while the command was under way. Then it may have met a
  /// page that the command changed before or after it looked: such a page is read in vain, or copied in vain, on one
  /// device and not on the other. A read in vain leaves nothing behind. A copy in vain takes a slot, and a superblock
  /// that is full a slot earlier makes one more collection: the devices have parted. Before GC reads, firmware chooses
  /// the victim by its valid slots: if a command changes several pages meanwhile, it may choose another, or none yet.
  bool same_work(const Work &was, bool raced, uint64_t changes) {
    if (v_.parted) return true;
    // An entry that was stale for one device's compaction and not yet for the other's may make a chain a segment
    // shorter. Where segments are few that decides which chains are destaged, and when: what GC reads and programs
    // follows it.
    if (o_.device.segments != 0 && differs(ORM_COUNTER_STALE_DROPPED)) {
      v_.parted = true;
      return true;
    }
    const auto drift = [](uint64_t a0, uint64_t b0, uint64_t a1, uint64_t b1) {
      const uint64_t a = a1 - a0, b = b1 - b0;
      return std::max(a, b) - std::min(a, b);
    };
    // Firmware chooses a chain to compact by its length and its stale entries. Both may differ once an entry was stale
    // for one device's compaction and not yet for the other's, and a command that changes several pages makes others
    // stale meanwhile.
    const uint64_t compactions =
        drift(was.compactions_a, was.compactions_b, before_.compactions_a, before_.compactions_b);
    if (compactions != 0) {
      v_.parted = changes > 1 || differs(ORM_COUNTER_STALE_DROPPED);
      return v_.parted ? true : differ("the numbers of compacted chains differ by " + std::to_string(compactions));
    }
    // The fence before an erase completes the pages of the host that are not full: which slots they have then is a race
    // with a command that writes several, and where later slots lie is, too.
    const bool erased = was.erases_a != before_.erases_a || was.erases_b != before_.erases_b;
    displaced_ = displaced_ || (o_.device.gathers() && erased && changes > 1);
    // Where a program fails, firmware ends the superblock that the host's stream fills. How many slots of a command
    // were given out by then is a race with the failure, and so is the room that is left in the next superblock.
    ended_ = ended_ || (before_.fails != was.fails && changes > 1);
    const uint64_t padding = drift(was.padding_a, was.padding_b, before_.padding_a, before_.padding_b);
    if (padding != 0 && !displaced_)
      return differ("pages were completed with slots that differ by " + std::to_string(padding));
    const uint64_t reads = drift(was.reads_a, was.reads_b, before_.reads_a, before_.reads_b);
    const uint64_t programs = drift(was.programs_a, was.programs_b, before_.programs_a, before_.programs_b);
    if (displaced_ && padding + reads + programs != 0) {
      v_.parted = true;
      return true;
    }
    if (raced ? changes != 0 : changes > 1) {
      v_.parted = programs != 0;
      if (v_.parted || (raced && reads <= changes)) return true;
    }
    if (reads == 0 && programs == 0) return true;
    // A collection stops where one of its programs fails. How many slots it has read by then, of those that it moves
    // side by side, is a race with that program's end.
    const uint64_t most = fast::Knobs().gc_moves * (before_.fails - was.fails);
    if (programs == 0 && reads <= most) return true;
    return differ("the garbage collections differ by " + std::to_string(reads) + " reads and " +
                  std::to_string(programs) + " programs; the command changes " + std::to_string(changes) +
                  " pages, and they did " + (raced ? "" : "not ") + "run beside it");
  }

  bool step(const Command &c) {
    const bool restarts =
        c.kind == Kind::kPowerCycle || c.kind == Kind::kBlank || (c.kind == Kind::kShutdown && !c.flag);
    if (restarts && !(same_counters() && same_media(false))) return false;
    if (restarts) note_remaps();
    const Outcome a = execute(a_.get(), c);
    Outcome b = execute(b_.get(), c);
    if (fault_) fault_(c, &b);
    media_.note(c, a);
    if (c.kind == Kind::kPlacement && (displaced_ || ended_)) b.data = a.data;  // remaining space of reclaim units
    if (!(a == b)) {
      // Faults hit each device elsewhere, so what its collections free differs, too.
      const bool other_room = (v_.parted && o_.device.segments != 0) || !o_.device.faults.empty();
      v_.over = other_room && one_is_full(a, b);
      if (v_.over) return true;
      std::string what = to_line(c);
      what += "\n  " + answers(a_, a) + "\n  " + answers(b_, b);
      if (a.data != b.data) what += "\n  the data read differ";
      return differ(what);
    }
    v_.tally.add(c, a, mapping_);
    if (restarts) {
      rest();
      // It restores the counters from NVRAM, which has their values at the end of a collection; with blank NVRAM,
      // they are 0.
      since_a_ = a_.log();
      since_b_ = b_.log();
      if (!o_.device.no_rest) return same_media(true);
      media_.forget();
      return true;
    }
    if (o_.device.no_rest) return true;
    const Work was = before_;
    const bool raced =
        a_.counter(ORM_COUNTER_NAND_READ_GC) != was.reads_a || b_.counter(ORM_COUNTER_NAND_READ_GC) != was.reads_b;
    // The two ways of a remap differ in time, so a compaction beside a burst may meet an entry before or after it is
    // stale.
    const bool compacted = a_.counter(ORM_COUNTER_CHAIN_COMPACTIONS) != was.compactions_a ||
                           b_.counter(ORM_COUNTER_CHAIN_COMPACTIONS) != was.compactions_b;
    const bool crossed = o_.device.firmware_remaps && compacted && c.changes() > 1;
    if (raced || crossed) {
      v_.raced += c.changes();
    } else if (a_.collecting() || b_.collecting()) {
      loading_ += c.changes();
    }
    if (remaps_beside(c) != 0) beside_ += c.changes();
    reloads_ = reloads_ || (raced && remaps_beside(c) > 1);
    rest();
    note_checkpoint(c.trims());
    return same_work(was, raced, c.changes());
  }

  /// A checkpoint takes the journal's records that are there when it begins. Beside commands that write several, which
  /// ones these are is a matter of cycles.
  void note_checkpoint(uint64_t trims) {
    const uint64_t a = a_.journal_used(), b = b_.journal_used();
    // The difference adds up: the next checkpoint begins at the same number of records, so in another command.
    if (trims > 1 && (a < journal_a_ || b < journal_b_)) late_trims_ += trims;
    journal_a_ = a;
    journal_b_ = b;
  }

  /// At rest, DRAM has the whole mapping; without rest, some updates may not have reached it.
  bool same_mapping() {
    if (o_.device.no_rest) return true;
    mapping_ = a_.sharing();
    const std::vector<uint32_t> &a = mapping_, b = b_.sharing();
    for (size_t lpn = 0; lpn < a.size(); ++lpn) {
      if (a[lpn] == b[lpn]) continue;
      const auto holder = [](uint32_t first) {
        return first == ORM_UNMAPPED ? std::string("nothing") : "the flash of LPN " + std::to_string(first);
      };
      return differ("LPN " + std::to_string(lpn) + " names " + holder(a[lpn]) + " on the " + a_.kind() + ", " +
                    holder(b[lpn]) + " on the " + b_.kind());
    }
    return true;
  }

  /// The devices are at rest. `flushed`: no page waits for more slots.
  bool same_media(bool flushed) {
    if (!looks_) return true;
    // A chain that goes to flash draws a seq, too. When it goes differs once the collections have parted, with faults,
    // and without rest.
    const bool same_seqs = !v_.parted && o_.device.faults.empty() && !(o_.device.no_rest && o_.device.segments != 0);
    const std::string found = media_.compare(a_, b_, flushed || !o_.device.gathers(), same_seqs);
    return found.empty() ? true : differ(found);
  }

  bool flushed() {
    const Command flush{};
    const bool same = execute(a_.get(), flush) == execute(b_.get(), flush);
    a_.rest();
    b_.rest();
    return same ? true : differ("the flush at the end is answered differently");
  }

  bool same_content() {
    for (uint64_t lpn = 0; lpn < a_.pages(); ++lpn) {
      Command read;
      read.kind = Kind::kRead;
      read.lpn = lpn;
      read.pages = 1;
      if (!(execute(a_.get(), read) == execute(b_.get(), read))) {
        return differ("LPN " + std::to_string(lpn) + " reads differently at the end");
      }
    }
    a_.rest();
    b_.rest();
    const bool without_rest = std::exchange(o_.device.no_rest, false);
    const bool same = same_mapping();
    o_.device.no_rest = without_rest;
    return same;
  }

  bool same_counters() {
    // Also without rest: pages in flight to flash count when they arrive.
    a_.rest();
    b_.rest();
    Races races;
    races.no_rest = o_.device.no_rest;
    races.parted = v_.parted;
    races.faulty = !o_.device.faults.empty();
    races.raced = v_.raced;
    races.loading = loading_;
    races.beside = beside_;
    races.reloads = reloads_;
    races.late_trims = late_trims_;
    races.two_ways = o_.device.firmware_remaps;
    v_.apart.clear();
    const std::string wrong =
        compare_counters({a_.kind(), a_.log(), since_a_}, {b_.kind(), b_.log(), since_b_}, races, &v_.apart);
    return wrong.empty() ? true : differ("counters\n  " + wrong);
  }

  const std::vector<Command> &commands_;
  PairOptions o_;
  Ssd a_, b_;
  MediaComparison media_;
  bool looks_;  // at the media
  std::vector<Ssd::Chain> chains_;
  Fault fault_;
  Verdict v_;
  Work before_;                             // the last command, at rest
  bool reloads_ = false;                    // GC may have reloaded chains more often on one device
  uint64_t journal_a_ = 0, journal_b_ = 0;  // records in the journal, at rest
  uint64_t late_trims_ = 0;                 // the most records that only one device's checkpoints took
  std::vector<uint32_t> mapping_;           // of the first device, at rest; empty without rest
  uint64_t loading_ = 0;                    // pages that commands changed while GC loaded a chain
  uint64_t beside_ = 0;                     // pages that commands changed during remaps
  bool displaced_ = false;                  // padding, and therefore slots of the host, may have other places
  bool ended_ = false;                      // the same of slots behind a failed program
  orm_remap_log since_a_{}, since_b_{};     // counters after the last power cycle
};

}  // namespace

uint64_t namespace_pages(const DeviceOptions &device, const char *kind) {
  const bool is_soc = std::string(kind) == "soc";
  return Ssd(is_soc ? "rtl" : kind, device, kind).pages();
}

void check_options(const PairOptions &options) {
  check_options(options.first, with_native_firmware(options.device));
  check_options(options.second, options.device);
}

Verdict compare(const std::vector<Command> &commands, const PairOptions &options) {
  check_options(options);  // the first device may take half a minute before the second one is refused
  return Pair(commands, options).run();
}

}  // namespace orm::lockstep
