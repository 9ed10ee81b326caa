// SPDX-License-Identifier: Apache-2.0
//
// Traces for tests, as temporary files, and their records.
#ifndef OPENREMAP_IOREPLAY_TESTS_TRACE_FILES_H_
#define OPENREMAP_IOREPLAY_TESTS_TRACE_FILES_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pagefs/trace/page_trace.h"
#include "temp_dir.h"

namespace openremap {

inline PageRecord RecordOf(PageOperation operation, uint64_t lpn = 0, uint64_t pages = 0, bool more = false) {
  PageRecord record;
  record.operation = operation;
  record.lpn = lpn;
  record.pages = pages;
  record.more = more;
  return record;
}
inline PageRecord WriteOf(uint64_t lpn, uint64_t pages, unsigned placement = 0, bool more = false) {
  PageRecord record = RecordOf(PageOperation::kWrite, lpn, pages, more);
  record.placement = placement;
  return record;
}
inline PageRecord RemapOf(uint64_t source, uint64_t target, uint64_t pages, bool refused = false) {
  PageRecord record = RecordOf(PageOperation::kRemap, target, pages);
  record.source = source;
  record.refused = refused;
  return record;
}

// The files are removed with it.
class TraceFiles {
 public:
  // The name of a new file.
  std::string Make(const std::vector<PageRecord> &records, const PageTraceInfo &info = {1000, 8}) {
    const std::string path = folder_.path + "/" + std::to_string(count_++);
    std::unique_ptr<PageTraceWriter> writer;
    EXPECT_TRUE(PageTraceWriter::Create(path, info, &writer).ok());
    for (const PageRecord &record : records) writer->Add(record);
    EXPECT_TRUE(writer->Close().ok());
    return path;
  }

 private:
  orm::TempDir folder_;
  int count_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_TESTS_TRACE_FILES_H_
