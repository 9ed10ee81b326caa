/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from interfaces/formats/formats.yaml. Do not edit: run python interfaces/generate.py */
/* clang-format off */
/*
 * OpenRemap's formats on media, in NVRAM, in vendor commands and in log pages. Integers are little-endian. For each
 * record R there is a struct in host byte order, R_pack and R_unpack; for a record with a CRC also R_seal (pack with the
 * CRC) and R_open (unpack and check the CRC). C11 and C++17.
 */
#ifndef OPENREMAP_ORM_FORMATS_H
#define OPENREMAP_ORM_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "orm_bytes.h"

#define ORM_NV_INTENT_OFFSET 0x0u /* first GcIntent, in bytes from NV_COUNTERS; the others follow it */
#define ORM_NV_INTENTS 0x3u /* places for GcIntent records: one for each victim that may be under way, the last for recovery */
#define ORM_NV_FORMAT_OFFSET 0x80u /* FormatWord, in bytes from NV_COUNTERS */
#define ORM_NV_CRASH_OFFSET 0xA00u /* CrashLog, in bytes from NV_COUNTERS, behind the second FwState */
#define ORM_NV_BAD_OFFSET 0xC00u /* first BadWord, in bytes from NV_COUNTERS, behind the CrashLog; a format keeps these words */
#define ORM_NV_STATE_OFFSET 0x200u /* first FwState, in bytes from NV_COUNTERS; the second follows it */
#define ORM_SLOT_BYTES 0x1000u /* one logical page, one slot */
#define ORM_UNMAPPED 0xFFFFFFFFu /* L2P entry of an LPN without data */
#define ORM_FORMAT_VERSION 0x9u /* version of the on-media format; any other version is refused */
#define ORM_NV_MAGIC 0x50414D45524E504Full /* ASCII OPNREMAP, first bytes of NVRAM */
#define ORM_NV_FORMATTING 0x544D524F464E504Full /* ASCII OPNFORMT, in place of nv_magic from the first to the last write of a media initialisation */
#define ORM_FORMAT_MARK 0x21544D46u /* ASCII FMT!, FormatWord.mark */
#define ORM_CRASH_VERSION 0x1u /* CrashLog.version */
#define ORM_CRASH_ASSERT 0x1u /* CrashLog.cause: an invariant of the firmware did not hold */
#define ORM_CRASH_WATCHDOG 0x2u /* CrashLog.cause: a poll did not end in time */
#define ORM_CRASH_FAULT 0x3u /* CrashLog.cause: the processor trapped; CrashLog.file names the trap, CrashLog.line is the program counter */
#define ORM_CRASH_MEMORY 0x4u /* CrashLog.cause: DRAM or NVRAM answered the hardware with an error; CrashLog.file names the access, CrashLog.line is its address in that memory */
#define ORM_REMOTE_FIRMWARE 0x1u /* RemoteMailbox.turn: the firmware goes on */
#define ORM_REMOTE_CONTROLLER 0x2u /* RemoteMailbox.turn: the controller's side is asked */
#define ORM_REMOTE_READ 0x1u /* RemoteMailbox.request: read register `address` into `value` */
#define ORM_REMOTE_WRITE 0x2u /* RemoteMailbox.request: write `value` to register `address` */
#define ORM_REMOTE_NV_READ 0x3u /* RemoteMailbox.request: read `length` bytes of NVRAM from `address` on into `data` */
#define ORM_REMOTE_NV_WRITE 0x4u /* RemoteMailbox.request: write `length` bytes of `data` to NVRAM from `address` on, durable when it is answered */
#define ORM_REMOTE_WAIT 0x5u /* RemoteMailbox.request: a poll has ended; answered when the next one is to begin */
#define ORM_CRASH_COMMANDS 0x8u /* commands in a CrashLog */
#define ORM_SNAPSHOT_SBS 0x8u /* largest number of superblocks of a snapshot of the mapping */
#define ORM_SNAPSHOT_LPNS 0x400u /* L2P entries in a slot of a snapshot */
#define ORM_READ_ONLY_LOST 0x1u /* RemapLog.read_only: NVRAM is lost; the mapping is known from flash alone */
#define ORM_READ_ONLY_HEADER 0x2u /* RemapLog.read_only: NvHeader is damaged */
#define ORM_READ_ONLY_POINTER 0x3u /* RemapLog.read_only: the commit or the checkpoint pointer is damaged */
#define ORM_READ_ONLY_BLOCK 0x4u /* RemapLog.read_only: a BlockRecord is damaged */
#define ORM_READ_ONLY_FORMAT 0x5u /* RemapLog.read_only: FormatWord is damaged */
#define ORM_READ_ONLY_WORN 0x6u /* RemapLog.read_only: too many superblocks are bad, the namespace has no room for writes */
#define ORM_TRIM_WORD_LPNS 0x38u /* LPNs per TrimWord: word n covers those from n * 56 on */
#define ORM_TRIM_REGION_WORDS 0x4u /* TrimWords per region of the trim bitmap: region n has those from n * 4 on, and TrimPointer n */
#define ORM_BAD_WORD_SBS 0x30u /* superblocks per BadWord: word n covers those from n * 48 on */
#define ORM_SOC_BOARD_MARK 0x21445242u /* ASCII BRD!, SocBoard.mark */
#define ORM_SOC_BOARD_VERSION 0x1u /* version of the SocBoard record; firmware refuses others */
#define ORM_BOARD_NVRAM_VOLATILE 0x1u /* bit of SocBoard.flags: NVRAM loses its contents with the power */
#define ORM_BOARD_FLASH_VOLATILE 0x2u /* bit of SocBoard.flags: so does what stands in for flash */
#define ORM_BOARD_UNVERIFIED 0x4u /* bit of SocBoard.flags: the FPGA's design or the firmware was put on the board without a record that its tests passed */
#define ORM_BOARD_FLAGS 0x7u /* all bits of SocBoard.flags */
#define ORM_SUMMARY_MARK 0x214D5553u /* ASCII SUM!, SummaryTrailer.mark */
#define ORM_STREAM_HOST 0x0u /* OOB stream: written by the host with placement handle 0 */
#define ORM_STREAM_GC 0x1u /* OOB stream: copied by GC */
#define ORM_STREAM_HANDLE 0x2u /* OOB stream: a host write has stream_host + stream_handle * placement handle */
#define ORM_REMAP_PAGES_MAX 0x1000u /* pages that one REMAP, REMAP VECTOR or Copy command may name in all */
#define ORM_REMAP_RANGES_MAX 0x80u /* ranges in one REMAP VECTOR command: one 4 KiB list */

enum orm_vendor_opcodes {
  ORM_VENDOR_OPCODES_REMAP = 0x80, /* one range in the command: cdw10/11 source LPN, cdw12/13 target LPN, cdw14 pages (not zero-based), cdw15 flags; no data */
  ORM_VENDOR_OPCODES_REMAP_VECTOR = 0x81, /* cdw10 number of ranges (not zero-based, 1..remap_ranges_max), cdw15 flags; data: RemapRange array */
};
/* X(name, value, text) for each item */
#define ORM_VENDOR_OPCODES_ITEMS(X) \
  X(remap, 0x80, "one range in the command: cdw10/11 source LPN, cdw12/13 target LPN, cdw14 pages (not zero-based), cdw15 flags; no data") \
  X(remap_vector, 0x81, "cdw10 number of ranges (not zero-based, 1..remap_ranges_max), cdw15 flags; data: RemapRange array")

enum orm_vendor_flags {
  ORM_VENDOR_FLAGS_MOVE = 0x1, /* sources become unmapped (default: they stay, SHARE) */
};
/* X(name, value, text) for each item */
#define ORM_VENDOR_FLAGS_ITEMS(X) \
  X(move, 0x1, "sources become unmapped (default: they stay, SHARE)")

enum orm_vendor_status {
  ORM_VENDOR_STATUS_REMAP_OVERLAP = 0x1, /* a target range overlaps a source or another target */
  ORM_VENDOR_STATUS_REMAP_UNMAPPED = 0x2, /* a source page holds no data */
  ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT = 0x3, /* a slot has the largest number of sharers */
  ORM_VENDOR_STATUS_REMAP_NVRAM_FULL = 0x4, /* no room in the remap table or journal */
  ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH = 0x5, /* a range without pages, or no ranges */
};
/* X(name, value, text) for each item */
#define ORM_VENDOR_STATUS_ITEMS(X) \
  X(remap_overlap, 0x1, "a target range overlaps a source or another target") \
  X(remap_unmapped, 0x2, "a source page holds no data") \
  X(remap_sharer_limit, 0x3, "a slot has the largest number of sharers") \
  X(remap_nvram_full, 0x4, "no room in the remap table or journal") \
  X(remap_zero_length, 0x5, "a range without pages, or no ranges")

enum orm_vendor_log_pages {
  ORM_VENDOR_LOG_PAGES_REMAP_LOG = 0xCA, /* RemapLog */
  ORM_VENDOR_LOG_PAGES_CRASH_LOG = 0xCB, /* CrashLog */
  ORM_VENDOR_LOG_PAGES_OCP_SMART = 0xC0, /* OCP SMART / Health Information Extended */
};
/* X(name, value, text) for each item */
#define ORM_VENDOR_LOG_PAGES_ITEMS(X) \
  X(remap_log, 0xCA, "RemapLog") \
  X(crash_log, 0xCB, "CrashLog") \
  X(ocp_smart, 0xC0, "OCP SMART / Health Information Extended")


/* Spare area of a programmed slot: whose data it holds. A slot without a good CRC is torn or foreign and does not count. */
#define ORM_OOB_RECORD_BYTES 32u
struct orm_oob_record {
  uint32_t lpn; /* byte 0, 32 bits: logical page whose data this is */
  uint32_t gen; /* byte 4, 32 bits: generation of the superblock when it was programmed */
  uint64_t seq; /* byte 8, 48 bits: sequence number of the mapping event that created the data; GC copies keep it */
  uint8_t stream; /* byte 14, 8 bits: stream_host (+ stream_handle * placement handle) or stream_gc */
  uint8_t version; /* byte 15, 8 bits: format_version */
  uint32_t slot; /* byte 16, 32 bits: number of the slot that was programmed */
  uint64_t reserved; /* byte 20, 64 bits: zero */
  uint32_t crc; /* byte 28, 32 bits: crc32c */
};
#define ORM_OOB_RECORD_LPN_OFFSET 0u
#define ORM_OOB_RECORD_GEN_OFFSET 4u
#define ORM_OOB_RECORD_SEQ_OFFSET 8u
#define ORM_OOB_RECORD_STREAM_OFFSET 14u
#define ORM_OOB_RECORD_VERSION_OFFSET 15u
#define ORM_OOB_RECORD_SLOT_OFFSET 16u
#define ORM_OOB_RECORD_RESERVED_OFFSET 20u
#define ORM_OOB_RECORD_CRC_OFFSET 28u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_OOB_RECORD_FIELDS(X) \
  X(lpn, 32, "logical page whose data this is") \
  X(gen, 32, "generation of the superblock when it was programmed") \
  X(seq, 48, "sequence number of the mapping event that created the data; GC copies keep it") \
  X(stream, 8, "stream_host (+ stream_handle * placement handle) or stream_gc") \
  X(version, 8, "format_version") \
  X(slot, 32, "number of the slot that was programmed")
