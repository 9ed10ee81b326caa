/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.h - the result type of every firmware function that can fail, and the table of their NVMe status codes.
 *
 * OK: done. PENDING: call again in a later poll. HELD: the handler keeps its command. After any other result the
 * state that a host sees (mapping, queues, features) is as it was before the call.
 */
#ifndef OPENREMAP_FW_RESULT_H
#define OPENREMAP_FW_RESULT_H

#include <stdint.h>

#include "orm_formats.h"
#include "orm_nvme.h"

#define FW_MUST_USE __attribute__((warn_unused_result))

/* A vendor specific status (SCT 7) of OpenRemap. */
#define FW_VENDOR_STATUS(name) ((NVME_STATUS_TYPE_VENDOR << 8) | ORM_VENDOR_STATUS_##name)

/* Name, NVMe status {SCT, SC}, text. New ones go to the end: the numbers appear in logs. LOST to IN_FULL are answers of
 * start-up steps (startup.h). */
#define FW_RESULTS(X)                                                                         \
  X(OK, NVME_STATUS_SUCCESS, "success")                                                       \
  X(PENDING, NVME_STATUS_INTERNAL_ERROR, "waiting; call again")                               \
  X(HELD, NVME_STATUS_INTERNAL_ERROR, "command is kept and completes later")                  \
  X(INVALID_OPCODE, NVME_STATUS_INVALID_OPCODE, "unknown opcode")                             \
  X(INVALID_FIELD, NVME_STATUS_INVALID_FIELD, "field out of range or reserved bits set")      \
  X(INVALID_NAMESPACE, NVME_STATUS_INVALID_NAMESPACE, "no such namespace")                    \
  X(TRANSFER, NVME_STATUS_DATA_TRANSFER_ERROR, "host memory did not answer")                  \
  X(PRP_OFFSET, NVME_STATUS_INVALID_PRP_OFFSET, "PRP offset must be zero here")               \
  X(LBA_RANGE, NVME_STATUS_LBA_OUT_OF_RANGE, "past the end of the namespace")                 \
  X(QID, NVME_STATUS_QID_INVALID, "no such queue, or it exists already")                      \
  X(QUEUE_SIZE, NVME_STATUS_QUEUE_SIZE_INVALID, "queue too small or too large")               \
  X(CQ, NVME_STATUS_CQ_INVALID, "completion queue does not exist")                            \
  X(VECTOR, NVME_STATUS_VECTOR_INVALID, "no such interrupt vector")                           \
  X(QUEUE_DELETION, NVME_STATUS_QUEUE_DELETION_INVALID, "submission queues still use it")     \
  X(LOG_PAGE, NVME_STATUS_LOG_PAGE_INVALID, "no such log page")                               \
  X(NOT_SAVEABLE, NVME_STATUS_FEATURE_NOT_SAVEABLE, "feature cannot be saved")                \
  X(NOT_CHANGEABLE, NVME_STATUS_FEATURE_NOT_CHANGEABLE, "feature cannot be changed")          \
  X(AER_FULL, NVME_STATUS_AER_LIMIT, "too many asynchronous event requests")                  \
  X(ABORTED, NVME_STATUS_ABORT_REQUESTED, "aborted on request")                               \
  X(SEQUENCE, NVME_STATUS_SEQUENCE_ERROR, "not allowed now")                                  \
  X(NOT_READY, NVME_STATUS_NAMESPACE_NOT_READY, "namespace not ready")                        \
  X(COPY_LIMIT, NVME_STATUS_COPY_SIZE_LIMIT, "more than Copy's limits allow")                 \
  X(REMAP_OVERLAP, FW_VENDOR_STATUS(REMAP_OVERLAP), "a target overlaps a source or target")   \
  X(REMAP_UNMAPPED, FW_VENDOR_STATUS(REMAP_UNMAPPED), "a source page holds no data")          \
  X(REMAP_SHARERS, FW_VENDOR_STATUS(REMAP_SHARER_LIMIT), "sharer limit reached")              \
  X(REMAP_FULL, FW_VENDOR_STATUS(REMAP_NVRAM_FULL), "remap table or journal full")            \
  X(REMAP_EMPTY, FW_VENDOR_STATUS(REMAP_ZERO_LENGTH), "a range of no pages, or no ranges")    \
  X(INTERNAL, NVME_STATUS_INTERNAL_ERROR, "internal error")                                   \
  X(HARDWARE_ID, NVME_STATUS_INTERNAL_ERROR, "no OpenRemap controller behind the window")     \
  X(HARDWARE_VERSION, NVME_STATUS_INTERNAL_ERROR, "register map version unknown")             \
  X(GEOMETRY, NVME_STATUS_INTERNAL_ERROR, "geometry out of range")                            \
  X(SEGMENTS, NVME_STATUS_INTERNAL_ERROR, "remap segments: too few for GC, or too many")      \
  X(FORMAT_VERSION, NVME_STATUS_INTERNAL_ERROR, "media format version unknown")               \
  X(FORMAT_MISMATCH, NVME_STATUS_INTERNAL_ERROR, "media formatted for another geometry")      \
  X(OPTIONS_MISMATCH, NVME_STATUS_INTERNAL_ERROR, "options differ from those formatted with") \
  X(NVRAM_DAMAGED, NVME_STATUS_INTERNAL_ERROR, "a record in NVRAM is damaged")                \
  X(NAND, NVME_STATUS_INTERNAL_ERROR, "NAND operation failed")                                \
  X(NO_SPACE, NVME_STATUS_INTERNAL_ERROR, "too few superblocks to run")                       \
  X(SQ_DELETED, NVME_STATUS_ABORT_SQ_DELETION, "its submission queue was deleted")            \
  X(NV_HEADER, NVME_STATUS_INTERNAL_ERROR, "NVRAM header damaged; the device may hold data")  \
  X(FORMATTING, NVME_STATUS_FORMAT_IN_PROGRESS, "a format is under way")                      \
  X(CRASHED, NVME_STATUS_INTERNAL_ERROR, "firmware error; the crash log says where")          \
  X(HANGS, NVME_STATUS_INTERNAL_ERROR, "firmware did not come back; see the crash log")       \
  X(INVALID_FORMAT, NVME_STATUS_FORMAT_INVALID, "no such LBA format")                         \
  X(READ_ONLY, NVME_STATUS_WRITE_PROTECTED, "the device can only be read")                    \
  X(LOST, NVME_STATUS_INTERNAL_ERROR, "NVRAM is lost")                                        \
  X(BAD_HEADER, NVME_STATUS_INTERNAL_ERROR, "NvHeader is damaged")                            \
  X(BAD_POINTER, NVME_STATUS_INTERNAL_ERROR, "the commit or checkpoint pointer is damaged")   \
  X(BAD_BLOCK, NVME_STATUS_INTERNAL_ERROR, "a BlockRecord is damaged")                        \
  X(BAD_FORMAT_WORD, NVME_STATUS_INTERNAL_ERROR, "FormatWord is damaged")                     \
  X(IN_FULL, NVME_STATUS_INTERNAL_ERROR, "the start goes by a snapshot and should not")       \
  X(NOT_NAMESPACED, NVME_STATUS_FEATURE_NOT_NAMESPACED, "feature is the controller's")        \
  X(IDENTITY, NVME_STATUS_INTERNAL_ERROR, "no valid serial number and EUI-64 from the port")  \
  X(MEMORY, NVME_STATUS_INTERNAL_ERROR, "DRAM or NVRAM has failed; see the crash log")

#define FW_RESULT_ENUM(name, status, text) FW_##name,
typedef enum fw_result { FW_RESULTS(FW_RESULT_ENUM) FW_RESULT_COUNT } fw_result_t;
#undef FW_RESULT_ENUM

/* Text for logs; never NULL. */
const char *fw_result_text(fw_result_t r);

/* NVMe status {SCT, SC}. completion_status() (completion.h) adds DNR. */
uint16_t fw_result_status(fw_result_t r);

#endif /* OPENREMAP_FW_RESULT_H */
