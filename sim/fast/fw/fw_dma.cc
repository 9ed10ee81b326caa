// SPDX-License-Identifier: Apache-2.0
#include "fw/fw_dma.h"

#include <vector>

namespace orm::fast {
namespace {

constexpr uint64_t kStartNs = cycles(30);  // a DRAM access and the states around it

}  // namespace

Task<NvmeStatus> FwDma::move(FwDmaRequest r) {
  std::vector<uint8_t> data(r.prp.bytes);
  NvmeStatus status = kSuccess;
  co_await Delay{sim_, kStartNs};
  if (r.buffer) {
    co_await Delay{sim_, cycles(ORM_SLOT_BYTES / kBeatBytes)};
    uint8_t *buffer = buffers_.data(r.buf);
    const bool good =
        r.to_host ? dram_.read(r.dram, buffer, ORM_SLOT_BYTES) : dram_.write(r.dram, buffer, nullptr, ORM_SLOT_BYTES);
    co_return good ? kSuccess : kInternalError;
  }
  if (r.to_host) {
    if (!dram_.read(r.dram, data.data(), data.size())) status = kInternalError;
    co_await writer_.turn().take();
    writer_.begin(r.prp);
    const uint64_t ns = writer_.write(data.data(), r.prp.bytes);
    co_await Delay{sim_, ns + writer_.end_ns()};
    if (status == kSuccess) status = writer_.end();
    writer_.turn().give();
  } else {
    bool bad = false;
    co_await reader_.turn().take();
    reader_.begin(r.prp);
    const uint64_t ns = reader_.read(data.data(), r.prp.bytes, &bad);
    co_await Delay{sim_, ns};
    status = reader_.end();
    reader_.turn().give();
    if (!dram_.write(r.dram, data.data(), nullptr, data.size()) && status == kSuccess) status = kInternalError;
  }
  co_return status;
}

}  // namespace orm::fast
