// SPDX-License-Identifier: Apache-2.0
#include "replay_report.h"

#include <cstdio>

namespace openremap {

namespace {

ReplayFigures Counts(const ReplayDescription &description, const ReplayResult &r) {
  ReplayFigures counts = {{"used_pages", FigureOf(description.used_pages)},
                          {"records", FigureOf(r.records)},
                          {"written_pages", FigureOf(r.written_pages)},
                          {"read_pages", FigureOf(r.read_pages)},
                          {"deallocated_pages", FigureOf(r.deallocated_pages)},
                          {"remapped_pages", FigureOf(r.remapped_pages)},
                          {"copied_pages", FigureOf(r.copied_pages)},
                          {"flushes", FigureOf(r.flushes)},
                          {"units_begun", FigureOf(r.units_begun)},
                          {"pages_verified", FigureOf(r.pages_verified)},
                          {"wrong_pages", FigureOf(r.wrong_pages)},
                          {"side_pages", FigureOf(r.side_pages)}};
  for (size_t kind = 0; kind < kPageKinds; kind++) {
    counts.emplace_back(std::string("written_") + kPageKindNames[kind] + "_pages", FigureOf(r.written_by_kind[kind]));
  }
  return counts;
}

std::string Quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string Members(const ReplayFigures &figures) {
  std::string out;
  for (const auto &[name, value] : figures) out += (out.empty() ? "" : ", ") + Quoted(name) + ": " + value;
  return out;
}

std::string Lines(const ReplayFigures &figures) {
  std::string out;
  for (const auto &[name, value] : figures) {
    char line[80];
    std::snprintf(line, sizeof(line), "%-20s %s\n", name.c_str(), value.c_str());
    out += line;
  }
  return out;
}

std::string Windows(const std::vector<ReplayWindow> &windows) {
  std::string out;
  for (const ReplayWindow &window : windows) {
    out += (out.empty() ? "{" : ", {") +
           Members({{"written_pages", FigureOf(window.written_pages)},
                    {"programmed_pages", FigureOf(window.programmed_pages)}}) +
           "}";
  }
  return out;
}

}  // namespace

std::string ReplayText(const ReplayDescription &description, const ReplayResult &result) {
  ReplayFigures head = {{"device", description.device}, {"traces", FigureOf(uint64_t{description.traces.size()})}};
  for (const double wa : description.precondition_wa) head.emplace_back("precondition_wa", FigureOf(wa));
  ReplayFigures windows;
  for (const ReplayWindow &window : result.windows) {
    windows.emplace_back("window_wa2", FigureOf(static_cast<double>(window.programmed_pages) /
                                                static_cast<double>(window.written_pages)));
  }
  return Lines(head) + Lines(Counts(description, result)) + Lines(result.figures) + Lines(windows);
}

std::string ReplayJson(const ReplayDescription &description, const ReplayResult &result) {
  std::string traces;
  for (const std::string &trace : description.traces) traces += (traces.empty() ? "" : ", ") + Quoted(trace);
  std::string rounds;
  for (const double wa : description.precondition_wa) rounds += (rounds.empty() ? "" : ", ") + FigureOf(wa);
  return "{\"device\": " + Quoted(description.device) + ", \"traces\": [" + traces + "], \"precondition_wa\": [" +
         rounds + "], \"windows\": [" + Windows(result.windows) + "], " + Members(Counts(description, result)) +
         ", \"figures\": {" + Members(result.figures) + "}}\n";
}

}  // namespace openremap