static inline void orm_oob_record_pack(const struct orm_oob_record *r, uint8_t out[32]) {
  memset(out, 0, 32);
  orm_put_le(out + 0, r->lpn, 4);
  orm_put_le(out + 4, r->gen, 4);
  orm_put_le(out + 8, r->seq, 6);
  orm_put_le(out + 14, r->stream, 1);
  orm_put_le(out + 15, r->version, 1);
  orm_put_le(out + 16, r->slot, 4);
  orm_put_le(out + 20, r->reserved, 8);
  orm_put_le(out + 28, r->crc, 4);
}
static inline void orm_oob_record_unpack(struct orm_oob_record *r, const uint8_t in[32]) {
  r->lpn = (uint32_t)orm_get_le(in + 0, 4);
  r->gen = (uint32_t)orm_get_le(in + 4, 4);
  r->seq = (uint64_t)orm_get_le(in + 8, 6);
  r->stream = (uint8_t)orm_get_le(in + 14, 1);
  r->version = (uint8_t)orm_get_le(in + 15, 1);
  r->slot = (uint32_t)orm_get_le(in + 16, 4);
  r->reserved = (uint64_t)orm_get_le(in + 20, 8);
  r->crc = (uint32_t)orm_get_le(in + 28, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_oob_record_crc(const uint8_t packed[32]) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 28);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_oob_record_seal(const struct orm_oob_record *r, uint8_t out[32]) {
  orm_oob_record_pack(r, out);
  orm_put_le(out + 28, orm_oob_record_crc(out), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_oob_record_open(struct orm_oob_record *r, const uint8_t in[32]) {
  orm_oob_record_unpack(r, in);
  return r->crc == orm_oob_record_crc(in);
}


/* A further sharer of a slot, in a segment of its superblock's chain. It counts when its CRC is good, its seq is not past the commit pointer and the slot is programmed with the same generation. */
#define ORM_REMAP_ENTRY_BYTES 16u
struct orm_remap_entry {
  uint32_t lpn; /* byte 0, 32 bits: LPN of the sharer */
  uint16_t offset; /* byte 4, 16 bits: slot within the superblock */
  uint64_t seq; /* byte 6, 48 bits: sequence number of the mapping event; GC keeps it when it moves the slot */
  uint32_t crc; /* byte 12, 32 bits: crc32c */
};
#define ORM_REMAP_ENTRY_LPN_OFFSET 0u
#define ORM_REMAP_ENTRY_OFFSET_OFFSET 4u
#define ORM_REMAP_ENTRY_SEQ_OFFSET 6u
#define ORM_REMAP_ENTRY_CRC_OFFSET 12u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_REMAP_ENTRY_FIELDS(X) \
  X(lpn, 32, "LPN of the sharer") \
  X(offset, 16, "slot within the superblock") \
  X(seq, 48, "sequence number of the mapping event; GC keeps it when it moves the slot")
static inline void orm_remap_entry_pack(const struct orm_remap_entry *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->lpn, 4);
  orm_put_le(out + 4, r->offset, 2);
  orm_put_le(out + 6, r->seq, 6);
  orm_put_le(out + 12, r->crc, 4);
}
static inline void orm_remap_entry_unpack(struct orm_remap_entry *r, const uint8_t in[16]) {
  r->lpn = (uint32_t)orm_get_le(in + 0, 4);
  r->offset = (uint16_t)orm_get_le(in + 4, 2);
  r->seq = (uint64_t)orm_get_le(in + 6, 6);
  r->crc = (uint32_t)orm_get_le(in + 12, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_remap_entry_crc(const uint8_t packed[16], uint16_t sb, uint32_t gen, uint16_t epoch) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 12);
  uint8_t salt_sb[2];
  orm_put_le(salt_sb, sb, 2);
  crc = orm_crc32c_update(crc, salt_sb, 2);
  uint8_t salt_gen[4];
  orm_put_le(salt_gen, gen, 4);
  crc = orm_crc32c_update(crc, salt_gen, 4);
  uint8_t salt_epoch[2];
  orm_put_le(salt_epoch, epoch, 2);
  crc = orm_crc32c_update(crc, salt_epoch, 2);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_remap_entry_seal(const struct orm_remap_entry *r, uint16_t sb, uint32_t gen, uint16_t epoch, uint8_t out[16]) {
  orm_remap_entry_pack(r, out);
  orm_put_le(out + 12, orm_remap_entry_crc(out, sb, gen, epoch), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_remap_entry_open(struct orm_remap_entry *r, const uint8_t in[16], uint16_t sb, uint32_t gen, uint16_t epoch) {
  orm_remap_entry_unpack(r, in);
  return r->crc == orm_remap_entry_crc(in, sb, gen, epoch);
}


/* First 16 bytes of each segment of the remap table: the chain that it belongs to, and its place there. */
#define ORM_SEGMENT_HEADER_BYTES 16u
struct orm_segment_header {
  uint16_t sb; /* byte 0, 16 bits: superblock that owns the segment */
  uint16_t index; /* byte 2, 16 bits: place in the chain, 0 is the oldest */
  uint32_t gen; /* byte 4, 32 bits: generation of the superblock */
  uint16_t prev; /* byte 8, 16 bits: predecessor in the chain; the segment's own number when index is 0 */
  uint16_t epoch; /* byte 10, 16 bits: epoch of the superblock's chain; a segment with another epoch is not part of the chain */
  uint32_t crc; /* byte 12, 32 bits: crc32c */
};
#define ORM_SEGMENT_HEADER_SB_OFFSET 0u
#define ORM_SEGMENT_HEADER_INDEX_OFFSET 2u
#define ORM_SEGMENT_HEADER_GEN_OFFSET 4u
#define ORM_SEGMENT_HEADER_PREV_OFFSET 8u
#define ORM_SEGMENT_HEADER_EPOCH_OFFSET 10u
#define ORM_SEGMENT_HEADER_CRC_OFFSET 12u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_SEGMENT_HEADER_FIELDS(X) \
  X(sb, 16, "superblock that owns the segment") \
  X(index, 16, "place in the chain, 0 is the oldest") \
  X(gen, 32, "generation of the superblock") \
  X(prev, 16, "predecessor in the chain; the segment's own number when index is 0") \
  X(epoch, 16, "epoch of the superblock's chain; a segment with another epoch is not part of the chain")
static inline void orm_segment_header_pack(const struct orm_segment_header *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->sb, 2);
  orm_put_le(out + 2, r->index, 2);
  orm_put_le(out + 4, r->gen, 4);
  orm_put_le(out + 8, r->prev, 2);
  orm_put_le(out + 10, r->epoch, 2);
  orm_put_le(out + 12, r->crc, 4);
}
static inline void orm_segment_header_unpack(struct orm_segment_header *r, const uint8_t in[16]) {
  r->sb = (uint16_t)orm_get_le(in + 0, 2);
  r->index = (uint16_t)orm_get_le(in + 2, 2);
  r->gen = (uint32_t)orm_get_le(in + 4, 4);
  r->prev = (uint16_t)orm_get_le(in + 8, 2);
  r->epoch = (uint16_t)orm_get_le(in + 10, 2);
  r->crc = (uint32_t)orm_get_le(in + 12, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_segment_header_crc(const uint8_t packed[16]) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 12);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_segment_header_seal(const struct orm_segment_header *r, uint8_t out[16]) {
  orm_segment_header_pack(r, out);
  orm_put_le(out + 12, orm_segment_header_crc(out), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_segment_header_open(struct orm_segment_header *r, const uint8_t in[16]) {
  orm_segment_header_unpack(r, in);
  return r->crc == orm_segment_header_crc(in);
}


/* First 16 bytes of a flash slot that holds destaged entries of a chain. RemapEntry records with the same superblock, generation and epoch follow. The slot's LPN (CAP_DESTAGE_LPN) tells superblock and set. */
#define ORM_DESTAGE_HEADER_BYTES 16u
struct orm_destage_header {
  uint16_t sb; /* byte 0, 16 bits: superblock that owns the chain */
  uint32_t gen; /* byte 2, 32 bits: generation of the superblock */
  uint16_t epoch; /* byte 6, 16 bits: epoch that began when this part was destaged */
  uint16_t entries; /* byte 8, 16 bits: entries in this slot */
  uint8_t index; /* byte 10, 8 bits: place of the slot in the set */
  uint8_t slots; /* byte 11, 8 bits: slots of the set */
  uint32_t crc; /* byte 12, 32 bits: crc32c */
};
#define ORM_DESTAGE_HEADER_SB_OFFSET 0u
#define ORM_DESTAGE_HEADER_GEN_OFFSET 2u
#define ORM_DESTAGE_HEADER_EPOCH_OFFSET 6u
#define ORM_DESTAGE_HEADER_ENTRIES_OFFSET 8u
#define ORM_DESTAGE_HEADER_INDEX_OFFSET 10u
#define ORM_DESTAGE_HEADER_SLOTS_OFFSET 11u
#define ORM_DESTAGE_HEADER_CRC_OFFSET 12u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_DESTAGE_HEADER_FIELDS(X) \
  X(sb, 16, "superblock that owns the chain") \
  X(gen, 32, "generation of the superblock") \
  X(epoch, 16, "epoch that began when this part was destaged") \
  X(entries, 16, "entries in this slot") \
  X(index, 8, "place of the slot in the set") \
  X(slots, 8, "slots of the set")
static inline void orm_destage_header_pack(const struct orm_destage_header *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->sb, 2);
  orm_put_le(out + 2, r->gen, 4);
  orm_put_le(out + 6, r->epoch, 2);
  orm_put_le(out + 8, r->entries, 2);
  orm_put_le(out + 10, r->index, 1);
  orm_put_le(out + 11, r->slots, 1);
  orm_put_le(out + 12, r->crc, 4);
}
static inline void orm_destage_header_unpack(struct orm_destage_header *r, const uint8_t in[16]) {
  r->sb = (uint16_t)orm_get_le(in + 0, 2);
  r->gen = (uint32_t)orm_get_le(in + 2, 4);
  r->epoch = (uint16_t)orm_get_le(in + 6, 2);
  r->entries = (uint16_t)orm_get_le(in + 8, 2);
  r->index = (uint8_t)orm_get_le(in + 10, 1);
  r->slots = (uint8_t)orm_get_le(in + 11, 1);
  r->crc = (uint32_t)orm_get_le(in + 12, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_destage_header_crc(const uint8_t packed[16]) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 12);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_destage_header_seal(const struct orm_destage_header *r, uint8_t out[16]) {
  orm_destage_header_pack(r, out);
  orm_put_le(out + 12, orm_destage_header_crc(out), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_destage_header_open(struct orm_destage_header *r, const uint8_t in[16]) {
  orm_destage_header_unpack(r, in);
  return r->crc == orm_destage_header_crc(in);
}


/* A trimmed range in the NVRAM ring. It counts when its CRC is good and its seq is past the checkpoint's and not past the commit pointer. */
#define ORM_JOURNAL_RECORD_BYTES 16u
struct orm_journal_record {
  uint32_t lpn; /* byte 0, 32 bits: first LPN */
  uint16_t pages; /* byte 4, 16 bits: LPNs in the range, at least 1 */
  uint64_t seq; /* byte 6, 48 bits: mapping event */
  uint32_t crc; /* byte 12, 32 bits: crc32c */
};
#define ORM_JOURNAL_RECORD_LPN_OFFSET 0u
#define ORM_JOURNAL_RECORD_PAGES_OFFSET 4u
#define ORM_JOURNAL_RECORD_SEQ_OFFSET 6u
#define ORM_JOURNAL_RECORD_CRC_OFFSET 12u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_JOURNAL_RECORD_FIELDS(X) \
  X(lpn, 32, "first LPN") \
  X(pages, 16, "LPNs in the range, at least 1") \
  X(seq, 48, "mapping event")
static inline void orm_journal_record_pack(const struct orm_journal_record *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->lpn, 4);
  orm_put_le(out + 4, r->pages, 2);
  orm_put_le(out + 6, r->seq, 6);
  orm_put_le(out + 12, r->crc, 4);
}
static inline void orm_journal_record_unpack(struct orm_journal_record *r, const uint8_t in[16]) {
  r->lpn = (uint32_t)orm_get_le(in + 0, 4);
  r->pages = (uint16_t)orm_get_le(in + 4, 2);
  r->seq = (uint64_t)orm_get_le(in + 6, 6);
  r->crc = (uint32_t)orm_get_le(in + 12, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_journal_record_crc(const uint8_t packed[16]) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 12);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_journal_record_seal(const struct orm_journal_record *r, uint8_t out[16]) {
  orm_journal_record_pack(r, out);
  orm_put_le(out + 12, orm_journal_record_crc(out), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_journal_record_open(struct orm_journal_record *r, const uint8_t in[16]) {
  orm_journal_record_unpack(r, in);
  return r->crc == orm_journal_record_crc(in);
}


/* 8 bytes, so NVRAM writes it atomically. Commit pointer: journal records and remap entries up to seq count. Checkpoint pointer: what journal records up to seq say is in the trim bitmap. */
#define ORM_POINTER_WORD_BYTES 8u
struct orm_pointer_word {
  uint64_t seq; /* byte 0, 48 bits: mapping event */
  uint8_t reserved; /* byte 6, 8 bits: zero */
  uint8_t crc; /* byte 7, 8 bits: crc8 */
};
#define ORM_POINTER_WORD_SEQ_OFFSET 0u
#define ORM_POINTER_WORD_RESERVED_OFFSET 6u
#define ORM_POINTER_WORD_CRC_OFFSET 7u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_POINTER_WORD_FIELDS(X) \
  X(seq, 48, "mapping event")
static inline void orm_pointer_word_pack(const struct orm_pointer_word *r, uint8_t out[8]) {
  memset(out, 0, 8);
  orm_put_le(out + 0, r->seq, 6);
  orm_put_le(out + 6, r->reserved, 1);
  orm_put_le(out + 7, r->crc, 1);
}
static inline void orm_pointer_word_unpack(struct orm_pointer_word *r, const uint8_t in[8]) {
  r->seq = (uint64_t)orm_get_le(in + 0, 6);
  r->reserved = (uint8_t)orm_get_le(in + 6, 1);
  r->crc = (uint8_t)orm_get_le(in + 7, 1);
}
/* The correct CRC of the packed record. */
static inline uint8_t orm_pointer_word_crc(const uint8_t packed[8]) {
  orm_crc8_t crc = orm_crc8_update(ORM_CRC8_INIT, packed, 7);
  return orm_crc8_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_pointer_word_seal(const struct orm_pointer_word *r, uint8_t out[8]) {
  orm_pointer_word_pack(r, out);
  orm_put_le(out + 7, orm_pointer_word_crc(out), 1);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_pointer_word_open(struct orm_pointer_word *r, const uint8_t in[8]) {
  orm_pointer_word_unpack(r, in);
  return r->crc == orm_pointer_word_crc(in);
}


/* 8 bytes per superblock, so NVRAM writes it atomically. After an erase it holds the generation of the next filling. After a compaction or destaging it holds the epoch of the new chain, which replaces the old one with this write, and the set of slots with the destaged part. */
#define ORM_BLOCK_RECORD_BYTES 8u
struct orm_block_record {
  uint32_t gen; /* byte 0, 32 bits: generation */
  uint16_t epoch; /* byte 4, 16 bits: compactions and destagings of its chain since the erase */
  uint8_t set; /* byte 6, 8 bits: set of slots with the destaged part of the chain (CAP_DESTAGE_LPN), 1 or 2; 0: none */
  uint8_t crc; /* byte 7, 8 bits: crc8 */
};
#define ORM_BLOCK_RECORD_GEN_OFFSET 0u
#define ORM_BLOCK_RECORD_EPOCH_OFFSET 4u
#define ORM_BLOCK_RECORD_SET_OFFSET 6u
#define ORM_BLOCK_RECORD_CRC_OFFSET 7u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_BLOCK_RECORD_FIELDS(X) \
  X(gen, 32, "generation") \
  X(epoch, 16, "compactions and destagings of its chain since the erase") \
  X(set, 8, "set of slots with the destaged part of the chain (CAP_DESTAGE_LPN), 1 or 2; 0: none")
static inline void orm_block_record_pack(const struct orm_block_record *r, uint8_t out[8]) {
  memset(out, 0, 8);
  orm_put_le(out + 0, r->gen, 4);
  orm_put_le(out + 4, r->epoch, 2);
  orm_put_le(out + 6, r->set, 1);
  orm_put_le(out + 7, r->crc, 1);
}
static inline void orm_block_record_unpack(struct orm_block_record *r, const uint8_t in[8]) {
  r->gen = (uint32_t)orm_get_le(in + 0, 4);
  r->epoch = (uint16_t)orm_get_le(in + 4, 2);
  r->set = (uint8_t)orm_get_le(in + 6, 1);
  r->crc = (uint8_t)orm_get_le(in + 7, 1);
}
/* The correct CRC of the packed record. */
static inline uint8_t orm_block_record_crc(const uint8_t packed[8], uint16_t sb) {
  orm_crc8_t crc = orm_crc8_update(ORM_CRC8_INIT, packed, 7);
  uint8_t salt_sb[2];
  orm_put_le(salt_sb, sb, 2);
  crc = orm_crc8_update(crc, salt_sb, 2);
  return orm_crc8_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_block_record_seal(const struct orm_block_record *r, uint16_t sb, uint8_t out[8]) {
  orm_block_record_pack(r, out);
  orm_put_le(out + 7, orm_block_record_crc(out, sb), 1);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_block_record_open(struct orm_block_record *r, const uint8_t in[8], uint16_t sb) {
  orm_block_record_unpack(r, in);
  return r->crc == orm_block_record_crc(in, sb);
}


/* First bytes of NVRAM, written when the media are initialised. Another version or geometry is refused. */
#define ORM_NV_HEADER_BYTES 64u
struct orm_nv_header {
  uint64_t magic; /* byte 0, 64 bits: nv_magic */
  uint32_t version; /* byte 8, 32 bits: format_version */
  uint32_t superblocks; /* byte 12, 32 bits: superblocks in use */
  uint32_t slots_per_sb; /* byte 16, 32 bits: slots of a superblock */
  uint32_t nsze; /* byte 20, 32 bits: logical pages that the namespace offers */
  uint32_t segments; /* byte 24, 32 bits: segments of the remap table */
  uint32_t journal_records; /* byte 28, 32 bits: records of the journal ring */
  uint32_t format_count; /* byte 32, 32 bits: times the device was formatted */
  uint8_t handles; /* byte 36, 8 bits: placement handles that the namespace offers */
  uint8_t flags; /* byte 37, 8 bits: zero */
  uint16_t bad; /* byte 38, 16 bits: superblocks that were bad at that time */
  uint32_t flash; /* byte 40, 32 bits: CAP_FLASH: channels, dies, pages of a block */
  uint16_t summary_slots; /* byte 44, 16 bits: CAP_SUMMARY.slots */
  uint16_t reserved0; /* byte 46, 16 bits: zero */
  uint64_t reserved1; /* byte 48, 64 bits: zero */
  uint32_t reserved2; /* byte 56, 32 bits: zero */
  uint32_t crc; /* byte 60, 32 bits: crc32c */
};
#define ORM_NV_HEADER_MAGIC_OFFSET 0u
#define ORM_NV_HEADER_VERSION_OFFSET 8u
#define ORM_NV_HEADER_SUPERBLOCKS_OFFSET 12u
#define ORM_NV_HEADER_SLOTS_PER_SB_OFFSET 16u
#define ORM_NV_HEADER_NSZE_OFFSET 20u
#define ORM_NV_HEADER_SEGMENTS_OFFSET 24u
#define ORM_NV_HEADER_JOURNAL_RECORDS_OFFSET 28u
#define ORM_NV_HEADER_FORMAT_COUNT_OFFSET 32u
#define ORM_NV_HEADER_HANDLES_OFFSET 36u
#define ORM_NV_HEADER_FLAGS_OFFSET 37u
#define ORM_NV_HEADER_BAD_OFFSET 38u
#define ORM_NV_HEADER_FLASH_OFFSET 40u
#define ORM_NV_HEADER_SUMMARY_SLOTS_OFFSET 44u
#define ORM_NV_HEADER_RESERVED0_OFFSET 46u
#define ORM_NV_HEADER_RESERVED1_OFFSET 48u
#define ORM_NV_HEADER_RESERVED2_OFFSET 56u
#define ORM_NV_HEADER_CRC_OFFSET 60u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_NV_HEADER_FIELDS(X) \
  X(magic, 64, "nv_magic") \
  X(version, 32, "format_version") \
  X(superblocks, 32, "superblocks in use") \
  X(slots_per_sb, 32, "slots of a superblock") \
  X(nsze, 32, "logical pages that the namespace offers") \
  X(segments, 32, "segments of the remap table") \
  X(journal_records, 32, "records of the journal ring") \
  X(format_count, 32, "times the device was formatted") \
  X(handles, 8, "placement handles that the namespace offers") \
  X(flags, 8, "zero") \
  X(bad, 16, "superblocks that were bad at that time") \
  X(flash, 32, "CAP_FLASH: channels, dies, pages of a block") \
  X(summary_slots, 16, "CAP_SUMMARY.slots")
static inline void orm_nv_header_pack(const struct orm_nv_header *r, uint8_t out[64]) {
  memset(out, 0, 64);
  orm_put_le(out + 0, r->magic, 8);
  orm_put_le(out + 8, r->version, 4);
  orm_put_le(out + 12, r->superblocks, 4);
  orm_put_le(out + 16, r->slots_per_sb, 4);
  orm_put_le(out + 20, r->nsze, 4);
  orm_put_le(out + 24, r->segments, 4);
  orm_put_le(out + 28, r->journal_records, 4);
  orm_put_le(out + 32, r->format_count, 4);
  orm_put_le(out + 36, r->handles, 1);
  orm_put_le(out + 37, r->flags, 1);
  orm_put_le(out + 38, r->bad, 2);
  orm_put_le(out + 40, r->flash, 4);
  orm_put_le(out + 44, r->summary_slots, 2);
  orm_put_le(out + 46, r->reserved0, 2);
  orm_put_le(out + 48, r->reserved1, 8);
  orm_put_le(out + 56, r->reserved2, 4);
  orm_put_le(out + 60, r->crc, 4);
}
static inline void orm_nv_header_unpack(struct orm_nv_header *r, const uint8_t in[64]) {
  r->magic = (uint64_t)orm_get_le(in + 0, 8);
  r->version = (uint32_t)orm_get_le(in + 8, 4);
  r->superblocks = (uint32_t)orm_get_le(in + 12, 4);
  r->slots_per_sb = (uint32_t)orm_get_le(in + 16, 4);
  r->nsze = (uint32_t)orm_get_le(in + 20, 4);
  r->segments = (uint32_t)orm_get_le(in + 24, 4);
  r->journal_records = (uint32_t)orm_get_le(in + 28, 4);
  r->format_count = (uint32_t)orm_get_le(in + 32, 4);
  r->handles = (uint8_t)orm_get_le(in + 36, 1);
  r->flags = (uint8_t)orm_get_le(in + 37, 1);
  r->bad = (uint16_t)orm_get_le(in + 38, 2);
  r->flash = (uint32_t)orm_get_le(in + 40, 4);
  r->summary_slots = (uint16_t)orm_get_le(in + 44, 2);
  r->reserved0 = (uint16_t)orm_get_le(in + 46, 2);
  r->reserved1 = (uint64_t)orm_get_le(in + 48, 8);
  r->reserved2 = (uint32_t)orm_get_le(in + 56, 4);
  r->crc = (uint32_t)orm_get_le(in + 60, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_nv_header_crc(const uint8_t packed[64]) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 60);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_nv_header_seal(const struct orm_nv_header *r, uint8_t out[64]) {
  orm_nv_header_pack(r, out);
  orm_put_le(out + 60, orm_nv_header_crc(out), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_nv_header_open(struct orm_nv_header *r, const uint8_t in[64]) {
  orm_nv_header_unpack(r, in);
  return r->crc == orm_nv_header_crc(in);
}


/* Firmware writes it before a superblock's erase can begin (GC, recovery). While `gen` is still the superblock's generation, the erase may have been cut short. */
#define ORM_GC_INTENT_BYTES 16u
struct orm_gc_intent {
  uint32_t gen; /* byte 0, 32 bits: generation before the erase */
  uint16_t sb; /* byte 4, 16 bits: superblock */
  uint16_t good_slots; /* byte 6, 16 bits: readable slots before the erase; if the erase did not begin, all of them still are */
  uint32_t order; /* byte 8, 32 bits: of two collections under way the later one has the larger number, modulo 2^32; recovery writes 0, as did firmware before there was an order */
  uint32_t crc; /* byte 12, 32 bits: crc32c */
};
#define ORM_GC_INTENT_GEN_OFFSET 0u
#define ORM_GC_INTENT_SB_OFFSET 4u
#define ORM_GC_INTENT_GOOD_SLOTS_OFFSET 6u
#define ORM_GC_INTENT_ORDER_OFFSET 8u
#define ORM_GC_INTENT_CRC_OFFSET 12u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_GC_INTENT_FIELDS(X) \
  X(gen, 32, "generation before the erase") \
  X(sb, 16, "superblock") \
  X(good_slots, 16, "readable slots before the erase; if the erase did not begin, all of them still are") \
  X(order, 32, "of two collections under way the later one has the larger number, modulo 2^32; recovery writes 0, as did firmware before there was an order")
static inline void orm_gc_intent_pack(const struct orm_gc_intent *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->gen, 4);
  orm_put_le(out + 4, r->sb, 2);
  orm_put_le(out + 6, r->good_slots, 2);
  orm_put_le(out + 8, r->order, 4);
  orm_put_le(out + 12, r->crc, 4);
}
static inline void orm_gc_intent_unpack(struct orm_gc_intent *r, const uint8_t in[16]) {
  r->gen = (uint32_t)orm_get_le(in + 0, 4);
  r->sb = (uint16_t)orm_get_le(in + 4, 2);
  r->good_slots = (uint16_t)orm_get_le(in + 6, 2);
  r->order = (uint32_t)orm_get_le(in + 8, 4);
  r->crc = (uint32_t)orm_get_le(in + 12, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_gc_intent_crc(const uint8_t packed[16]) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 12);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_gc_intent_seal(const struct orm_gc_intent *r, uint8_t out[16]) {
  orm_gc_intent_pack(r, out);
  orm_put_le(out + 12, orm_gc_intent_crc(out), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_gc_intent_open(struct orm_gc_intent *r, const uint8_t in[16]) {
  orm_gc_intent_unpack(r, in);
  return r->crc == orm_gc_intent_crc(in);
}


/* 8 bytes, so NVRAM writes it atomically. Format NVM is under way: while this word is good the namespace counts as empty, and a start finishes the format. */
#define ORM_FORMAT_WORD_BYTES 8u
struct orm_format_word {
  uint32_t mark; /* byte 0, 32 bits: format_mark */
  uint32_t reserved; /* byte 4, 24 bits: zero */
  uint8_t crc; /* byte 7, 8 bits: crc8 */
};
#define ORM_FORMAT_WORD_MARK_OFFSET 0u
#define ORM_FORMAT_WORD_RESERVED_OFFSET 4u
#define ORM_FORMAT_WORD_CRC_OFFSET 7u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_FORMAT_WORD_FIELDS(X) \
  X(mark, 32, "format_mark")
static inline void orm_format_word_pack(const struct orm_format_word *r, uint8_t out[8]) {
  memset(out, 0, 8);
  orm_put_le(out + 0, r->mark, 4);
  orm_put_le(out + 4, r->reserved, 3);
  orm_put_le(out + 7, r->crc, 1);
}
static inline void orm_format_word_unpack(struct orm_format_word *r, const uint8_t in[8]) {
  r->mark = (uint32_t)orm_get_le(in + 0, 4);
  r->reserved = (uint32_t)orm_get_le(in + 4, 3);
  r->crc = (uint8_t)orm_get_le(in + 7, 1);
}
/* The correct CRC of the packed record. */
static inline uint8_t orm_format_word_crc(const uint8_t packed[8]) {
  orm_crc8_t crc = orm_crc8_update(ORM_CRC8_INIT, packed, 7);
  return orm_crc8_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_format_word_seal(const struct orm_format_word *r, uint8_t out[8]) {
  orm_format_word_pack(r, out);
  orm_put_le(out + 7, orm_format_word_crc(out), 1);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_format_word_open(struct orm_format_word *r, const uint8_t in[8]) {
  orm_format_word_unpack(r, in);
  return r->crc == orm_format_word_crc(in);
}


/* 8 bytes, so NVRAM writes it atomically: which of trim_word_lpns LPNs had no data at the checkpoint. Zeroes, as an initialisation leaves them, mean none. */
#define ORM_TRIM_WORD_BYTES 8u
struct orm_trim_word {
  uint64_t trimmed; /* byte 0, 56 bits: a bit per LPN; the lowest LPN is `word` * trim_word_lpns */
  uint8_t crc; /* byte 7, 8 bits: crc8 */
};
#define ORM_TRIM_WORD_TRIMMED_OFFSET 0u
#define ORM_TRIM_WORD_CRC_OFFSET 7u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_TRIM_WORD_FIELDS(X) \
  X(trimmed, 56, "a bit per LPN; the lowest LPN is `word` * trim_word_lpns")
static inline void orm_trim_word_pack(const struct orm_trim_word *r, uint8_t out[8]) {
  memset(out, 0, 8);
  orm_put_le(out + 0, r->trimmed, 7);
  orm_put_le(out + 7, r->crc, 1);
}
static inline void orm_trim_word_unpack(struct orm_trim_word *r, const uint8_t in[8]) {
  r->trimmed = (uint64_t)orm_get_le(in + 0, 7);
  r->crc = (uint8_t)orm_get_le(in + 7, 1);
}
/* The correct CRC of the packed record. */
static inline uint8_t orm_trim_word_crc(const uint8_t packed[8], uint32_t word) {
  orm_crc8_t crc = orm_crc8_update(ORM_CRC8_INIT, packed, 7);
  uint8_t salt_word[4];
  orm_put_le(salt_word, word, 4);
  crc = orm_crc8_update(crc, salt_word, 4);
  return orm_crc8_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_trim_word_seal(const struct orm_trim_word *r, uint32_t word, uint8_t out[8]) {
  orm_trim_word_pack(r, out);
  orm_put_le(out + 7, orm_trim_word_crc(out, word), 1);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_trim_word_open(struct orm_trim_word *r, const uint8_t in[8], uint32_t word) {
  orm_trim_word_unpack(r, in);
  return r->crc == orm_trim_word_crc(in, word);
}


/* 8 bytes, so NVRAM writes it atomically. For each region of trim_region_words TrimWords: its LPNs whose bit is set in bitmap number `bitmap` had no data at seq. Events up to seq do not count for them. Zeroes, as an initialisation leaves them, mean that all events count. */
#define ORM_TRIM_POINTER_BYTES 8u
struct orm_trim_pointer {
  uint64_t seq; /* byte 0, 48 bits: mapping event */
  uint8_t bitmap; /* byte 6, 8 bits: 0 or 1 */
  uint8_t crc; /* byte 7, 8 bits: crc8 */
};
#define ORM_TRIM_POINTER_SEQ_OFFSET 0u
#define ORM_TRIM_POINTER_BITMAP_OFFSET 6u
#define ORM_TRIM_POINTER_CRC_OFFSET 7u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_TRIM_POINTER_FIELDS(X) \
  X(seq, 48, "mapping event") \
  X(bitmap, 8, "0 or 1")
static inline void orm_trim_pointer_pack(const struct orm_trim_pointer *r, uint8_t out[8]) {
  memset(out, 0, 8);
  orm_put_le(out + 0, r->seq, 6);
  orm_put_le(out + 6, r->bitmap, 1);
  orm_put_le(out + 7, r->crc, 1);
}
static inline void orm_trim_pointer_unpack(struct orm_trim_pointer *r, const uint8_t in[8]) {
  r->seq = (uint64_t)orm_get_le(in + 0, 6);
  r->bitmap = (uint8_t)orm_get_le(in + 6, 1);
  r->crc = (uint8_t)orm_get_le(in + 7, 1);
}
/* The correct CRC of the packed record. */
static inline uint8_t orm_trim_pointer_crc(const uint8_t packed[8], uint32_t region) {
  orm_crc8_t crc = orm_crc8_update(ORM_CRC8_INIT, packed, 7);
  uint8_t salt_region[4];
  orm_put_le(salt_region, region, 4);
  crc = orm_crc8_update(crc, salt_region, 4);
  return orm_crc8_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_trim_pointer_seal(const struct orm_trim_pointer *r, uint32_t region, uint8_t out[8]) {
  orm_trim_pointer_pack(r, out);
  orm_put_le(out + 7, orm_trim_pointer_crc(out, region), 1);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_trim_pointer_open(struct orm_trim_pointer *r, const uint8_t in[8], uint32_t region) {
  orm_trim_pointer_unpack(r, in);
  return r->crc == orm_trim_pointer_crc(in, region);
}


/* 8 bytes, so NVRAM writes it atomically: which of bad_word_sbs superblocks are out of use for good. */
#define ORM_BAD_WORD_BYTES 8u
struct orm_bad_word {
  uint64_t bad; /* byte 0, 48 bits: a bit per superblock; the lowest is `first` */
  uint8_t reserved; /* byte 6, 8 bits: zero */
  uint8_t crc; /* byte 7, 8 bits: crc8 */
};
#define ORM_BAD_WORD_BAD_OFFSET 0u
#define ORM_BAD_WORD_RESERVED_OFFSET 6u
#define ORM_BAD_WORD_CRC_OFFSET 7u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_BAD_WORD_FIELDS(X) \
  X(bad, 48, "a bit per superblock; the lowest is `first`")
static inline void orm_bad_word_pack(const struct orm_bad_word *r, uint8_t out[8]) {
  memset(out, 0, 8);
  orm_put_le(out + 0, r->bad, 6);
  orm_put_le(out + 6, r->reserved, 1);
  orm_put_le(out + 7, r->crc, 1);
}
static inline void orm_bad_word_unpack(struct orm_bad_word *r, const uint8_t in[8]) {
  r->bad = (uint64_t)orm_get_le(in + 0, 6);
  r->reserved = (uint8_t)orm_get_le(in + 6, 1);
  r->crc = (uint8_t)orm_get_le(in + 7, 1);
}
/* The correct CRC of the packed record. */
static inline uint8_t orm_bad_word_crc(const uint8_t packed[8], uint16_t first) {
  orm_crc8_t crc = orm_crc8_update(ORM_CRC8_INIT, packed, 7);
  uint8_t salt_first[2];
  orm_put_le(salt_first, first, 2);
  crc = orm_crc8_update(crc, salt_first, 2);
  return orm_crc8_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_bad_word_seal(const struct orm_bad_word *r, uint16_t first, uint8_t out[8]) {
  orm_bad_word_pack(r, out);
  orm_put_le(out + 7, orm_bad_word_crc(out, first), 1);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_bad_word_open(struct orm_bad_word *r, const uint8_t in[8], uint16_t first) {
  orm_bad_word_unpack(r, in);
  return r->crc == orm_bad_word_crc(in, first);
}


/* Figures that survive a power cycle. There are two copies, written in turn; the good one with the larger `save` counts. */
#define ORM_FW_STATE_BYTES 1024u
struct orm_fw_state {
  uint32_t version; /* byte 0, 32 bits: format_version */
  uint32_t clean; /* byte 4, 32 bits: 1: written by a shutdown, nothing has changed since */
  uint64_t save; /* byte 8, 64 bits: number of this save */
  uint64_t power_cycles; /* byte 16, 64 bits: power cycles */
  uint64_t unsafe_shutdowns; /* byte 24, 64 bits: power lost without shutdown */
  uint64_t device_ns; /* byte 32, 64 bits: device time */
  uint64_t remap_commands; /* byte 40, 64 bits: remap commands that took effect */
  uint64_t remap_refused_sharers; /* byte 48, 64 bits: refused: sharer limit */
  uint64_t remap_refused_nvram; /* byte 56, 64 bits: refused: no room */
  uint64_t remap_refused_other; /* byte 64, 64 bits: refused: bounds, overlap, unmapped source, malformed */
  uint64_t trim_checkpoints; /* byte 72, 64 bits: trim bitmap checkpoints written */
  uint64_t errors; /* byte 80, 64 bits: error log entries ever made */
  uint64_t media_errors; /* byte 88, 64 bits: failed NAND operations seen by firmware */
  uint8_t open_sbs[16]; /* byte 96: superblocks open at the shutdown, 16 bits each, or FFFFh */
  uint8_t reserved0[16]; /* byte 112: zero */
  uint8_t counters[512]; /* byte 128: hardware counters by index, 8 bytes each */
  uint64_t damaged_entries; /* byte 640, 64 bits: remap entries found damaged at start-up */
  uint64_t damaged_segments; /* byte 648, 64 bits: segments of the remap table found with a damaged header */
  uint64_t damaged_journal; /* byte 656, 64 bits: damaged journal records that should have counted */
  uint64_t damaged_words; /* byte 664, 64 bits: other records of NVRAM found damaged */
  uint32_t segments_most; /* byte 672, 32 bits: largest number of segments of the remap table in use at a time */
  uint32_t reserved2; /* byte 676, 32 bits: zero */
  uint64_t read_reclaims; /* byte 680, 64 bits: superblocks collected by read reclaim: their reads were near the ECC limit or needed retries */
  uint8_t snapshot_sbs[16]; /* byte 688: superblocks of the snapshot of the mapping that belongs to `clean`, in order, 16 bits each, or FFFFh */
  uint32_t snapshot_slots; /* byte 704, 32 bits: slots of the snapshot, from the beginning of the first superblock; 0: no snapshot */
  uint32_t snapshot_crc; /* byte 708, 32 bits: CRC-32C over the generations of its superblocks, 32 bits each, and its slots */
  uint64_t snapshot_seq; /* byte 712, 64 bits: sequence number of the next mapping event */
  uint64_t warning_ns; /* byte 720, 64 bits: device time at or above WCTEMP and below CCTEMP */
  uint64_t critical_ns; /* byte 728, 64 bits: device time at or above CCTEMP */
  uint64_t wear_moved_pages; /* byte 736, 64 bits: slots that were valid in superblocks collected for wear levelling */
  uint8_t reserved1[276]; /* byte 744: zero */
  uint32_t crc; /* byte 1020, 32 bits: crc32c */
};
#define ORM_FW_STATE_VERSION_OFFSET 0u
#define ORM_FW_STATE_CLEAN_OFFSET 4u
#define ORM_FW_STATE_SAVE_OFFSET 8u
#define ORM_FW_STATE_POWER_CYCLES_OFFSET 16u
#define ORM_FW_STATE_UNSAFE_SHUTDOWNS_OFFSET 24u
#define ORM_FW_STATE_DEVICE_NS_OFFSET 32u
#define ORM_FW_STATE_REMAP_COMMANDS_OFFSET 40u
#define ORM_FW_STATE_REMAP_REFUSED_SHARERS_OFFSET 48u
#define ORM_FW_STATE_REMAP_REFUSED_NVRAM_OFFSET 56u
#define ORM_FW_STATE_REMAP_REFUSED_OTHER_OFFSET 64u
#define ORM_FW_STATE_TRIM_CHECKPOINTS_OFFSET 72u
#define ORM_FW_STATE_ERRORS_OFFSET 80u
#define ORM_FW_STATE_MEDIA_ERRORS_OFFSET 88u
#define ORM_FW_STATE_OPEN_SBS_OFFSET 96u
#define ORM_FW_STATE_RESERVED0_OFFSET 112u
#define ORM_FW_STATE_COUNTERS_OFFSET 128u
#define ORM_FW_STATE_DAMAGED_ENTRIES_OFFSET 640u
#define ORM_FW_STATE_DAMAGED_SEGMENTS_OFFSET 648u
#define ORM_FW_STATE_DAMAGED_JOURNAL_OFFSET 656u
#define ORM_FW_STATE_DAMAGED_WORDS_OFFSET 664u
#define ORM_FW_STATE_SEGMENTS_MOST_OFFSET 672u
#define ORM_FW_STATE_RESERVED2_OFFSET 676u
#define ORM_FW_STATE_READ_RECLAIMS_OFFSET 680u
#define ORM_FW_STATE_SNAPSHOT_SBS_OFFSET 688u
#define ORM_FW_STATE_SNAPSHOT_SLOTS_OFFSET 704u
#define ORM_FW_STATE_SNAPSHOT_CRC_OFFSET 708u
#define ORM_FW_STATE_SNAPSHOT_SEQ_OFFSET 712u
#define ORM_FW_STATE_WARNING_NS_OFFSET 720u
#define ORM_FW_STATE_CRITICAL_NS_OFFSET 728u
#define ORM_FW_STATE_WEAR_MOVED_PAGES_OFFSET 736u
#define ORM_FW_STATE_RESERVED1_OFFSET 744u
#define ORM_FW_STATE_CRC_OFFSET 1020u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_FW_STATE_FIELDS(X) \
  X(version, 32, "format_version") \
  X(clean, 32, "1: written by a shutdown, nothing has changed since") \
  X(save, 64, "number of this save") \
  X(power_cycles, 64, "power cycles") \
  X(unsafe_shutdowns, 64, "power lost without shutdown") \
  X(device_ns, 64, "device time") \
  X(remap_commands, 64, "remap commands that took effect") \
  X(remap_refused_sharers, 64, "refused: sharer limit") \
  X(remap_refused_nvram, 64, "refused: no room") \
  X(remap_refused_other, 64, "refused: bounds, overlap, unmapped source, malformed") \
  X(trim_checkpoints, 64, "trim bitmap checkpoints written") \
  X(errors, 64, "error log entries ever made") \
  X(media_errors, 64, "failed NAND operations seen by firmware") \
  X(damaged_entries, 64, "remap entries found damaged at start-up") \
  X(damaged_segments, 64, "segments of the remap table found with a damaged header") \
  X(damaged_journal, 64, "damaged journal records that should have counted") \
  X(damaged_words, 64, "other records of NVRAM found damaged") \
  X(segments_most, 32, "largest number of segments of the remap table in use at a time") \
  X(read_reclaims, 64, "superblocks collected by read reclaim: their reads were near the ECC limit or needed retries") \
  X(snapshot_slots, 32, "slots of the snapshot, from the beginning of the first superblock; 0: no snapshot") \
  X(snapshot_crc, 32, "CRC-32C over the generations of its superblocks, 32 bits each, and its slots") \
  X(snapshot_seq, 64, "sequence number of the next mapping event") \
  X(warning_ns, 64, "device time at or above WCTEMP and below CCTEMP") \
  X(critical_ns, 64, "device time at or above CCTEMP") \
  X(wear_moved_pages, 64, "slots that were valid in superblocks collected for wear levelling")
static inline void orm_fw_state_pack(const struct orm_fw_state *r, uint8_t out[1024]) {
  memset(out, 0, 1024);
  orm_put_le(out + 0, r->version, 4);
  orm_put_le(out + 4, r->clean, 4);
  orm_put_le(out + 8, r->save, 8);
  orm_put_le(out + 16, r->power_cycles, 8);
  orm_put_le(out + 24, r->unsafe_shutdowns, 8);
  orm_put_le(out + 32, r->device_ns, 8);
  orm_put_le(out + 40, r->remap_commands, 8);
  orm_put_le(out + 48, r->remap_refused_sharers, 8);
  orm_put_le(out + 56, r->remap_refused_nvram, 8);
  orm_put_le(out + 64, r->remap_refused_other, 8);
  orm_put_le(out + 72, r->trim_checkpoints, 8);
  orm_put_le(out + 80, r->errors, 8);
  orm_put_le(out + 88, r->media_errors, 8);
  memcpy(out + 96, r->open_sbs, 16);
  memcpy(out + 112, r->reserved0, 16);
  memcpy(out + 128, r->counters, 512);
  orm_put_le(out + 640, r->damaged_entries, 8);
  orm_put_le(out + 648, r->damaged_segments, 8);
  orm_put_le(out + 656, r->damaged_journal, 8);
  orm_put_le(out + 664, r->damaged_words, 8);
  orm_put_le(out + 672, r->segments_most, 4);
  orm_put_le(out + 676, r->reserved2, 4);
  orm_put_le(out + 680, r->read_reclaims, 8);
  memcpy(out + 688, r->snapshot_sbs, 16);
  orm_put_le(out + 704, r->snapshot_slots, 4);
  orm_put_le(out + 708, r->snapshot_crc, 4);
  orm_put_le(out + 712, r->snapshot_seq, 8);
  orm_put_le(out + 720, r->warning_ns, 8);
  orm_put_le(out + 728, r->critical_ns, 8);
  orm_put_le(out + 736, r->wear_moved_pages, 8);
  memcpy(out + 744, r->reserved1, 276);
  orm_put_le(out + 1020, r->crc, 4);
}
static inline void orm_fw_state_unpack(struct orm_fw_state *r, const uint8_t in[1024]) {
  r->version = (uint32_t)orm_get_le(in + 0, 4);
  r->clean = (uint32_t)orm_get_le(in + 4, 4);
  r->save = (uint64_t)orm_get_le(in + 8, 8);
  r->power_cycles = (uint64_t)orm_get_le(in + 16, 8);
  r->unsafe_shutdowns = (uint64_t)orm_get_le(in + 24, 8);
  r->device_ns = (uint64_t)orm_get_le(in + 32, 8);
  r->remap_commands = (uint64_t)orm_get_le(in + 40, 8);
  r->remap_refused_sharers = (uint64_t)orm_get_le(in + 48, 8);
  r->remap_refused_nvram = (uint64_t)orm_get_le(in + 56, 8);
  r->remap_refused_other = (uint64_t)orm_get_le(in + 64, 8);
  r->trim_checkpoints = (uint64_t)orm_get_le(in + 72, 8);
  r->errors = (uint64_t)orm_get_le(in + 80, 8);
  r->media_errors = (uint64_t)orm_get_le(in + 88, 8);
  memcpy(r->open_sbs, in + 96, 16);
  memcpy(r->reserved0, in + 112, 16);
  memcpy(r->counters, in + 128, 512);
  r->damaged_entries = (uint64_t)orm_get_le(in + 640, 8);
  r->damaged_segments = (uint64_t)orm_get_le(in + 648, 8);
  r->damaged_journal = (uint64_t)orm_get_le(in + 656, 8);
  r->damaged_words = (uint64_t)orm_get_le(in + 664, 8);
  r->segments_most = (uint32_t)orm_get_le(in + 672, 4);
  r->reserved2 = (uint32_t)orm_get_le(in + 676, 4);
  r->read_reclaims = (uint64_t)orm_get_le(in + 680, 8);
  memcpy(r->snapshot_sbs, in + 688, 16);
  r->snapshot_slots = (uint32_t)orm_get_le(in + 704, 4);
  r->snapshot_crc = (uint32_t)orm_get_le(in + 708, 4);
  r->snapshot_seq = (uint64_t)orm_get_le(in + 712, 8);
  r->warning_ns = (uint64_t)orm_get_le(in + 720, 8);
  r->critical_ns = (uint64_t)orm_get_le(in + 728, 8);
  r->wear_moved_pages = (uint64_t)orm_get_le(in + 736, 8);
  memcpy(r->reserved1, in + 744, 276);
  r->crc = (uint32_t)orm_get_le(in + 1020, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_fw_state_crc(const uint8_t packed[1024]) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 1020);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_fw_state_seal(const struct orm_fw_state *r, uint8_t out[1024]) {
  orm_fw_state_pack(r, out);
  orm_put_le(out + 1020, orm_fw_state_crc(out), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_fw_state_open(struct orm_fw_state *r, const uint8_t in[1024]) {
  orm_fw_state_unpack(r, in);
  return r->crc == orm_fw_state_crc(in);
}


/* One superblock in a snapshot of the mapping. The first slots of a snapshot are these records, by superblock. Then comes a bit for each snapshot_lpns entries of L2P: 1 if any of them is mapped. The slots of L2P with such entries follow, in order. */
#define ORM_SNAPSHOT_SB_BYTES 8u
struct orm_snapshot_sb {
  uint16_t good; /* byte 0, 16 bits: of a closed superblock: slots with a spare area of its generation */
  uint8_t state; /* byte 2, 8 bits: sb_state_e of SB_STATE */
  uint8_t reserved0; /* byte 3, 8 bits: zero */
  uint16_t destaged_segments; /* byte 4, 16 bits: segments that the entries of the chain's destaged part would fill */
  uint8_t destaged_slots; /* byte 6, 8 bits: slots of the destaged part */
  uint8_t reserved1; /* byte 7, 8 bits: zero */
};
#define ORM_SNAPSHOT_SB_GOOD_OFFSET 0u
#define ORM_SNAPSHOT_SB_STATE_OFFSET 2u
#define ORM_SNAPSHOT_SB_RESERVED0_OFFSET 3u
#define ORM_SNAPSHOT_SB_DESTAGED_SEGMENTS_OFFSET 4u
#define ORM_SNAPSHOT_SB_DESTAGED_SLOTS_OFFSET 6u
#define ORM_SNAPSHOT_SB_RESERVED1_OFFSET 7u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_SNAPSHOT_SB_FIELDS(X) \
  X(good, 16, "of a closed superblock: slots with a spare area of its generation") \
  X(state, 8, "sb_state_e of SB_STATE") \
  X(destaged_segments, 16, "segments that the entries of the chain's destaged part would fill") \
  X(destaged_slots, 8, "slots of the destaged part")
static inline void orm_snapshot_sb_pack(const struct orm_snapshot_sb *r, uint8_t out[8]) {
  memset(out, 0, 8);
  orm_put_le(out + 0, r->good, 2);
  orm_put_le(out + 2, r->state, 1);
  orm_put_le(out + 3, r->reserved0, 1);
  orm_put_le(out + 4, r->destaged_segments, 2);
  orm_put_le(out + 6, r->destaged_slots, 1);
  orm_put_le(out + 7, r->reserved1, 1);
}
static inline void orm_snapshot_sb_unpack(struct orm_snapshot_sb *r, const uint8_t in[8]) {
  r->good = (uint16_t)orm_get_le(in + 0, 2);
  r->state = (uint8_t)orm_get_le(in + 2, 1);
  r->reserved0 = (uint8_t)orm_get_le(in + 3, 1);
  r->destaged_segments = (uint16_t)orm_get_le(in + 4, 2);
  r->destaged_slots = (uint8_t)orm_get_le(in + 6, 1);
  r->reserved1 = (uint8_t)orm_get_le(in + 7, 1);
}


/* A programmed slot in the slot log in DRAM and in the summary in flash. The record's place is the slot's offset in the superblock. A record with another `gen` or `sb` does not count: its slot is padding, or part of the summary. */
#define ORM_SLOT_RECORD_BYTES 16u
struct orm_slot_record {
  uint32_t lpn; /* byte 0, 32 bits: as in OobRecord */
  uint32_t gen; /* byte 4, 32 bits: as in OobRecord */
  uint64_t seq; /* byte 8, 48 bits: as in OobRecord */
  uint16_t sb; /* byte 14, 16 bits: superblock */
};
#define ORM_SLOT_RECORD_LPN_OFFSET 0u
#define ORM_SLOT_RECORD_GEN_OFFSET 4u
#define ORM_SLOT_RECORD_SEQ_OFFSET 8u
#define ORM_SLOT_RECORD_SB_OFFSET 14u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_SLOT_RECORD_FIELDS(X) \
  X(lpn, 32, "as in OobRecord") \
  X(gen, 32, "as in OobRecord") \
  X(seq, 48, "as in OobRecord") \
  X(sb, 16, "superblock")
static inline void orm_slot_record_pack(const struct orm_slot_record *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->lpn, 4);
  orm_put_le(out + 4, r->gen, 4);
  orm_put_le(out + 8, r->seq, 6);
  orm_put_le(out + 14, r->sb, 2);
}
static inline void orm_slot_record_unpack(struct orm_slot_record *r, const uint8_t in[16]) {
  r->lpn = (uint32_t)orm_get_le(in + 0, 4);
  r->gen = (uint32_t)orm_get_le(in + 4, 4);
  r->seq = (uint64_t)orm_get_le(in + 8, 6);
  r->sb = (uint16_t)orm_get_le(in + 14, 2);
}


/* Last 16 bytes of a superblock's summary. The summary begins with the SlotRecords of the slots before it, by offset. The bytes between those and the trailer are zero. */
#define ORM_SUMMARY_TRAILER_BYTES 16u
struct orm_summary_trailer {
  uint32_t mark; /* byte 0, 32 bits: summary_mark */
  uint32_t gen; /* byte 4, 32 bits: generation of the superblock */
  uint16_t sb; /* byte 8, 16 bits: superblock */
  uint8_t version; /* byte 10, 8 bits: format_version */
  uint8_t stream; /* byte 11, 8 bits: as in OobRecord */
  uint32_t crc; /* byte 12, 32 bits: crc32c */
};
#define ORM_SUMMARY_TRAILER_MARK_OFFSET 0u
#define ORM_SUMMARY_TRAILER_GEN_OFFSET 4u
#define ORM_SUMMARY_TRAILER_SB_OFFSET 8u
#define ORM_SUMMARY_TRAILER_VERSION_OFFSET 10u
#define ORM_SUMMARY_TRAILER_STREAM_OFFSET 11u
#define ORM_SUMMARY_TRAILER_CRC_OFFSET 12u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_SUMMARY_TRAILER_FIELDS(X) \
  X(mark, 32, "summary_mark") \
  X(gen, 32, "generation of the superblock") \
  X(sb, 16, "superblock") \
  X(version, 8, "format_version") \
  X(stream, 8, "as in OobRecord")
static inline void orm_summary_trailer_pack(const struct orm_summary_trailer *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->mark, 4);
  orm_put_le(out + 4, r->gen, 4);
  orm_put_le(out + 8, r->sb, 2);
  orm_put_le(out + 10, r->version, 1);
  orm_put_le(out + 11, r->stream, 1);
  orm_put_le(out + 12, r->crc, 4);
}
static inline void orm_summary_trailer_unpack(struct orm_summary_trailer *r, const uint8_t in[16]) {
  r->mark = (uint32_t)orm_get_le(in + 0, 4);
  r->gen = (uint32_t)orm_get_le(in + 4, 4);
  r->sb = (uint16_t)orm_get_le(in + 8, 2);
  r->version = (uint8_t)orm_get_le(in + 10, 1);
  r->stream = (uint8_t)orm_get_le(in + 11, 1);
  r->crc = (uint32_t)orm_get_le(in + 12, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_summary_trailer_crc(const uint8_t packed[16], uint32_t before) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 12);
  uint8_t salt_before[4];
  orm_put_le(salt_before, before, 4);
  crc = orm_crc32c_update(crc, salt_before, 4);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_summary_trailer_seal(const struct orm_summary_trailer *r, uint32_t before, uint8_t out[16]) {
  orm_summary_trailer_pack(r, out);
  orm_put_le(out + 12, orm_summary_trailer_crc(out, before), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_summary_trailer_open(struct orm_summary_trailer *r, const uint8_t in[16], uint32_t before) {
  orm_summary_trailer_unpack(r, in);
  return r->crc == orm_summary_trailer_crc(in, before);
}


/* Why the firmware last stopped: an invariant did not hold, the watchdog found a poll that does not end, the processor trapped, or a memory failed. Also a vendor log page, bytes 511:0; zeroes: the firmware never stopped. */
#define ORM_CRASH_LOG_BYTES 512u
struct orm_crash_log {
  uint32_t version; /* byte 0, 32 bits: crash_version; a log with another version is not shown */
  uint8_t cause; /* byte 4, 8 bits: crash_assert, crash_watchdog, crash_fault or crash_memory */
  uint8_t gc_flights; /* byte 5, 8 bits: collections under way */
  uint8_t checkpoint; /* byte 6, 8 bits: phase of the trim checkpoint; 0: none */
  uint8_t format; /* byte 7, 8 bits: phase of a Format NVM; 0: none */
  uint32_t count; /* byte 8, 32 bits: crashes so far, this one included */
  uint32_t line; /* byte 12, 32 bits: line of the source file; 0 after a watchdog stop; program counter of a trap; address in the memory that failed */
  uint8_t file[32]; /* byte 16: name of the source file, of the trap or of the access, ASCII, padded with zeroes */
  uint64_t revision; /* byte 48, 64 bits: firmware revision, ASCII */
  uint8_t step[32]; /* byte 56: start-up step, or `running`, ASCII, padded with zeroes */
  uint64_t uptime_ns; /* byte 88, 64 bits: device time since power-on */
  uint64_t power_cycles; /* byte 96, 64 bits: power cycles */
  uint32_t irq; /* byte 104, 32 bits: IRQ_STATUS at the start of the last poll */
  uint8_t controller; /* byte 108, 8 bits: bit 0: enabled; bit 1: shutting down or shut down */
  uint32_t reserved0; /* byte 109, 24 bits: zero */
  uint8_t commands[128]; /* byte 112: CrashCommand records of the last commands, the newest first */
  uint8_t reserved1[268]; /* byte 240: zero */
  uint32_t crc; /* byte 508, 32 bits: crc32c */
};
#define ORM_CRASH_LOG_VERSION_OFFSET 0u
#define ORM_CRASH_LOG_CAUSE_OFFSET 4u
#define ORM_CRASH_LOG_GC_FLIGHTS_OFFSET 5u
#define ORM_CRASH_LOG_CHECKPOINT_OFFSET 6u
#define ORM_CRASH_LOG_FORMAT_OFFSET 7u
#define ORM_CRASH_LOG_COUNT_OFFSET 8u
#define ORM_CRASH_LOG_LINE_OFFSET 12u
#define ORM_CRASH_LOG_FILE_OFFSET 16u
#define ORM_CRASH_LOG_REVISION_OFFSET 48u
#define ORM_CRASH_LOG_STEP_OFFSET 56u
#define ORM_CRASH_LOG_UPTIME_NS_OFFSET 88u
#define ORM_CRASH_LOG_POWER_CYCLES_OFFSET 96u
#define ORM_CRASH_LOG_IRQ_OFFSET 104u
#define ORM_CRASH_LOG_CONTROLLER_OFFSET 108u
#define ORM_CRASH_LOG_RESERVED0_OFFSET 109u
#define ORM_CRASH_LOG_COMMANDS_OFFSET 112u
#define ORM_CRASH_LOG_RESERVED1_OFFSET 240u
#define ORM_CRASH_LOG_CRC_OFFSET 508u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_CRASH_LOG_FIELDS(X) \
  X(version, 32, "crash_version; a log with another version is not shown") \
  X(cause, 8, "crash_assert, crash_watchdog, crash_fault or crash_memory") \
  X(gc_flights, 8, "collections under way") \
  X(checkpoint, 8, "phase of the trim checkpoint; 0: none") \
  X(format, 8, "phase of a Format NVM; 0: none") \
  X(count, 32, "crashes so far, this one included") \
  X(line, 32, "line of the source file; 0 after a watchdog stop; program counter of a trap; address in the memory that failed") \
  X(revision, 64, "firmware revision, ASCII") \
  X(uptime_ns, 64, "device time since power-on") \
  X(power_cycles, 64, "power cycles") \
  X(irq, 32, "IRQ_STATUS at the start of the last poll") \
  X(controller, 8, "bit 0: enabled; bit 1: shutting down or shut down")
static inline void orm_crash_log_pack(const struct orm_crash_log *r, uint8_t out[512]) {
  memset(out, 0, 512);
  orm_put_le(out + 0, r->version, 4);
  orm_put_le(out + 4, r->cause, 1);
  orm_put_le(out + 5, r->gc_flights, 1);
  orm_put_le(out + 6, r->checkpoint, 1);
  orm_put_le(out + 7, r->format, 1);
  orm_put_le(out + 8, r->count, 4);
  orm_put_le(out + 12, r->line, 4);
  memcpy(out + 16, r->file, 32);
  orm_put_le(out + 48, r->revision, 8);
  memcpy(out + 56, r->step, 32);
  orm_put_le(out + 88, r->uptime_ns, 8);
  orm_put_le(out + 96, r->power_cycles, 8);
  orm_put_le(out + 104, r->irq, 4);
  orm_put_le(out + 108, r->controller, 1);
  orm_put_le(out + 109, r->reserved0, 3);
  memcpy(out + 112, r->commands, 128);
  memcpy(out + 240, r->reserved1, 268);
  orm_put_le(out + 508, r->crc, 4);
}
static inline void orm_crash_log_unpack(struct orm_crash_log *r, const uint8_t in[512]) {
  r->version = (uint32_t)orm_get_le(in + 0, 4);
  r->cause = (uint8_t)orm_get_le(in + 4, 1);
  r->gc_flights = (uint8_t)orm_get_le(in + 5, 1);
  r->checkpoint = (uint8_t)orm_get_le(in + 6, 1);
  r->format = (uint8_t)orm_get_le(in + 7, 1);
  r->count = (uint32_t)orm_get_le(in + 8, 4);
  r->line = (uint32_t)orm_get_le(in + 12, 4);
  memcpy(r->file, in + 16, 32);
  r->revision = (uint64_t)orm_get_le(in + 48, 8);
  memcpy(r->step, in + 56, 32);
  r->uptime_ns = (uint64_t)orm_get_le(in + 88, 8);
  r->power_cycles = (uint64_t)orm_get_le(in + 96, 8);
  r->irq = (uint32_t)orm_get_le(in + 104, 4);
  r->controller = (uint8_t)orm_get_le(in + 108, 1);
  r->reserved0 = (uint32_t)orm_get_le(in + 109, 3);
  memcpy(r->commands, in + 112, 128);
  memcpy(r->reserved1, in + 240, 268);
  r->crc = (uint32_t)orm_get_le(in + 508, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_crash_log_crc(const uint8_t packed[512]) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 508);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_crash_log_seal(const struct orm_crash_log *r, uint8_t out[512]) {
  orm_crash_log_pack(r, out);
  orm_put_le(out + 508, orm_crash_log_crc(out), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_crash_log_open(struct orm_crash_log *r, const uint8_t in[512]) {
  orm_crash_log_unpack(r, in);
  return r->crc == orm_crash_log_crc(in);
}


/* What firmware on a CPU of its own is told of its device (struct platform), at an address that its port names: in the SoC region `board` of the memory map. The simulation writes it there; on a board it lies behind the image in SPI flash. */
#define ORM_SOC_BOARD_BYTES 64u
struct orm_soc_board {
  uint32_t mark; /* byte 0, 32 bits: soc_board_mark */
  uint32_t superblocks; /* byte 4, 32 bits: superblocks in use of a new device; 0: all */
  uint32_t over_provision_pct; /* byte 8, 32 bits: percent of the usable slots that its namespace does not offer; 0: default */
  uint32_t placement_handles; /* byte 12, 32 bits: of its namespace; 0: as many as do not make it smaller */
  uint32_t remap_segments; /* byte 16, 32 bits: of its remap table; 0: all */
  uint64_t eui64; /* byte 20, 64 bits: EUI-64 of the namespace as a number: its first byte is the most significant */
  uint8_t serial[20]; /* byte 28: serial number, ASCII, padded with zeroes */
  uint32_t mailbox; /* byte 48, 32 bits: address of a RemoteMailbox, through which the firmware then reaches the controller; 0: the controller is on the CPU's bus */
  uint32_t timer_hz; /* byte 52, 32 bits: rate of a Zynq's timers in Hz; 0: as in zynq.yaml. The SoC does not look at it */
  uint8_t log_level; /* byte 56, 8 bits: which lines its console gets, platform_log_level: 0 errors, 1 also what it does, 2 also each step of a start */
  uint8_t version; /* byte 57, 8 bits: soc_board_version; neither it nor the mark ever moves */
  uint8_t flags; /* byte 58, 8 bits: what its owner must know of the device, which tells it: board_* bits */
  uint8_t reserved0; /* byte 59, 8 bits: zero */
  uint32_t crc; /* byte 60, 32 bits: crc32c */
};
#define ORM_SOC_BOARD_MARK_OFFSET 0u
#define ORM_SOC_BOARD_SUPERBLOCKS_OFFSET 4u
#define ORM_SOC_BOARD_OVER_PROVISION_PCT_OFFSET 8u
#define ORM_SOC_BOARD_PLACEMENT_HANDLES_OFFSET 12u
#define ORM_SOC_BOARD_REMAP_SEGMENTS_OFFSET 16u
#define ORM_SOC_BOARD_EUI64_OFFSET 20u
#define ORM_SOC_BOARD_SERIAL_OFFSET 28u
#define ORM_SOC_BOARD_MAILBOX_OFFSET 48u
#define ORM_SOC_BOARD_TIMER_HZ_OFFSET 52u
#define ORM_SOC_BOARD_LOG_LEVEL_OFFSET 56u
#define ORM_SOC_BOARD_VERSION_OFFSET 57u
#define ORM_SOC_BOARD_FLAGS_OFFSET 58u
#define ORM_SOC_BOARD_RESERVED0_OFFSET 59u
#define ORM_SOC_BOARD_CRC_OFFSET 60u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_SOC_BOARD_FIELDS(X) \
  X(mark, 32, "soc_board_mark") \
  X(superblocks, 32, "superblocks in use of a new device; 0: all") \
  X(over_provision_pct, 32, "percent of the usable slots that its namespace does not offer; 0: default") \
  X(placement_handles, 32, "of its namespace; 0: as many as do not make it smaller") \
  X(remap_segments, 32, "of its remap table; 0: all") \
  X(eui64, 64, "EUI-64 of the namespace as a number: its first byte is the most significant") \
  X(mailbox, 32, "address of a RemoteMailbox, through which the firmware then reaches the controller; 0: the controller is on the CPU's bus") \
  X(timer_hz, 32, "rate of a Zynq's timers in Hz; 0: as in zynq.yaml. The SoC does not look at it") \
  X(log_level, 8, "which lines its console gets, platform_log_level: 0 errors, 1 also what it does, 2 also each step of a start") \
  X(version, 8, "soc_board_version; neither it nor the mark ever moves") \
  X(flags, 8, "what its owner must know of the device, which tells it: board_* bits")
static inline void orm_soc_board_pack(const struct orm_soc_board *r, uint8_t out[64]) {
  memset(out, 0, 64);
  orm_put_le(out + 0, r->mark, 4);
  orm_put_le(out + 4, r->superblocks, 4);
  orm_put_le(out + 8, r->over_provision_pct, 4);
  orm_put_le(out + 12, r->placement_handles, 4);
  orm_put_le(out + 16, r->remap_segments, 4);
  orm_put_le(out + 20, r->eui64, 8);
  memcpy(out + 28, r->serial, 20);
  orm_put_le(out + 48, r->mailbox, 4);
  orm_put_le(out + 52, r->timer_hz, 4);
  orm_put_le(out + 56, r->log_level, 1);
  orm_put_le(out + 57, r->version, 1);
  orm_put_le(out + 58, r->flags, 1);
  orm_put_le(out + 59, r->reserved0, 1);
  orm_put_le(out + 60, r->crc, 4);
}
static inline void orm_soc_board_unpack(struct orm_soc_board *r, const uint8_t in[64]) {
  r->mark = (uint32_t)orm_get_le(in + 0, 4);
  r->superblocks = (uint32_t)orm_get_le(in + 4, 4);
  r->over_provision_pct = (uint32_t)orm_get_le(in + 8, 4);
  r->placement_handles = (uint32_t)orm_get_le(in + 12, 4);
  r->remap_segments = (uint32_t)orm_get_le(in + 16, 4);
  r->eui64 = (uint64_t)orm_get_le(in + 20, 8);
  memcpy(r->serial, in + 28, 20);
  r->mailbox = (uint32_t)orm_get_le(in + 48, 4);
  r->timer_hz = (uint32_t)orm_get_le(in + 52, 4);
  r->log_level = (uint8_t)orm_get_le(in + 56, 1);
  r->version = (uint8_t)orm_get_le(in + 57, 1);
  r->flags = (uint8_t)orm_get_le(in + 58, 1);
  r->reserved0 = (uint8_t)orm_get_le(in + 59, 1);
  r->crc = (uint32_t)orm_get_le(in + 60, 4);
}
/* The correct CRC of the packed record. */
static inline uint32_t orm_soc_board_crc(const uint8_t packed[64]) {
  orm_crc32c_t crc = orm_crc32c_update(ORM_CRC32C_INIT, packed, 60);
  return orm_crc32c_final(crc);
}
/* Packs with the correct CRC; r->crc is ignored. */
static inline void orm_soc_board_seal(const struct orm_soc_board *r, uint8_t out[64]) {
  orm_soc_board_pack(r, out);
  orm_put_le(out + 60, orm_soc_board_crc(out), 4);
}
/* Unpacks; returns false if the CRC is wrong. */
static inline bool orm_soc_board_open(struct orm_soc_board *r, const uint8_t in[64]) {
  orm_soc_board_unpack(r, in);
  return r->crc == orm_soc_board_crc(in);
}


/* Memory that firmware on a CPU elsewhere shares with its controller (SocBoard.mailbox): one request at a time. Whose turn it is may write; `turn` is written last. */
#define ORM_REMOTE_MAILBOX_BYTES 4352u
struct orm_remote_mailbox {
  uint32_t turn; /* byte 0, 32 bits: remote_firmware or remote_controller; 0: the firmware has not begun */
  uint32_t interface; /* byte 4, 32 bits: of the first request: ORM_INTERFACE_DIGEST of the image. These two never move, so that a controller of another version can say so */
  uint32_t request; /* byte 8, 32 bits: remote_read to remote_wait */
  uint32_t address; /* byte 12, 32 bits: register or NVRAM address */
  uint32_t value; /* byte 16, 32 bits: of a register */
  uint32_t length; /* byte 20, 32 bits: bytes of NVRAM: a multiple of 8, at most the size of `data`. Of the answer to remote_nv_read: as many as there are */
  uint64_t wait_ns; /* byte 24, 64 bits: with remote_wait: time after which to poll again without an interrupt; all ones: there is nothing to do */
  uint64_t time_ns; /* byte 32, 64 bits: of each answer: device time since power-on */
  uint32_t kelvin; /* byte 40, 32 bits: of each answer: temperature */
  uint32_t bite; /* byte 44, 32 bits: of an answer within a poll: 1: the time of the poll is up, and what was asked has not been done; the watchdog bites */
  uint32_t phase; /* byte 48, 32 bits: with remote_wait: enum fw_phase of firmware.h */
  uint32_t reserved0; /* byte 52, 32 bits: zero */
  uint64_t nv_read; /* byte 56, 64 bits: with remote_wait: bytes of NVRAM that the firmware has read; it may ask for more than it reads */
  uint8_t step[64]; /* byte 64: with remote_wait: fw_describe(), ASCII, padded with zeroes */
  uint8_t reserved1[128]; /* byte 128: zero */
  uint8_t data[4096]; /* byte 256: bytes of NVRAM */
};
#define ORM_REMOTE_MAILBOX_TURN_OFFSET 0u
#define ORM_REMOTE_MAILBOX_INTERFACE_OFFSET 4u
#define ORM_REMOTE_MAILBOX_REQUEST_OFFSET 8u
#define ORM_REMOTE_MAILBOX_ADDRESS_OFFSET 12u
#define ORM_REMOTE_MAILBOX_VALUE_OFFSET 16u
#define ORM_REMOTE_MAILBOX_LENGTH_OFFSET 20u
#define ORM_REMOTE_MAILBOX_WAIT_NS_OFFSET 24u
#define ORM_REMOTE_MAILBOX_TIME_NS_OFFSET 32u
#define ORM_REMOTE_MAILBOX_KELVIN_OFFSET 40u
#define ORM_REMOTE_MAILBOX_BITE_OFFSET 44u
#define ORM_REMOTE_MAILBOX_PHASE_OFFSET 48u
#define ORM_REMOTE_MAILBOX_RESERVED0_OFFSET 52u
#define ORM_REMOTE_MAILBOX_NV_READ_OFFSET 56u
#define ORM_REMOTE_MAILBOX_STEP_OFFSET 64u
#define ORM_REMOTE_MAILBOX_RESERVED1_OFFSET 128u
#define ORM_REMOTE_MAILBOX_DATA_OFFSET 256u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_REMOTE_MAILBOX_FIELDS(X) \
  X(turn, 32, "remote_firmware or remote_controller; 0: the firmware has not begun") \
  X(interface, 32, "of the first request: ORM_INTERFACE_DIGEST of the image. These two never move, so that a controller of another version can say so") \
  X(request, 32, "remote_read to remote_wait") \
  X(address, 32, "register or NVRAM address") \
  X(value, 32, "of a register") \
  X(length, 32, "bytes of NVRAM: a multiple of 8, at most the size of `data`. Of the answer to remote_nv_read: as many as there are") \
  X(wait_ns, 64, "with remote_wait: time after which to poll again without an interrupt; all ones: there is nothing to do") \
  X(time_ns, 64, "of each answer: device time since power-on") \
  X(kelvin, 32, "of each answer: temperature") \
  X(bite, 32, "of an answer within a poll: 1: the time of the poll is up, and what was asked has not been done; the watchdog bites") \
  X(phase, 32, "with remote_wait: enum fw_phase of firmware.h") \
  X(nv_read, 64, "with remote_wait: bytes of NVRAM that the firmware has read; it may ask for more than it reads")
static inline void orm_remote_mailbox_pack(const struct orm_remote_mailbox *r, uint8_t out[4352]) {
  memset(out, 0, 4352);
  orm_put_le(out + 0, r->turn, 4);
  orm_put_le(out + 4, r->interface, 4);
  orm_put_le(out + 8, r->request, 4);
  orm_put_le(out + 12, r->address, 4);
  orm_put_le(out + 16, r->value, 4);
  orm_put_le(out + 20, r->length, 4);
  orm_put_le(out + 24, r->wait_ns, 8);
  orm_put_le(out + 32, r->time_ns, 8);
  orm_put_le(out + 40, r->kelvin, 4);
  orm_put_le(out + 44, r->bite, 4);
  orm_put_le(out + 48, r->phase, 4);
  orm_put_le(out + 52, r->reserved0, 4);
  orm_put_le(out + 56, r->nv_read, 8);
  memcpy(out + 64, r->step, 64);
  memcpy(out + 128, r->reserved1, 128);
  memcpy(out + 256, r->data, 4096);
}
static inline void orm_remote_mailbox_unpack(struct orm_remote_mailbox *r, const uint8_t in[4352]) {
  r->turn = (uint32_t)orm_get_le(in + 0, 4);
  r->interface = (uint32_t)orm_get_le(in + 4, 4);
  r->request = (uint32_t)orm_get_le(in + 8, 4);
  r->address = (uint32_t)orm_get_le(in + 12, 4);
  r->value = (uint32_t)orm_get_le(in + 16, 4);
  r->length = (uint32_t)orm_get_le(in + 20, 4);
  r->wait_ns = (uint64_t)orm_get_le(in + 24, 8);
  r->time_ns = (uint64_t)orm_get_le(in + 32, 8);
  r->kelvin = (uint32_t)orm_get_le(in + 40, 4);
  r->bite = (uint32_t)orm_get_le(in + 44, 4);
  r->phase = (uint32_t)orm_get_le(in + 48, 4);
  r->reserved0 = (uint32_t)orm_get_le(in + 52, 4);
  r->nv_read = (uint64_t)orm_get_le(in + 56, 8);
  memcpy(r->step, in + 64, 64);
  memcpy(r->reserved1, in + 128, 128);
  memcpy(r->data, in + 256, 4096);
}


/* A command that firmware had taken. All zeroes: none. */
#define ORM_CRASH_COMMAND_BYTES 16u
struct orm_crash_command {
  uint8_t opcode; /* byte 0, 8 bits: opcode */
  uint8_t qid; /* byte 1, 8 bits: submission queue */
  uint16_t cid; /* byte 2, 16 bits: command identifier */
  uint32_t nsid; /* byte 4, 32 bits: namespace */
  uint32_t cdw10; /* byte 8, 32 bits: command dword 10 */
  uint32_t cdw11; /* byte 12, 32 bits: command dword 11 */
};
#define ORM_CRASH_COMMAND_OPCODE_OFFSET 0u
#define ORM_CRASH_COMMAND_QID_OFFSET 1u
#define ORM_CRASH_COMMAND_CID_OFFSET 2u
#define ORM_CRASH_COMMAND_NSID_OFFSET 4u
#define ORM_CRASH_COMMAND_CDW10_OFFSET 8u
#define ORM_CRASH_COMMAND_CDW11_OFFSET 12u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_CRASH_COMMAND_FIELDS(X) \
  X(opcode, 8, "opcode") \
  X(qid, 8, "submission queue") \
  X(cid, 16, "command identifier") \
  X(nsid, 32, "namespace") \
  X(cdw10, 32, "command dword 10") \
  X(cdw11, 32, "command dword 11")
static inline void orm_crash_command_pack(const struct orm_crash_command *r, uint8_t out[16]) {
  memset(out, 0, 16);
  orm_put_le(out + 0, r->opcode, 1);
  orm_put_le(out + 1, r->qid, 1);
  orm_put_le(out + 2, r->cid, 2);
  orm_put_le(out + 4, r->nsid, 4);
  orm_put_le(out + 8, r->cdw10, 4);
  orm_put_le(out + 12, r->cdw11, 4);
}
static inline void orm_crash_command_unpack(struct orm_crash_command *r, const uint8_t in[16]) {
  r->opcode = (uint8_t)orm_get_le(in + 0, 1);
  r->qid = (uint8_t)orm_get_le(in + 1, 1);
  r->cid = (uint16_t)orm_get_le(in + 2, 2);
  r->nsid = (uint32_t)orm_get_le(in + 4, 4);
  r->cdw10 = (uint32_t)orm_get_le(in + 8, 4);
  r->cdw11 = (uint32_t)orm_get_le(in + 12, 4);
}


/* One range of a remap. The data of REMAP VECTOR is an array of these, and so is the list that firmware gives to the remap engine. */
#define ORM_REMAP_RANGE_BYTES 32u
struct orm_remap_range {
  uint64_t src; /* byte 0, 64 bits: first source LPN */
  uint64_t dst; /* byte 8, 64 bits: first target LPN */
  uint32_t nlb; /* byte 16, 32 bits: pages, at least 1 (not zero-based) */
  uint32_t reserved0; /* byte 20, 32 bits: zero */
  uint64_t reserved1; /* byte 24, 64 bits: zero */
};
#define ORM_REMAP_RANGE_SRC_OFFSET 0u
#define ORM_REMAP_RANGE_DST_OFFSET 8u
#define ORM_REMAP_RANGE_NLB_OFFSET 16u
#define ORM_REMAP_RANGE_RESERVED0_OFFSET 20u
#define ORM_REMAP_RANGE_RESERVED1_OFFSET 24u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_REMAP_RANGE_FIELDS(X) \
  X(src, 64, "first source LPN") \
  X(dst, 64, "first target LPN") \
  X(nlb, 32, "pages, at least 1 (not zero-based)")
static inline void orm_remap_range_pack(const struct orm_remap_range *r, uint8_t out[32]) {
  memset(out, 0, 32);
  orm_put_le(out + 0, r->src, 8);
  orm_put_le(out + 8, r->dst, 8);
  orm_put_le(out + 16, r->nlb, 4);
  orm_put_le(out + 20, r->reserved0, 4);
  orm_put_le(out + 24, r->reserved1, 8);
}
static inline void orm_remap_range_unpack(struct orm_remap_range *r, const uint8_t in[32]) {
  r->src = (uint64_t)orm_get_le(in + 0, 8);
  r->dst = (uint64_t)orm_get_le(in + 8, 8);
  r->nlb = (uint32_t)orm_get_le(in + 16, 4);
  r->reserved0 = (uint32_t)orm_get_le(in + 20, 4);
  r->reserved1 = (uint64_t)orm_get_le(in + 24, 8);
}


/* Vendor log page: remap and GC figures since the media were initialised, bytes 511:0. */
#define ORM_REMAP_LOG_BYTES 512u
struct orm_remap_log {
  uint32_t version; /* byte 0, 32 bits: layout version, 1 */
  uint32_t superblocks_free; /* byte 4, 32 bits: superblocks on the free list */
  uint32_t segments_free; /* byte 8, 32 bits: segments on the free list */
  uint32_t segments_total; /* byte 12, 32 bits: segments of the remap table */
  uint64_t host_read_pages; /* byte 16, 64 bits: pages read by the host */
  uint64_t host_write_pages; /* byte 24, 64 bits: pages written by the host */
  uint64_t host_trim_pages; /* byte 32, 64 bits: pages deallocated */
  uint64_t remap_pages; /* byte 40, 64 bits: pages remapped (targets linked) */
  uint64_t remap_commands; /* byte 48, 64 bits: remap commands that took effect, Copy included */
  uint64_t remap_refused_sharers; /* byte 56, 64 bits: refused: sharer limit */
  uint64_t remap_refused_nvram; /* byte 64, 64 bits: refused: no room in the remap table or journal */
  uint64_t remap_refused_other; /* byte 72, 64 bits: refused: bounds, overlap, unmapped source, malformed */
  uint64_t nand_program_host; /* byte 80, 64 bits: slots programmed with host data */
  uint64_t nand_program_gc; /* byte 88, 64 bits: slots programmed by GC */
  uint64_t nand_program_meta; /* byte 96, 64 bits: slots programmed with metadata: destaged chains, summaries, snapshots */
  uint64_t nand_read_host; /* byte 104, 64 bits: slots read for the host */
  uint64_t nand_read_gc; /* byte 112, 64 bits: slots read by GC */
  uint64_t nand_read_meta; /* byte 120, 64 bits: slots read at start-up */
  uint64_t nand_erase; /* byte 128, 64 bits: die blocks erased */
  uint64_t gc_victims; /* byte 136, 64 bits: superblocks collected */
  uint64_t gc_moved_pages; /* byte 144, 64 bits: slots moved by GC */
  uint64_t gc_moved_shared; /* byte 152, 64 bits: moved slots that had more than one sharer */
  uint64_t gc_lost_races; /* byte 160, 64 bits: sharers that the host changed while GC moved their slot */
  uint64_t remap_entries; /* byte 168, 64 bits: entries appended to the remap table */
  uint64_t segments_freed; /* byte 176, 64 bits: segments returned to the free list */
  uint64_t bad_entries; /* byte 184, 64 bits: entries that failed their CRC on a walk */
  uint64_t stall_write_buffer; /* byte 192, 64 bits: cycles: no free write buffer */
  uint64_t stall_alloc; /* byte 200, 64 bits: cycles: no free slot */
  uint64_t stall_map_lock; /* byte 208, 64 bits: cycles: waiting for mapLock */
  uint64_t stall_share_lock; /* byte 216, 64 bits: cycles: waiting for shareLock */
  uint64_t stall_fence; /* byte 224, 64 bits: cycles: waiting for host programs */
  uint64_t stall_journal; /* byte 232, 64 bits: cycles: journal ring full */
  uint64_t map_lookups; /* byte 240, 64 bits: L2P look-ups */
  uint64_t map_updates; /* byte 248, 64 bits: L2P updates */
  uint64_t device_ns; /* byte 256, 64 bits: device time, ns */
  uint64_t trim_checkpoints; /* byte 264, 64 bits: trim bitmap checkpoints written */
  uint32_t journal_used; /* byte 272, 32 bits: records in the journal ring */
  uint32_t sharer_limit; /* byte 276, 32 bits: largest number of sharers a slot can have */
  uint64_t chain_compactions; /* byte 280, 64 bits: chains of the remap table compacted */
  uint64_t stale_dropped; /* byte 288, 64 bits: stale entries that compactions left out */
  uint64_t nand_program_pad; /* byte 296, 64 bits: padding: slots programmed without data, to complete a flash page of several slots */
  uint64_t chains_destaged; /* byte 304, 64 bits: chains of the remap table destaged to flash */
  uint64_t entries_destaged; /* byte 312, 64 bits: entries written to flash by destaging */
  uint32_t crashes; /* byte 320, 32 bits: times that the firmware stopped on an internal error (CrashLog) */
  uint32_t read_only; /* byte 324, 32 bits: why the device is read only: read_only_*; 0: it is not */
  uint64_t damaged_entries; /* byte 328, 64 bits: remap entries found damaged at start-up */
  uint64_t damaged_segments; /* byte 336, 64 bits: segments of the remap table found with a damaged header */
  uint64_t damaged_journal; /* byte 344, 64 bits: damaged journal records that should have counted */
  uint64_t damaged_words; /* byte 352, 64 bits: other records of NVRAM found damaged */
  uint64_t l2p_hits; /* byte 360, 64 bits: accesses to L2P whose line was in the cache or being fetched */
  uint64_t l2p_misses; /* byte 368, 64 bits: lines of L2P fetched from DRAM */
  uint64_t remap_sharers_2; /* byte 376, 64 bits: sources of remaps that got their second sharer (counted at the reservation, so refused remaps count too) */
  uint64_t remap_sharers_4; /* byte 384, 64 bits: sources of remaps that got their third or fourth sharer */
  uint64_t remap_sharers_8; /* byte 392, 64 bits: sources of remaps that got their fifth to eighth sharer */
  uint64_t remap_sharers_more; /* byte 400, 64 bits: sources of remaps that got their ninth or a later sharer */
  uint32_t segments_most; /* byte 408, 32 bits: largest number of segments of the remap table in use at a time */
  uint32_t superblock_slots; /* byte 412, 32 bits: slots per superblock without its summary; on average gc_moved_pages / (gc_victims x this) of a victim was valid */
  uint64_t nand_program_fails; /* byte 416, 64 bits: slots whose program failed */
  uint64_t host_saved_pages; /* byte 424, 64 bits: host pages whose program failed and that were programmed again elsewhere */
  uint64_t nand_read_retries; /* byte 432, 64 bits: reads and probes repeated at another read-retry level */
  uint64_t read_reclaims; /* byte 440, 64 bits: superblocks collected by read reclaim: their reads were near the ECC limit or needed retries */
  uint64_t wear_moved_pages; /* byte 448, 64 bits: slots that were valid in superblocks collected for wear levelling: of those that GC moved, the ones that were not moved for room */
  uint32_t board; /* byte 456, 32 bits: SocBoard.flags: board_* bits */
  uint8_t reserved[52]; /* byte 460: zero */
};
#define ORM_REMAP_LOG_VERSION_OFFSET 0u
#define ORM_REMAP_LOG_SUPERBLOCKS_FREE_OFFSET 4u
#define ORM_REMAP_LOG_SEGMENTS_FREE_OFFSET 8u
#define ORM_REMAP_LOG_SEGMENTS_TOTAL_OFFSET 12u
#define ORM_REMAP_LOG_HOST_READ_PAGES_OFFSET 16u
#define ORM_REMAP_LOG_HOST_WRITE_PAGES_OFFSET 24u
#define ORM_REMAP_LOG_HOST_TRIM_PAGES_OFFSET 32u
#define ORM_REMAP_LOG_REMAP_PAGES_OFFSET 40u
#define ORM_REMAP_LOG_REMAP_COMMANDS_OFFSET 48u
#define ORM_REMAP_LOG_REMAP_REFUSED_SHARERS_OFFSET 56u
#define ORM_REMAP_LOG_REMAP_REFUSED_NVRAM_OFFSET 64u
#define ORM_REMAP_LOG_REMAP_REFUSED_OTHER_OFFSET 72u
#define ORM_REMAP_LOG_NAND_PROGRAM_HOST_OFFSET 80u
#define ORM_REMAP_LOG_NAND_PROGRAM_GC_OFFSET 88u
#define ORM_REMAP_LOG_NAND_PROGRAM_META_OFFSET 96u
#define ORM_REMAP_LOG_NAND_READ_HOST_OFFSET 104u
#define ORM_REMAP_LOG_NAND_READ_GC_OFFSET 112u
#define ORM_REMAP_LOG_NAND_READ_META_OFFSET 120u
#define ORM_REMAP_LOG_NAND_ERASE_OFFSET 128u
#define ORM_REMAP_LOG_GC_VICTIMS_OFFSET 136u
#define ORM_REMAP_LOG_GC_MOVED_PAGES_OFFSET 144u
#define ORM_REMAP_LOG_GC_MOVED_SHARED_OFFSET 152u
#define ORM_REMAP_LOG_GC_LOST_RACES_OFFSET 160u
#define ORM_REMAP_LOG_REMAP_ENTRIES_OFFSET 168u
#define ORM_REMAP_LOG_SEGMENTS_FREED_OFFSET 176u
#define ORM_REMAP_LOG_BAD_ENTRIES_OFFSET 184u
#define ORM_REMAP_LOG_STALL_WRITE_BUFFER_OFFSET 192u
#define ORM_REMAP_LOG_STALL_ALLOC_OFFSET 200u
#define ORM_REMAP_LOG_STALL_MAP_LOCK_OFFSET 208u
#define ORM_REMAP_LOG_STALL_SHARE_LOCK_OFFSET 216u
#define ORM_REMAP_LOG_STALL_FENCE_OFFSET 224u
#define ORM_REMAP_LOG_STALL_JOURNAL_OFFSET 232u
#define ORM_REMAP_LOG_MAP_LOOKUPS_OFFSET 240u
#define ORM_REMAP_LOG_MAP_UPDATES_OFFSET 248u
#define ORM_REMAP_LOG_DEVICE_NS_OFFSET 256u
#define ORM_REMAP_LOG_TRIM_CHECKPOINTS_OFFSET 264u
#define ORM_REMAP_LOG_JOURNAL_USED_OFFSET 272u
#define ORM_REMAP_LOG_SHARER_LIMIT_OFFSET 276u
#define ORM_REMAP_LOG_CHAIN_COMPACTIONS_OFFSET 280u
#define ORM_REMAP_LOG_STALE_DROPPED_OFFSET 288u
#define ORM_REMAP_LOG_NAND_PROGRAM_PAD_OFFSET 296u
#define ORM_REMAP_LOG_CHAINS_DESTAGED_OFFSET 304u
#define ORM_REMAP_LOG_ENTRIES_DESTAGED_OFFSET 312u
#define ORM_REMAP_LOG_CRASHES_OFFSET 320u
#define ORM_REMAP_LOG_READ_ONLY_OFFSET 324u
#define ORM_REMAP_LOG_DAMAGED_ENTRIES_OFFSET 328u
#define ORM_REMAP_LOG_DAMAGED_SEGMENTS_OFFSET 336u
#define ORM_REMAP_LOG_DAMAGED_JOURNAL_OFFSET 344u
#define ORM_REMAP_LOG_DAMAGED_WORDS_OFFSET 352u
#define ORM_REMAP_LOG_L2P_HITS_OFFSET 360u
#define ORM_REMAP_LOG_L2P_MISSES_OFFSET 368u
#define ORM_REMAP_LOG_REMAP_SHARERS_2_OFFSET 376u
#define ORM_REMAP_LOG_REMAP_SHARERS_4_OFFSET 384u
#define ORM_REMAP_LOG_REMAP_SHARERS_8_OFFSET 392u
#define ORM_REMAP_LOG_REMAP_SHARERS_MORE_OFFSET 400u
#define ORM_REMAP_LOG_SEGMENTS_MOST_OFFSET 408u
#define ORM_REMAP_LOG_SUPERBLOCK_SLOTS_OFFSET 412u
#define ORM_REMAP_LOG_NAND_PROGRAM_FAILS_OFFSET 416u
#define ORM_REMAP_LOG_HOST_SAVED_PAGES_OFFSET 424u
#define ORM_REMAP_LOG_NAND_READ_RETRIES_OFFSET 432u
#define ORM_REMAP_LOG_READ_RECLAIMS_OFFSET 440u
#define ORM_REMAP_LOG_WEAR_MOVED_PAGES_OFFSET 448u
#define ORM_REMAP_LOG_BOARD_OFFSET 456u
#define ORM_REMAP_LOG_RESERVED_OFFSET 460u
/* X(name, bits, text) for each integer field that is not reserved */
#define ORM_REMAP_LOG_FIELDS(X) \
  X(version, 32, "layout version, 1") \
  X(superblocks_free, 32, "superblocks on the free list") \
  X(segments_free, 32, "segments on the free list") \
  X(segments_total, 32, "segments of the remap table") \
  X(host_read_pages, 64, "pages read by the host") \
  X(host_write_pages, 64, "pages written by the host") \
  X(host_trim_pages, 64, "pages deallocated") \
  X(remap_pages, 64, "pages remapped (targets linked)") \
  X(remap_commands, 64, "remap commands that took effect, Copy included") \
  X(remap_refused_sharers, 64, "refused: sharer limit") \
  X(remap_refused_nvram, 64, "refused: no room in the remap table or journal") \
  X(remap_refused_other, 64, "refused: bounds, overlap, unmapped source, malformed") \
  X(nand_program_host, 64, "slots programmed with host data") \
  X(nand_program_gc, 64, "slots programmed by GC") \
  X(nand_program_meta, 64, "slots programmed with metadata: destaged chains, summaries, snapshots") \
  X(nand_read_host, 64, "slots read for the host") \
  X(nand_read_gc, 64, "slots read by GC") \
  X(nand_read_meta, 64, "slots read at start-up") \
  X(nand_erase, 64, "die blocks erased") \
  X(gc_victims, 64, "superblocks collected") \
  X(gc_moved_pages, 64, "slots moved by GC") \
  X(gc_moved_shared, 64, "moved slots that had more than one sharer") \
  X(gc_lost_races, 64, "sharers that the host changed while GC moved their slot") \
  X(remap_entries, 64, "entries appended to the remap table") \
  X(segments_freed, 64, "segments returned to the free list") \
  X(bad_entries, 64, "entries that failed their CRC on a walk") \
  X(stall_write_buffer, 64, "cycles: no free write buffer") \
  X(stall_alloc, 64, "cycles: no free slot") \
  X(stall_map_lock, 64, "cycles: waiting for mapLock") \
  X(stall_share_lock, 64, "cycles: waiting for shareLock") \
  X(stall_fence, 64, "cycles: waiting for host programs") \
  X(stall_journal, 64, "cycles: journal ring full") \
  X(map_lookups, 64, "L2P look-ups") \
  X(map_updates, 64, "L2P updates") \
  X(device_ns, 64, "device time, ns") \
  X(trim_checkpoints, 64, "trim bitmap checkpoints written") \
  X(journal_used, 32, "records in the journal ring") \
  X(sharer_limit, 32, "largest number of sharers a slot can have") \
  X(chain_compactions, 64, "chains of the remap table compacted") \
  X(stale_dropped, 64, "stale entries that compactions left out") \
  X(nand_program_pad, 64, "padding: slots programmed without data, to complete a flash page of several slots") \
  X(chains_destaged, 64, "chains of the remap table destaged to flash") \
  X(entries_destaged, 64, "entries written to flash by destaging") \
  X(crashes, 32, "times that the firmware stopped on an internal error (CrashLog)") \
  X(read_only, 32, "why the device is read only: read_only_*; 0: it is not") \
  X(damaged_entries, 64, "remap entries found damaged at start-up") \
  X(damaged_segments, 64, "segments of the remap table found with a damaged header") \
  X(damaged_journal, 64, "damaged journal records that should have counted") \
  X(damaged_words, 64, "other records of NVRAM found damaged") \
  X(l2p_hits, 64, "accesses to L2P whose line was in the cache or being fetched") \
  X(l2p_misses, 64, "lines of L2P fetched from DRAM") \
  X(remap_sharers_2, 64, "sources of remaps that got their second sharer (counted at the reservation, so refused remaps count too)") \
  X(remap_sharers_4, 64, "sources of remaps that got their third or fourth sharer") \
  X(remap_sharers_8, 64, "sources of remaps that got their fifth to eighth sharer") \
  X(remap_sharers_more, 64, "sources of remaps that got their ninth or a later sharer") \
  X(segments_most, 32, "largest number of segments of the remap table in use at a time") \
  X(superblock_slots, 32, "slots per superblock without its summary; on average gc_moved_pages / (gc_victims x this) of a victim was valid") \
  X(nand_program_fails, 64, "slots whose program failed") \
  X(host_saved_pages, 64, "host pages whose program failed and that were programmed again elsewhere") \
  X(nand_read_retries, 64, "reads and probes repeated at another read-retry level") \
  X(read_reclaims, 64, "superblocks collected by read reclaim: their reads were near the ECC limit or needed retries") \
  X(wear_moved_pages, 64, "slots that were valid in superblocks collected for wear levelling: of those that GC moved, the ones that were not moved for room") \
  X(board, 32, "SocBoard.flags: board_* bits")
static inline void orm_remap_log_pack(const struct orm_remap_log *r, uint8_t out[512]) {
  memset(out, 0, 512);
  orm_put_le(out + 0, r->version, 4);
  orm_put_le(out + 4, r->superblocks_free, 4);
  orm_put_le(out + 8, r->segments_free, 4);
  orm_put_le(out + 12, r->segments_total, 4);
  orm_put_le(out + 16, r->host_read_pages, 8);
  orm_put_le(out + 24, r->host_write_pages, 8);
  orm_put_le(out + 32, r->host_trim_pages, 8);
  orm_put_le(out + 40, r->remap_pages, 8);
  orm_put_le(out + 48, r->remap_commands, 8);
  orm_put_le(out + 56, r->remap_refused_sharers, 8);
  orm_put_le(out + 64, r->remap_refused_nvram, 8);
  orm_put_le(out + 72, r->remap_refused_other, 8);
  orm_put_le(out + 80, r->nand_program_host, 8);
  orm_put_le(out + 88, r->nand_program_gc, 8);
  orm_put_le(out + 96, r->nand_program_meta, 8);
  orm_put_le(out + 104, r->nand_read_host, 8);
  orm_put_le(out + 112, r->nand_read_gc, 8);
  orm_put_le(out + 120, r->nand_read_meta, 8);
  orm_put_le(out + 128, r->nand_erase, 8);
  orm_put_le(out + 136, r->gc_victims, 8);
  orm_put_le(out + 144, r->gc_moved_pages, 8);
  orm_put_le(out + 152, r->gc_moved_shared, 8);
  orm_put_le(out + 160, r->gc_lost_races, 8);
  orm_put_le(out + 168, r->remap_entries, 8);
  orm_put_le(out + 176, r->segments_freed, 8);
  orm_put_le(out + 184, r->bad_entries, 8);
  orm_put_le(out + 192, r->stall_write_buffer, 8);
  orm_put_le(out + 200, r->stall_alloc, 8);
  orm_put_le(out + 208, r->stall_map_lock, 8);
  orm_put_le(out + 216, r->stall_share_lock, 8);
  orm_put_le(out + 224, r->stall_fence, 8);
  orm_put_le(out + 232, r->stall_journal, 8);
  orm_put_le(out + 240, r->map_lookups, 8);
  orm_put_le(out + 248, r->map_updates, 8);
  orm_put_le(out + 256, r->device_ns, 8);
  orm_put_le(out + 264, r->trim_checkpoints, 8);
  orm_put_le(out + 272, r->journal_used, 4);
  orm_put_le(out + 276, r->sharer_limit, 4);
  orm_put_le(out + 280, r->chain_compactions, 8);
  orm_put_le(out + 288, r->stale_dropped, 8);
  orm_put_le(out + 296, r->nand_program_pad, 8);
  orm_put_le(out + 304, r->chains_destaged, 8);
  orm_put_le(out + 312, r->entries_destaged, 8);
  orm_put_le(out + 320, r->crashes, 4);
  orm_put_le(out + 324, r->read_only, 4);
  orm_put_le(out + 328, r->damaged_entries, 8);
  orm_put_le(out + 336, r->damaged_segments, 8);
  orm_put_le(out + 344, r->damaged_journal, 8);
  orm_put_le(out + 352, r->damaged_words, 8);
  orm_put_le(out + 360, r->l2p_hits, 8);
  orm_put_le(out + 368, r->l2p_misses, 8);
  orm_put_le(out + 376, r->remap_sharers_2, 8);
  orm_put_le(out + 384, r->remap_sharers_4, 8);
  orm_put_le(out + 392, r->remap_sharers_8, 8);
  orm_put_le(out + 400, r->remap_sharers_more, 8);
  orm_put_le(out + 408, r->segments_most, 4);
  orm_put_le(out + 412, r->superblock_slots, 4);
  orm_put_le(out + 416, r->nand_program_fails, 8);
  orm_put_le(out + 424, r->host_saved_pages, 8);
  orm_put_le(out + 432, r->nand_read_retries, 8);
  orm_put_le(out + 440, r->read_reclaims, 8);
  orm_put_le(out + 448, r->wear_moved_pages, 8);
  orm_put_le(out + 456, r->board, 4);
  memcpy(out + 460, r->reserved, 52);
}
static inline void orm_remap_log_unpack(struct orm_remap_log *r, const uint8_t in[512]) {
  r->version = (uint32_t)orm_get_le(in + 0, 4);
  r->superblocks_free = (uint32_t)orm_get_le(in + 4, 4);
  r->segments_free = (uint32_t)orm_get_le(in + 8, 4);
  r->segments_total = (uint32_t)orm_get_le(in + 12, 4);
  r->host_read_pages = (uint64_t)orm_get_le(in + 16, 8);
  r->host_write_pages = (uint64_t)orm_get_le(in + 24, 8);
  r->host_trim_pages = (uint64_t)orm_get_le(in + 32, 8);
  r->remap_pages = (uint64_t)orm_get_le(in + 40, 8);
  r->remap_commands = (uint64_t)orm_get_le(in + 48, 8);
  r->remap_refused_sharers = (uint64_t)orm_get_le(in + 56, 8);
  r->remap_refused_nvram = (uint64_t)orm_get_le(in + 64, 8);
  r->remap_refused_other = (uint64_t)orm_get_le(in + 72, 8);
  r->nand_program_host = (uint64_t)orm_get_le(in + 80, 8);
  r->nand_program_gc = (uint64_t)orm_get_le(in + 88, 8);
  r->nand_program_meta = (uint64_t)orm_get_le(in + 96, 8);
  r->nand_read_host = (uint64_t)orm_get_le(in + 104, 8);
  r->nand_read_gc = (uint64_t)orm_get_le(in + 112, 8);
  r->nand_read_meta = (uint64_t)orm_get_le(in + 120, 8);
  r->nand_erase = (uint64_t)orm_get_le(in + 128, 8);
  r->gc_victims = (uint64_t)orm_get_le(in + 136, 8);
  r->gc_moved_pages = (uint64_t)orm_get_le(in + 144, 8);
  r->gc_moved_shared = (uint64_t)orm_get_le(in + 152, 8);
  r->gc_lost_races = (uint64_t)orm_get_le(in + 160, 8);
  r->remap_entries = (uint64_t)orm_get_le(in + 168, 8);
  r->segments_freed = (uint64_t)orm_get_le(in + 176, 8);
  r->bad_entries = (uint64_t)orm_get_le(in + 184, 8);
  r->stall_write_buffer = (uint64_t)orm_get_le(in + 192, 8);
  r->stall_alloc = (uint64_t)orm_get_le(in + 200, 8);
  r->stall_map_lock = (uint64_t)orm_get_le(in + 208, 8);
  r->stall_share_lock = (uint64_t)orm_get_le(in + 216, 8);
  r->stall_fence = (uint64_t)orm_get_le(in + 224, 8);
  r->stall_journal = (uint64_t)orm_get_le(in + 232, 8);
  r->map_lookups = (uint64_t)orm_get_le(in + 240, 8);
  r->map_updates = (uint64_t)orm_get_le(in + 248, 8);
  r->device_ns = (uint64_t)orm_get_le(in + 256, 8);
  r->trim_checkpoints = (uint64_t)orm_get_le(in + 264, 8);
  r->journal_used = (uint32_t)orm_get_le(in + 272, 4);
  r->sharer_limit = (uint32_t)orm_get_le(in + 276, 4);
  r->chain_compactions = (uint64_t)orm_get_le(in + 280, 8);
  r->stale_dropped = (uint64_t)orm_get_le(in + 288, 8);
  r->nand_program_pad = (uint64_t)orm_get_le(in + 296, 8);
  r->chains_destaged = (uint64_t)orm_get_le(in + 304, 8);
  r->entries_destaged = (uint64_t)orm_get_le(in + 312, 8);
  r->crashes = (uint32_t)orm_get_le(in + 320, 4);
  r->read_only = (uint32_t)orm_get_le(in + 324, 4);
  r->damaged_entries = (uint64_t)orm_get_le(in + 328, 8);
  r->damaged_segments = (uint64_t)orm_get_le(in + 336, 8);
  r->damaged_journal = (uint64_t)orm_get_le(in + 344, 8);
  r->damaged_words = (uint64_t)orm_get_le(in + 352, 8);
  r->l2p_hits = (uint64_t)orm_get_le(in + 360, 8);
  r->l2p_misses = (uint64_t)orm_get_le(in + 368, 8);
  r->remap_sharers_2 = (uint64_t)orm_get_le(in + 376, 8);
  r->remap_sharers_4 = (uint64_t)orm_get_le(in + 384, 8);
  r->remap_sharers_8 = (uint64_t)orm_get_le(in + 392, 8);
  r->remap_sharers_more = (uint64_t)orm_get_le(in + 400, 8);
  r->segments_most = (uint32_t)orm_get_le(in + 408, 4);
  r->superblock_slots = (uint32_t)orm_get_le(in + 412, 4);
  r->nand_program_fails = (uint64_t)orm_get_le(in + 416, 8);
  r->host_saved_pages = (uint64_t)orm_get_le(in + 424, 8);
  r->nand_read_retries = (uint64_t)orm_get_le(in + 432, 8);
  r->read_reclaims = (uint64_t)orm_get_le(in + 440, 8);
  r->wear_moved_pages = (uint64_t)orm_get_le(in + 448, 8);
  r->board = (uint32_t)orm_get_le(in + 456, 4);
  memcpy(r->reserved, in + 460, 52);
}


#endif /* OPENREMAP_ORM_FORMATS_H */
