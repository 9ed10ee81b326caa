/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from interfaces/formats/nvme.yaml. Do not edit: run python interfaces/generate.py */
/* clang-format off */
/* NVMe codes and data structures in use. Same conventions as orm_formats.h. C11 and C++17. */
#ifndef OPENREMAP_ORM_NVME_H
#define OPENREMAP_ORM_NVME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "orm_bytes.h"

enum nvme_admin_opcode {
  NVME_ADMIN_OPCODE_DELETE_IO_SQ = 0x0, /* Delete I/O Submission Queue */
  NVME_ADMIN_OPCODE_CREATE_IO_SQ = 0x1, /* Create I/O Submission Queue */
  NVME_ADMIN_OPCODE_GET_LOG_PAGE = 0x2, /* Get Log Page */
  NVME_ADMIN_OPCODE_DELETE_IO_CQ = 0x4, /* Delete I/O Completion Queue */
  NVME_ADMIN_OPCODE_CREATE_IO_CQ = 0x5, /* Create I/O Completion Queue */
  NVME_ADMIN_OPCODE_IDENTIFY = 0x6, /* Identify */
  NVME_ADMIN_OPCODE_ABORT = 0x8, /* Abort */
  NVME_ADMIN_OPCODE_SET_FEATURES = 0x9, /* Set Features */
  NVME_ADMIN_OPCODE_GET_FEATURES = 0xA, /* Get Features */
  NVME_ADMIN_OPCODE_ASYNC_EVENT = 0xC, /* Asynchronous Event Request */
  NVME_ADMIN_OPCODE_KEEP_ALIVE = 0x18, /* Keep Alive */
  NVME_ADMIN_OPCODE_FORMAT_NVM = 0x80, /* Format NVM */
};
/* X(name, value, text) for each item */
#define NVME_ADMIN_OPCODE_ITEMS(X) \
  X(delete_io_sq, 0x0, "Delete I/O Submission Queue") \
  X(create_io_sq, 0x1, "Create I/O Submission Queue") \
  X(get_log_page, 0x2, "Get Log Page") \
  X(delete_io_cq, 0x4, "Delete I/O Completion Queue") \
  X(create_io_cq, 0x5, "Create I/O Completion Queue") \
  X(identify, 0x6, "Identify") \
  X(abort, 0x8, "Abort") \
  X(set_features, 0x9, "Set Features") \
  X(get_features, 0xA, "Get Features") \
  X(async_event, 0xC, "Asynchronous Event Request") \
  X(keep_alive, 0x18, "Keep Alive") \
  X(format_nvm, 0x80, "Format NVM")

enum nvme_io_opcode {
  NVME_IO_OPCODE_FLUSH = 0x0, /* Flush */
  NVME_IO_OPCODE_WRITE = 0x1, /* Write */
  NVME_IO_OPCODE_READ = 0x2, /* Read */
  NVME_IO_OPCODE_WRITE_ZEROES = 0x8, /* Write Zeroes */
  NVME_IO_OPCODE_DATASET_MANAGEMENT = 0x9, /* Dataset Management */
  NVME_IO_OPCODE_IO_MGMT_RECEIVE = 0x12, /* I/O Management Receive */
  NVME_IO_OPCODE_COPY = 0x19, /* Copy */
  NVME_IO_OPCODE_IO_MGMT_SEND = 0x1D, /* I/O Management Send */
};
/* X(name, value, text) for each item */
#define NVME_IO_OPCODE_ITEMS(X) \
  X(flush, 0x0, "Flush") \
  X(write, 0x1, "Write") \
  X(read, 0x2, "Read") \
  X(write_zeroes, 0x8, "Write Zeroes") \
  X(dataset_management, 0x9, "Dataset Management") \
  X(io_mgmt_receive, 0x12, "I/O Management Receive") \
  X(copy, 0x19, "Copy") \
  X(io_mgmt_send, 0x1D, "I/O Management Send")

enum nvme_status {
  NVME_STATUS_SUCCESS = 0x0, /* Successful Completion */
  NVME_STATUS_INVALID_OPCODE = 0x1, /* Invalid Command Opcode */
  NVME_STATUS_INVALID_FIELD = 0x2, /* Invalid Field in Command */
  NVME_STATUS_CID_CONFLICT = 0x3, /* Command ID Conflict */
  NVME_STATUS_DATA_TRANSFER_ERROR = 0x4, /* Data Transfer Error */
  NVME_STATUS_INTERNAL_ERROR = 0x6, /* Internal Error */
  NVME_STATUS_ABORT_REQUESTED = 0x7, /* Command Abort Requested */
  NVME_STATUS_ABORT_SQ_DELETION = 0x8, /* Command Aborted due to SQ Deletion */
  NVME_STATUS_INVALID_NAMESPACE = 0xB, /* Invalid Namespace or Format */
  NVME_STATUS_SEQUENCE_ERROR = 0xC, /* Command Sequence Error */
  NVME_STATUS_INVALID_PRP_OFFSET = 0x13, /* PRP Offset Invalid */
  NVME_STATUS_WRITE_PROTECTED = 0x20, /* Namespace is Write Protected */
  NVME_STATUS_LBA_OUT_OF_RANGE = 0x80, /* LBA Out of Range */
  NVME_STATUS_CAPACITY_EXCEEDED = 0x81, /* Capacity Exceeded */
  NVME_STATUS_NAMESPACE_NOT_READY = 0x82, /* Namespace Not Ready */
  NVME_STATUS_FORMAT_IN_PROGRESS = 0x84, /* Format in Progress */
  NVME_STATUS_CQ_INVALID = 0x100, /* Completion Queue Invalid */
  NVME_STATUS_QID_INVALID = 0x101, /* Invalid Queue Identifier */
  NVME_STATUS_QUEUE_SIZE_INVALID = 0x102, /* Invalid Queue Size */
  NVME_STATUS_ABORT_LIMIT = 0x103, /* Abort Command Limit Exceeded */
  NVME_STATUS_AER_LIMIT = 0x105, /* Asynchronous Event Request Limit Exceeded */
  NVME_STATUS_VECTOR_INVALID = 0x108, /* Invalid Interrupt Vector */
  NVME_STATUS_LOG_PAGE_INVALID = 0x109, /* Invalid Log Page */
  NVME_STATUS_FORMAT_INVALID = 0x10A, /* Invalid Format */
  NVME_STATUS_QUEUE_DELETION_INVALID = 0x10C, /* Invalid Queue Deletion */
  NVME_STATUS_FEATURE_NOT_SAVEABLE = 0x10D, /* Feature Identifier Not Saveable */
  NVME_STATUS_FEATURE_NOT_CHANGEABLE = 0x10E, /* Feature Not Changeable */
  NVME_STATUS_FEATURE_NOT_NAMESPACED = 0x10F, /* Feature Not Namespace Specific */
  NVME_STATUS_CONFLICTING_ATTRIBUTES = 0x180, /* Conflicting Attributes */
  NVME_STATUS_WRITE_TO_READ_ONLY = 0x182, /* Attempted Write to Read Only Range */
  NVME_STATUS_COPY_SIZE_LIMIT = 0x183, /* Command Size Limit Exceeded */
  NVME_STATUS_WRITE_FAULT = 0x280, /* Write Fault */
  NVME_STATUS_UNRECOVERED_READ = 0x281, /* Unrecovered Read Error */
  NVME_STATUS_UNWRITTEN_BLOCK = 0x287, /* Deallocated or Unwritten Logical Block */
};
/* X(name, value, text) for each item */
#define NVME_STATUS_ITEMS(X) \
  X(success, 0x0, "Successful Completion") \
  X(invalid_opcode, 0x1, "Invalid Command Opcode") \
  X(invalid_field, 0x2, "Invalid Field in Command") \
  X(cid_conflict, 0x3, "Command ID Conflict") \
  X(data_transfer_error, 0x4, "Data Transfer Error") \
  X(internal_error, 0x6, "Internal Error") \
  X(abort_requested, 0x7, "Command Abort Requested") \
  X(abort_sq_deletion, 0x8, "Command Aborted due to SQ Deletion") \
  X(invalid_namespace, 0xB, "Invalid Namespace or Format") \
  X(sequence_error, 0xC, "Command Sequence Error") \
  X(invalid_prp_offset, 0x13, "PRP Offset Invalid") \
  X(write_protected, 0x20, "Namespace is Write Protected") \
  X(lba_out_of_range, 0x80, "LBA Out of Range") \
  X(capacity_exceeded, 0x81, "Capacity Exceeded") \
  X(namespace_not_ready, 0x82, "Namespace Not Ready") \
  X(format_in_progress, 0x84, "Format in Progress") \
  X(cq_invalid, 0x100, "Completion Queue Invalid") \
  X(qid_invalid, 0x101, "Invalid Queue Identifier") \
  X(queue_size_invalid, 0x102, "Invalid Queue Size") \
  X(abort_limit, 0x103, "Abort Command Limit Exceeded") \
  X(aer_limit, 0x105, "Asynchronous Event Request Limit Exceeded") \
  X(vector_invalid, 0x108, "Invalid Interrupt Vector") \
  X(log_page_invalid, 0x109, "Invalid Log Page") \
  X(format_invalid, 0x10A, "Invalid Format") \
  X(queue_deletion_invalid, 0x10C, "Invalid Queue Deletion") \
  X(feature_not_saveable, 0x10D, "Feature Identifier Not Saveable") \
  X(feature_not_changeable, 0x10E, "Feature Not Changeable") \
  X(feature_not_namespaced, 0x10F, "Feature Not Namespace Specific") \
  X(conflicting_attributes, 0x180, "Conflicting Attributes") \
  X(write_to_read_only, 0x182, "Attempted Write to Read Only Range") \
  X(copy_size_limit, 0x183, "Command Size Limit Exceeded") \
  X(write_fault, 0x280, "Write Fault") \
  X(unrecovered_read, 0x281, "Unrecovered Read Error") \
  X(unwritten_block, 0x287, "Deallocated or Unwritten Logical Block")

enum nvme_status_flag {
  NVME_STATUS_FLAG_MORE = 0x2000, /* M: more in the Error Information log */
  NVME_STATUS_FLAG_DO_NOT_RETRY = 0x4000, /* DNR */
};
/* X(name, value, text) for each item */
#define NVME_STATUS_FLAG_ITEMS(X) \
  X(more, 0x2000, "M: more in the Error Information log") \
  X(do_not_retry, 0x4000, "DNR")

enum nvme_status_type {
  NVME_STATUS_TYPE_GENERIC = 0x0, /* Generic Command Status */
  NVME_STATUS_TYPE_SPECIFIC = 0x1, /* Command Specific Status */
  NVME_STATUS_TYPE_MEDIA = 0x2, /* Media and Data Integrity Errors */
  NVME_STATUS_TYPE_VENDOR = 0x7, /* Vendor Specific */
};
/* X(name, value, text) for each item */
#define NVME_STATUS_TYPE_ITEMS(X) \
  X(generic, 0x0, "Generic Command Status") \
  X(specific, 0x1, "Command Specific Status") \
  X(media, 0x2, "Media and Data Integrity Errors") \
  X(vendor, 0x7, "Vendor Specific")

enum nvme_feature {
  NVME_FEATURE_ARBITRATION = 0x1, /* Arbitration */
  NVME_FEATURE_POWER_MANAGEMENT = 0x2, /* Power Management */
  NVME_FEATURE_TEMPERATURE = 0x4, /* Temperature Threshold */
  NVME_FEATURE_ERROR_RECOVERY = 0x5, /* Error Recovery */
  NVME_FEATURE_WRITE_CACHE = 0x6, /* Volatile Write Cache */
  NVME_FEATURE_NUMBER_OF_QUEUES = 0x7, /* Number of Queues */
  NVME_FEATURE_INTERRUPT_COALESCING = 0x8, /* Interrupt Coalescing */
  NVME_FEATURE_INTERRUPT_VECTOR = 0x9, /* Interrupt Vector Configuration */
  NVME_FEATURE_WRITE_ATOMICITY = 0xA, /* Write Atomicity Normal */
  NVME_FEATURE_ASYNC_EVENT_CONFIG = 0xB, /* Asynchronous Event Configuration */
  NVME_FEATURE_KEEP_ALIVE = 0xF, /* Keep Alive Timer */
  NVME_FEATURE_HOST_BEHAVIOR = 0x16, /* Host Behavior Support */
  NVME_FEATURE_PLACEMENT = 0x1D, /* Flexible Data Placement (base specification 2.1) */
  NVME_FEATURE_PLACEMENT_EVENTS = 0x1E, /* Flexible Data Placement Events */
};
/* X(name, value, text) for each item */
#define NVME_FEATURE_ITEMS(X) \
  X(arbitration, 0x1, "Arbitration") \
  X(power_management, 0x2, "Power Management") \
  X(temperature, 0x4, "Temperature Threshold") \
  X(error_recovery, 0x5, "Error Recovery") \
  X(write_cache, 0x6, "Volatile Write Cache") \
  X(number_of_queues, 0x7, "Number of Queues") \
  X(interrupt_coalescing, 0x8, "Interrupt Coalescing") \
  X(interrupt_vector, 0x9, "Interrupt Vector Configuration") \
  X(write_atomicity, 0xA, "Write Atomicity Normal") \
  X(async_event_config, 0xB, "Asynchronous Event Configuration") \
  X(keep_alive, 0xF, "Keep Alive Timer") \
  X(host_behavior, 0x16, "Host Behavior Support") \
  X(placement, 0x1D, "Flexible Data Placement (base specification 2.1)") \
  X(placement_events, 0x1E, "Flexible Data Placement Events")

