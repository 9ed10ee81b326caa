// SPDX-License-Identifier: Apache-2.0
#include "rtl_print.h"

#include <cstdarg>
#include <cstdio>

#include "sim_error.h"
#include "verilated.h"

namespace {

constexpr size_t kKept = 2000;
thread_local std::string printed;

}  // namespace

int orm_rtl_print(const char *format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  const int length = std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  std::fputs(text, stderr);
  if (printed.size() < kKept) printed += text;
  return length;
}

std::string orm::take_rtl_text() {
  std::string text;
  text.swap(printed);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Replaces the runtime's own (VL_USER_FATAL), which ends the process. It is called for what the model cannot go on
// from, such as signals that do not settle; failed assertions only set gotFinish (fatalOnError is off).
void vl_fatal(const char *filename, int linenum, const char * /*hier*/, const char *msg) {
  throw orm::RtlStopped(std::string(filename) + ":" + std::to_string(linenum) + ": " + msg);
}
