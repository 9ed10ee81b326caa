/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the RTL prints ($display, messages of failed assertions) goes to stderr and is kept for the error report;
 * Verilator's runtime is compiled with VL_PRINTF set to this. stdout belongs to the programs that link the device.
 */
#ifndef OPENREMAP_RTL_PRINT_H
#define OPENREMAP_RTL_PRINT_H

#include <string>

int orm_rtl_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

namespace orm {

/// What was printed by this thread since the last call, without the newline at the end.
std::string take_rtl_text();

}  // namespace orm
#endif  // OPENREMAP_RTL_PRINT_H