enum nvme_feature_select {
  NVME_FEATURE_SELECT_CURRENT = 0x0, /* current value */
  NVME_FEATURE_SELECT_DEFAULT = 0x1, /* default value */
  NVME_FEATURE_SELECT_SAVED = 0x2, /* saved value */
  NVME_FEATURE_SELECT_CAPABILITIES = 0x3, /* supported capabilities */
};
/* X(name, value, text) for each item */
#define NVME_FEATURE_SELECT_ITEMS(X) \
  X(current, 0x0, "current value") \
  X(default, 0x1, "default value") \
  X(saved, 0x2, "saved value") \
  X(capabilities, 0x3, "supported capabilities")

enum nvme_log_page {
  NVME_LOG_PAGE_ERROR_INFORMATION = 0x1, /* Error Information */
  NVME_LOG_PAGE_SMART = 0x2, /* SMART / Health Information */
  NVME_LOG_PAGE_FIRMWARE_SLOT = 0x3, /* Firmware Slot Information */
  NVME_LOG_PAGE_CHANGED_NAMESPACES = 0x4, /* Changed Namespace List */
  NVME_LOG_PAGE_COMMANDS_SUPPORTED = 0x5, /* Commands Supported and Effects */
  NVME_LOG_PAGE_ENDURANCE_GROUP = 0x9, /* Endurance Group Information */
  NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS = 0x20, /* FDP Configurations (base specification 2.1) */
  NVME_LOG_PAGE_PLACEMENT_USAGE = 0x21, /* Reclaim Unit Handle Usage */
  NVME_LOG_PAGE_PLACEMENT_STATISTICS = 0x22, /* FDP Statistics */
  NVME_LOG_PAGE_PLACEMENT_EVENTS = 0x23, /* FDP Events */
};
/* X(name, value, text) for each item */
#define NVME_LOG_PAGE_ITEMS(X) \
  X(error_information, 0x1, "Error Information") \
  X(smart, 0x2, "SMART / Health Information") \
  X(firmware_slot, 0x3, "Firmware Slot Information") \
  X(changed_namespaces, 0x4, "Changed Namespace List") \
  X(commands_supported, 0x5, "Commands Supported and Effects") \
  X(endurance_group, 0x9, "Endurance Group Information") \
  X(placement_configurations, 0x20, "FDP Configurations (base specification 2.1)") \
  X(placement_usage, 0x21, "Reclaim Unit Handle Usage") \
  X(placement_statistics, 0x22, "FDP Statistics") \
  X(placement_events, 0x23, "FDP Events")

enum nvme_cns {
  NVME_CNS_NAMESPACE = 0x0, /* Identify Namespace */
  NVME_CNS_CONTROLLER = 0x1, /* Identify Controller */
  NVME_CNS_ACTIVE_NAMESPACES = 0x2, /* Active Namespace ID list */
  NVME_CNS_DESCRIPTORS = 0x3, /* Namespace Identification Descriptor list */
  NVME_CNS_SET_NAMESPACE = 0x5, /* I/O Command Set specific Identify Namespace */
  NVME_CNS_SET_CONTROLLER = 0x6, /* I/O Command Set specific Identify Controller */
  NVME_CNS_CONTROLLERS = 0x13, /* Controller list */
};
/* X(name, value, text) for each item */
#define NVME_CNS_ITEMS(X) \
  X(namespace, 0x0, "Identify Namespace") \
  X(controller, 0x1, "Identify Controller") \
  X(active_namespaces, 0x2, "Active Namespace ID list") \
  X(descriptors, 0x3, "Namespace Identification Descriptor list") \
  X(set_namespace, 0x5, "I/O Command Set specific Identify Namespace") \
  X(set_controller, 0x6, "I/O Command Set specific Identify Controller") \
  X(controllers, 0x13, "Controller list")

enum nvme_async_event {
  NVME_ASYNC_EVENT_BAD_DOORBELL_REGISTER = 0x10000, /* error: write to the doorbell of a queue that does not exist */
  NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE = 0x10100, /* error: value out of range written to a doorbell */
  NVME_ASYNC_EVENT_SMART_RELIABILITY = 0x20001, /* SMART: reliability of the NVM subsystem */
  NVME_ASYNC_EVENT_SMART_TEMPERATURE = 0x20101, /* SMART: temperature at or past a threshold */
  NVME_ASYNC_EVENT_SMART_SPARE = 0x20201, /* SMART: spare below its threshold */
  NVME_ASYNC_EVENT_NAMESPACE_CHANGED = 0x40002, /* notice: Identify Namespace has changed */
};
/* X(name, value, text) for each item */
#define NVME_ASYNC_EVENT_ITEMS(X) \
  X(bad_doorbell_register, 0x10000, "error: write to the doorbell of a queue that does not exist") \
  X(bad_doorbell_value, 0x10100, "error: value out of range written to a doorbell") \
  X(smart_reliability, 0x20001, "SMART: reliability of the NVM subsystem") \
  X(smart_temperature, 0x20101, "SMART: temperature at or past a threshold") \
  X(smart_spare, 0x20201, "SMART: spare below its threshold") \
  X(namespace_changed, 0x40002, "notice: Identify Namespace has changed")

enum nvme_oaes {
  NVME_OAES_NAMESPACE_CHANGED = 0x100, /* namespace attribute notices */
};
/* X(name, value, text) for each item */
#define NVME_OAES_ITEMS(X) \
  X(namespace_changed, 0x100, "namespace attribute notices")

enum nvme_controller_type {
  NVME_CONTROLLER_TYPE_IO = 0x1, /* I/O controller */
};
/* X(name, value, text) for each item */
#define NVME_CONTROLLER_TYPE_ITEMS(X) \
  X(io, 0x1, "I/O controller")

enum nvme_ctratt {
  NVME_CTRATT_ENDURANCE_GROUPS = 0x10, /* endurance groups */
  NVME_CTRATT_PLACEMENT = 0x80000, /* FDPS: Flexible Data Placement (base specification 2.1) */
};
/* X(name, value, text) for each item */
#define NVME_CTRATT_ITEMS(X) \
  X(endurance_groups, 0x10, "endurance groups") \
  X(placement, 0x80000, "FDPS: Flexible Data Placement (base specification 2.1)")

enum nvme_directive {
  NVME_DIRECTIVE_NONE = 0x0, /* no directive */
  NVME_DIRECTIVE_DATA_PLACEMENT = 0x2, /* Data Placement: cdw13 31:16 is the placement identifier */
};
/* X(name, value, text) for each item */
#define NVME_DIRECTIVE_ITEMS(X) \
  X(none, 0x0, "no directive") \
  X(data_placement, 0x2, "Data Placement: cdw13 31:16 is the placement identifier")

enum nvme_io_mgmt {
  NVME_IO_MGMT_NONE = 0x0, /* no action */
  NVME_IO_MGMT_RUH = 0x1, /* Receive: Reclaim Unit Handle Status; Send: Reclaim Unit Handle Update */
};
/* X(name, value, text) for each item */
#define NVME_IO_MGMT_ITEMS(X) \
  X(none, 0x0, "no action") \
  X(ruh, 0x1, "Receive: Reclaim Unit Handle Status; Send: Reclaim Unit Handle Update")

enum nvme_placement {
  NVME_PLACEMENT_ENABLED = 0x1, /* FDPE */
};
/* X(name, value, text) for each item */
#define NVME_PLACEMENT_ITEMS(X) \
  X(enabled, 0x1, "FDPE")

enum nvme_placement_attribute {
  NVME_PLACEMENT_ATTRIBUTE_WRITE_CACHE = 0x10, /* FDPVWC: works with the volatile write cache */
  NVME_PLACEMENT_ATTRIBUTE_VALID = 0x80, /* FDPCV: the configuration can be used */
};
/* X(name, value, text) for each item */
#define NVME_PLACEMENT_ATTRIBUTE_ITEMS(X) \
  X(write_cache, 0x10, "FDPVWC: works with the volatile write cache") \
  X(valid, 0x80, "FDPCV: the configuration can be used")

enum nvme_ruh_type {
  NVME_RUH_TYPE_INITIALLY_ISOLATED = 0x1, /* host writes are kept apart; data that GC moves may be mixed */
};
/* X(name, value, text) for each item */
#define NVME_RUH_TYPE_ITEMS(X) \
  X(initially_isolated, 0x1, "host writes are kept apart; data that GC moves may be mixed")

enum nvme_ruh_attribute {
  NVME_RUH_ATTRIBUTE_HOST_SPECIFIED = 0x1, /* used by writes that name the handle */
};
/* X(name, value, text) for each item */
#define NVME_RUH_ATTRIBUTE_ITEMS(X) \
  X(host_specified, 0x1, "used by writes that name the handle")

enum nvme_oacs {
  NVME_OACS_FORMAT = 0x2, /* Format NVM */
};
/* X(name, value, text) for each item */
#define NVME_OACS_ITEMS(X) \
  X(format, 0x2, "Format NVM")

enum nvme_fna {
  NVME_FNA_FORMAT_ALL = 0x1, /* a format applies to all namespaces */
  NVME_FNA_ERASE_ALL = 0x2, /* a user data erase applies to all namespaces */
};
/* X(name, value, text) for each item */
#define NVME_FNA_ITEMS(X) \
  X(format_all, 0x1, "a format applies to all namespaces") \
  X(erase_all, 0x2, "a user data erase applies to all namespaces")

enum nvme_fpi {
  NVME_FPI_SUPPORTED = 0x80, /* bits 6:0 are the percentage of the format that remains */
};
/* X(name, value, text) for each item */
#define NVME_FPI_ITEMS(X) \
  X(supported, 0x80, "bits 6:0 are the percentage of the format that remains")

enum nvme_format_ses {
  NVME_FORMAT_SES_NONE = 0x0, /* no secure erase */
  NVME_FORMAT_SES_USER_DATA = 0x1, /* user data erase */
  NVME_FORMAT_SES_CRYPTOGRAPHIC = 0x2, /* cryptographic erase */
};
/* X(name, value, text) for each item */
#define NVME_FORMAT_SES_ITEMS(X) \
  X(none, 0x0, "no secure erase") \
  X(user_data, 0x1, "user data erase") \
  X(cryptographic, 0x2, "cryptographic erase")

enum nvme_frmw {
  NVME_FRMW_SLOT1_READ_ONLY = 0x1, /* firmware slot 1 is read only */
  NVME_FRMW_SLOTS = 0x2, /* unit of the number of firmware slots */
};
/* X(name, value, text) for each item */
#define NVME_FRMW_ITEMS(X) \
  X(slot1_read_only, 0x1, "firmware slot 1 is read only") \
  X(slots, 0x2, "unit of the number of firmware slots")

enum nvme_lpa {
  NVME_LPA_EFFECTS_LOG = 0x2, /* Commands Supported and Effects log */
  NVME_LPA_EXTENDED_DATA = 0x4, /* NUMDU and log page offset */
};
/* X(name, value, text) for each item */
#define NVME_LPA_ITEMS(X) \
  X(effects_log, 0x2, "Commands Supported and Effects log") \
  X(extended_data, 0x4, "NUMDU and log page offset")

enum nvme_oncs {
  NVME_ONCS_DATASET_MANAGEMENT = 0x4, /* Dataset Management */
  NVME_ONCS_WRITE_ZEROES = 0x8, /* Write Zeroes */
  NVME_ONCS_SAVE_SELECT = 0x10, /* Save in Set Features, Select in Get Features */
  NVME_ONCS_COPY = 0x100, /* Copy */
};
/* X(name, value, text) for each item */
#define NVME_ONCS_ITEMS(X) \
  X(dataset_management, 0x4, "Dataset Management") \
  X(write_zeroes, 0x8, "Write Zeroes") \
  X(save_select, 0x10, "Save in Set Features, Select in Get Features") \
  X(copy, 0x100, "Copy")

enum nvme_vwc {
  NVME_VWC_PRESENT = 0x1, /* there is a volatile write cache */
  NVME_VWC_FLUSH_ALL = 0x6, /* Flush with NSID FFFFFFFFh flushes all namespaces */
};
/* X(name, value, text) for each item */
#define NVME_VWC_ITEMS(X) \
  X(present, 0x1, "there is a volatile write cache") \
  X(flush_all, 0x6, "Flush with NSID FFFFFFFFh flushes all namespaces")

enum nvme_ocfs {
  NVME_OCFS_FORMAT0 = 0x1, /* Copy descriptor format 0 */
  NVME_OCFS_FORMAT1 = 0x2, /* Copy descriptor format 1 */
};
/* X(name, value, text) for each item */
#define NVME_OCFS_ITEMS(X) \
  X(format0, 0x1, "Copy descriptor format 0") \
  X(format1, 0x2, "Copy descriptor format 1")

enum nvme_nsfeat {
  NVME_NSFEAT_OPTIMAL_SIZES = 0x10, /* NPWG, NPWA, NPDG, NPDA and NOWS are defined */
};
/* X(name, value, text) for each item */
#define NVME_NSFEAT_ITEMS(X) \
  X(optimal_sizes, 0x10, "NPWG, NPWA, NPDG, NPDA and NOWS are defined")

enum nvme_nsattr {
  NVME_NSATTR_WRITE_PROTECTED = 0x1, /* the namespace is write protected now */
};
/* X(name, value, text) for each item */
#define NVME_NSATTR_ITEMS(X) \
  X(write_protected, 0x1, "the namespace is write protected now")

enum nvme_dlfeat {
  NVME_DLFEAT_READS_ZEROES = 0x1, /* a deallocated block reads as zeroes */
  NVME_DLFEAT_WRITE_ZEROES = 0x8, /* Write Zeroes may deallocate (DEAC) */
};
/* X(name, value, text) for each item */
#define NVME_DLFEAT_ITEMS(X) \
  X(reads_zeroes, 0x1, "a deallocated block reads as zeroes") \
  X(write_zeroes, 0x8, "Write Zeroes may deallocate (DEAC)")

