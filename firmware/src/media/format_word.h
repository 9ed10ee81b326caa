/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_word.h - the FormatWord in NVRAM: a Format NVM has begun and has not ended.
 *
 * While the word stands the namespace counts as empty, and a start that finds it finishes the format. The word has
 * 8 bytes, which NVRAM writes atomically. Each call uses the place that device_probe() has found.
 */
#ifndef OPENREMAP_FW_FORMAT_WORD_H
#define OPENREMAP_FW_FORMAT_WORD_H

#include <stdbool.h>

struct fw;

/* Writes the word. Durable on return. */
void format_word_write(const struct fw *fw);

/* Clears the word. Durable on return. */
void format_word_clear(const struct fw *fw);

/* Whether the word stands. */
bool format_word_stands(const struct fw *fw);

/* Whether its place holds something that is neither the word nor zero. */
bool format_word_is_damaged(const struct fw *fw);

#endif /* OPENREMAP_FW_FORMAT_WORD_H */
