/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fw_mutant.h - defects made on purpose. Each breaks an order that crash safety needs; sim/fast/top/mutant.h has
 * those of the hardware model. Only a build with ORM_MUTANTS has them, and there the port chooses one. The crash
 * explorer must find each: `./openremap crash --mutants` (docs/developing/crash.md).
 */
#ifndef OPENREMAP_FW_MUTANT_H
#define OPENREMAP_FW_MUTANT_H

#include <stdbool.h>

/* X(constant, name, script of verify/crash/scripts that shows it, or MUTANT_SESSIONS of launcher/suites/crash.py, what
   is wrong) */
#define FW_MUTANT_LIST(X)                                                                                             \
  X(FW_MUTANT_NO_INTENT, "erase-unannounced", "sessions", "a collection begins without an intent in NVRAM")           \
  X(FW_MUTANT_CHECKPOINT_EARLY, "checkpoint-early", "sessions",                                                       \
    "the checkpoint pointer is written before the bitmap is")                                                         \
  X(FW_MUTANT_TRIM_UNFENCED, "trim-unfenced", "trims",                                                                \
    "a trim pointer is written before what its bitmap does not mark is durable")                                      \
  X(FW_MUTANT_TRIM_UNPOINTED, "trim-unpointed", "sessions", "a checkpoint leaves the trim pointers as they are")      \
  X(FW_MUTANT_GENERATION_EARLY, "generation-early", "gc", "a start writes the next generation before the erase")      \
  X(FW_MUTANT_CLEAN_KEPT, "clean-kept", "sessions-shutdowns", "the device counts as shut down while the host writes") \
  X(FW_MUTANT_STRAYS_LEFT, "strays-left", "sessions", "a start leaves entries whose segment's header a cut took")     \
  X(FW_MUTANT_SUMMARY_TRUSTED, "summary-trusted", "sessions",                                                         \
    "a start goes by the summary of what it may have to erase")

/* Calls of hal_clean() and hal_invalidate() that a build with ORM_MUTANTS can leave out: all of them
 * (launcher/tests/suites/test_cache_mutants.py compares). Where one is missing firmware and controller see different
 * bytes of DRAM. Each must be found by its test on a device with a cache (docs/design/simulation.md). */
/* X(name: call/file/function, test of verify/tests/device/ that shows it, what is wrong) */
#define FW_CACHE_MUTANT_LIST(X)                                                                                       \
  X("clean/mailbox/start_transfer", "CacheTest.ListsComeFromTheHost",                                                 \
    "the host gets what DRAM held before a page was built")                                                           \
  X("invalidate/mailbox/transfer", "CacheTest.ListsComeFromTheHost",                                                  \
    "firmware reads what it held before the host's list came")                                                        \
  X("clean/lanes/move", "SnapshotTest.AStartGoesByIt", "flash is read over lines that firmware has written")          \
  X("invalidate/lanes/take_move", "SnapshotTest.AStartGoesByIt", "firmware reads what it held before flash was read") \
  X("clean/cmd_remap/start_engine", "CacheTest.RangesGoToTheEngine",                                                  \
    "the remap engine reads ranges of an earlier command")                                                            \
  X("invalidate/cmd_remap/sharers", "CacheTest.ARefusalNamesTheFirstPageWithTooManySharers",                          \
    "firmware reads old reference counts")                                                                            \
  X("invalidate/cmd_remap/first_refused", "CacheTest.ARefusalNamesTheFirstPageWithoutData",                           \
    "firmware looks for the refused page in an old L2P")                                                              \
  X("clean/format_nvm/start_engine", "CacheTest.AFormatFindsWhatIsMapped",                                            \
    "a format has the remap engine read old ranges")                                                                  \
  X("invalidate/format_nvm/scan", "CacheTest.AFormatFindsWhatIsMapped",                                               \
    "a format looks for mapped pages in an old L2P")                                                                  \
  X("invalidate/checkpoint/scan_region", "CacheTest.ACheckpointKnowsWhatIsMapped",                                    \
    "the trim bitmap is made of an old L2P")                                                                          \
  X("clean/recovery/recovery_load", "CacheTest.TablesAreTheControllersAfterAStart",                                   \
    "the controller starts with tables that are not there")                                                           \
  X("invalidate/summary/is_of_this_filling", "CacheTest.SummariesAreWhatTheControllerLogged",                         \
    "firmware takes a log for one of an earlier filling")                                                             \
  X("invalidate/summary/write_slot", "CacheTest.SummariesAreWhatTheControllerLogged",                                 \
    "a summary's CRC is of an old log")                                                                               \
  X("clean/summary/write_slot", "CacheTest.SummariesAreWhatTheControllerLogged", "a summary has no trailer")          \
  X("invalidate/snapshot/look", "SnapshotTest.AStartGoesByIt", "a snapshot leaves out pages of L2P")                  \
  X("clean/snapshot/write_next", "SnapshotTest.AStartGoesByIt", "a snapshot's head is not what firmware wrote")

enum fw_mutant {
#define X(constant, name, script, what) constant,
  FW_MUTANT_LIST(X)
#undef X
};

#ifdef ORM_MUTANTS
#ifdef __cplusplus
extern "C"
#endif
    bool
    fw_mutant(enum fw_mutant which);
#ifdef __cplusplus
extern "C"
#endif
    bool
    fw_mutant_omits(const char *call, const char *file, const char *function);
#else
static inline bool fw_mutant(enum fw_mutant which) {
  (void)which;
  return false;
}
#endif

#endif /* OPENREMAP_FW_MUTANT_H */