enum nvme_lbaf {
  NVME_LBAF_DATA_SIZE = 0x10000, /* unit of LBADS, the exponent of the block size */
};
/* X(name, value, text) for each item */
#define NVME_LBAF_ITEMS(X) \
  X(data_size, 0x10000, "unit of LBADS, the exponent of the block size")

enum nvme_descriptor {
  NVME_DESCRIPTOR_EUI64 = 0x1, /* EUI-64, 8 bytes */
  NVME_DESCRIPTOR_NGUID = 0x2, /* NGUID, 16 bytes */
};
/* X(name, value, text) for each item */
#define NVME_DESCRIPTOR_ITEMS(X) \
  X(eui64, 0x1, "EUI-64, 8 bytes") \
  X(nguid, 0x2, "NGUID, 16 bytes")

enum nvme_queue_flag {
  NVME_QUEUE_FLAG_CONTIGUOUS = 0x1, /* PC: physically contiguous */
  NVME_QUEUE_FLAG_INTERRUPTS = 0x2, /* IEN: completion queue interrupts enabled */
};
/* X(name, value, text) for each item */
#define NVME_QUEUE_FLAG_ITEMS(X) \
  X(contiguous, 0x1, "PC: physically contiguous") \
  X(interrupts, 0x2, "IEN: completion queue interrupts enabled")

enum nvme_log_flag {
  NVME_LOG_FLAG_RETAIN_EVENT = 0x8000, /* RAE: the asynchronous event stays masked */
};
/* X(name, value, text) for each item */
#define NVME_LOG_FLAG_ITEMS(X) \
  X(retain_event, 0x8000, "RAE: the asynchronous event stays masked")

enum nvme_log_offset {
  NVME_LOG_OFFSET_INDEX = 0x800000, /* OT: the offset counts entries, not bytes */
};
/* X(name, value, text) for each item */
#define NVME_LOG_OFFSET_ITEMS(X) \
  X(index, 0x800000, "OT: the offset counts entries, not bytes")

enum nvme_feature_flag {
  NVME_FEATURE_FLAG_SAVE = 0x80000000, /* SV: save over a reset */
  NVME_FEATURE_FLAG_CHANGEABLE = 0x4, /* the feature can be changed */
  NVME_FEATURE_FLAG_NAMESPACED = 0x2, /* the feature belongs to a namespace */
};
/* X(name, value, text) for each item */
#define NVME_FEATURE_FLAG_ITEMS(X) \
  X(save, 0x80000000, "SV: save over a reset") \
  X(changeable, 0x4, "the feature can be changed") \
  X(namespaced, 0x2, "the feature belongs to a namespace")

enum nvme_error_recovery {
  NVME_ERROR_RECOVERY_DULBE = 0x10000, /* DULBE: reads of deallocated blocks are errors */
};
/* X(name, value, text) for each item */
#define NVME_ERROR_RECOVERY_ITEMS(X) \
  X(dulbe, 0x10000, "DULBE: reads of deallocated blocks are errors")

enum nvme_write_cache {
  NVME_WRITE_CACHE_ENABLE = 0x1, /* WCE */
};
/* X(name, value, text) for each item */
#define NVME_WRITE_CACHE_ITEMS(X) \
  X(enable, 0x1, "WCE")

enum nvme_interrupt_vector {
  NVME_INTERRUPT_VECTOR_COALESCING_DISABLE = 0x10000, /* CD */
};
/* X(name, value, text) for each item */
#define NVME_INTERRUPT_VECTOR_ITEMS(X) \
  X(coalescing_disable, 0x10000, "CD")

enum nvme_effect {
  NVME_EFFECT_SUPPORTED = 0x1, /* CSUPP */
  NVME_EFFECT_WRITES = 0x2, /* LBCC: logical block contents change */
  NVME_EFFECT_ALONE = 0x10000, /* CSE 001b: no other command to the namespace at the same time */
};
/* X(name, value, text) for each item */
#define NVME_EFFECT_ITEMS(X) \
  X(supported, 0x1, "CSUPP") \
  X(writes, 0x2, "LBCC: logical block contents change") \
  X(alone, 0x10000, "CSE 001b: no other command to the namespace at the same time")

enum nvme_critical_warning {
  NVME_CRITICAL_WARNING_SPARE = 0x1, /* available spare is below its threshold */
  NVME_CRITICAL_WARNING_TEMPERATURE = 0x2, /* temperature is at or past a threshold */
  NVME_CRITICAL_WARNING_RELIABILITY = 0x4, /* reliability is degraded */
  NVME_CRITICAL_WARNING_READ_ONLY = 0x8, /* the media can only be read */
};
/* X(name, value, text) for each item */
#define NVME_CRITICAL_WARNING_ITEMS(X) \
  X(spare, 0x1, "available spare is below its threshold") \
  X(temperature, 0x2, "temperature is at or past a threshold") \
  X(reliability, 0x4, "reliability is degraded") \
  X(read_only, 0x8, "the media can only be read")

enum nvme_shutdown {
  NVME_SHUTDOWN_NORMAL = 0x1, /* CC.SHN: normal shutdown */
  NVME_SHUTDOWN_ABRUPT = 0x2, /* CC.SHN: abrupt shutdown */
  NVME_SHUTDOWN_OCCURRING = 0x1, /* CSTS.SHST: being processed */
  NVME_SHUTDOWN_COMPLETE = 0x2, /* CSTS.SHST: complete */
};
/* X(name, value, text) for each item */
#define NVME_SHUTDOWN_ITEMS(X) \
  X(normal, 0x1, "CC.SHN: normal shutdown") \
  X(abrupt, 0x2, "CC.SHN: abrupt shutdown") \
  X(occurring, 0x1, "CSTS.SHST: being processed") \
  X(complete, 0x2, "CSTS.SHST: complete")


/* Submission queue entry, figure 105. */
#define NVME_SUBMISSION_ENTRY_BYTES 64u
struct nvme_submission_entry {
  uint8_t opcode; /* byte 0, 8 bits: opcode */
  uint8_t flags; /* byte 1, 8 bits: FUSE 1:0, PSDT 7:6 */
  uint16_t cid; /* byte 2, 16 bits: command identifier */
  uint32_t nsid; /* byte 4, 32 bits: namespace */
  uint32_t cdw2; /* byte 8, 32 bits: command dword 2 */
  uint32_t cdw3; /* byte 12, 32 bits: command dword 3 */
  uint64_t mptr; /* byte 16, 64 bits: metadata pointer */
  uint64_t prp1; /* byte 24, 64 bits: PRP entry 1 */
  uint64_t prp2; /* byte 32, 64 bits: PRP entry 2 */
  uint32_t cdw10; /* byte 40, 32 bits: command dword 10 */
  uint32_t cdw11; /* byte 44, 32 bits: command dword 11 */
  uint32_t cdw12; /* byte 48, 32 bits: command dword 12 */
  uint32_t cdw13; /* byte 52, 32 bits: command dword 13 */
  uint32_t cdw14; /* byte 56, 32 bits: command dword 14 */
  uint32_t cdw15; /* byte 60, 32 bits: command dword 15 */
};
#define NVME_SUBMISSION_ENTRY_OPCODE_OFFSET 0u
#define NVME_SUBMISSION_ENTRY_FLAGS_OFFSET 1u
#define NVME_SUBMISSION_ENTRY_CID_OFFSET 2u
#define NVME_SUBMISSION_ENTRY_NSID_OFFSET 4u
#define NVME_SUBMISSION_ENTRY_CDW2_OFFSET 8u
#define NVME_SUBMISSION_ENTRY_CDW3_OFFSET 12u
#define NVME_SUBMISSION_ENTRY_MPTR_OFFSET 16u
#define NVME_SUBMISSION_ENTRY_PRP1_OFFSET 24u
#define NVME_SUBMISSION_ENTRY_PRP2_OFFSET 32u
#define NVME_SUBMISSION_ENTRY_CDW10_OFFSET 40u
#define NVME_SUBMISSION_ENTRY_CDW11_OFFSET 44u
#define NVME_SUBMISSION_ENTRY_CDW12_OFFSET 48u
#define NVME_SUBMISSION_ENTRY_CDW13_OFFSET 52u
#define NVME_SUBMISSION_ENTRY_CDW14_OFFSET 56u
#define NVME_SUBMISSION_ENTRY_CDW15_OFFSET 60u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_SUBMISSION_ENTRY_FIELDS(X) \
  X(opcode, 8, "opcode") \
  X(flags, 8, "FUSE 1:0, PSDT 7:6") \
  X(cid, 16, "command identifier") \
  X(nsid, 32, "namespace") \
  X(cdw2, 32, "command dword 2") \
  X(cdw3, 32, "command dword 3") \
  X(mptr, 64, "metadata pointer") \
  X(prp1, 64, "PRP entry 1") \
  X(prp2, 64, "PRP entry 2") \
  X(cdw10, 32, "command dword 10") \
  X(cdw11, 32, "command dword 11") \
  X(cdw12, 32, "command dword 12") \
  X(cdw13, 32, "command dword 13") \
  X(cdw14, 32, "command dword 14") \
  X(cdw15, 32, "command dword 15")
static inline void nvme_submission_entry_pack(const struct nvme_submission_entry *r, uint8_t out[64]) {
  memset(out, 0, 64);
  orm_put_le(out + 0, r->opcode, 1);
  orm_put_le(out + 1, r->flags, 1);
  orm_put_le(out + 2, r->cid, 2);
  orm_put_le(out + 4, r->nsid, 4);
  orm_put_le(out + 8, r->cdw2, 4);
  orm_put_le(out + 12, r->cdw3, 4);
  orm_put_le(out + 16, r->mptr, 8);
  orm_put_le(out + 24, r->prp1, 8);
  orm_put_le(out + 32, r->prp2, 8);
  orm_put_le(out + 40, r->cdw10, 4);
  orm_put_le(out + 44, r->cdw11, 4);
  orm_put_le(out + 48, r->cdw12, 4);
  orm_put_le(out + 52, r->cdw13, 4);
  orm_put_le(out + 56, r->cdw14, 4);
  orm_put_le(out + 60, r->cdw15, 4);
}
static inline void nvme_submission_entry_unpack(struct nvme_submission_entry *r, const uint8_t in[64]) {
  r->opcode = (uint8_t)orm_get_le(in + 0, 1);
  r->flags = (uint8_t)orm_get_le(in + 1, 1);
  r->cid = (uint16_t)orm_get_le(in + 2, 2);
  r->nsid = (uint32_t)orm_get_le(in + 4, 4);
  r->cdw2 = (uint32_t)orm_get_le(in + 8, 4);
  r->cdw3 = (uint32_t)orm_get_le(in + 12, 4);
  r->mptr = (uint64_t)orm_get_le(in + 16, 8);
  r->prp1 = (uint64_t)orm_get_le(in + 24, 8);
  r->prp2 = (uint64_t)orm_get_le(in + 32, 8);
  r->cdw10 = (uint32_t)orm_get_le(in + 40, 4);
  r->cdw11 = (uint32_t)orm_get_le(in + 44, 4);
  r->cdw12 = (uint32_t)orm_get_le(in + 48, 4);
  r->cdw13 = (uint32_t)orm_get_le(in + 52, 4);
  r->cdw14 = (uint32_t)orm_get_le(in + 56, 4);
  r->cdw15 = (uint32_t)orm_get_le(in + 60, 4);
}


/* Completion queue entry, figure 122. */
#define NVME_COMPLETION_ENTRY_BYTES 16u
struct nvme_completion_entry {
  uint32_t dw0; /* byte 0, 32 bits: command specific */
  uint32_t dw1; /* byte 4, 32 bits: reserved */
  uint16_t sqhd; /* byte 8, 16 bits: SQ head pointer */
  uint16_t sqid; /* byte 10, 16 bits: SQ identifier */
  uint16_t cid; /* byte 12, 16 bits: command identifier */
  uint16_t status; /* byte 14, 16 bits: phase in bit 0, status field in bits 15:1 */
};
#define NVME_COMPLETION_ENTRY_DW0_OFFSET 0u
#define NVME_COMPLETION_ENTRY_DW1_OFFSET 4u
#define NVME_COMPLETION_ENTRY_SQHD_OFFSET 8u
#define NVME_COMPLETION_ENTRY_SQID_OFFSET 10u
#define NVME_COMPLETION_ENTRY_CID_OFFSET 12u
#define NVME_COMPLETION_ENTRY_STATUS_OFFSET 14u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_COMPLETION_ENTRY_FIELDS(X) \
  X(dw0, 32, "command specific") \
  X(dw1, 32, "reserved") \
  X(sqhd, 16, "SQ head pointer") \
  X(sqid, 16, "SQ identifier") \
  X(cid, 16, "command identifier") \
  X(status, 16, "phase in bit 0, status field in bits 15:1")
static inline void nvme_completion_entry_pack(const struct nvme_completion_entry *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->dw0, 4);
  orm_put_le(out + 4, r->dw1, 4);
  orm_put_le(out + 8, r->sqhd, 2);
  orm_put_le(out + 10, r->sqid, 2);
  orm_put_le(out + 12, r->cid, 2);
  orm_put_le(out + 14, r->status, 2);
}
static inline void nvme_completion_entry_unpack(struct nvme_completion_entry *r, const uint8_t in[16]) {
  r->dw0 = (uint32_t)orm_get_le(in + 0, 4);
  r->dw1 = (uint32_t)orm_get_le(in + 4, 4);
  r->sqhd = (uint16_t)orm_get_le(in + 8, 2);
  r->sqid = (uint16_t)orm_get_le(in + 10, 2);
  r->cid = (uint16_t)orm_get_le(in + 12, 2);
  r->status = (uint16_t)orm_get_le(in + 14, 2);
}


