// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TRACE_FILE_H
#define OPENREMAP_TRACE_FILE_H

#include <string>

namespace orm {

/// Throws OptionError when `path` cannot be written. Asked before a waveform writer gets it: without a file those drop
/// every value in silence.
void check_trace_file(const std::string &path);

}  // namespace orm
#endif  // OPENREMAP_TRACE_FILE_H
