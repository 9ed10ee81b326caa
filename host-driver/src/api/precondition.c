/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openremap_precondition.h"
#include "openremap_stats.h"

#define RANGE_PERCENT 20.0
#define SLOPE_PERCENT 10.0
#define SEQUENTIAL_PAGES 32u /* of one request */
#define IN_FLIGHT 64u        /* requests */
#define POLL_NS 10000000u
#define TELL_PAGES 4096u /* between two calls of `progress` */

bool openremap_is_steady(const double *figures, size_t count) {
  if (count < OPENREMAP_STEADY_ROUNDS) return false;
  const double *last = figures + count - OPENREMAP_STEADY_ROUNDS;
  double least = last[0], most = last[0], sum = 0, moment = 0, squares = 0;
  const double middle = (OPENREMAP_STEADY_ROUNDS - 1) / 2.0;
  for (size_t i = 0; i < OPENREMAP_STEADY_ROUNDS; i++) {
    const double x = (double)i - middle;
    if (last[i] < least) least = last[i];
    if (last[i] > most) most = last[i];
    sum += last[i];
    moment += x * last[i];
    squares += x * x;
  }
  const double average = sum / OPENREMAP_STEADY_ROUNDS;
  const double rise = moment / squares * (OPENREMAP_STEADY_ROUNDS - 1);
  const double slope = rise < 0 ? -rise : rise;
  return most - least <= average * RANGE_PERCENT / 100 && slope <= average * SLOPE_PERCENT / 100;
}

struct writer {
  struct openremap_device *dev;
  uint8_t *data; /* SEQUENTIAL_PAGES pages of noise */
  uint64_t random;
  int failed; /* status of the first request that failed */
  openremap_precondition_progress progress;
  void *arg;
};

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t next_random(struct writer *w) {
  uint64_t z = (w->random += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void written(void *arg, int status, uint32_t result) {
  struct writer *w = arg;
  (void)result;
  if (w->failed == 0) w->failed = status;
}

/* As many pages as the namespace has. */
static int run_round(struct writer *w, uint32_t round, bool random) {
  const uint64_t pages = openremap_get_info(w->dev)->pages;
  uint64_t told = 0;
  for (uint64_t done = 0; done < pages && w->failed == 0;) {
    uint64_t count = random ? 1 : SEQUENTIAL_PAGES;
    if (count > pages - done) count = pages - done;
    const uint64_t lpn = random ? next_random(w) % pages : done;
    const uint8_t *data = random ? w->data + (done % SEQUENTIAL_PAGES) * OPENREMAP_PAGE_BYTES : w->data;
    int rc = openremap_submit_write(w->dev, lpn, count, data, false, written, w);
    while (rc == 0 && openremap_in_flight(w->dev) >= IN_FLIGHT) {
      const int completed = openremap_poll(w->dev, POLL_NS);
      if (completed < 0) rc = completed;
    }
    if (rc != 0) return rc;
    done += count;
    if (w->progress != NULL && (done - told >= TELL_PAGES || done == pages)) {
      told = done;
      w->progress(w->arg, round, done, pages);
    }
  }
  const int rc = openremap_wait_all(w->dev);
  if (rc != 0) return rc;
  return w->failed != 0 ? w->failed : openremap_flush(w->dev);
}

static int read_counters(struct openremap_device *dev, uint64_t *host, uint64_t *nand) {
  struct orm_remap_log log;
  const int rc = openremap_get_stats(dev, &log);
  if (rc != 0) return rc;
  *host = log.host_write_pages;
  *nand = openremap_nand_pages(&log);
  return 0;
}

static int run_rounds(struct writer *w, struct openremap_precondition_result *result) {
  uint64_t host = 0, nand = 0;
  int rc = read_counters(w->dev, &host, &nand); /* before anything is overwritten on a device that has none */
  for (uint32_t i = 1; rc == 0 && i <= OPENREMAP_FILL_ROUNDS; i++) rc = run_round(w, i, false);
  if (rc == 0) rc = read_counters(w->dev, &host, &nand);
  while (rc == 0 && !result->steady && result->rounds < OPENREMAP_MOST_ROUNDS) {
    uint64_t host_now = 0, nand_now = 0;
    rc = run_round(w, OPENREMAP_FILL_ROUNDS + result->rounds + 1, true);
    if (rc == 0) rc = read_counters(w->dev, &host_now, &nand_now);
    if (rc != 0) break;
    result->write_amplification[result->rounds++] =
        host_now == host ? 0 : (double)(nand_now - nand) / (double)(host_now - host);
    host = host_now;
    nand = nand_now;
    result->steady = openremap_is_steady(result->write_amplification, result->rounds);
  }
  return rc;
}

int openremap_precondition(struct openremap_device *dev, uint64_t seed, openremap_precondition_progress progress,
                           void *arg, struct openremap_precondition_result *result) {
  memset(result, 0, sizeof(*result));
  const size_t bytes = (size_t)SEQUENTIAL_PAGES * OPENREMAP_PAGE_BYTES;
  void *reachable = openremap_dma_alloc(dev, bytes);
  struct writer w = {.dev = dev, .random = seed, .progress = progress, .arg = arg};
  w.data = reachable != NULL ? reachable : malloc(bytes);
  if (w.data == NULL) return -ENOMEM;
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    const uint64_t noise = next_random(&w);
    memcpy(w.data + i, &noise, sizeof(noise));
  }
  int rc = run_rounds(&w, result);
  if (rc == 0) {
    memset(w.data, 0, OPENREMAP_PAGE_BYTES);
    rc = openremap_write(dev, 0, 1, w.data, true);
  }
  /* After an error some requests may still use the data. */
  if (openremap_in_flight(dev) != 0) {
    const int ended = openremap_wait_all(dev);
    if (rc == 0) rc = ended;
  }
  if (reachable != NULL) {
    openremap_dma_free(dev, reachable);
  } else {
    free(w.data);
  }
  return rc;
}

const char *openremap_precondition_text(const struct openremap_precondition_result *result, char *text, size_t bytes) {
  int used = snprintf(text, bytes, "%s %" PRIu32 " rounds, write amplification",
                      result->steady ? "steady after" : "no steady state in", result->rounds);
  for (uint32_t i = 0; i < result->rounds && used >= 0 && (size_t)used < bytes; i++) {
    used += snprintf(text + used, bytes - (size_t)used, " %.2f", result->write_amplification[i]);
  }
  return text;
}