/* Dataset Management range, figure 362. */
#define NVME_DSM_RANGE_BYTES 16u
struct nvme_dsm_range {
  uint32_t attributes; /* byte 0, 32 bits: context attributes */
  uint32_t nlb; /* byte 4, 32 bits: length in logical blocks */
  uint64_t slba; /* byte 8, 64 bits: first logical block */
};
#define NVME_DSM_RANGE_ATTRIBUTES_OFFSET 0u
#define NVME_DSM_RANGE_NLB_OFFSET 4u
#define NVME_DSM_RANGE_SLBA_OFFSET 8u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_DSM_RANGE_FIELDS(X) \
  X(attributes, 32, "context attributes") \
  X(nlb, 32, "length in logical blocks") \
  X(slba, 64, "first logical block")
static inline void nvme_dsm_range_pack(const struct nvme_dsm_range *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->attributes, 4);
  orm_put_le(out + 4, r->nlb, 4);
  orm_put_le(out + 8, r->slba, 8);
}
static inline void nvme_dsm_range_unpack(struct nvme_dsm_range *r, const uint8_t in[16]) {
  r->attributes = (uint32_t)orm_get_le(in + 0, 4);
  r->nlb = (uint32_t)orm_get_le(in + 4, 4);
  r->slba = (uint64_t)orm_get_le(in + 8, 8);
}


/* Copy source range, descriptor format 0. */
#define NVME_COPY_RANGE_BYTES 32u
struct nvme_copy_range {
  uint64_t slba; /* byte 8, 64 bits: first logical block */
  uint16_t nlb; /* byte 16, 16 bits: logical blocks, zero-based */
  uint32_t eilbrt; /* byte 24, 32 bits: expected initial logical block reference tag */
  uint16_t elbat; /* byte 28, 16 bits: expected application tag */
  uint16_t elbatm; /* byte 30, 16 bits: expected application tag mask */
};
#define NVME_COPY_RANGE_SLBA_OFFSET 8u
#define NVME_COPY_RANGE_NLB_OFFSET 16u
#define NVME_COPY_RANGE_EILBRT_OFFSET 24u
#define NVME_COPY_RANGE_ELBAT_OFFSET 28u
#define NVME_COPY_RANGE_ELBATM_OFFSET 30u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_COPY_RANGE_FIELDS(X) \
  X(slba, 64, "first logical block") \
  X(nlb, 16, "logical blocks, zero-based") \
  X(eilbrt, 32, "expected initial logical block reference tag") \
  X(elbat, 16, "expected application tag") \
  X(elbatm, 16, "expected application tag mask")
static inline void nvme_copy_range_pack(const struct nvme_copy_range *r, uint8_t out[32]) {
  memset(out, 0, 32);
  orm_put_le(out + 8, r->slba, 8);
  orm_put_le(out + 16, r->nlb, 2);
  orm_put_le(out + 24, r->eilbrt, 4);
  orm_put_le(out + 28, r->elbat, 2);
  orm_put_le(out + 30, r->elbatm, 2);
}
static inline void nvme_copy_range_unpack(struct nvme_copy_range *r, const uint8_t in[32]) {
  r->slba = (uint64_t)orm_get_le(in + 8, 8);
  r->nlb = (uint16_t)orm_get_le(in + 16, 2);
  r->eilbrt = (uint32_t)orm_get_le(in + 24, 4);
  r->elbat = (uint16_t)orm_get_le(in + 28, 2);
  r->elbatm = (uint16_t)orm_get_le(in + 30, 2);
}


/* Copy source range, descriptor format 1 (longer tags). */
#define NVME_COPY_RANGE1_BYTES 40u
struct nvme_copy_range1 {
  uint64_t slba; /* byte 8, 64 bits: first logical block */
  uint16_t nlb; /* byte 16, 16 bits: logical blocks, zero-based */
  uint8_t elbt[10]; /* byte 26: expected storage and initial reference tag */
  uint16_t elbat; /* byte 36, 16 bits: expected application tag */
  uint16_t elbatm; /* byte 38, 16 bits: expected application tag mask */
};
#define NVME_COPY_RANGE1_SLBA_OFFSET 8u
#define NVME_COPY_RANGE1_NLB_OFFSET 16u
#define NVME_COPY_RANGE1_ELBT_OFFSET 26u
#define NVME_COPY_RANGE1_ELBAT_OFFSET 36u
#define NVME_COPY_RANGE1_ELBATM_OFFSET 38u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_COPY_RANGE1_FIELDS(X) \
  X(slba, 64, "first logical block") \
  X(nlb, 16, "logical blocks, zero-based") \
  X(elbat, 16, "expected application tag") \
  X(elbatm, 16, "expected application tag mask")
static inline void nvme_copy_range1_pack(const struct nvme_copy_range1 *r, uint8_t out[40]) {
  memset(out, 0, 40);
  orm_put_le(out + 8, r->slba, 8);
  orm_put_le(out + 16, r->nlb, 2);
  memcpy(out + 26, r->elbt, 10);
  orm_put_le(out + 36, r->elbat, 2);
  orm_put_le(out + 38, r->elbatm, 2);
}
static inline void nvme_copy_range1_unpack(struct nvme_copy_range1 *r, const uint8_t in[40]) {
  r->slba = (uint64_t)orm_get_le(in + 8, 8);
  r->nlb = (uint16_t)orm_get_le(in + 16, 2);
  memcpy(r->elbt, in + 26, 10);
  r->elbat = (uint16_t)orm_get_le(in + 36, 2);
  r->elbatm = (uint16_t)orm_get_le(in + 38, 2);
}


/* Identify Controller, figure 247. */
#define NVME_IDENTIFY_CONTROLLER_BYTES 4096u
struct nvme_identify_controller {
  uint16_t vid; /* byte 0, 16 bits: PCI vendor */
  uint16_t ssvid; /* byte 2, 16 bits: PCI subsystem vendor */
  uint8_t sn[20]; /* byte 4: serial number, ASCII, padded with spaces */
  uint8_t mn[40]; /* byte 24: model number */
  uint64_t fr; /* byte 64, 64 bits: firmware revision */
  uint8_t rab; /* byte 72, 8 bits: recommended arbitration burst */
  uint32_t ieee; /* byte 73, 24 bits: OUI */
  uint8_t cmic; /* byte 76, 8 bits: multi-path capabilities */
  uint8_t mdts; /* byte 77, 8 bits: largest transfer, 2^n of 4 KiB */
  uint16_t cntlid; /* byte 78, 16 bits: controller */
  uint32_t ver; /* byte 80, 32 bits: version */
  uint32_t rtd3r; /* byte 84, 32 bits: RTD3 resume latency */
  uint32_t rtd3e; /* byte 88, 32 bits: RTD3 entry latency */
  uint32_t oaes; /* byte 92, 32 bits: optional asynchronous events */
  uint32_t ctratt; /* byte 96, 32 bits: attributes; bit 4 endurance groups */
  uint8_t cntrltype; /* byte 111, 8 bits: 1: I/O controller */
  uint16_t oacs; /* byte 256, 16 bits: optional admin commands */
  uint8_t acl; /* byte 258, 8 bits: abort command limit, zero-based */
  uint8_t aerl; /* byte 259, 8 bits: asynchronous event request limit, zero-based */
  uint8_t frmw; /* byte 260, 8 bits: firmware updates: slots 3:1, slot 1 read only 0 */
  uint8_t lpa; /* byte 261, 8 bits: log page attributes: bit 1 effects log, bit 2 extended data */
  uint8_t elpe; /* byte 262, 8 bits: error log entries, zero-based */
  uint8_t npss; /* byte 263, 8 bits: power states, zero-based */
  uint16_t wctemp; /* byte 266, 16 bits: warning temperature, K */
  uint16_t cctemp; /* byte 268, 16 bits: critical temperature, K */
  uint8_t tnvmcap[16]; /* byte 280: capacity, bytes */
  uint16_t endgidmax; /* byte 340, 16 bits: largest endurance group */
  uint8_t sqes; /* byte 512, 8 bits: SQ entry size, 2^n: required 3:0, maximum 7:4 */
  uint8_t cqes; /* byte 513, 8 bits: CQ entry size */
  uint16_t maxcmd; /* byte 514, 16 bits: outstanding commands */
  uint32_t nn; /* byte 516, 32 bits: namespaces */
  uint16_t oncs; /* byte 520, 16 bits: optional NVM commands: 2 DSM, 3 Write Zeroes, 4 Save and Select, 8 Copy */
  uint16_t fuses; /* byte 522, 16 bits: fused operations */
  uint8_t fna; /* byte 524, 8 bits: format attributes */
  uint8_t vwc; /* byte 525, 8 bits: volatile write cache: bit 0 present, 2:1 Flush with NSID FFFFFFFFh */
  uint16_t awun; /* byte 526, 16 bits: atomic write unit normal, zero-based */
  uint16_t awupf; /* byte 528, 16 bits: atomic write unit power fail, zero-based */
  uint16_t ocfs; /* byte 534, 16 bits: copy descriptor formats */
  uint32_t sgls; /* byte 536, 32 bits: SGL support */
  uint8_t subnqn[256]; /* byte 768: NVM subsystem qualified name */
  uint16_t psd0_mp; /* byte 2048, 16 bits: power state 0: maximum power, 0.01 W */
  uint8_t board; /* byte 3072, 8 bits: vendor specific: board_* bits, as SocBoard.flags */
};
#define NVME_IDENTIFY_CONTROLLER_VID_OFFSET 0u
#define NVME_IDENTIFY_CONTROLLER_SSVID_OFFSET 2u
#define NVME_IDENTIFY_CONTROLLER_SN_OFFSET 4u
#define NVME_IDENTIFY_CONTROLLER_MN_OFFSET 24u
#define NVME_IDENTIFY_CONTROLLER_FR_OFFSET 64u
#define NVME_IDENTIFY_CONTROLLER_RAB_OFFSET 72u
#define NVME_IDENTIFY_CONTROLLER_IEEE_OFFSET 73u
#define NVME_IDENTIFY_CONTROLLER_CMIC_OFFSET 76u
#define NVME_IDENTIFY_CONTROLLER_MDTS_OFFSET 77u
#define NVME_IDENTIFY_CONTROLLER_CNTLID_OFFSET 78u
#define NVME_IDENTIFY_CONTROLLER_VER_OFFSET 80u
#define NVME_IDENTIFY_CONTROLLER_RTD3R_OFFSET 84u
#define NVME_IDENTIFY_CONTROLLER_RTD3E_OFFSET 88u
#define NVME_IDENTIFY_CONTROLLER_OAES_OFFSET 92u
#define NVME_IDENTIFY_CONTROLLER_CTRATT_OFFSET 96u
#define NVME_IDENTIFY_CONTROLLER_CNTRLTYPE_OFFSET 111u
#define NVME_IDENTIFY_CONTROLLER_OACS_OFFSET 256u
#define NVME_IDENTIFY_CONTROLLER_ACL_OFFSET 258u
#define NVME_IDENTIFY_CONTROLLER_AERL_OFFSET 259u
#define NVME_IDENTIFY_CONTROLLER_FRMW_OFFSET 260u
#define NVME_IDENTIFY_CONTROLLER_LPA_OFFSET 261u
#define NVME_IDENTIFY_CONTROLLER_ELPE_OFFSET 262u
#define NVME_IDENTIFY_CONTROLLER_NPSS_OFFSET 263u
#define NVME_IDENTIFY_CONTROLLER_WCTEMP_OFFSET 266u
#define NVME_IDENTIFY_CONTROLLER_CCTEMP_OFFSET 268u
#define NVME_IDENTIFY_CONTROLLER_TNVMCAP_OFFSET 280u
#define NVME_IDENTIFY_CONTROLLER_ENDGIDMAX_OFFSET 340u
#define NVME_IDENTIFY_CONTROLLER_SQES_OFFSET 512u
#define NVME_IDENTIFY_CONTROLLER_CQES_OFFSET 513u
#define NVME_IDENTIFY_CONTROLLER_MAXCMD_OFFSET 514u
#define NVME_IDENTIFY_CONTROLLER_NN_OFFSET 516u
#define NVME_IDENTIFY_CONTROLLER_ONCS_OFFSET 520u
#define NVME_IDENTIFY_CONTROLLER_FUSES_OFFSET 522u
#define NVME_IDENTIFY_CONTROLLER_FNA_OFFSET 524u
#define NVME_IDENTIFY_CONTROLLER_VWC_OFFSET 525u
#define NVME_IDENTIFY_CONTROLLER_AWUN_OFFSET 526u
#define NVME_IDENTIFY_CONTROLLER_AWUPF_OFFSET 528u
#define NVME_IDENTIFY_CONTROLLER_OCFS_OFFSET 534u
#define NVME_IDENTIFY_CONTROLLER_SGLS_OFFSET 536u
#define NVME_IDENTIFY_CONTROLLER_SUBNQN_OFFSET 768u
#define NVME_IDENTIFY_CONTROLLER_PSD0_MP_OFFSET 2048u
#define NVME_IDENTIFY_CONTROLLER_BOARD_OFFSET 3072u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_IDENTIFY_CONTROLLER_FIELDS(X) \
  X(vid, 16, "PCI vendor") \
  X(ssvid, 16, "PCI subsystem vendor") \
  X(fr, 64, "firmware revision") \
  X(rab, 8, "recommended arbitration burst") \
  X(ieee, 24, "OUI") \
  X(cmic, 8, "multi-path capabilities") \
  X(mdts, 8, "largest transfer, 2^n of 4 KiB") \
  X(cntlid, 16, "controller") \
  X(ver, 32, "version") \
  X(rtd3r, 32, "RTD3 resume latency") \
  X(rtd3e, 32, "RTD3 entry latency") \
  X(oaes, 32, "optional asynchronous events") \
  X(ctratt, 32, "attributes; bit 4 endurance groups") \
  X(cntrltype, 8, "1: I/O controller") \
  X(oacs, 16, "optional admin commands") \
  X(acl, 8, "abort command limit, zero-based") \
  X(aerl, 8, "asynchronous event request limit, zero-based") \
  X(frmw, 8, "firmware updates: slots 3:1, slot 1 read only 0") \
  X(lpa, 8, "log page attributes: bit 1 effects log, bit 2 extended data") \
  X(elpe, 8, "error log entries, zero-based") \
  X(npss, 8, "power states, zero-based") \
  X(wctemp, 16, "warning temperature, K") \
  X(cctemp, 16, "critical temperature, K") \
  X(endgidmax, 16, "largest endurance group") \
  X(sqes, 8, "SQ entry size, 2^n: required 3:0, maximum 7:4") \
  X(cqes, 8, "CQ entry size") \
  X(maxcmd, 16, "outstanding commands") \
  X(nn, 32, "namespaces") \
  X(oncs, 16, "optional NVM commands: 2 DSM, 3 Write Zeroes, 4 Save and Select, 8 Copy") \
  X(fuses, 16, "fused operations") \
  X(fna, 8, "format attributes") \
  X(vwc, 8, "volatile write cache: bit 0 present, 2:1 Flush with NSID FFFFFFFFh") \
  X(awun, 16, "atomic write unit normal, zero-based") \
  X(awupf, 16, "atomic write unit power fail, zero-based") \
  X(ocfs, 16, "copy descriptor formats") \
  X(sgls, 32, "SGL support") \
  X(psd0_mp, 16, "power state 0: maximum power, 0.01 W") \
  X(board, 8, "vendor specific: board_* bits, as SocBoard.flags")
