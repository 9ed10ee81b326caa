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

/// Seeded defects of which a power cut need not show anything: the model then differs from the RTL, and lockstep must
/// find that (docs/design/fast-model.md): `./openremap lockstep --mutants`.
///   X(constant, name, run of launcher/suites/lockstep.py that shows it, what is wrong)
#define ORM_LOCKSTEP_MUTANT_LIST(X)                                                                               \
  /* gc */                                                                                                        \
  X(kCopyNextSeq, "copy-next-seq", "usual", "a copy that GC makes gets the seq behind that of its page")          \
  X(kListOlderSeq, "list-older-seq", "usual", "the list of sharers in GC keeps the smaller seq of an LPN")        \
  X(kEntryOwnerSeq, "entry-owner-seq", "usual", "an entry that GC writes for a sharer has the seq of the owner")  \
  X(kLoadsStale, "loads-stale", "usual", "a stale entry counts as live when GC loads a chain")                    \
  /* map */                                                                                                       \
  X(kLimitAbove, "limit-above", "usual", "a slot may get one sharer more than the limit")                         \
  X(kLimitBelow, "limit-below", "usual", "a slot may get one sharer less than the limit")                         \
  X(kClosesEarly, "closes-early", "usual", "a superblock is closed one slot before its end")                      \
  X(kRepointsAlways, "repoints-always", "usual", "a page is re-pointed though the host has written it meanwhile") \
  /* remap */                                                                                                     \
  X(kReferenceKept, "reference-kept", "usual", "a refused remap returns one reference less than it reserved")     \
  X(kMoveLeavesLast, "move-leaves-last", "usual", "a move leaves the last page of its source mapped")             \
  X(kHolesShort, "holes-short", "usual", "the record of a copied hole leaves out its last page")                  \
  X(kMovedShort, "moved-short", "usual", "the record of a moved range leaves out its last page")                  \
  X(kSegmentEarly, "segment-early", "usual", "a chain begins a segment one entry before the last one is full")    \
  /* io */                                                                                                        \
  X(kTrimShort, "trim-short", "usual", "the record of a deallocation leaves out its last page")                   \
  X(kFuaUnfenced, "fua-unfenced", "wide", "a write with FUA is answered before its pages are in flash")           \
  /* nand */                                                                                                      \
  X(kPaddingNamed, "padding-named", "wide", "a slot that fills a page up names the LPN of the first slot")        \
  X(kLogOtherSeq, "log-other-seq", "usual", "a slot log has the seq behind that of the page")                     \
  X(kRetriesFewer, "retries-fewer", "faults", "a read is repeated at one level less")                             \
  /* nvme */                                                                                                      \
  X(kBeyondEnd, "beyond-end", "usual", "a command may reach one page past the end of the namespace")              \
  X(kHandleBeyond, "handle-beyond", "usual", "a write may use one placement handle more than there are")

enum class Mutant {
#define X(constant, name, run, what) constant,
  ORM_MUTANT_LIST(X) ORM_LOCKSTEP_MUTANT_LIST(X)
#undef X
};

#ifdef ORM_MUTANTS
bool mutant(Mutant which);
#else
constexpr bool mutant(Mutant) { return false; }
#endif

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_MUTANT_H
