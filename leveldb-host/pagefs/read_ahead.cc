// SPDX-License-Identifier: Apache-2.0
#include "read_ahead.h"

#include <algorithm>

#include "inode.h"

namespace openremap {

using leveldb::Status;

// The nearest one before the read: a stream may jump over where another one is.
ReadAhead::Streams::iterator ReadAhead::Find(uint64_t offset, size_t n) {
  auto best = streams_.end();
  for (auto at = streams_.begin(); at != streams_.end(); ++at) {
    if ((*at)->Holds(offset, n)) return at;
    if ((*at)->Follows(offset) && (best == streams_.end() || (*at)->end() > (*best)->end())) best = at;
  }
  return best;
}

Status ReadAhead::Read(const PageReader &read, uint64_t offset, size_t n, uint64_t file_bytes, char *out) {
  if (file_bytes != file_bytes_) {
    Forget();  // windows may end with zeros where there is something now
    file_bytes_ = file_bytes;
  }
  auto found = Find(offset, n);
  const bool known = found != streams_.end();
  if (!known) {
    if (streams_.size() < kStreams) streams_.insert(streams_.begin(), std::make_unique<ReadStream>(windows_));
    found = streams_.begin();
    (*found)->Begin(offset + n);
  }
  std::rotate(found, found + 1, streams_.end());
  if (!known) return ReadExactly(read, offset, n, out);
  return streams_.back()->Read(read, offset, n, PagesOf(file_bytes), out);
}

}  // namespace openremap