static inline void nvme_identify_controller_pack(const struct nvme_identify_controller *r, uint8_t out[4096]) {
  memset(out, 0, 4096);
  orm_put_le(out + 0, r->vid, 2);
  orm_put_le(out + 2, r->ssvid, 2);
  memcpy(out + 4, r->sn, 20);
  memcpy(out + 24, r->mn, 40);
  orm_put_le(out + 64, r->fr, 8);
  orm_put_le(out + 72, r->rab, 1);
  orm_put_le(out + 73, r->ieee, 3);
  orm_put_le(out + 76, r->cmic, 1);
  orm_put_le(out + 77, r->mdts, 1);
  orm_put_le(out + 78, r->cntlid, 2);
  orm_put_le(out + 80, r->ver, 4);
  orm_put_le(out + 84, r->rtd3r, 4);
  orm_put_le(out + 88, r->rtd3e, 4);
  orm_put_le(out + 92, r->oaes, 4);
  orm_put_le(out + 96, r->ctratt, 4);
  orm_put_le(out + 111, r->cntrltype, 1);
  orm_put_le(out + 256, r->oacs, 2);
  orm_put_le(out + 258, r->acl, 1);
  orm_put_le(out + 259, r->aerl, 1);
  orm_put_le(out + 260, r->frmw, 1);
  orm_put_le(out + 261, r->lpa, 1);
  orm_put_le(out + 262, r->elpe, 1);
  orm_put_le(out + 263, r->npss, 1);
  orm_put_le(out + 266, r->wctemp, 2);
  orm_put_le(out + 268, r->cctemp, 2);
  memcpy(out + 280, r->tnvmcap, 16);
  orm_put_le(out + 340, r->endgidmax, 2);
  orm_put_le(out + 512, r->sqes, 1);
  orm_put_le(out + 513, r->cqes, 1);
  orm_put_le(out + 514, r->maxcmd, 2);
  orm_put_le(out + 516, r->nn, 4);
  orm_put_le(out + 520, r->oncs, 2);
  orm_put_le(out + 522, r->fuses, 2);
  orm_put_le(out + 524, r->fna, 1);
  orm_put_le(out + 525, r->vwc, 1);
  orm_put_le(out + 526, r->awun, 2);
  orm_put_le(out + 528, r->awupf, 2);
  orm_put_le(out + 534, r->ocfs, 2);
  orm_put_le(out + 536, r->sgls, 4);
  memcpy(out + 768, r->subnqn, 256);
  orm_put_le(out + 2048, r->psd0_mp, 2);
  orm_put_le(out + 3072, r->board, 1);
}
static inline void nvme_identify_controller_unpack(struct nvme_identify_controller *r, const uint8_t in[4096]) {
  r->vid = (uint16_t)orm_get_le(in + 0, 2);
  r->ssvid = (uint16_t)orm_get_le(in + 2, 2);
  memcpy(r->sn, in + 4, 20);
  memcpy(r->mn, in + 24, 40);
  r->fr = (uint64_t)orm_get_le(in + 64, 8);
  r->rab = (uint8_t)orm_get_le(in + 72, 1);
  r->ieee = (uint32_t)orm_get_le(in + 73, 3);
  r->cmic = (uint8_t)orm_get_le(in + 76, 1);
  r->mdts = (uint8_t)orm_get_le(in + 77, 1);
  r->cntlid = (uint16_t)orm_get_le(in + 78, 2);
  r->ver = (uint32_t)orm_get_le(in + 80, 4);
  r->rtd3r = (uint32_t)orm_get_le(in + 84, 4);
  r->rtd3e = (uint32_t)orm_get_le(in + 88, 4);
  r->oaes = (uint32_t)orm_get_le(in + 92, 4);
  r->ctratt = (uint32_t)orm_get_le(in + 96, 4);
  r->cntrltype = (uint8_t)orm_get_le(in + 111, 1);
  r->oacs = (uint16_t)orm_get_le(in + 256, 2);
  r->acl = (uint8_t)orm_get_le(in + 258, 1);
  r->aerl = (uint8_t)orm_get_le(in + 259, 1);
  r->frmw = (uint8_t)orm_get_le(in + 260, 1);
  r->lpa = (uint8_t)orm_get_le(in + 261, 1);
  r->elpe = (uint8_t)orm_get_le(in + 262, 1);
  r->npss = (uint8_t)orm_get_le(in + 263, 1);
  r->wctemp = (uint16_t)orm_get_le(in + 266, 2);
  r->cctemp = (uint16_t)orm_get_le(in + 268, 2);
  memcpy(r->tnvmcap, in + 280, 16);
  r->endgidmax = (uint16_t)orm_get_le(in + 340, 2);
  r->sqes = (uint8_t)orm_get_le(in + 512, 1);
  r->cqes = (uint8_t)orm_get_le(in + 513, 1);
  r->maxcmd = (uint16_t)orm_get_le(in + 514, 2);
  r->nn = (uint32_t)orm_get_le(in + 516, 4);
  r->oncs = (uint16_t)orm_get_le(in + 520, 2);
  r->fuses = (uint16_t)orm_get_le(in + 522, 2);
  r->fna = (uint8_t)orm_get_le(in + 524, 1);
  r->vwc = (uint8_t)orm_get_le(in + 525, 1);
  r->awun = (uint16_t)orm_get_le(in + 526, 2);
  r->awupf = (uint16_t)orm_get_le(in + 528, 2);
  r->ocfs = (uint16_t)orm_get_le(in + 534, 2);
  r->sgls = (uint32_t)orm_get_le(in + 536, 4);
  memcpy(r->subnqn, in + 768, 256);
  r->psd0_mp = (uint16_t)orm_get_le(in + 2048, 2);
  r->board = (uint8_t)orm_get_le(in + 3072, 1);
}


/* Identify Namespace, figure 245, with the Copy limits of the NVM command set specification 1.0. */
#define NVME_IDENTIFY_NAMESPACE_BYTES 4096u
struct nvme_identify_namespace {
  uint64_t nsze; /* byte 0, 64 bits: size, logical blocks */
  uint64_t ncap; /* byte 8, 64 bits: capacity */
  uint64_t nuse; /* byte 16, 64 bits: blocks in use */
  uint8_t nsfeat; /* byte 24, 8 bits: features: bit 0 thin, bit 4 the optimal sizes below */
  uint8_t nlbaf; /* byte 25, 8 bits: LBA formats, zero-based */
  uint8_t flbas; /* byte 26, 8 bits: formatted LBA size */
  uint8_t mc; /* byte 27, 8 bits: metadata capabilities */
  uint8_t dpc; /* byte 28, 8 bits: protection capabilities */
  uint8_t dps; /* byte 29, 8 bits: protection settings */
  uint8_t nmic; /* byte 30, 8 bits: multi-path */
  uint8_t fpi; /* byte 32, 8 bits: format progress */
  uint8_t dlfeat; /* byte 33, 8 bits: deallocated blocks: 2:0 1 reads zeroes, 3 Write Zeroes deallocates */
  uint16_t npwg; /* byte 64, 16 bits: preferred write granularity, zero-based */
  uint16_t npwa; /* byte 66, 16 bits: preferred write alignment */
  uint16_t npdg; /* byte 68, 16 bits: preferred deallocate granularity */
  uint16_t npda; /* byte 70, 16 bits: preferred deallocate alignment */
  uint16_t nows; /* byte 72, 16 bits: optimal write size */
  uint16_t mssrl; /* byte 74, 16 bits: Copy: blocks of one source range */
  uint32_t mcl; /* byte 76, 32 bits: Copy: blocks of one command */
  uint8_t msrc; /* byte 80, 8 bits: Copy: source ranges, zero-based */
  uint8_t nsattr; /* byte 99, 8 bits: attributes: bit 0 write protected now */
  uint16_t endgid; /* byte 102, 16 bits: endurance group */
  uint8_t nguid[16]; /* byte 104: namespace globally unique identifier, most significant byte first */
  uint64_t eui64; /* byte 120, 64 bits: IEEE extended unique identifier, most significant byte first */
  uint32_t lbaf0; /* byte 128, 32 bits: LBA format 0: data size 2^n in bits 23:16, relative performance 25:24 */
};
#define NVME_IDENTIFY_NAMESPACE_NSZE_OFFSET 0u
#define NVME_IDENTIFY_NAMESPACE_NCAP_OFFSET 8u
#define NVME_IDENTIFY_NAMESPACE_NUSE_OFFSET 16u
#define NVME_IDENTIFY_NAMESPACE_NSFEAT_OFFSET 24u
#define NVME_IDENTIFY_NAMESPACE_NLBAF_OFFSET 25u
#define NVME_IDENTIFY_NAMESPACE_FLBAS_OFFSET 26u
#define NVME_IDENTIFY_NAMESPACE_MC_OFFSET 27u
#define NVME_IDENTIFY_NAMESPACE_DPC_OFFSET 28u
#define NVME_IDENTIFY_NAMESPACE_DPS_OFFSET 29u
#define NVME_IDENTIFY_NAMESPACE_NMIC_OFFSET 30u
#define NVME_IDENTIFY_NAMESPACE_FPI_OFFSET 32u
#define NVME_IDENTIFY_NAMESPACE_DLFEAT_OFFSET 33u
#define NVME_IDENTIFY_NAMESPACE_NPWG_OFFSET 64u
#define NVME_IDENTIFY_NAMESPACE_NPWA_OFFSET 66u
#define NVME_IDENTIFY_NAMESPACE_NPDG_OFFSET 68u
#define NVME_IDENTIFY_NAMESPACE_NPDA_OFFSET 70u
#define NVME_IDENTIFY_NAMESPACE_NOWS_OFFSET 72u
#define NVME_IDENTIFY_NAMESPACE_MSSRL_OFFSET 74u
#define NVME_IDENTIFY_NAMESPACE_MCL_OFFSET 76u
#define NVME_IDENTIFY_NAMESPACE_MSRC_OFFSET 80u
#define NVME_IDENTIFY_NAMESPACE_NSATTR_OFFSET 99u
#define NVME_IDENTIFY_NAMESPACE_ENDGID_OFFSET 102u
#define NVME_IDENTIFY_NAMESPACE_NGUID_OFFSET 104u
#define NVME_IDENTIFY_NAMESPACE_EUI64_OFFSET 120u
#define NVME_IDENTIFY_NAMESPACE_LBAF0_OFFSET 128u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_IDENTIFY_NAMESPACE_FIELDS(X) \
  X(nsze, 64, "size, logical blocks") \
  X(ncap, 64, "capacity") \
  X(nuse, 64, "blocks in use") \
  X(nsfeat, 8, "features: bit 0 thin, bit 4 the optimal sizes below") \
  X(nlbaf, 8, "LBA formats, zero-based") \
  X(flbas, 8, "formatted LBA size") \
  X(mc, 8, "metadata capabilities") \
  X(dpc, 8, "protection capabilities") \
  X(dps, 8, "protection settings") \
  X(nmic, 8, "multi-path") \
  X(fpi, 8, "format progress") \
  X(dlfeat, 8, "deallocated blocks: 2:0 1 reads zeroes, 3 Write Zeroes deallocates") \
  X(npwg, 16, "preferred write granularity, zero-based") \
  X(npwa, 16, "preferred write alignment") \
  X(npdg, 16, "preferred deallocate granularity") \
  X(npda, 16, "preferred deallocate alignment") \
  X(nows, 16, "optimal write size") \
  X(mssrl, 16, "Copy: blocks of one source range") \
  X(mcl, 32, "Copy: blocks of one command") \
  X(msrc, 8, "Copy: source ranges, zero-based") \
  X(nsattr, 8, "attributes: bit 0 write protected now") \
  X(endgid, 16, "endurance group") \
  X(eui64, 64, "IEEE extended unique identifier, most significant byte first") \
  X(lbaf0, 32, "LBA format 0: data size 2^n in bits 23:16, relative performance 25:24")
