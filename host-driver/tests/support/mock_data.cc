// SPDX-License-Identifier: Apache-2.0
//
// MockController: the host memory behind a command, by its PRPs.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "mock_controller.h"

namespace openremap {
namespace {

constexpr uint64_t kPage = 4096;

}  // namespace

bool MockController::Segments(const nvme_submission_entry &command, uint64_t bytes,
                              std::vector<std::pair<uint64_t, uint64_t>> *out, uint16_t *status) {
  *status = NVME_STATUS_INVALID_PRP_OFFSET;
  if (command.prp1 % 4 != 0) return false;
  const uint64_t first = std::min(bytes, kPage - command.prp1 % kPage);
  out->emplace_back(command.prp1, first);
  uint64_t left = bytes - first;
  if (left == 0) return true;
  if (left <= kPage) {
    if (command.prp2 % kPage != 0) return false;
    out->emplace_back(command.prp2, left);
    return true;
  }
  if (command.prp2 % 8 != 0) return false;
  uint64_t list = command.prp2;
  while (left != 0) {
    uint64_t entry = 0;
    if (host_->dma_read(host_->ctx, list, &entry, sizeof(entry)) != 0) {
      *status = NVME_STATUS_DATA_TRANSFER_ERROR;
      return false;
    }
    if (list % kPage == kPage - 8 && left > kPage) {  // the last entry of a full list page names the next one
      list = entry;
      continue;
    }
    if (entry % kPage != 0) return false;
    const uint64_t piece = std::min(left, kPage);
    out->emplace_back(entry, piece);
    left -= piece;
    list += 8;
  }
  return true;
}

uint16_t MockController::FromHost(const nvme_submission_entry &command, void *data, uint64_t bytes) {
  std::vector<std::pair<uint64_t, uint64_t>> segments;
  uint16_t status = 0;
  if (!Segments(command, bytes, &segments, &status)) return status;
  auto *out = static_cast<uint8_t *>(data);
  for (const auto &[address, length] : segments) {
    if (host_->dma_read(host_->ctx, address, out, length) != 0) return NVME_STATUS_DATA_TRANSFER_ERROR;
    out += length;
  }
  return 0;
}

uint16_t MockController::ToHost(const nvme_submission_entry &command, const void *data, uint64_t bytes) {
  std::vector<std::pair<uint64_t, uint64_t>> segments;
  uint16_t status = 0;
  if (!Segments(command, bytes, &segments, &status)) return status;
  const auto *in = static_cast<const uint8_t *>(data);
  for (const auto &[address, length] : segments) {
    if (host_->dma_write(host_->ctx, address, in, length) != 0) return NVME_STATUS_DATA_TRANSFER_ERROR;
    in += length;
  }
  return 0;
}

}  // namespace openremap
