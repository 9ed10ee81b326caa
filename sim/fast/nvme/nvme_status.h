// SPDX-License-Identifier: Apache-2.0
//
// NVMe status fields, in the layout of CQE dword 3 bits 31:17 (hw/src/nvme/NvmeStatus.scala). Do Not Retry is set where
// the same command would fail the same way again.
#ifndef OPENREMAP_FAST_NVME_STATUS_H
#define OPENREMAP_FAST_NVME_STATUS_H

#include <cstdint>

#include "orm_formats.h"
#include "orm_nvme.h"

namespace orm::fast {

using NvmeStatus = uint16_t;
constexpr NvmeStatus permanent(unsigned code) { return NvmeStatus(code | NVME_STATUS_FLAG_DO_NOT_RETRY); }

constexpr NvmeStatus kSuccess = NVME_STATUS_SUCCESS;
constexpr NvmeStatus kAbortSqDeletion = NVME_STATUS_ABORT_SQ_DELETION;
constexpr NvmeStatus kDataTransferError = NVME_STATUS_DATA_TRANSFER_ERROR;
constexpr NvmeStatus kInternalError = NVME_STATUS_INTERNAL_ERROR;
constexpr NvmeStatus kNamespaceNotReady = NVME_STATUS_NAMESPACE_NOT_READY;
constexpr NvmeStatus kFormatInProgress = NVME_STATUS_FORMAT_IN_PROGRESS;
constexpr NvmeStatus kWriteFault = NVME_STATUS_WRITE_FAULT;
constexpr NvmeStatus kUnrecoveredReadError = NVME_STATUS_UNRECOVERED_READ;
constexpr NvmeStatus kInvalidField = permanent(NVME_STATUS_INVALID_FIELD);
constexpr NvmeStatus kInvalidNamespace = permanent(NVME_STATUS_INVALID_NAMESPACE);
constexpr NvmeStatus kInvalidPrpOffset = permanent(NVME_STATUS_INVALID_PRP_OFFSET);
constexpr NvmeStatus kWriteProtected = permanent(NVME_STATUS_WRITE_PROTECTED);
constexpr NvmeStatus kLbaOutOfRange = permanent(NVME_STATUS_LBA_OUT_OF_RANGE);
constexpr NvmeStatus kCopySizeLimit = permanent(NVME_STATUS_COPY_SIZE_LIMIT);
constexpr NvmeStatus kRemapSharerLimit = permanent(NVME_STATUS_TYPE_VENDOR << 8 | ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT);

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NVME_STATUS_H