static inline void nvme_identify_namespace_pack(const struct nvme_identify_namespace *r, uint8_t out[4096]) {
  memset(out, 0, 4096);
  orm_put_le(out + 0, r->nsze, 8);
  orm_put_le(out + 8, r->ncap, 8);
  orm_put_le(out + 16, r->nuse, 8);
  orm_put_le(out + 24, r->nsfeat, 1);
  orm_put_le(out + 25, r->nlbaf, 1);
  orm_put_le(out + 26, r->flbas, 1);
  orm_put_le(out + 27, r->mc, 1);
  orm_put_le(out + 28, r->dpc, 1);
  orm_put_le(out + 29, r->dps, 1);
  orm_put_le(out + 30, r->nmic, 1);
  orm_put_le(out + 32, r->fpi, 1);
  orm_put_le(out + 33, r->dlfeat, 1);
  orm_put_le(out + 64, r->npwg, 2);
  orm_put_le(out + 66, r->npwa, 2);
  orm_put_le(out + 68, r->npdg, 2);
  orm_put_le(out + 70, r->npda, 2);
  orm_put_le(out + 72, r->nows, 2);
  orm_put_le(out + 74, r->mssrl, 2);
  orm_put_le(out + 76, r->mcl, 4);
  orm_put_le(out + 80, r->msrc, 1);
  orm_put_le(out + 99, r->nsattr, 1);
  orm_put_le(out + 102, r->endgid, 2);
  memcpy(out + 104, r->nguid, 16);
  orm_put_le(out + 120, r->eui64, 8);
  orm_put_le(out + 128, r->lbaf0, 4);
}
static inline void nvme_identify_namespace_unpack(struct nvme_identify_namespace *r, const uint8_t in[4096]) {
  r->nsze = (uint64_t)orm_get_le(in + 0, 8);
  r->ncap = (uint64_t)orm_get_le(in + 8, 8);
  r->nuse = (uint64_t)orm_get_le(in + 16, 8);
  r->nsfeat = (uint8_t)orm_get_le(in + 24, 1);
  r->nlbaf = (uint8_t)orm_get_le(in + 25, 1);
  r->flbas = (uint8_t)orm_get_le(in + 26, 1);
  r->mc = (uint8_t)orm_get_le(in + 27, 1);
  r->dpc = (uint8_t)orm_get_le(in + 28, 1);
  r->dps = (uint8_t)orm_get_le(in + 29, 1);
  r->nmic = (uint8_t)orm_get_le(in + 30, 1);
  r->fpi = (uint8_t)orm_get_le(in + 32, 1);
  r->dlfeat = (uint8_t)orm_get_le(in + 33, 1);
  r->npwg = (uint16_t)orm_get_le(in + 64, 2);
  r->npwa = (uint16_t)orm_get_le(in + 66, 2);
  r->npdg = (uint16_t)orm_get_le(in + 68, 2);
  r->npda = (uint16_t)orm_get_le(in + 70, 2);
  r->nows = (uint16_t)orm_get_le(in + 72, 2);
  r->mssrl = (uint16_t)orm_get_le(in + 74, 2);
  r->mcl = (uint32_t)orm_get_le(in + 76, 4);
  r->msrc = (uint8_t)orm_get_le(in + 80, 1);
  r->nsattr = (uint8_t)orm_get_le(in + 99, 1);
  r->endgid = (uint16_t)orm_get_le(in + 102, 2);
  memcpy(r->nguid, in + 104, 16);
  r->eui64 = (uint64_t)orm_get_le(in + 120, 8);
  r->lbaf0 = (uint32_t)orm_get_le(in + 128, 4);
}


/* Error Information log entry, figure 194. */
#define NVME_ERROR_LOG_ENTRY_BYTES 64u
struct nvme_error_log_entry {
  uint64_t error_count; /* byte 0, 64 bits: number of this error, from 1; 0 is an unused entry */
  uint16_t sqid; /* byte 8, 16 bits: submission queue; FFFFh: the error is of no command */
  uint16_t cid; /* byte 10, 16 bits: command identifier; FFFFh: the error is of no command */
  uint16_t status; /* byte 12, 16 bits: status field in bits 15:1 */
  uint16_t location; /* byte 14, 16 bits: parameter error location in the command: byte 7:0, bit 10:8; FFFFh: no field of it */
  uint64_t lba; /* byte 16, 64 bits: first LBA with the error; all ones: no LBA is concerned */
  uint32_t nsid; /* byte 24, 32 bits: namespace of the command; all ones: the error is of no command */
  uint8_t vs; /* byte 28, 8 bits: vendor specific information available */
  uint8_t trtype; /* byte 29, 8 bits: transport type */
  uint64_t csi; /* byte 32, 64 bits: command specific */
};
#define NVME_ERROR_LOG_ENTRY_ERROR_COUNT_OFFSET 0u
#define NVME_ERROR_LOG_ENTRY_SQID_OFFSET 8u
#define NVME_ERROR_LOG_ENTRY_CID_OFFSET 10u
#define NVME_ERROR_LOG_ENTRY_STATUS_OFFSET 12u
#define NVME_ERROR_LOG_ENTRY_LOCATION_OFFSET 14u
#define NVME_ERROR_LOG_ENTRY_LBA_OFFSET 16u
#define NVME_ERROR_LOG_ENTRY_NSID_OFFSET 24u
#define NVME_ERROR_LOG_ENTRY_VS_OFFSET 28u
#define NVME_ERROR_LOG_ENTRY_TRTYPE_OFFSET 29u
#define NVME_ERROR_LOG_ENTRY_CSI_OFFSET 32u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_ERROR_LOG_ENTRY_FIELDS(X) \
  X(error_count, 64, "number of this error, from 1; 0 is an unused entry") \
  X(sqid, 16, "submission queue; FFFFh: the error is of no command") \
  X(cid, 16, "command identifier; FFFFh: the error is of no command") \
  X(status, 16, "status field in bits 15:1") \
  X(location, 16, "parameter error location in the command: byte 7:0, bit 10:8; FFFFh: no field of it") \
  X(lba, 64, "first LBA with the error; all ones: no LBA is concerned") \
  X(nsid, 32, "namespace of the command; all ones: the error is of no command") \
  X(vs, 8, "vendor specific information available") \
  X(trtype, 8, "transport type") \
  X(csi, 64, "command specific")
static inline void nvme_error_log_entry_pack(const struct nvme_error_log_entry *r, uint8_t out[64]) {
  memset(out, 0, 64);
  orm_put_le(out + 0, r->error_count, 8);
  orm_put_le(out + 8, r->sqid, 2);
  orm_put_le(out + 10, r->cid, 2);
  orm_put_le(out + 12, r->status, 2);
  orm_put_le(out + 14, r->location, 2);
  orm_put_le(out + 16, r->lba, 8);
  orm_put_le(out + 24, r->nsid, 4);
  orm_put_le(out + 28, r->vs, 1);
  orm_put_le(out + 29, r->trtype, 1);
  orm_put_le(out + 32, r->csi, 8);
}
static inline void nvme_error_log_entry_unpack(struct nvme_error_log_entry *r, const uint8_t in[64]) {
  r->error_count = (uint64_t)orm_get_le(in + 0, 8);
  r->sqid = (uint16_t)orm_get_le(in + 8, 2);
  r->cid = (uint16_t)orm_get_le(in + 10, 2);
  r->status = (uint16_t)orm_get_le(in + 12, 2);
  r->location = (uint16_t)orm_get_le(in + 14, 2);
  r->lba = (uint64_t)orm_get_le(in + 16, 8);
  r->nsid = (uint32_t)orm_get_le(in + 24, 4);
  r->vs = (uint8_t)orm_get_le(in + 28, 1);
  r->trtype = (uint8_t)orm_get_le(in + 29, 1);
  r->csi = (uint64_t)orm_get_le(in + 32, 8);
}


/* SMART / Health Information, figure 195. */
#define NVME_SMART_LOG_BYTES 512u
struct nvme_smart_log {
  uint8_t critical_warning; /* byte 0, 8 bits: bits of critical_warning */
  uint16_t temperature; /* byte 1, 16 bits: composite temperature, K */
  uint8_t available_spare; /* byte 3, 8 bits: percent */
  uint8_t spare_threshold; /* byte 4, 8 bits: percent */
  uint8_t percentage_used; /* byte 5, 8 bits: percent of the endurance */
  uint8_t group_warning; /* byte 6, 8 bits: bits of critical_warning that any endurance group has */
  uint64_t data_units_read; /* byte 32, 64 bits: 512 000 bytes; low half of 16 bytes */
  uint64_t data_units_written; /* byte 48, 64 bits: 512 000 bytes */
  uint64_t host_reads; /* byte 64, 64 bits: commands */
  uint64_t host_writes; /* byte 80, 64 bits: commands */
  uint64_t busy_minutes; /* byte 96, 64 bits: minutes */
  uint64_t power_cycles; /* byte 112, 64 bits: power cycles */
  uint64_t power_on_hours; /* byte 128, 64 bits: hours */
  uint64_t unsafe_shutdowns; /* byte 144, 64 bits: power lost without shutdown */
  uint64_t media_errors; /* byte 160, 64 bits: unrecovered errors */
  uint64_t error_entries; /* byte 176, 64 bits: error log entries over the device's life */
  uint32_t warning_minutes; /* byte 192, 32 bits: minutes at or above WCTEMP and below CCTEMP */
  uint32_t critical_minutes; /* byte 196, 32 bits: minutes at or above CCTEMP */
};
#define NVME_SMART_LOG_CRITICAL_WARNING_OFFSET 0u
#define NVME_SMART_LOG_TEMPERATURE_OFFSET 1u
#define NVME_SMART_LOG_AVAILABLE_SPARE_OFFSET 3u
#define NVME_SMART_LOG_SPARE_THRESHOLD_OFFSET 4u
#define NVME_SMART_LOG_PERCENTAGE_USED_OFFSET 5u
#define NVME_SMART_LOG_GROUP_WARNING_OFFSET 6u
#define NVME_SMART_LOG_DATA_UNITS_READ_OFFSET 32u
#define NVME_SMART_LOG_DATA_UNITS_WRITTEN_OFFSET 48u
#define NVME_SMART_LOG_HOST_READS_OFFSET 64u
#define NVME_SMART_LOG_HOST_WRITES_OFFSET 80u
#define NVME_SMART_LOG_BUSY_MINUTES_OFFSET 96u
#define NVME_SMART_LOG_POWER_CYCLES_OFFSET 112u
#define NVME_SMART_LOG_POWER_ON_HOURS_OFFSET 128u
#define NVME_SMART_LOG_UNSAFE_SHUTDOWNS_OFFSET 144u
#define NVME_SMART_LOG_MEDIA_ERRORS_OFFSET 160u
#define NVME_SMART_LOG_ERROR_ENTRIES_OFFSET 176u
#define NVME_SMART_LOG_WARNING_MINUTES_OFFSET 192u
#define NVME_SMART_LOG_CRITICAL_MINUTES_OFFSET 196u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_SMART_LOG_FIELDS(X) \
  X(critical_warning, 8, "bits of critical_warning") \
  X(temperature, 16, "composite temperature, K") \
  X(available_spare, 8, "percent") \
  X(spare_threshold, 8, "percent") \
  X(percentage_used, 8, "percent of the endurance") \
  X(group_warning, 8, "bits of critical_warning that any endurance group has") \
  X(data_units_read, 64, "512 000 bytes; low half of 16 bytes") \
  X(data_units_written, 64, "512 000 bytes") \
  X(host_reads, 64, "commands") \
  X(host_writes, 64, "commands") \
  X(busy_minutes, 64, "minutes") \
  X(power_cycles, 64, "power cycles") \
  X(power_on_hours, 64, "hours") \
  X(unsafe_shutdowns, 64, "power lost without shutdown") \
  X(media_errors, 64, "unrecovered errors") \
  X(error_entries, 64, "error log entries over the device's life") \
  X(warning_minutes, 32, "minutes at or above WCTEMP and below CCTEMP") \
  X(critical_minutes, 32, "minutes at or above CCTEMP")
static inline void nvme_smart_log_pack(const struct nvme_smart_log *r, uint8_t out[512]) {
  memset(out, 0, 512);
  orm_put_le(out + 0, r->critical_warning, 1);
  orm_put_le(out + 1, r->temperature, 2);
  orm_put_le(out + 3, r->available_spare, 1);
  orm_put_le(out + 4, r->spare_threshold, 1);
  orm_put_le(out + 5, r->percentage_used, 1);
  orm_put_le(out + 6, r->group_warning, 1);
  orm_put_le(out + 32, r->data_units_read, 8);
  orm_put_le(out + 48, r->data_units_written, 8);
  orm_put_le(out + 64, r->host_reads, 8);
  orm_put_le(out + 80, r->host_writes, 8);
  orm_put_le(out + 96, r->busy_minutes, 8);
  orm_put_le(out + 112, r->power_cycles, 8);
  orm_put_le(out + 128, r->power_on_hours, 8);
  orm_put_le(out + 144, r->unsafe_shutdowns, 8);
  orm_put_le(out + 160, r->media_errors, 8);
  orm_put_le(out + 176, r->error_entries, 8);
  orm_put_le(out + 192, r->warning_minutes, 4);
  orm_put_le(out + 196, r->critical_minutes, 4);
}
static inline void nvme_smart_log_unpack(struct nvme_smart_log *r, const uint8_t in[512]) {
  r->critical_warning = (uint8_t)orm_get_le(in + 0, 1);
  r->temperature = (uint16_t)orm_get_le(in + 1, 2);
  r->available_spare = (uint8_t)orm_get_le(in + 3, 1);
  r->spare_threshold = (uint8_t)orm_get_le(in + 4, 1);
  r->percentage_used = (uint8_t)orm_get_le(in + 5, 1);
  r->group_warning = (uint8_t)orm_get_le(in + 6, 1);
  r->data_units_read = (uint64_t)orm_get_le(in + 32, 8);
  r->data_units_written = (uint64_t)orm_get_le(in + 48, 8);
  r->host_reads = (uint64_t)orm_get_le(in + 64, 8);
  r->host_writes = (uint64_t)orm_get_le(in + 80, 8);
  r->busy_minutes = (uint64_t)orm_get_le(in + 96, 8);
  r->power_cycles = (uint64_t)orm_get_le(in + 112, 8);
  r->power_on_hours = (uint64_t)orm_get_le(in + 128, 8);
  r->unsafe_shutdowns = (uint64_t)orm_get_le(in + 144, 8);
  r->media_errors = (uint64_t)orm_get_le(in + 160, 8);
  r->error_entries = (uint64_t)orm_get_le(in + 176, 8);
  r->warning_minutes = (uint32_t)orm_get_le(in + 192, 4);
  r->critical_minutes = (uint32_t)orm_get_le(in + 196, 4);
}


