/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openremap_precondition.h - brings a device to a steady state, in which measurements repeat (SNIA Solid State Storage
 * Performance Test Specification 2.0.2, "steady state"; here of write amplification).
 *
 * A fresh device has so much free flash that its garbage collection has little to do. The namespace is therefore
 * written twice in order, then in rounds of as many single pages at random, until the write amplification of five
 * rounds in a row stays the same. Of a known device only (openremap.h), as it takes the device's own counters.
 */
#ifndef OPENREMAP_PRECONDITION_H
#define OPENREMAP_PRECONDITION_H

#include "openremap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OPENREMAP_FILL_ROUNDS 2u   /* that write in order */
#define OPENREMAP_STEADY_ROUNDS 5u /* random ones that are compared */
#define OPENREMAP_MOST_ROUNDS 25u  /* random ones: where PTS gives up, too */

/* Whether the last OPENREMAP_STEADY_ROUNDS of `count` figures are steady: the largest and the smallest are at most 20 %
 * of their average apart, and the line that fits them best (least squares) rises or falls by at most 10 % of it from
 * the first to the last. */
bool openremap_is_steady(const double *figures, size_t count);

/* Told now and then. `round` counts from 1, those that write in order included; `done` of its `pages` are written. */
typedef void (*openremap_precondition_progress)(void *arg, uint32_t round, uint64_t done, uint64_t pages);

struct openremap_precondition_result {
  double write_amplification[OPENREMAP_MOST_ROUNDS]; /* NAND pages over host pages, of each random round */
  uint32_t rounds;                                   /* random ones */
  bool steady;
};

/* Overwrites the whole namespace. Afterwards all pages are mapped, and page 0 holds zeroes: what looks for a file
 * system there takes the device for empty. `seed` decides which pages the random rounds write; `progress` may be NULL.
 * 0 also where the last round came before the steady state: see result->steady. */
OPENREMAP_MUST_USE int openremap_precondition(struct openremap_device *dev, uint64_t seed,
                                              openremap_precondition_progress progress, void *arg,
                                              struct openremap_precondition_result *result);

#define OPENREMAP_PRECONDITION_TEXT_BYTES 320u

/* Says in one line whether the device became steady, and the write amplification of each random round: of at most
 * OPENREMAP_MOST_ROUNDS, with two digits after the point. Returns `text`, which has `bytes`. */
const char *openremap_precondition_text(const struct openremap_precondition_result *result, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_PRECONDITION_H */
