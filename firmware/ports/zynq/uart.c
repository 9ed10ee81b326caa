/* SPDX-License-Identifier: Apache-2.0 */
#include "uart.h"

#include <stdint.h>

#include "orm_zynq.h"
#include "ps.h"

#define CONTROL_RESET 3u   /* both directions' FIFOs */
#define CONTROL_ENABLE 20u /* transmitter, receiver */
#define MODE_8N1 0x20u
#define MODE_LOOP_BACK 0x200u
#define STATUS_RX_EMPTY 2u
#define STATUS_TX_EMPTY 8u
#define STATUS_TX_FULL 16u
#define STATUS_TX_ACTIVE 0x800u

/* Rate = reference clock / (generator x (divider + 1)). */
#define BAUD 115200u
#define DIVIDER 6u
#define GENERATOR ((ORM_ZYNQ_UART_HZ + BAUD * (DIVIDER + 1u) / 2u) / (BAUD * (DIVIDER + 1u)))

void uart_begin(void) {
  ps_write(PS_UART_CONTROL, CONTROL_RESET);
  ps_write(PS_UART_MODE, MODE_8N1);
  ps_write(PS_UART_BAUD_GENERATOR, GENERATOR);
  ps_write(PS_UART_BAUD_DIVIDER, DIVIDER);
  ps_write(PS_UART_CONTROL, CONTROL_ENABLE);
}

bool uart_put(char c) {
  if (ps_read(PS_UART_STATUS) & STATUS_TX_FULL) return false;
  ps_write(PS_UART_FIFO, (uint8_t)c);
  return true;
}

int uart_get(void) { return ps_read(PS_UART_STATUS) & STATUS_RX_EMPTY ? -1 : (int)(uint8_t)ps_read(PS_UART_FIFO); }

bool uart_empty(void) { return (ps_read(PS_UART_STATUS) & (STATUS_TX_EMPTY | STATUS_TX_ACTIVE)) == STATUS_TX_EMPTY; }

void uart_loop_back(bool on) { ps_write(PS_UART_MODE, on ? MODE_8N1 | MODE_LOOP_BACK : MODE_8N1); }