/* Firmware Slot Information, figure 198. */
#define NVME_FIRMWARE_SLOT_LOG_BYTES 512u
struct nvme_firmware_slot_log {
  uint8_t afi; /* byte 0, 8 bits: active slot 2:0 */
  uint64_t frs1; /* byte 8, 64 bits: revision in slot 1 */
};
#define NVME_FIRMWARE_SLOT_LOG_AFI_OFFSET 0u
#define NVME_FIRMWARE_SLOT_LOG_FRS1_OFFSET 8u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_FIRMWARE_SLOT_LOG_FIELDS(X) \
  X(afi, 8, "active slot 2:0") \
  X(frs1, 64, "revision in slot 1")
static inline void nvme_firmware_slot_log_pack(const struct nvme_firmware_slot_log *r, uint8_t out[512]) {
  memset(out, 0, 512);
  orm_put_le(out + 0, r->afi, 1);
  orm_put_le(out + 8, r->frs1, 8);
}
static inline void nvme_firmware_slot_log_unpack(struct nvme_firmware_slot_log *r, const uint8_t in[512]) {
  r->afi = (uint8_t)orm_get_le(in + 0, 1);
  r->frs1 = (uint64_t)orm_get_le(in + 8, 8);
}


/* Endurance Group Information, figure 204. */
#define NVME_ENDURANCE_GROUP_LOG_BYTES 512u
struct nvme_endurance_group_log {
  uint8_t critical_warning; /* byte 0, 8 bits: as in SMART */
  uint8_t available_spare; /* byte 3, 8 bits: percent */
  uint8_t spare_threshold; /* byte 4, 8 bits: percent */
  uint8_t percentage_used; /* byte 5, 8 bits: percent */
  uint64_t endurance_estimate; /* byte 32, 64 bits: 10^9 bytes */
  uint64_t data_units_read; /* byte 48, 64 bits: 10^9 bytes */
  uint64_t data_units_written; /* byte 64, 64 bits: 10^9 bytes */
  uint64_t media_units_written; /* byte 80, 64 bits: 10^9 bytes */
  uint64_t host_reads; /* byte 96, 64 bits: commands */
  uint64_t host_writes; /* byte 112, 64 bits: commands */
  uint64_t media_errors; /* byte 128, 64 bits: unrecovered errors */
  uint64_t error_entries; /* byte 144, 64 bits: error log entries */
};
#define NVME_ENDURANCE_GROUP_LOG_CRITICAL_WARNING_OFFSET 0u
#define NVME_ENDURANCE_GROUP_LOG_AVAILABLE_SPARE_OFFSET 3u
#define NVME_ENDURANCE_GROUP_LOG_SPARE_THRESHOLD_OFFSET 4u
#define NVME_ENDURANCE_GROUP_LOG_PERCENTAGE_USED_OFFSET 5u
#define NVME_ENDURANCE_GROUP_LOG_ENDURANCE_ESTIMATE_OFFSET 32u
#define NVME_ENDURANCE_GROUP_LOG_DATA_UNITS_READ_OFFSET 48u
#define NVME_ENDURANCE_GROUP_LOG_DATA_UNITS_WRITTEN_OFFSET 64u
#define NVME_ENDURANCE_GROUP_LOG_MEDIA_UNITS_WRITTEN_OFFSET 80u
#define NVME_ENDURANCE_GROUP_LOG_HOST_READS_OFFSET 96u
#define NVME_ENDURANCE_GROUP_LOG_HOST_WRITES_OFFSET 112u
#define NVME_ENDURANCE_GROUP_LOG_MEDIA_ERRORS_OFFSET 128u
#define NVME_ENDURANCE_GROUP_LOG_ERROR_ENTRIES_OFFSET 144u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_ENDURANCE_GROUP_LOG_FIELDS(X) \
  X(critical_warning, 8, "as in SMART") \
  X(available_spare, 8, "percent") \
  X(spare_threshold, 8, "percent") \
  X(percentage_used, 8, "percent") \
  X(endurance_estimate, 64, "10^9 bytes") \
  X(data_units_read, 64, "10^9 bytes") \
  X(data_units_written, 64, "10^9 bytes") \
  X(media_units_written, 64, "10^9 bytes") \
  X(host_reads, 64, "commands") \
  X(host_writes, 64, "commands") \
  X(media_errors, 64, "unrecovered errors") \
  X(error_entries, 64, "error log entries")
static inline void nvme_endurance_group_log_pack(const struct nvme_endurance_group_log *r, uint8_t out[512]) {
  memset(out, 0, 512);
  orm_put_le(out + 0, r->critical_warning, 1);
  orm_put_le(out + 3, r->available_spare, 1);
  orm_put_le(out + 4, r->spare_threshold, 1);
  orm_put_le(out + 5, r->percentage_used, 1);
  orm_put_le(out + 32, r->endurance_estimate, 8);
  orm_put_le(out + 48, r->data_units_read, 8);
  orm_put_le(out + 64, r->data_units_written, 8);
  orm_put_le(out + 80, r->media_units_written, 8);
  orm_put_le(out + 96, r->host_reads, 8);
  orm_put_le(out + 112, r->host_writes, 8);
  orm_put_le(out + 128, r->media_errors, 8);
  orm_put_le(out + 144, r->error_entries, 8);
}
static inline void nvme_endurance_group_log_unpack(struct nvme_endurance_group_log *r, const uint8_t in[512]) {
  r->critical_warning = (uint8_t)orm_get_le(in + 0, 1);
  r->available_spare = (uint8_t)orm_get_le(in + 3, 1);
  r->spare_threshold = (uint8_t)orm_get_le(in + 4, 1);
  r->percentage_used = (uint8_t)orm_get_le(in + 5, 1);
  r->endurance_estimate = (uint64_t)orm_get_le(in + 32, 8);
  r->data_units_read = (uint64_t)orm_get_le(in + 48, 8);
  r->data_units_written = (uint64_t)orm_get_le(in + 64, 8);
  r->media_units_written = (uint64_t)orm_get_le(in + 80, 8);
  r->host_reads = (uint64_t)orm_get_le(in + 96, 8);
  r->host_writes = (uint64_t)orm_get_le(in + 112, 8);
  r->media_errors = (uint64_t)orm_get_le(in + 128, 8);
  r->error_entries = (uint64_t)orm_get_le(in + 144, 8);
}


/* FDP Configurations log with its one configuration, base specification 2.1, figure 278. Four bytes per reclaim unit handle follow: RUHT and three zero bytes. */
#define NVME_PLACEMENT_CONFIGURATIONS_BYTES 80u
struct nvme_placement_configurations {
  uint16_t configurations; /* byte 0, 16 bits: NUMFDPC, zero-based */
  uint8_t version; /* byte 2, 8 bits: 0 */
  uint32_t size; /* byte 4, 32 bits: bytes of the log */
  uint16_t descriptor; /* byte 16, 16 bits: bytes of the descriptor, which begins here */
  uint8_t attributes; /* byte 18, 8 bits: FDPA: reclaim group identifier bits 3:0, bits of placement_attribute */
  uint8_t vendor_size; /* byte 19, 8 bits: 0 */
  uint32_t groups; /* byte 20, 32 bits: NRG: reclaim groups */
  uint16_t handles; /* byte 24, 16 bits: NRUH: reclaim unit handles */
  uint16_t identifiers; /* byte 26, 16 bits: MAXPIDS: placement identifiers, zero-based */
  uint32_t namespaces; /* byte 28, 32 bits: NNSS: namespaces */
  uint64_t unit_bytes; /* byte 32, 64 bits: RUNS: nominal size of a reclaim unit */
  uint32_t time_limit; /* byte 40, 32 bits: ERUTL: 0, reclaim units stay open as long as there is power */
};
#define NVME_PLACEMENT_CONFIGURATIONS_CONFIGURATIONS_OFFSET 0u
#define NVME_PLACEMENT_CONFIGURATIONS_VERSION_OFFSET 2u
#define NVME_PLACEMENT_CONFIGURATIONS_SIZE_OFFSET 4u
#define NVME_PLACEMENT_CONFIGURATIONS_DESCRIPTOR_OFFSET 16u
#define NVME_PLACEMENT_CONFIGURATIONS_ATTRIBUTES_OFFSET 18u
#define NVME_PLACEMENT_CONFIGURATIONS_VENDOR_SIZE_OFFSET 19u
#define NVME_PLACEMENT_CONFIGURATIONS_GROUPS_OFFSET 20u
#define NVME_PLACEMENT_CONFIGURATIONS_HANDLES_OFFSET 24u
#define NVME_PLACEMENT_CONFIGURATIONS_IDENTIFIERS_OFFSET 26u
#define NVME_PLACEMENT_CONFIGURATIONS_NAMESPACES_OFFSET 28u
#define NVME_PLACEMENT_CONFIGURATIONS_UNIT_BYTES_OFFSET 32u
#define NVME_PLACEMENT_CONFIGURATIONS_TIME_LIMIT_OFFSET 40u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_PLACEMENT_CONFIGURATIONS_FIELDS(X) \
  X(configurations, 16, "NUMFDPC, zero-based") \
  X(version, 8, "0") \
  X(size, 32, "bytes of the log") \
  X(descriptor, 16, "bytes of the descriptor, which begins here") \
  X(attributes, 8, "FDPA: reclaim group identifier bits 3:0, bits of placement_attribute") \
  X(vendor_size, 8, "0") \
  X(groups, 32, "NRG: reclaim groups") \
  X(handles, 16, "NRUH: reclaim unit handles") \
  X(identifiers, 16, "MAXPIDS: placement identifiers, zero-based") \
  X(namespaces, 32, "NNSS: namespaces") \
  X(unit_bytes, 64, "RUNS: nominal size of a reclaim unit") \
  X(time_limit, 32, "ERUTL: 0, reclaim units stay open as long as there is power")
static inline void nvme_placement_configurations_pack(const struct nvme_placement_configurations *r, uint8_t out[80]) {
  memset(out, 0, 80);
  orm_put_le(out + 0, r->configurations, 2);
  orm_put_le(out + 2, r->version, 1);
  orm_put_le(out + 4, r->size, 4);
  orm_put_le(out + 16, r->descriptor, 2);
  orm_put_le(out + 18, r->attributes, 1);
  orm_put_le(out + 19, r->vendor_size, 1);
  orm_put_le(out + 20, r->groups, 4);
  orm_put_le(out + 24, r->handles, 2);
  orm_put_le(out + 26, r->identifiers, 2);
  orm_put_le(out + 28, r->namespaces, 4);
  orm_put_le(out + 32, r->unit_bytes, 8);
  orm_put_le(out + 40, r->time_limit, 4);
}
static inline void nvme_placement_configurations_unpack(struct nvme_placement_configurations *r, const uint8_t in[80]) {
  r->configurations = (uint16_t)orm_get_le(in + 0, 2);
  r->version = (uint8_t)orm_get_le(in + 2, 1);
  r->size = (uint32_t)orm_get_le(in + 4, 4);
  r->descriptor = (uint16_t)orm_get_le(in + 16, 2);
  r->attributes = (uint8_t)orm_get_le(in + 18, 1);
  r->vendor_size = (uint8_t)orm_get_le(in + 19, 1);
  r->groups = (uint32_t)orm_get_le(in + 20, 4);
  r->handles = (uint16_t)orm_get_le(in + 24, 2);
  r->identifiers = (uint16_t)orm_get_le(in + 26, 2);
  r->namespaces = (uint32_t)orm_get_le(in + 28, 4);
  r->unit_bytes = (uint64_t)orm_get_le(in + 32, 8);
  r->time_limit = (uint32_t)orm_get_le(in + 40, 4);
}


/* FDP Statistics log, base specification 2.1. */
#define NVME_PLACEMENT_STATISTICS_BYTES 64u
struct nvme_placement_statistics {
  uint64_t host_written; /* byte 0, 64 bits: HBMW: bytes written by the host; low half of 16 bytes */
  uint64_t media_written; /* byte 16, 64 bits: MBMW: bytes written to the flash */
  uint64_t media_erased; /* byte 32, 64 bits: MBE: bytes erased */
};
#define NVME_PLACEMENT_STATISTICS_HOST_WRITTEN_OFFSET 0u
#define NVME_PLACEMENT_STATISTICS_MEDIA_WRITTEN_OFFSET 16u
#define NVME_PLACEMENT_STATISTICS_MEDIA_ERASED_OFFSET 32u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_PLACEMENT_STATISTICS_FIELDS(X) \
  X(host_written, 64, "HBMW: bytes written by the host; low half of 16 bytes") \
  X(media_written, 64, "MBMW: bytes written to the flash") \
  X(media_erased, 64, "MBE: bytes erased")
