/* SPDX-License-Identifier: Apache-2.0 */
/* Words for what a call returned. Names as in NVMe 1.4 section 4.6.1, figures 127 to 131. */
#include <stdio.h>
#include <string.h>

#include "openremap.h"
#include "remap_wire.h"

struct status_name {
  int status;
  const char *name;
};

static const struct status_name standard_names[] = {
    {NVME_STATUS_INVALID_OPCODE, "Invalid Command Opcode"},
    {NVME_STATUS_INVALID_FIELD, "Invalid Field in Command"},
    {NVME_STATUS_CID_CONFLICT, "Command ID Conflict"},
    {NVME_STATUS_DATA_TRANSFER_ERROR, "Data Transfer Error"},
    {NVME_STATUS_INTERNAL_ERROR, "Internal Error"},
    {NVME_STATUS_ABORT_REQUESTED, "Command Abort Requested"},
    {NVME_STATUS_ABORT_SQ_DELETION, "Command Aborted due to SQ Deletion"},
    {NVME_STATUS_INVALID_NAMESPACE, "Invalid Namespace or Format"},
    {NVME_STATUS_SEQUENCE_ERROR, "Command Sequence Error"},
    {NVME_STATUS_INVALID_PRP_OFFSET, "PRP Offset Invalid"},
    {NVME_STATUS_LBA_OUT_OF_RANGE, "LBA Out of Range"},
    {NVME_STATUS_CAPACITY_EXCEEDED, "Capacity Exceeded"},
    {NVME_STATUS_NAMESPACE_NOT_READY, "Namespace Not Ready"},
    {NVME_STATUS_FORMAT_IN_PROGRESS, "Format in Progress"},
    {NVME_STATUS_CQ_INVALID, "Completion Queue Invalid"},
    {NVME_STATUS_QID_INVALID, "Invalid Queue Identifier"},
    {NVME_STATUS_QUEUE_SIZE_INVALID, "Invalid Queue Size"},
    {NVME_STATUS_ABORT_LIMIT, "Abort Command Limit Exceeded"},
    {NVME_STATUS_AER_LIMIT, "Asynchronous Event Request Limit Exceeded"},
    {NVME_STATUS_VECTOR_INVALID, "Invalid Interrupt Vector"},
    {NVME_STATUS_LOG_PAGE_INVALID, "Invalid Log Page"},
    {NVME_STATUS_FORMAT_INVALID, "Invalid Format"},
    {NVME_STATUS_QUEUE_DELETION_INVALID, "Invalid Queue Deletion"},
    {NVME_STATUS_FEATURE_NOT_SAVEABLE, "Feature Identifier Not Saveable"},
    {NVME_STATUS_FEATURE_NOT_CHANGEABLE, "Feature Not Changeable"},
    {NVME_STATUS_CONFLICTING_ATTRIBUTES, "Conflicting Attributes"},
    {NVME_STATUS_WRITE_TO_READ_ONLY, "Attempted Write to Read Only Range"},
    {NVME_STATUS_COPY_SIZE_LIMIT, "Command Size Limit Exceeded"},
    {NVME_STATUS_WRITE_FAULT, "Write Fault"},
    {NVME_STATUS_UNRECOVERED_READ, "Unrecovered Read Error"},
    {NVME_STATUS_UNWRITTEN_BLOCK, "Deallocated or Unwritten Logical Block"},
};

static const char *standard_name(int status) {
  for (size_t i = 0; i < sizeof(standard_names) / sizeof(standard_names[0]); i++) {
    if (standard_names[i].status == status) return standard_names[i].name;
  }
  return NULL;
}

const char *openremap_describe(int status, char *text, size_t len) {
  if (status < 0) {
    snprintf(text, len, "%s", strerror(-status));
    return text;
  }
  if (status == 0) {
    snprintf(text, len, "success");
    return text;
  }
  const char *name = remap_wire_status_name(status);
  if (name == NULL) name = standard_name(status);
  snprintf(text, len, "%s (NVMe status 0x%03X)", name != NULL ? name : "unknown status", (unsigned)status);
  return text;
}
