/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fw_mutant.h - defects made on purpose, each against an order that crash safety needs, as sim/fast/top/mutant.h has them of the hardware.
 * Only a build with ORM_MUTANTS has them: there the port says which one it is. The crash explorer must find each
 * (docs/developing/crash.md): `./openremap crash --mutants`.
 */
#ifndef OPENREMAP_FW_MUTANT_H
#define OPENREMAP_FW_MUTANT_H

#include <stdbool.h>

/* X(constant, name, script of verify/crash/scripts that shows it, or MUTANT_SESSIONS of launcher/suites/crash.py, what is wrong) */
#define FW_MUTANT_LIST(X)                                                                                             \
  X(FW_MUTANT_NO_INTENT, "erase-unannounced", "sessions", "a collection begins without an intent in NVRAM")           \
  X(FW_MUTANT_CHECKPOINT_EARLY, "checkpoint-early", "sessions",                                                       \
    "the checkpoint pointer is written before the bitmap is")                                                         \
  X(FW_MUTANT_GENERATION_EARLY, "generation-early", "gc", "a start writes the next generation before the erase")      \
  X(FW_MUTANT_CLEAN_KEPT, "clean-kept", "sessions-shutdowns", "the device counts as shut down while the host writes") \
  X(FW_MUTANT_STRAYS_LEFT, "strays-left", "sessions", "a start leaves entries whose segment's header a cut took")     \
  X(FW_MUTANT_SUMMARY_TRUSTED, "summary-trusted", "sessions",                                                         \
    "a start goes by the summary of what it may have to erase")

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
#else
static inline bool fw_mutant(enum fw_mutant which) {
  (void)which;
  return false;
}
#endif

#endif /* OPENREMAP_FW_MUTANT_H */