static inline void nvme_placement_statistics_pack(const struct nvme_placement_statistics *r, uint8_t out[64]) {
  memset(out, 0, 64);
  orm_put_le(out + 0, r->host_written, 8);
  orm_put_le(out + 16, r->media_written, 8);
  orm_put_le(out + 32, r->media_erased, 8);
}
static inline void nvme_placement_statistics_unpack(struct nvme_placement_statistics *r, const uint8_t in[64]) {
  r->host_written = (uint64_t)orm_get_le(in + 0, 8);
  r->media_written = (uint64_t)orm_get_le(in + 16, 8);
  r->media_erased = (uint64_t)orm_get_le(in + 32, 8);
}


/* One descriptor of I/O Management Receive, Reclaim Unit Handle Status. 16 bytes precede the descriptors; the last two of these are the number of descriptors. */
#define NVME_RUH_STATUS_BYTES 32u
struct nvme_ruh_status {
  uint16_t identifier; /* byte 0, 16 bits: PID: placement identifier */
  uint16_t handle; /* byte 2, 16 bits: RUHID: reclaim unit handle */
  uint32_t time_left; /* byte 4, 32 bits: EARUTR: 0, not reported */
  uint64_t blocks_left; /* byte 8, 64 bits: RUAMW: logical blocks that the reclaim unit still takes */
};
#define NVME_RUH_STATUS_IDENTIFIER_OFFSET 0u
#define NVME_RUH_STATUS_HANDLE_OFFSET 2u
#define NVME_RUH_STATUS_TIME_LEFT_OFFSET 4u
#define NVME_RUH_STATUS_BLOCKS_LEFT_OFFSET 8u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_RUH_STATUS_FIELDS(X) \
  X(identifier, 16, "PID: placement identifier") \
  X(handle, 16, "RUHID: reclaim unit handle") \
  X(time_left, 32, "EARUTR: 0, not reported") \
  X(blocks_left, 64, "RUAMW: logical blocks that the reclaim unit still takes")
static inline void nvme_ruh_status_pack(const struct nvme_ruh_status *r, uint8_t out[32]) {
  memset(out, 0, 32);
  orm_put_le(out + 0, r->identifier, 2);
  orm_put_le(out + 2, r->handle, 2);
  orm_put_le(out + 4, r->time_left, 4);
  orm_put_le(out + 8, r->blocks_left, 8);
}
static inline void nvme_ruh_status_unpack(struct nvme_ruh_status *r, const uint8_t in[32]) {
  r->identifier = (uint16_t)orm_get_le(in + 0, 2);
  r->handle = (uint16_t)orm_get_le(in + 2, 2);
  r->time_left = (uint32_t)orm_get_le(in + 4, 4);
  r->blocks_left = (uint64_t)orm_get_le(in + 8, 8);
}


/* OCP SMART / Health Information Extended (C0h), OCP Datacenter NVMe SSD Specification 2.0, section 4.8.4. */
#define NVME_OCP_SMART_LOG_BYTES 512u
struct nvme_ocp_smart_log {
  uint64_t media_written; /* byte 0, 64 bits: physical media units written, bytes; low half of 16 */
  uint64_t media_read; /* byte 16, 64 bits: physical media units read, bytes */
  uint64_t bad_user_blocks; /* byte 32, 48 bits: bad user NAND blocks, raw */
  uint16_t bad_user_normalized; /* byte 38, 16 bits: percent of spare left */
  uint64_t bad_system_blocks; /* byte 40, 48 bits: bad system NAND blocks, raw */
  uint16_t bad_system_normalized; /* byte 46, 16 bits: percent of spare left */
  uint64_t xor_recovery; /* byte 48, 64 bits: XOR recoveries */
  uint64_t uncorrectable_reads; /* byte 56, 64 bits: uncorrectable read errors */
  uint64_t soft_ecc_errors; /* byte 64, 64 bits: soft ECC errors */
  uint32_t e2e_detected; /* byte 72, 32 bits: end-to-end errors detected */
  uint32_t e2e_corrected; /* byte 76, 32 bits: end-to-end errors corrected */
  uint8_t system_data_used; /* byte 80, 8 bits: percent */
  uint64_t refresh_count; /* byte 81, 56 bits: blocks collected by read reclaim */
  uint32_t max_erase_count; /* byte 88, 32 bits: user data erase count, largest */
  uint32_t min_erase_count; /* byte 92, 32 bits: user data erase count, smallest */
  uint32_t incomplete_shutdowns; /* byte 112, 32 bits: power lost without shutdown */
  uint8_t percent_free_blocks; /* byte 120, 8 bits: percent of superblocks on the free list */
  uint16_t capacitor_health; /* byte 128, 16 bits: FFFFh: none */
  uint8_t nvme_errata; /* byte 130, 8 bits: errata version of the base specification */
  uint64_t unaligned_io; /* byte 136, 64 bits: I/O not aligned to 4 KiB */
  uint64_t security_version; /* byte 144, 64 bits: security version */
  uint64_t total_nuse; /* byte 152, 64 bits: used logical blocks */
  uint64_t plp_start_count; /* byte 160, 64 bits: power loss protection starts; low half of 16 */
  uint64_t endurance_estimate; /* byte 176, 64 bits: bytes; low half of 16 */
  uint64_t avg_erase_count; /* byte 224, 64 bits: user data erase count, average */
  uint16_t version; /* byte 494, 16 bits: layout version */
  uint8_t guid[16]; /* byte 496: AFD514C97C6F4F9CA4F2BFEA2810AFC5h */
};
#define NVME_OCP_SMART_LOG_MEDIA_WRITTEN_OFFSET 0u
#define NVME_OCP_SMART_LOG_MEDIA_READ_OFFSET 16u
#define NVME_OCP_SMART_LOG_BAD_USER_BLOCKS_OFFSET 32u
#define NVME_OCP_SMART_LOG_BAD_USER_NORMALIZED_OFFSET 38u
#define NVME_OCP_SMART_LOG_BAD_SYSTEM_BLOCKS_OFFSET 40u
#define NVME_OCP_SMART_LOG_BAD_SYSTEM_NORMALIZED_OFFSET 46u
#define NVME_OCP_SMART_LOG_XOR_RECOVERY_OFFSET 48u
#define NVME_OCP_SMART_LOG_UNCORRECTABLE_READS_OFFSET 56u
#define NVME_OCP_SMART_LOG_SOFT_ECC_ERRORS_OFFSET 64u
#define NVME_OCP_SMART_LOG_E2E_DETECTED_OFFSET 72u
#define NVME_OCP_SMART_LOG_E2E_CORRECTED_OFFSET 76u
#define NVME_OCP_SMART_LOG_SYSTEM_DATA_USED_OFFSET 80u
#define NVME_OCP_SMART_LOG_REFRESH_COUNT_OFFSET 81u
#define NVME_OCP_SMART_LOG_MAX_ERASE_COUNT_OFFSET 88u
#define NVME_OCP_SMART_LOG_MIN_ERASE_COUNT_OFFSET 92u
#define NVME_OCP_SMART_LOG_INCOMPLETE_SHUTDOWNS_OFFSET 112u
#define NVME_OCP_SMART_LOG_PERCENT_FREE_BLOCKS_OFFSET 120u
#define NVME_OCP_SMART_LOG_CAPACITOR_HEALTH_OFFSET 128u
#define NVME_OCP_SMART_LOG_NVME_ERRATA_OFFSET 130u
#define NVME_OCP_SMART_LOG_UNALIGNED_IO_OFFSET 136u
#define NVME_OCP_SMART_LOG_SECURITY_VERSION_OFFSET 144u
#define NVME_OCP_SMART_LOG_TOTAL_NUSE_OFFSET 152u
#define NVME_OCP_SMART_LOG_PLP_START_COUNT_OFFSET 160u
#define NVME_OCP_SMART_LOG_ENDURANCE_ESTIMATE_OFFSET 176u
#define NVME_OCP_SMART_LOG_AVG_ERASE_COUNT_OFFSET 224u
#define NVME_OCP_SMART_LOG_VERSION_OFFSET 494u
#define NVME_OCP_SMART_LOG_GUID_OFFSET 496u
/* X(name, bits, text) for each integer field that is not reserved */
#define NVME_OCP_SMART_LOG_FIELDS(X) \
  X(media_written, 64, "physical media units written, bytes; low half of 16") \
  X(media_read, 64, "physical media units read, bytes") \
  X(bad_user_blocks, 48, "bad user NAND blocks, raw") \
  X(bad_user_normalized, 16, "percent of spare left") \
  X(bad_system_blocks, 48, "bad system NAND blocks, raw") \
  X(bad_system_normalized, 16, "percent of spare left") \
  X(xor_recovery, 64, "XOR recoveries") \
  X(uncorrectable_reads, 64, "uncorrectable read errors") \
  X(soft_ecc_errors, 64, "soft ECC errors") \
  X(e2e_detected, 32, "end-to-end errors detected") \
  X(e2e_corrected, 32, "end-to-end errors corrected") \
  X(system_data_used, 8, "percent") \
  X(refresh_count, 56, "blocks collected by read reclaim") \
  X(max_erase_count, 32, "user data erase count, largest") \
  X(min_erase_count, 32, "user data erase count, smallest") \
  X(incomplete_shutdowns, 32, "power lost without shutdown") \
  X(percent_free_blocks, 8, "percent of superblocks on the free list") \
  X(capacitor_health, 16, "FFFFh: none") \
  X(nvme_errata, 8, "errata version of the base specification") \
  X(unaligned_io, 64, "I/O not aligned to 4 KiB") \
  X(security_version, 64, "security version") \
  X(total_nuse, 64, "used logical blocks") \
  X(plp_start_count, 64, "power loss protection starts; low half of 16") \
  X(endurance_estimate, 64, "bytes; low half of 16") \
  X(avg_erase_count, 64, "user data erase count, average") \
  X(version, 16, "layout version")
static inline void nvme_ocp_smart_log_pack(const struct nvme_ocp_smart_log *r, uint8_t out[512]) {
  memset(out, 0, 512);
  orm_put_le(out + 0, r->media_written, 8);
  orm_put_le(out + 16, r->media_read, 8);
  orm_put_le(out + 32, r->bad_user_blocks, 6);
  orm_put_le(out + 38, r->bad_user_normalized, 2);
  orm_put_le(out + 40, r->bad_system_blocks, 6);
  orm_put_le(out + 46, r->bad_system_normalized, 2);
  orm_put_le(out + 48, r->xor_recovery, 8);
  orm_put_le(out + 56, r->uncorrectable_reads, 8);
  orm_put_le(out + 64, r->soft_ecc_errors, 8);
  orm_put_le(out + 72, r->e2e_detected, 4);
  orm_put_le(out + 76, r->e2e_corrected, 4);
  orm_put_le(out + 80, r->system_data_used, 1);
  orm_put_le(out + 81, r->refresh_count, 7);
  orm_put_le(out + 88, r->max_erase_count, 4);
  orm_put_le(out + 92, r->min_erase_count, 4);
  orm_put_le(out + 112, r->incomplete_shutdowns, 4);
  orm_put_le(out + 120, r->percent_free_blocks, 1);
  orm_put_le(out + 128, r->capacitor_health, 2);
  orm_put_le(out + 130, r->nvme_errata, 1);
  orm_put_le(out + 136, r->unaligned_io, 8);
  orm_put_le(out + 144, r->security_version, 8);
  orm_put_le(out + 152, r->total_nuse, 8);
  orm_put_le(out + 160, r->plp_start_count, 8);
  orm_put_le(out + 176, r->endurance_estimate, 8);
  orm_put_le(out + 224, r->avg_erase_count, 8);
  orm_put_le(out + 494, r->version, 2);
  memcpy(out + 496, r->guid, 16);
}
static inline void nvme_ocp_smart_log_unpack(struct nvme_ocp_smart_log *r, const uint8_t in[512]) {
  r->media_written = (uint64_t)orm_get_le(in + 0, 8);
  r->media_read = (uint64_t)orm_get_le(in + 16, 8);
  r->bad_user_blocks = (uint64_t)orm_get_le(in + 32, 6);
  r->bad_user_normalized = (uint16_t)orm_get_le(in + 38, 2);
  r->bad_system_blocks = (uint64_t)orm_get_le(in + 40, 6);
  r->bad_system_normalized = (uint16_t)orm_get_le(in + 46, 2);
  r->xor_recovery = (uint64_t)orm_get_le(in + 48, 8);
  r->uncorrectable_reads = (uint64_t)orm_get_le(in + 56, 8);
  r->soft_ecc_errors = (uint64_t)orm_get_le(in + 64, 8);
  r->e2e_detected = (uint32_t)orm_get_le(in + 72, 4);
  r->e2e_corrected = (uint32_t)orm_get_le(in + 76, 4);
  r->system_data_used = (uint8_t)orm_get_le(in + 80, 1);
  r->refresh_count = (uint64_t)orm_get_le(in + 81, 7);
  r->max_erase_count = (uint32_t)orm_get_le(in + 88, 4);
  r->min_erase_count = (uint32_t)orm_get_le(in + 92, 4);
  r->incomplete_shutdowns = (uint32_t)orm_get_le(in + 112, 4);
  r->percent_free_blocks = (uint8_t)orm_get_le(in + 120, 1);
  r->capacitor_health = (uint16_t)orm_get_le(in + 128, 2);
  r->nvme_errata = (uint8_t)orm_get_le(in + 130, 1);
  r->unaligned_io = (uint64_t)orm_get_le(in + 136, 8);
  r->security_version = (uint64_t)orm_get_le(in + 144, 8);
  r->total_nuse = (uint64_t)orm_get_le(in + 152, 8);
  r->plp_start_count = (uint64_t)orm_get_le(in + 160, 8);
  r->endurance_estimate = (uint64_t)orm_get_le(in + 176, 8);
  r->avg_erase_count = (uint64_t)orm_get_le(in + 224, 8);
  r->version = (uint16_t)orm_get_le(in + 494, 2);
  memcpy(r->guid, in + 496, 16);
}


#endif /* OPENREMAP_ORM_NVME_H */
