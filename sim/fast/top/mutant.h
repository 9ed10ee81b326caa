// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_MUTANT_H
#define OPENREMAP_FAST_MUTANT_H

namespace orm::fast {

/// Mutants: seeded defects, each against a rule that crash safety needs (docs/developing/crash.md). The crash explorer
/// must find each of them: `./openremap crash --mutants`. firmware/include/fw_mutant.h has those of the firmware. Only
/// a build with ORM_MUTANTS contains them; OPENREMAP_MUTANT selects one.
///   X(constant, name, script of verify/crash/scripts that shows it, what is wrong)
#define ORM_MUTANT_LIST(X)                                                                                            \
  X(kCommitEarly, "commit-early", "gc", "the commit pointer is written before the entries are durable")               \
  X(kRemapBeforeSource, "remap-before-source", "remap", "a remap is answered before its source is programmed")        \
  X(kTrimNotJournalled, "trim-not-journalled", "data", "a deallocation leaves no record")                             \
  X(kCopyNewSeq, "copy-new-seq", "gc", "a copy that GC makes gets a new seq")                                         \
  X(kEraseVolatile, "erase-while-volatile", "erase", "a block is erased while what replaced its data is volatile")    \
  X(kStaleVolatile, "stale-while-volatile", "compaction",                                                             \
    "a stale entry is dropped while what replaced it is volatile")                                                    \
  X(kChainFreedEarly, "chain-freed-early", "freed", "a victim's chain is freed while what made it stale is volatile") \
  X(kOldChainEarly, "old-chain-early", "compaction",                                                                  \
    "a compacted chain's old one is freed before the new one is durable")                                             \
  X(kFailedLands, "failed-lands", "failing", "a program that fails counts as landed")                                 \
  X(kSavedNewSeq, "saved-new-seq", "failing", "a page whose program failed is saved with a new seq")                  \
  X(kSavedBySet, "saved-by-set", "failing", "a page is saved over what was written or dropped since")                 \
  X(kLogDueEarly, "log-due-early", "summaries", "a slot log is due while programs of its superblock are under way")   \
  X(kLogKeepsFailed, "log-keeps-failed", "summaries", "a slot log is due though a program failed")

enum class Mutant {
#define X(constant, name, script, what) constant,
  ORM_MUTANT_LIST(X)
#undef X
};

#ifdef ORM_MUTANTS
bool mutant(Mutant which);
#else
constexpr bool mutant(Mutant) { return false; }
#endif

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_MUTANT_H
