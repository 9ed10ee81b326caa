// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_BOARD_FUNCTION_H
#define OPENREMAP_BOARD_FUNCTION_H

#include "board_facts.h"
#include "pcie_function.h"

namespace orm {

/// What is wrong with these options of a board, without asking it. Throws BoardError.
void check_board(const pcie_device_options &options);

/// The PCIe function of a board that has been started (`./openremap board start`), by its Etherbone link. The seam's
/// `close` deletes it. Throws BoardError or LinkError.
///
/// BAR0 accesses are accesses of the board's bus. Memory is the part of DDR3 that host and controller share
/// (pcie_function.h: shared_memory). Interrupts are looked for in `run`, in board_messages. Power cannot be switched:
/// -ENOTSUP. A link that fails ends the function: one line on stderr, -EIO from then on.
pcie_function *make_board(const pcie_device_options &options, const pcie_host &host);

}  // namespace orm
#endif  // OPENREMAP_BOARD_FUNCTION_H
