// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_counters.h"

#include <algorithm>

namespace orm::lockstep {
namespace {

// The most lookups for one more slot in a batch: its spare, its sharers when it is examined, and again when it moves.
constexpr uint64_t kLookupsOfASlot = 3;

/// By how much a counter may differ, and why.
struct Slack {
  uint64_t most = 0;
  std::string why;
};
constexpr uint64_t kAny = UINT64_MAX;

}  // namespace

std::string compare_counters(const Counted &first, const Counted &second, const Races &races,
                             std::vector<Apart> *apart) {
  const orm_remap_log &a = first.now, &b = second.now, &since_a = first.since, &since_b = second.since;
  std::string wrong;
  const auto compare = [&](const char *name, uint64_t x, uint64_t y, const Slack &slack) {
    if (x == y) return;
    if (std::max(x, y) - std::min(x, y) <= slack.most) {
      apart->push_back({name, x, y, slack.why});
      return;
    }
    wrong += std::string(wrong.empty() ? "" : "\n  ") + name + ": " + first.kind + " " + std::to_string(x) + ", " +
             second.kind + " " + std::to_string(y);
  };
  // All that GC does without rest, with faults that hit each device elsewhere, or once they have parted, is only
  // told.
  const bool loose = races.no_rest || races.parted || races.faulty;
  const char *why_loose = races.parted   ? "the collections have parted"
                          : races.faulty ? "flash has faults"
                                         : "without rest";
  const auto or_loose = [&](const Slack &slack) { return loose ? Slack{kAny, why_loose} : slack; };
  const Slack same{0, ""}, parted = or_loose(same);
  // Counters that depend on which of a slot's sharers are still valid when it is examined.
  const std::string race = "GC raced with changes of " + std::to_string(races.raced) + " pages";
  const Slack raced = or_loose({races.raced, race});
  const Slack lookups =
      or_loose(races.reloads ? Slack{kAny, "GC may have loaded a chain again beside remaps"}
                             : Slack{kLookupsOfASlot * (races.raced + races.loading),
                                     race + ", loaded chains beside those of " + std::to_string(races.loading)});
  const Slack ever{kAny, "the most at any moment, a matter of cycles"};
  const Slack checkpoint{races.late_trims, "a checkpoint began beside trims"};
#define GAUGE(field, slack) compare(#field, a.field, b.field, slack)
#define COUNT(field, slack) compare(#field, a.field - since_a.field, b.field - since_b.field, slack)
  COUNT(host_read_pages, same);
  COUNT(host_write_pages, same);
  COUNT(host_trim_pages, same);
  COUNT(remap_pages, same);
  COUNT(remap_commands, same);
  COUNT(remap_refused_sharers, same);
  COUNT(remap_refused_nvram, same);
  COUNT(remap_refused_other, same);
  COUNT(nand_program_fails, parted);
  COUNT(host_saved_pages, parted);
  COUNT(nand_read_retries, parted);
  COUNT(nand_program_host, races.faulty ? parted : same);
  COUNT(nand_read_host,
        races.no_rest || races.faulty ? parted : same);  // without pages that are still in a write buffer
  COUNT(bad_entries, same);
  COUNT(nand_program_gc, parted);
  COUNT(nand_program_meta, parted);
  COUNT(nand_program_pad, parted);
  COUNT(nand_read_gc, raced);
  COUNT(nand_read_meta, parted);
  COUNT(nand_erase, parted);
  COUNT(gc_victims, parted);
  COUNT(gc_moved_pages, parted);
  COUNT(gc_moved_shared, raced);
  COUNT(gc_lost_races, raced);
  COUNT(remap_entries, raced);
  COUNT(segments_freed, raced);
  COUNT(chain_compactions, parted);
  COUNT(stale_dropped, raced);
  COUNT(chains_destaged, parted);
  COUNT(entries_destaged, raced);
  GAUGE(segments_free, raced);
  GAUGE(segments_most, ever);
  GAUGE(superblocks_free, parted);
  COUNT(trim_checkpoints, races.late_trims != 0 ? or_loose({1, checkpoint.why}) : parted);
  const bool checkpoints =
      a.trim_checkpoints - since_a.trim_checkpoints == b.trim_checkpoints - since_b.trim_checkpoints;
  const Slack later{kAny, "a checkpoint of one of them comes later"};
  GAUGE(journal_used, races.late_trims == 0 ? parted : checkpoints ? or_loose(checkpoint) : later);
  COUNT(map_lookups, lookups);
  COUNT(map_updates, lookups);
  // The RTL reserves references ahead of the page that makes it refuse a remap; which sharer of its slot a page
  // becomes depends on what other commands of its burst, or GC, have already done to the slot. Hits and misses depend
  // on cycles.
  const uint64_t refused =
      a.remap_refused_sharers + a.remap_refused_other - since_a.remap_refused_sharers - since_a.remap_refused_other;
  // The hardware may find no room for a remap before firmware tries the same: one try more than in firmware alone.
  const Slack ahead = or_loose(refused != 0     ? Slack{kAny, "references were reserved ahead of a refusal"}
                               : races.two_ways ? Slack{kAny, "firmware tries again what the hardware hands over"}
                                                : Slack{races.raced + races.beside, "commands or GC beside remaps"});
  COUNT(remap_sharers_2, ahead);
  COUNT(remap_sharers_4, ahead);
  COUNT(remap_sharers_8, ahead);
  COUNT(remap_sharers_more, ahead);
#undef COUNT
#undef GAUGE
  return wrong;
}

}  // namespace orm::lockstep
