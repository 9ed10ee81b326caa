/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uart.h - UART 1, the console: 115,200 baud, 8 bits, no parity, 1 stop bit.
 */
#ifndef OPENREMAP_ZYNQ_UART_H
#define OPENREMAP_ZYNQ_UART_H

#include <stdbool.h>

void uart_begin(void);

/* Sends a character. Returns false if there is no room now. */
bool uart_put(char c);

/* The next character received; -1: none. */
int uart_get(void);

/* Whether all that was sent has left. */
bool uart_empty(void);

/* What is sent comes back, and does not leave: for a self-test. */
void uart_loop_back(bool on);

#endif /* OPENREMAP_ZYNQ_UART_H */
