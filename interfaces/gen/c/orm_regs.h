/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from interfaces/registers. Do not edit: run python interfaces/generate.py */
/* clang-format off */
/*
 * Registers. ORM_FW_*: the firmware's window; ORM_BAR0_*: NVMe controller registers as the host sees them. R (for an
 * array, R(i)) is the byte offset of register R. R_F_SHIFT is the position of its field F; R_F_MASK its mask in place.
 */
#ifndef OPENREMAP_ORM_REGS_H
#define OPENREMAP_ORM_REGS_H

#include <stdint.h>

/* Value of a field in register word `word`; a word with only that field set to `value`. */
#define ORM_GET(word, FIELD) (((uint32_t)(word) & FIELD##_MASK) >> FIELD##_SHIFT)
#define ORM_PUT(FIELD, value) (((uint32_t)(value) << FIELD##_SHIFT) & FIELD##_MASK)

/* ---- OpenRemap firmware window: AXI4-Lite, 32-bit, 64 KiB. */
/* Identification. */
#define ORM_FW_ID 0x000u
#define ORM_FW_ID_RESET 0x504D524Fu
#define ORM_FW_ID_MAGIC_SHIFT 0 /* r: ASCII ORMP, little endian */
#define ORM_FW_ID_MAGIC_MASK 0xFFFFFFFFu
/* Version of this register map. Firmware refuses any other version. */
#define ORM_FW_VERSION 0x004u
#define ORM_FW_VERSION_RESET 0x00000009u
#define ORM_FW_VERSION_VERSION_SHIFT 0 /* r: 9 */
#define ORM_FW_VERSION_VERSION_MASK 0xFFFFFFFFu
/* Flash geometry. */
#define ORM_FW_CAP_FLASH 0x008u
#define ORM_FW_CAP_FLASH_RESET 0x00000000u
#define ORM_FW_CAP_FLASH_CHANNELS_SHIFT 0 /* r: NAND channels */
#define ORM_FW_CAP_FLASH_CHANNELS_MASK 0x000000FFu
#define ORM_FW_CAP_FLASH_DIES_PER_CHANNEL_SHIFT 8 /* r: dies per channel */
#define ORM_FW_CAP_FLASH_DIES_PER_CHANNEL_MASK 0x0000FF00u
#define ORM_FW_CAP_FLASH_PAGES_PER_BLOCK_SHIFT 16 /* r: flash pages per block */
#define ORM_FW_CAP_FLASH_PAGES_PER_BLOCK_MASK 0xFFFF0000u
/* Superblocks that the mapping can address. */
#define ORM_FW_CAP_SUPERBLOCKS 0x00Cu
#define ORM_FW_CAP_SUPERBLOCKS_RESET 0x00000000u
#define ORM_FW_CAP_SUPERBLOCKS_COUNT_SHIFT 0 /* r: number */
#define ORM_FW_CAP_SUPERBLOCKS_COUNT_MASK 0xFFFFFFFFu
/* Slots per superblock. */
#define ORM_FW_CAP_SLOTS_PER_SB 0x010u
#define ORM_FW_CAP_SLOTS_PER_SB_RESET 0x00000000u
#define ORM_FW_CAP_SLOTS_PER_SB_COUNT_SHIFT 0 /* r: number */
#define ORM_FW_CAP_SLOTS_PER_SB_COUNT_MASK 0xFFFFFFFFu
/* LPNs that the L2P table has room for. */
#define ORM_FW_CAP_LPNS 0x014u
#define ORM_FW_CAP_LPNS_RESET 0x00000000u
#define ORM_FW_CAP_LPNS_COUNT_SHIFT 0 /* r: number */
#define ORM_FW_CAP_LPNS_COUNT_MASK 0xFFFFFFFFu
/* Queues. */
#define ORM_FW_CAP_QUEUES 0x018u
#define ORM_FW_CAP_QUEUES_RESET 0x00000000u
#define ORM_FW_CAP_QUEUES_IO_PAIRS_SHIFT 0 /* r: I/O queue pairs */
#define ORM_FW_CAP_QUEUES_IO_PAIRS_MASK 0x0000FFFFu
#define ORM_FW_CAP_QUEUES_ENTRIES_SHIFT 16 /* r: largest number of entries of a queue */
#define ORM_FW_CAP_QUEUES_ENTRIES_MASK 0xFFFF0000u
/* Remap table. */
#define ORM_FW_CAP_SEGMENTS 0x01Cu
#define ORM_FW_CAP_SEGMENTS_RESET 0x00000000u
#define ORM_FW_CAP_SEGMENTS_SEGMENTS_SHIFT 0 /* r: segments */
#define ORM_FW_CAP_SEGMENTS_SEGMENTS_MASK 0x0000FFFFu
#define ORM_FW_CAP_SEGMENTS_PER_CHAIN_SHIFT 16 /* r: largest number of segments of a chain */
#define ORM_FW_CAP_SEGMENTS_PER_CHAIN_MASK 0xFFFF0000u
/* Limits. */
#define ORM_FW_CAP_LIMITS 0x020u
#define ORM_FW_CAP_LIMITS_RESET 0x00000000u
#define ORM_FW_CAP_LIMITS_SHARERS_SHIFT 0 /* r: largest number of sharers of a slot */
#define ORM_FW_CAP_LIMITS_SHARERS_MASK 0x000000FFu
#define ORM_FW_CAP_LIMITS_MDTS_PAGES_SHIFT 8 /* r: largest transfer, pages */
#define ORM_FW_CAP_LIMITS_MDTS_PAGES_MASK 0x0000FF00u
#define ORM_FW_CAP_LIMITS_JOURNAL_RECORDS_SHIFT 16 /* r: records of the journal ring */
#define ORM_FW_CAP_LIMITS_JOURNAL_RECORDS_MASK 0xFFFF0000u
/* Segments of the remap table: how many only GC may take, and their size. */
#define ORM_FW_CAP_SEG_RESERVE 0x024u
#define ORM_FW_CAP_SEG_RESERVE_RESET 0x00000000u
#define ORM_FW_CAP_SEG_RESERVE_COUNT_SHIFT 0 /* r: segments */
#define ORM_FW_CAP_SEG_RESERVE_COUNT_MASK 0x0000FFFFu
#define ORM_FW_CAP_SEG_RESERVE_SEG_BYTES_SHIFT 16 /* r: bytes per segment */
#define ORM_FW_CAP_SEG_RESERVE_SEG_BYTES_MASK 0xFFFF0000u
/* Data placement. */
#define ORM_FW_CAP_PLACEMENT 0x028u
#define ORM_FW_CAP_PLACEMENT_RESET 0x00000000u
#define ORM_FW_CAP_PLACEMENT_HANDLES_SHIFT 0 /* r: placement handles: host streams that the allocator keeps apart */
#define ORM_FW_CAP_PLACEMENT_HANDLES_MASK 0x000000FFu
/* Destaging of chains to flash. */
#define ORM_FW_CAP_DESTAGE 0x02Cu
#define ORM_FW_CAP_DESTAGE_RESET 0x00000000u
#define ORM_FW_CAP_DESTAGE_SLOTS_SHIFT 0 /* r: largest number of flash slots of a destaged chain, a power of two; 0: no destaging */
#define ORM_FW_CAP_DESTAGE_SLOTS_MASK 0x000000FFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_DRAM_L2P 0x030u
#define ORM_FW_DRAM_L2P_RESET 0x00000000u
#define ORM_FW_DRAM_L2P_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_DRAM_L2P_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_DRAM_REF 0x034u
#define ORM_FW_DRAM_REF_RESET 0x00000000u
#define ORM_FW_DRAM_REF_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_DRAM_REF_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_DRAM_FW 0x038u
#define ORM_FW_DRAM_FW_RESET 0x00000000u
#define ORM_FW_DRAM_FW_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_DRAM_FW_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_DRAM_BYTES 0x03Cu
#define ORM_FW_DRAM_BYTES_RESET 0x00000000u
#define ORM_FW_DRAM_BYTES_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_DRAM_BYTES_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_HEADER 0x040u
#define ORM_FW_NV_HEADER_RESET 0x00000000u
#define ORM_FW_NV_HEADER_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_HEADER_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_COMMIT 0x044u
#define ORM_FW_NV_COMMIT_RESET 0x00000000u
#define ORM_FW_NV_COMMIT_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_COMMIT_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_CHECKPOINT 0x048u
#define ORM_FW_NV_CHECKPOINT_RESET 0x00000000u
#define ORM_FW_NV_CHECKPOINT_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_CHECKPOINT_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_COUNTERS 0x04Cu
#define ORM_FW_NV_COUNTERS_RESET 0x00000000u
#define ORM_FW_NV_COUNTERS_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_COUNTERS_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_BLOCKS 0x050u
#define ORM_FW_NV_BLOCKS_RESET 0x00000000u
#define ORM_FW_NV_BLOCKS_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_BLOCKS_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_JOURNAL 0x054u
#define ORM_FW_NV_JOURNAL_RESET 0x00000000u
#define ORM_FW_NV_JOURNAL_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_JOURNAL_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_BITMAP 0x058u
#define ORM_FW_NV_BITMAP_RESET 0x00000000u
#define ORM_FW_NV_BITMAP_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_BITMAP_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_BITMAP_BYTES 0x05Cu
#define ORM_FW_NV_BITMAP_BYTES_RESET 0x00000000u
#define ORM_FW_NV_BITMAP_BYTES_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_BITMAP_BYTES_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_SEGMENTS 0x060u
#define ORM_FW_NV_SEGMENTS_RESET 0x00000000u
#define ORM_FW_NV_SEGMENTS_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_SEGMENTS_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_BYTES 0x064u
#define ORM_FW_NV_BYTES_RESET 0x00000000u
#define ORM_FW_NV_BYTES_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_BYTES_VALUE_MASK 0xFFFFFFFFu
/* First LPN of destaged chains; they use all LPNs from here to CAP_LPNS. Slot k of set s (1 or 2) of superblock b is at CAP_DESTAGE_LPN + (2 b + s - 1) * CAP_DESTAGE.slots + k. Every namespace ends before this LPN. */
#define ORM_FW_CAP_DESTAGE_LPN 0x068u
#define ORM_FW_CAP_DESTAGE_LPN_RESET 0x00000000u
#define ORM_FW_CAP_DESTAGE_LPN_VALUE_SHIFT 0 /* r: LPN */
#define ORM_FW_CAP_DESTAGE_LPN_VALUE_MASK 0xFFFFFFFFu
/* What one Copy command may name (Identify Namespace MSRC; MSSRL and MCL). */
#define ORM_FW_CAP_COPY 0x06Cu
#define ORM_FW_CAP_COPY_RESET 0x00000000u
#define ORM_FW_CAP_COPY_RANGES_SHIFT 0 /* r: source ranges */
#define ORM_FW_CAP_COPY_RANGES_MASK 0x0000FFFFu
#define ORM_FW_CAP_COPY_PAGES_SHIFT 16 /* r: pages, of one range and in all */
#define ORM_FW_CAP_COPY_PAGES_MASK 0xFFFF0000u
/* Page buffers of firmware (NAND_BUFFER). */
#define ORM_FW_CAP_BUFFERS 0x070u
#define ORM_FW_CAP_BUFFERS_RESET 0x00000000u
#define ORM_FW_CAP_BUFFERS_COUNT_SHIFT 0 /* r: buffers of one slot each; a multiple of the slots of a flash page */
#define ORM_FW_CAP_BUFFERS_COUNT_MASK 0x0000FFFFu
/* Summaries of full superblocks (SlotRecord, SummaryTrailer). */
#define ORM_FW_CAP_SUMMARY 0x074u
#define ORM_FW_CAP_SUMMARY_RESET 0x00000000u
#define ORM_FW_CAP_SUMMARY_SLOTS_SHIFT 0 /* r: last slots of a superblock, whole flash pages, which the allocator never hands out: firmware programs the summary there; 0: no summaries */
#define ORM_FW_CAP_SUMMARY_SLOTS_MASK 0x0000FFFFu
#define ORM_FW_CAP_SUMMARY_LOGS_SHIFT 16 /* r: slot logs: number of superblocks that can be logged at a time */
#define ORM_FW_CAP_SUMMARY_LOGS_MASK 0x00FF0000u
/* Slot logs in DRAM. Log n begins at DRAM_LOG + n * CAP_SUMMARY.slots * 4096 and has 16 bytes for each slot offset. */
#define ORM_FW_DRAM_LOG 0x078u
#define ORM_FW_DRAM_LOG_RESET 0x00000000u
#define ORM_FW_DRAM_LOG_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_DRAM_LOG_VALUE_MASK 0xFFFFFFFFu
/* Byte address or size in DRAM or NVRAM. */
#define ORM_FW_NV_TRIM_POINTERS 0x07Cu
#define ORM_FW_NV_TRIM_POINTERS_RESET 0x00000000u
#define ORM_FW_NV_TRIM_POINTERS_VALUE_SHIFT 0 /* r: bytes */
#define ORM_FW_NV_TRIM_POINTERS_VALUE_MASK 0xFFFFFFFFu
/* Interrupt sources. A bit is a level or, where `woclr`, an event that stays until 1 is written. */
#define ORM_FW_IRQ_STATUS 0x080u
#define ORM_FW_IRQ_STATUS_RESET 0x00000000u
#define ORM_FW_IRQ_STATUS_CMD_AVAIL_SHIFT 0 /* r: level: a command waits in the mailbox */
#define ORM_FW_IRQ_STATUS_CMD_AVAIL_MASK 0x00000001u
#define ORM_FW_IRQ_STATUS_CC_CHANGED_SHIFT 1 /* rw1c: CC was written */
#define ORM_FW_IRQ_STATUS_CC_CHANGED_MASK 0x00000002u
#define ORM_FW_IRQ_STATUS_DMA_DONE_SHIFT 2 /* rw1c: DMA_STATUS has a new outcome */
#define ORM_FW_IRQ_STATUS_DMA_DONE_MASK 0x00000004u
#define ORM_FW_IRQ_STATUS_REMAP_DONE_SHIFT 3 /* rw1c: REMAP_STATUS has a new outcome */
#define ORM_FW_IRQ_STATUS_REMAP_DONE_MASK 0x00000008u
#define ORM_FW_IRQ_STATUS_GC_DONE_SHIFT 4 /* rw1c: GC_STATUS or GC_QUEUE has changed: an outcome waits, or another collection may be started */
#define ORM_FW_IRQ_STATUS_GC_DONE_MASK 0x00000010u
#define ORM_FW_IRQ_STATUS_NAND_DONE_SHIFT 5 /* r: level: NAND_STATUS holds a result */
#define ORM_FW_IRQ_STATUS_NAND_DONE_MASK 0x00000020u
#define ORM_FW_IRQ_STATUS_FREE_LOW_SHIFT 6 /* r: level: free superblocks below FREE_LOW */
#define ORM_FW_IRQ_STATUS_FREE_LOW_MASK 0x00000040u
#define ORM_FW_IRQ_STATUS_JOURNAL_HIGH_SHIFT 7 /* r: level: the journal holds more than JOURNAL_HIGH records */
#define ORM_FW_IRQ_STATUS_JOURNAL_HIGH_MASK 0x00000080u
#define ORM_FW_IRQ_STATUS_BAD_DOORBELL_SHIFT 8 /* rw1c: a value that its queue does not allow was written to a doorbell */
#define ORM_FW_IRQ_STATUS_BAD_DOORBELL_MASK 0x00000100u
#define ORM_FW_IRQ_STATUS_HOST_ERROR_SHIFT 9 /* rw1c: host memory refused a queue access: controller fatal */
#define ORM_FW_IRQ_STATUS_HOST_ERROR_MASK 0x00000200u
#define ORM_FW_IRQ_STATUS_FENCE_DONE_SHIFT 10 /* rw1c: the fence has ended */
#define ORM_FW_IRQ_STATUS_FENCE_DONE_MASK 0x00000400u
#define ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_SHIFT 11 /* rw1c: the doorbell of a queue that does not exist was written */
#define ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_MASK 0x00000800u
#define ORM_FW_IRQ_STATUS_SEG_LOW_SHIFT 12 /* rw1c: a Copy that hardware carried out left fewer free segments than SEG_LOW */
#define ORM_FW_IRQ_STATUS_SEG_LOW_MASK 0x00001000u
#define ORM_FW_IRQ_STATUS_PROGRAM_FAILED_SHIFT 13 /* rw1c: a program failed: SB_STATE.failed says in which superblocks */
#define ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK 0x00002000u
#define ORM_FW_IRQ_STATUS_WEAK_READ_SHIFT 14 /* rw1c: a marginal read, near the ECC limit or after a read retry: SB_STATE.weak says in which superblocks */
#define ORM_FW_IRQ_STATUS_WEAK_READ_MASK 0x00004000u
#define ORM_FW_IRQ_STATUS_LOG_DUE_SHIFT 15 /* r: level: LOG_STATUS shows a log */
#define ORM_FW_IRQ_STATUS_LOG_DUE_MASK 0x00008000u
#define ORM_FW_IRQ_STATUS_MEMORY_ERROR_SHIFT 16 /* r: level: MEMORY_ERROR shows an error */
#define ORM_FW_IRQ_STATUS_MEMORY_ERROR_MASK 0x00010000u
/* Which bits of IRQ_STATUS raise the firmware interrupt. */
#define ORM_FW_IRQ_ENABLE 0x084u
#define ORM_FW_IRQ_ENABLE_RESET 0x00000000u
#define ORM_FW_IRQ_ENABLE_MASK_SHIFT 0 /* rw: mask */
#define ORM_FW_IRQ_ENABLE_MASK_MASK 0x0001FFFFu
/* Controller Configuration as the host wrote it, except that EN reads 0 while an enabling is held back: after a disabling or a function reset, until firmware has read this register and NVME_CSTS.rdy is 0. */
#define ORM_FW_NVME_CC 0x100u
#define ORM_FW_NVME_CC_RESET 0x00000000u
#define ORM_FW_NVME_CC_VALUE_SHIFT 0 /* r: CC */
#define ORM_FW_NVME_CC_VALUE_MASK 0xFFFFFFFFu
/* Controller Status as the host will read it. */
#define ORM_FW_NVME_CSTS 0x104u
#define ORM_FW_NVME_CSTS_RESET 0x00000000u
#define ORM_FW_NVME_CSTS_RDY_SHIFT 0 /* rw: CSTS.RDY. The host reads 1 only while CC.EN is 1, or until firmware clears this bit. It reads 0 here, in cfs and in shst after a function reset, and for an enabling that it took back before rdy was 1, until all three have been 0 */
#define ORM_FW_NVME_CSTS_RDY_MASK 0x00000001u
#define ORM_FW_NVME_CSTS_CFS_SHIFT 1 /* rw: CSTS.CFS */
#define ORM_FW_NVME_CSTS_CFS_MASK 0x00000002u
#define ORM_FW_NVME_CSTS_SHST_SHIFT 2 /* rw: CSTS.SHST */
#define ORM_FW_NVME_CSTS_SHST_MASK 0x0000000Cu
#define ORM_FW_NVME_CSTS_DEAD_SHIFT 4 /* rw: 1: start-up failed. CSTS.CFS then reads as 1, even after a function reset, as it does with MEMORY_ERROR.valid */
#define ORM_FW_NVME_CSTS_DEAD_MASK 0x00000010u
/* Logical pages of the namespace; the router checks LBAs against it. */
#define ORM_FW_NVME_NSZE 0x108u
#define ORM_FW_NVME_NSZE_RESET 0x00000000u
#define ORM_FW_NVME_NSZE_VALUE_SHIFT 0 /* rw: NSZE */
#define ORM_FW_NVME_NSZE_VALUE_MASK 0xFFFFFFFFu
/* Namespace state. */
#define ORM_FW_NVME_STATE 0x10Cu
#define ORM_FW_NVME_STATE_RESET 0x00000000u
#define ORM_FW_NVME_STATE_NS_READY_SHIFT 0 /* rw: 0: I/O commands end with Namespace Not Ready */
#define ORM_FW_NVME_STATE_NS_READY_MASK 0x00000001u
#define ORM_FW_NVME_STATE_FORMATTING_SHIFT 1 /* rw: 1: while ns_ready is 0 they end with Format in Progress instead */
#define ORM_FW_NVME_STATE_FORMATTING_MASK 0x00000002u
#define ORM_FW_NVME_STATE_WRITE_PROTECTED_SHIFT 2 /* rw: 1: Write, Write Zeroes, Copy and Dataset Management end with Namespace is Write Protected */
#define ORM_FW_NVME_STATE_WRITE_PROTECTED_MASK 0x00000004u
#define ORM_FW_NVME_STATE_IO_QUIET_SHIFT 8 /* r: 1: no I/O command is inside the controller, no completion waits, no fetch is under way */
#define ORM_FW_NVME_STATE_IO_QUIET_MASK 0x00000100u
/* Queue to define or delete. */
#define ORM_FW_QUEUE_ID 0x110u
#define ORM_FW_QUEUE_ID_RESET 0x00000000u
#define ORM_FW_QUEUE_ID_QID_SHIFT 0 /* rw: queue number */
#define ORM_FW_QUEUE_ID_QID_MASK 0x000000FFu
#define ORM_FW_QUEUE_ID_CQID_SHIFT 8 /* rw: SQ: the completion queue that it completes into */
#define ORM_FW_QUEUE_ID_CQID_MASK 0x0000FF00u
#define ORM_FW_QUEUE_ID_VECTOR_SHIFT 16 /* rw: CQ: MSI-X vector */
#define ORM_FW_QUEUE_ID_VECTOR_MASK 0x00FF0000u
#define ORM_FW_QUEUE_ID_IEN_SHIFT 24 /* rw: CQ: interrupts enabled */
#define ORM_FW_QUEUE_ID_IEN_MASK 0x01000000u
/* Host address, low half. */
#define ORM_FW_QUEUE_BASE_LO 0x114u
#define ORM_FW_QUEUE_BASE_LO_RESET 0x00000000u
#define ORM_FW_QUEUE_BASE_LO_VALUE_SHIFT 0 /* rw: bits 31:0 */
#define ORM_FW_QUEUE_BASE_LO_VALUE_MASK 0xFFFFFFFFu
/* Host address, high half. */
#define ORM_FW_QUEUE_BASE_HI 0x118u
#define ORM_FW_QUEUE_BASE_HI_RESET 0x00000000u
#define ORM_FW_QUEUE_BASE_HI_VALUE_SHIFT 0 /* rw: bits 63:32 */
#define ORM_FW_QUEUE_BASE_HI_VALUE_MASK 0xFFFFFFFFu
/* Entries of the queue. */
#define ORM_FW_QUEUE_ENTRIES 0x11Cu
#define ORM_FW_QUEUE_ENTRIES_RESET 0x00000000u
#define ORM_FW_QUEUE_ENTRIES_VALUE_SHIFT 0 /* rw: number, not zero-based */
#define ORM_FW_QUEUE_ENTRIES_VALUE_MASK 0x0000FFFFu
/* Writing acts. */
#define ORM_FW_QUEUE_GO 0x120u
#define ORM_FW_QUEUE_GO_RESET 0x00000000u
#define ORM_FW_QUEUE_GO_SQ_SHIFT 0 /* w: 1: define (enable=1) or stop (enable=0) the submission queue. A stopped queue is not fetched from; commands inside still complete */
#define ORM_FW_QUEUE_GO_SQ_MASK 0x00000001u
#define ORM_FW_QUEUE_GO_CQ_SHIFT 1 /* w: 1: define or delete the completion queue */
#define ORM_FW_QUEUE_GO_CQ_MASK 0x00000002u
#define ORM_FW_QUEUE_GO_ENABLE_SHIFT 2 /* w: 1: define, 0: delete */
#define ORM_FW_QUEUE_GO_ENABLE_MASK 0x00000004u
/* Commands of the submission queue in QUEUE_ID that are inside the controller: fetched, and neither completed nor dropped. Define a queue only while this is 0. */
#define ORM_FW_QUEUE_INSIDE 0x124u
#define ORM_FW_QUEUE_INSIDE_RESET 0x00000000u
#define ORM_FW_QUEUE_INSIDE_VALUE_SHIFT 0 /* r: commands */
#define ORM_FW_QUEUE_INSIDE_VALUE_MASK 0x0000FFFFu
/* Admin commands that firmware holds until an event (Asynchronous Event Request). They reserve no entry of the admin completion queue. All other commands do, so their completions never wait. */
#define ORM_FW_ADMIN_HELD 0x128u
#define ORM_FW_ADMIN_HELD_RESET 0x00000000u
#define ORM_FW_ADMIN_HELD_COUNT_SHIFT 0 /* rw: commands, at most QUEUE_INSIDE of queue 0 */
#define ORM_FW_ADMIN_HELD_COUNT_MASK 0x000000FFu
#define ORM_FW_ADMIN_HELD_ROOM_SHIFT 31 /* r: 1: the admin completion queue has a free entry for each admin command inside that is not held */
#define ORM_FW_ADMIN_HELD_ROOM_MASK 0x80000000u
/* Interrupt coalescing of the I/O completion queues (Set Features 08h). 0 in either field: no coalescing. A write raises all interrupts that wait. */
#define ORM_FW_INT_COALESCING 0x12Cu
#define ORM_FW_INT_COALESCING_RESET 0x00000000u
#define ORM_FW_INT_COALESCING_THRESHOLD_SHIFT 0 /* rw: completion entries, 0's based */
#define ORM_FW_INT_COALESCING_THRESHOLD_MASK 0x000000FFu
#define ORM_FW_INT_COALESCING_TIME_SHIFT 8 /* rw: units of 100 us */
#define ORM_FW_INT_COALESCING_TIME_MASK 0x0000FF00u
/* Writing sets whether a vector is coalesced (Set Features 09h). */
#define ORM_FW_INT_VECTOR 0x130u
#define ORM_FW_INT_VECTOR_RESET 0x00000000u
#define ORM_FW_INT_VECTOR_VECTOR_SHIFT 0 /* w: MSI-X vector */
#define ORM_FW_INT_VECTOR_VECTOR_MASK 0x000000FFu
#define ORM_FW_INT_VECTOR_DIRECT_SHIFT 8 /* w: 1: not coalesced */
#define ORM_FW_INT_VECTOR_DIRECT_MASK 0x00000100u
/* Head of the command FIFO. */
#define ORM_FW_MBOX_STATUS 0x200u
#define ORM_FW_MBOX_STATUS_RESET 0x00000000u
#define ORM_FW_MBOX_STATUS_QID_SHIFT 0 /* r: submission queue it came from */
#define ORM_FW_MBOX_STATUS_QID_MASK 0x000000FFu
#define ORM_FW_MBOX_STATUS_VALID_SHIFT 31 /* r: 1: a command waits */
#define ORM_FW_MBOX_STATUS_VALID_MASK 0x80000000u
/* Writing 1 drops the head of the command FIFO. */
#define ORM_FW_MBOX_POP 0x204u
#define ORM_FW_MBOX_POP_RESET 0x00000000u
#define ORM_FW_MBOX_POP_POP_SHIFT 0 /* w: pop */
#define ORM_FW_MBOX_POP_POP_MASK 0x00000001u
/* Command completion: DW0. */
#define ORM_FW_CPL_DW0 0x208u
#define ORM_FW_CPL_DW0_RESET 0x00000000u
#define ORM_FW_CPL_DW0_VALUE_SHIFT 0 /* rw: DW0 */
#define ORM_FW_CPL_DW0_VALUE_MASK 0xFFFFFFFFu
/* Command completion: writing posts it. */
#define ORM_FW_CPL_POST 0x20Cu
#define ORM_FW_CPL_POST_RESET 0x00000000u
#define ORM_FW_CPL_POST_CID_SHIFT 0 /* w: command identifier */
#define ORM_FW_CPL_POST_CID_MASK 0x0000FFFFu
#define ORM_FW_CPL_POST_STATUS_SHIFT 16 /* w: CQE status field: {DNR, M, CRD, SCT, SC} */
#define ORM_FW_CPL_POST_STATUS_MASK 0x7FFF0000u
/* Command completion: destination. */
#define ORM_FW_CPL_QUEUE 0x210u
#define ORM_FW_CPL_QUEUE_RESET 0x00000000u
#define ORM_FW_CPL_QUEUE_QID_SHIFT 0 /* rw: submission queue of the command */
#define ORM_FW_CPL_QUEUE_QID_MASK 0x000000FFu
#define ORM_FW_CPL_QUEUE_READY_SHIFT 31 /* r: 1: CPL_POST can be written */
#define ORM_FW_CPL_QUEUE_READY_MASK 0x80000000u
/* Dwords of the command at the head of the FIFO. */
#define ORM_FW_MBOX_SQE(i) (0x240u + 4u * (uint32_t)(i)) /* i < 16 */
#define ORM_FW_MBOX_SQE_COUNT 16u
#define ORM_FW_MBOX_SQE_RESET 0x00000000u
#define ORM_FW_MBOX_SQE_VALUE_SHIFT 0 /* r: dword */
#define ORM_FW_MBOX_SQE_VALUE_MASK 0xFFFFFFFFu
/* PRP entry 1, low. */
#define ORM_FW_DMA_PRP1_LO 0x300u
#define ORM_FW_DMA_PRP1_LO_RESET 0x00000000u
#define ORM_FW_DMA_PRP1_LO_VALUE_SHIFT 0 /* rw: bits 31:0 */
#define ORM_FW_DMA_PRP1_LO_VALUE_MASK 0xFFFFFFFFu
/* PRP entry 1, high. */
#define ORM_FW_DMA_PRP1_HI 0x304u
#define ORM_FW_DMA_PRP1_HI_RESET 0x00000000u
#define ORM_FW_DMA_PRP1_HI_VALUE_SHIFT 0 /* rw: bits 63:32 */
#define ORM_FW_DMA_PRP1_HI_VALUE_MASK 0xFFFFFFFFu
/* PRP entry 2, low. */
#define ORM_FW_DMA_PRP2_LO 0x308u
#define ORM_FW_DMA_PRP2_LO_RESET 0x00000000u
#define ORM_FW_DMA_PRP2_LO_VALUE_SHIFT 0 /* rw: bits 31:0 */
#define ORM_FW_DMA_PRP2_LO_VALUE_MASK 0xFFFFFFFFu
/* PRP entry 2, high. */
#define ORM_FW_DMA_PRP2_HI 0x30Cu
#define ORM_FW_DMA_PRP2_HI_RESET 0x00000000u
#define ORM_FW_DMA_PRP2_HI_VALUE_SHIFT 0 /* rw: bits 63:32 */
#define ORM_FW_DMA_PRP2_HI_VALUE_MASK 0xFFFFFFFFu
/* DRAM address. */
#define ORM_FW_DMA_DRAM 0x310u
#define ORM_FW_DMA_DRAM_RESET 0x00000000u
#define ORM_FW_DMA_DRAM_VALUE_SHIFT 0 /* rw: multiple of 16 */
#define ORM_FW_DMA_DRAM_VALUE_MASK 0xFFFFFFFFu
/* Writing starts the operation. */
#define ORM_FW_DMA_GO 0x314u
#define ORM_FW_DMA_GO_RESET 0x00000000u
#define ORM_FW_DMA_GO_BYTES_SHIFT 0 /* w: bytes, at most the MDTS; a multiple of 4 to the host, of 16 from the host */
#define ORM_FW_DMA_GO_BYTES_MASK 0x00FFFFFFu
#define ORM_FW_DMA_GO_BUFFER_SHIFT 30 /* w: 1: the peer is the page buffer in NAND_BUFFER instead of the host; 4096 bytes */
#define ORM_FW_DMA_GO_BUFFER_MASK 0x40000000u
#define ORM_FW_DMA_GO_TO_HOST_SHIFT 31 /* w: 1: from DRAM to the host or buffer; 0: the other way */
#define ORM_FW_DMA_GO_TO_HOST_MASK 0x80000000u
/* Outcome. */
#define ORM_FW_DMA_STATUS 0x318u
#define ORM_FW_DMA_STATUS_RESET 0x00000000u
#define ORM_FW_DMA_STATUS_STATUS_SHIFT 0 /* r: NVMe status; 0: good */
#define ORM_FW_DMA_STATUS_STATUS_MASK 0x00007FFFu
#define ORM_FW_DMA_STATUS_BUSY_SHIFT 31 /* r: 1: under way */
#define ORM_FW_DMA_STATUS_BUSY_MASK 0x80000000u
/* DRAM address of the range list. */
#define ORM_FW_REMAP_LIST 0x340u
#define ORM_FW_REMAP_LIST_RESET 0x00000000u
#define ORM_FW_REMAP_LIST_VALUE_SHIFT 0 /* rw: multiple of 32 */
#define ORM_FW_REMAP_LIST_VALUE_MASK 0xFFFFFFFFu
/* Writing starts the operation. */
#define ORM_FW_REMAP_GO 0x344u
#define ORM_FW_REMAP_GO_RESET 0x00000000u
#define ORM_FW_REMAP_GO_RANGES_SHIFT 0 /* w: ranges */
#define ORM_FW_REMAP_GO_RANGES_MASK 0x0000FFFFu
#define ORM_FW_REMAP_GO_MOVE_SHIFT 16 /* w: 1: MOVE, sources become unmapped */
#define ORM_FW_REMAP_GO_MOVE_MASK 0x00010000u
#define ORM_FW_REMAP_GO_COPY_SHIFT 17 /* w: 1: Copy, an unmapped source unmaps its target */
#define ORM_FW_REMAP_GO_COPY_MASK 0x00020000u
/* Outcome. */
#define ORM_FW_REMAP_STATUS 0x348u
#define ORM_FW_REMAP_STATUS_RESET 0x00000000u
#define ORM_FW_REMAP_STATUS_RESULT_SHIFT 0 /* r: result */
#define ORM_FW_REMAP_STATUS_RESULT_MASK 0x0000000Fu
#define ORM_FW_REMAP_STATUS_RANGE_SHIFT 8 /* r: range that failed */
#define ORM_FW_REMAP_STATUS_RANGE_MASK 0x00FFFF00u
#define ORM_FW_REMAP_STATUS_BUSY_SHIFT 31 /* r: 1: under way */
#define ORM_FW_REMAP_STATUS_BUSY_MASK 0x80000000u
/* LPNs whose mapping the last command changed. */
#define ORM_FW_REMAP_PAGES 0x34Cu
#define ORM_FW_REMAP_PAGES_RESET 0x00000000u
#define ORM_FW_REMAP_PAGES_VALUE_SHIFT 0 /* r: pages */
#define ORM_FW_REMAP_PAGES_VALUE_MASK 0xFFFFFFFFu
/* Every mapping event of a remap command or Copy with a smaller sequence number than this one has taken effect. It is the number of the next event; while the remap engine is busy, the number that was next when its command began. Low half; reading latches the high half. */
#define ORM_FW_REMAP_SEQ_LO 0x350u
#define ORM_FW_REMAP_SEQ_LO_RESET 0x00000000u
#define ORM_FW_REMAP_SEQ_LO_VALUE_SHIFT 0 /* r: bits 31:0 */
#define ORM_FW_REMAP_SEQ_LO_VALUE_MASK 0xFFFFFFFFu
/* High half of REMAP_SEQ_LO. */
#define ORM_FW_REMAP_SEQ_HI 0x354u
#define ORM_FW_REMAP_SEQ_HI_RESET 0x00000000u
#define ORM_FW_REMAP_SEQ_HI_VALUE_SHIFT 0 /* r: bits 47:32 */
#define ORM_FW_REMAP_SEQ_HI_VALUE_MASK 0x0000FFFFu
/* Writing starts the collection of a superblock, or the compaction or destaging of its chain in the remap table. */
#define ORM_FW_GC_GO 0x380u
#define ORM_FW_GC_GO_RESET 0x00000000u
#define ORM_FW_GC_GO_SB_SHIFT 0 /* w: superblock */
#define ORM_FW_GC_GO_SB_MASK 0x0000FFFFu
#define ORM_FW_GC_GO_CHAIN_SHIFT 16 /* w: 1: compact its chain, the data stays where it is */
#define ORM_FW_GC_GO_CHAIN_MASK 0x00010000u
#define ORM_FW_GC_GO_DESTAGE_SHIFT 17 /* w: with chain: destage it, its live entries go to flash */
#define ORM_FW_GC_GO_DESTAGE_MASK 0x00020000u
#define ORM_FW_GC_GO_RETIRE_SHIFT 18 /* w: without chain: after its erase the superblock is bad and does not go to the free list */
#define ORM_FW_GC_GO_RETIRE_MASK 0x00040000u
/* The oldest outcome that GC_POP has not dropped. Outcomes come in the order of the starts. */
#define ORM_FW_GC_STATUS 0x384u
#define ORM_FW_GC_STATUS_RESET 0x00000000u
#define ORM_FW_GC_STATUS_MOVED_SHIFT 0 /* r: slots moved */
#define ORM_FW_GC_STATUS_MOVED_MASK 0x0000FFFFu
#define ORM_FW_GC_STATUS_FULL_SHIFT 28 /* r: 1: stopped for lack of free remap table segments; slots moved so far stay moved, a chain is unchanged */
#define ORM_FW_GC_STATUS_FULL_MASK 0x10000000u
#define ORM_FW_GC_STATUS_REFUSED_SHIFT 29 /* r: 1: nothing happened: the victim was neither closed nor bad, or the chain has nothing to give back */
#define ORM_FW_GC_STATUS_REFUSED_MASK 0x20000000u
#define ORM_FW_GC_STATUS_OK_SHIFT 30 /* r: 0: the victim stays: full, refused, or a read, program or erase failed */
#define ORM_FW_GC_STATUS_OK_MASK 0x40000000u
#define ORM_FW_GC_STATUS_VALID_SHIFT 31 /* r: 1: an outcome is shown */
#define ORM_FW_GC_STATUS_VALID_MASK 0x80000000u
/* Further figures of the outcome. */
#define ORM_FW_GC_DETAIL 0x388u
#define ORM_FW_GC_DETAIL_RESET 0x00000000u
#define ORM_FW_GC_DETAIL_SHARED_SHIFT 0 /* r: moved slots that had several sharers */
#define ORM_FW_GC_DETAIL_SHARED_MASK 0x0000FFFFu
#define ORM_FW_GC_DETAIL_SEGMENTS_SHIFT 16 /* r: remap table segments that a compaction or destaging gave back */
#define ORM_FW_GC_DETAIL_SEGMENTS_MASK 0xFFFF0000u
/* The superblock whose outcome GC_STATUS shows. */
#define ORM_FW_GC_QUEUE 0x38Cu
#define ORM_FW_GC_QUEUE_RESET 0x00000000u
#define ORM_FW_GC_QUEUE_SB_SHIFT 0 /* r: superblock */
#define ORM_FW_GC_QUEUE_SB_MASK 0x0000FFFFu
#define ORM_FW_GC_QUEUE_CHAIN_SHIFT 16 /* r: 1: outcome of a compaction or destaging */
#define ORM_FW_GC_QUEUE_CHAIN_MASK 0x00010000u
#define ORM_FW_GC_QUEUE_ROOM_SHIFT 31 /* r: 1: GC_GO may be written: fewer than two outcomes are due, and the last start has finished moving */
#define ORM_FW_GC_QUEUE_ROOM_MASK 0x80000000u
/* Superblock that the SB_* registers show or set. */
#define ORM_FW_SB_SELECT 0x390u
#define ORM_FW_SB_SELECT_RESET 0x00000000u
#define ORM_FW_SB_SELECT_SB_SHIFT 0 /* rw: superblock */
#define ORM_FW_SB_SELECT_SB_MASK 0x0000FFFFu
/* State of the selected superblock; writing sets it together with SB_GEN (start-up only). */
#define ORM_FW_SB_STATE 0x394u
#define ORM_FW_SB_STATE_RESET 0x00000000u
#define ORM_FW_SB_STATE_VALID_SHIFT 0 /* rw: VALID: slots with at least one sharer */
#define ORM_FW_SB_STATE_VALID_MASK 0x0000FFFFu
#define ORM_FW_SB_STATE_STATE_SHIFT 16 /* rw: state */
#define ORM_FW_SB_STATE_STATE_MASK 0x00030000u
#define ORM_FW_SB_STATE_FAILED_SHIFT 18 /* r: 1: a program in it has failed since its erase, or since this register was written */
#define ORM_FW_SB_STATE_FAILED_MASK 0x00040000u
#define ORM_FW_SB_STATE_WEAK_SHIFT 19 /* r: 1: marginal: since its erase, or since this register was written, a read of it was near the ECC limit or needed a read retry */
#define ORM_FW_SB_STATE_WEAK_MASK 0x00080000u
/* Generation of the selected superblock. Written before SB_STATE. */
#define ORM_FW_SB_GEN 0x398u
#define ORM_FW_SB_GEN_RESET 0x00000000u
#define ORM_FW_SB_GEN_VALUE_SHIFT 0 /* rw: generation */
#define ORM_FW_SB_GEN_VALUE_MASK 0xFFFFFFFFu
/* Chain of the selected superblock in the remap table. */
#define ORM_FW_SB_CHAIN 0x39Cu
#define ORM_FW_SB_CHAIN_RESET 0x00000000u
#define ORM_FW_SB_CHAIN_SEGMENTS_SHIFT 0 /* r: segments */
#define ORM_FW_SB_CHAIN_SEGMENTS_MASK 0x0000FFFFu
#define ORM_FW_SB_CHAIN_EPOCH_SHIFT 16 /* rw: epoch: compactions since the erase. Written before SB_STATE (start-up only) */
#define ORM_FW_SB_CHAIN_EPOCH_MASK 0xFFFF0000u
/* Start-up, and while nothing is written: writing puts a superblock on the free list. */
#define ORM_FW_ALLOC_FREE 0x3A0u
#define ORM_FW_ALLOC_FREE_RESET 0x00000000u
#define ORM_FW_ALLOC_FREE_SB_SHIFT 0 /* w: superblock */
#define ORM_FW_ALLOC_FREE_SB_MASK 0x0000FFFFu
#define ORM_FW_ALLOC_FREE_CLEAR_SHIFT 31 /* w: 1: no superblock; the list becomes empty */
#define ORM_FW_ALLOC_FREE_CLEAR_MASK 0x80000000u
/* Start-up: writing makes a stream go on in a half-filled superblock. */
#define ORM_FW_ALLOC_RESTORE 0x3A4u
#define ORM_FW_ALLOC_RESTORE_RESET 0x00000000u
#define ORM_FW_ALLOC_RESTORE_SB_SHIFT 0 /* w: superblock */
#define ORM_FW_ALLOC_RESTORE_SB_MASK 0x00001FFFu
#define ORM_FW_ALLOC_RESTORE_NEXT_SHIFT 13 /* w: next slot offset */
#define ORM_FW_ALLOC_RESTORE_NEXT_MASK 0x0FFFE000u
#define ORM_FW_ALLOC_RESTORE_STREAM_SHIFT 28 /* w: stream, as in OobRecord */
#define ORM_FW_ALLOC_RESTORE_STREAM_MASK 0xF0000000u
/* Free superblocks that the host streams leave to GC. */
#define ORM_FW_ALLOC_RESERVE 0x3A8u
#define ORM_FW_ALLOC_RESERVE_RESET 0x00000002u
#define ORM_FW_ALLOC_RESERVE_VALUE_SHIFT 0 /* rw: superblocks */
#define ORM_FW_ALLOC_RESERVE_VALUE_MASK 0x0000FFFFu
/* Superblocks on the free list. */
#define ORM_FW_ALLOC_COUNT 0x3ACu
#define ORM_FW_ALLOC_COUNT_RESET 0x00000000u
#define ORM_FW_ALLOC_COUNT_VALUE_SHIFT 0 /* r: superblocks */
#define ORM_FW_ALLOC_COUNT_VALUE_MASK 0x0000FFFFu
/* IRQ free_low is raised below this. */
#define ORM_FW_FREE_LOW 0x3B0u
#define ORM_FW_FREE_LOW_RESET 0x00000000u
#define ORM_FW_FREE_LOW_VALUE_SHIFT 0 /* rw: superblocks */
#define ORM_FW_FREE_LOW_VALUE_MASK 0x0000FFFFu
/* Placement handles that Write commands may name. A command that names another handle, or none, uses handle 0. */
#define ORM_FW_ALLOC_HANDLES 0x3B4u
#define ORM_FW_ALLOC_HANDLES_RESET 0x00000001u
#define ORM_FW_ALLOC_HANDLES_COUNT_SHIFT 0 /* rw: handles, 1 to CAP_PLACEMENT.handles */
#define ORM_FW_ALLOC_HANDLES_COUNT_MASK 0x000000FFu
/* Stream that ALLOC_OPEN shows. */
#define ORM_FW_ALLOC_STREAM 0x3B8u
#define ORM_FW_ALLOC_STREAM_RESET 0x00000000u
#define ORM_FW_ALLOC_STREAM_STREAM_SHIFT 0 /* rw: stream, as in OobRecord */
#define ORM_FW_ALLOC_STREAM_STREAM_MASK 0x0000000Fu
/* Superblock that the selected stream fills. */
#define ORM_FW_ALLOC_OPEN 0x3BCu
#define ORM_FW_ALLOC_OPEN_RESET 0x00000000u
#define ORM_FW_ALLOC_OPEN_SB_SHIFT 0 /* r: superblock */
#define ORM_FW_ALLOC_OPEN_SB_MASK 0x00001FFFu
#define ORM_FW_ALLOC_OPEN_NEXT_SHIFT 13 /* r: next slot offset */
#define ORM_FW_ALLOC_OPEN_NEXT_MASK 0x0FFFE000u
#define ORM_FW_ALLOC_OPEN_FULL_SHIFT 30 /* r: 1: no more slots are handed out; the host's next write closes it */
#define ORM_FW_ALLOC_OPEN_FULL_MASK 0x40000000u
#define ORM_FW_ALLOC_OPEN_OPEN_SHIFT 31 /* r: 0: the stream has no open superblock */
#define ORM_FW_ALLOC_OPEN_OPEN_MASK 0x80000000u
/* Writing ends the filling of the superblock that the stream of a placement handle has open, if any. */
#define ORM_FW_ALLOC_CLOSE 0x3C0u
#define ORM_FW_ALLOC_CLOSE_RESET 0x00000000u
#define ORM_FW_ALLOC_CLOSE_HANDLE_SHIFT 0 /* w: placement handle */
#define ORM_FW_ALLOC_CLOSE_HANDLE_MASK 0x00000007u
/* Writing 1 drops the outcome that GC_STATUS shows. */
#define ORM_FW_GC_POP 0x3C4u
#define ORM_FW_GC_POP_RESET 0x00000000u
#define ORM_FW_GC_POP_POP_SHIFT 0 /* w: pop */
#define ORM_FW_GC_POP_POP_MASK 0x00000001u
/* Destaged part of the selected superblock's chain. Writing sets it (start-up only, after the chain was loaded). */
#define ORM_FW_SB_DESTAGED 0x3C8u
#define ORM_FW_SB_DESTAGED_RESET 0x00000000u
#define ORM_FW_SB_DESTAGED_SET_SHIFT 0 /* rw: set of slots, as in BlockRecord; 0: no part of the chain is destaged */
#define ORM_FW_SB_DESTAGED_SET_MASK 0x00000003u
#define ORM_FW_SB_DESTAGED_SLOTS_SHIFT 8 /* rw: slots in use */
#define ORM_FW_SB_DESTAGED_SLOTS_MASK 0x0000FF00u
#define ORM_FW_SB_DESTAGED_SEGMENTS_SHIFT 16 /* rw: segments that its entries would fill; these count toward the length of the chain */
#define ORM_FW_SB_DESTAGED_SEGMENTS_MASK 0xFFFF0000u
/* A complete slot log. Its superblock was closed when all slots but the last CAP_SUMMARY.slots had been handed out, all programs in it have landed, none has failed, and DRAM has all records. It is shown until it is released. Of several, the one with the lowest number is shown. */
#define ORM_FW_LOG_STATUS 0x3CCu
#define ORM_FW_LOG_STATUS_RESET 0x00000000u
#define ORM_FW_LOG_STATUS_SB_SHIFT 0 /* r: superblock */
#define ORM_FW_LOG_STATUS_SB_MASK 0x0000FFFFu
#define ORM_FW_LOG_STATUS_LOG_SHIFT 16 /* r: number of the log */
#define ORM_FW_LOG_STATUS_LOG_MASK 0x000F0000u
#define ORM_FW_LOG_STATUS_STREAM_SHIFT 20 /* r: stream of the superblock's last slot, as in OobRecord */
#define ORM_FW_LOG_STATUS_STREAM_MASK 0x0FF00000u
#define ORM_FW_LOG_STATUS_VALID_SHIFT 31 /* r: 1: an outcome is shown */
#define ORM_FW_LOG_STATUS_VALID_MASK 0x80000000u
/* Writing releases a log that LOG_STATUS has shown, for use by another superblock. */
#define ORM_FW_LOG_RELEASE 0x3D0u
#define ORM_FW_LOG_RELEASE_RESET 0x00000000u
#define ORM_FW_LOG_RELEASE_LOG_SHIFT 0 /* w: number of the log */
#define ORM_FW_LOG_RELEASE_LOG_MASK 0x0000000Fu
/* Sequence counter, low half; reading latches the high half. Writing: held until SEQ_HI is written. */
#define ORM_FW_SEQ_LO 0x400u
#define ORM_FW_SEQ_LO_RESET 0x00000000u
#define ORM_FW_SEQ_LO_VALUE_SHIFT 0 /* rw: bits 31:0 */
#define ORM_FW_SEQ_LO_VALUE_MASK 0xFFFFFFFFu
/* Sequence counter, high half. Writing loads both. */
#define ORM_FW_SEQ_HI 0x404u
#define ORM_FW_SEQ_HI_RESET 0x00000000u
#define ORM_FW_SEQ_HI_VALUE_SHIFT 0 /* rw: bits 47:32 */
#define ORM_FW_SEQ_HI_VALUE_MASK 0x0000FFFFu
/* Journal ring. */
#define ORM_FW_JOURNAL_STATE 0x408u
#define ORM_FW_JOURNAL_STATE_RESET 0x00000000u
#define ORM_FW_JOURNAL_STATE_HEAD_SHIFT 0 /* r: index of the next record */
#define ORM_FW_JOURNAL_STATE_HEAD_MASK 0x0000FFFFu
#define ORM_FW_JOURNAL_STATE_USED_SHIFT 16 /* r: records in use */
#define ORM_FW_JOURNAL_STATE_USED_MASK 0xFFFF0000u
/* Records before this index are covered by the checkpoint and may be overwritten. */
#define ORM_FW_JOURNAL_TAIL 0x40Cu
#define ORM_FW_JOURNAL_TAIL_RESET 0x00000000u
#define ORM_FW_JOURNAL_TAIL_VALUE_SHIFT 0 /* w: index */
#define ORM_FW_JOURNAL_TAIL_VALUE_MASK 0x0000FFFFu
/* Start-up: writing makes the ring empty; it continues at this index. */
#define ORM_FW_JOURNAL_LOAD 0x410u
#define ORM_FW_JOURNAL_LOAD_RESET 0x00000000u
#define ORM_FW_JOURNAL_LOAD_VALUE_SHIFT 0 /* w: index */
#define ORM_FW_JOURNAL_LOAD_VALUE_MASK 0x0000FFFFu
/* IRQ journal_high is raised above this. */
#define ORM_FW_JOURNAL_HIGH 0x414u
#define ORM_FW_JOURNAL_HIGH_RESET 0x0000FFFFu
#define ORM_FW_JOURNAL_HIGH_VALUE_SHIFT 0 /* rw: records */
#define ORM_FW_JOURNAL_HIGH_VALUE_MASK 0x0000FFFFu
/* Writing starts a fence. Interrupt fence_done comes when all host programs issued before are durable. */
#define ORM_FW_FENCE 0x418u
#define ORM_FW_FENCE_RESET 0x00000000u
#define ORM_FW_FENCE_GO_SHIFT 0 /* w: go */
#define ORM_FW_FENCE_GO_MASK 0x00000001u
#define ORM_FW_FENCE_BUSY_SHIFT 31 /* r: 1: under way */
#define ORM_FW_FENCE_BUSY_MASK 0x80000000u
/* Start-up: chain to load; CHAIN_GO loads it. */
#define ORM_FW_CHAIN_SB 0x420u
#define ORM_FW_CHAIN_SB_RESET 0x00000000u
#define ORM_FW_CHAIN_SB_SB_SHIFT 0 /* rw: superblock */
#define ORM_FW_CHAIN_SB_SB_MASK 0x0000FFFFu
#define ORM_FW_CHAIN_SB_COUNT_SHIFT 16 /* rw: segments in the chain */
#define ORM_FW_CHAIN_SB_COUNT_MASK 0xFFFF0000u
/* Start-up: writing loads the chain named in CHAIN_SB. */
#define ORM_FW_CHAIN_GO 0x424u
#define ORM_FW_CHAIN_GO_RESET 0x00000000u
#define ORM_FW_CHAIN_GO_TAIL_SHIFT 0 /* w: newest segment */
#define ORM_FW_CHAIN_GO_TAIL_MASK 0x0000FFFFu
#define ORM_FW_CHAIN_GO_FILL_SHIFT 16 /* w: entries used in it */
#define ORM_FW_CHAIN_GO_FILL_MASK 0xFFFF0000u
/* Start-up: writing links a segment to its predecessor in the chain. */
#define ORM_FW_CHAIN_LINK 0x428u
#define ORM_FW_CHAIN_LINK_RESET 0x00000000u
#define ORM_FW_CHAIN_LINK_SEG_SHIFT 0 /* w: segment */
#define ORM_FW_CHAIN_LINK_SEG_MASK 0x0000FFFFu
#define ORM_FW_CHAIN_LINK_PREV_SHIFT 16 /* w: predecessor */
#define ORM_FW_CHAIN_LINK_PREV_MASK 0xFFFF0000u
/* Start-up: writing puts a segment on the free list. */
#define ORM_FW_SEG_FREE 0x42Cu
#define ORM_FW_SEG_FREE_RESET 0x00000000u
#define ORM_FW_SEG_FREE_SEG_SHIFT 0 /* w: segment */
#define ORM_FW_SEG_FREE_SEG_MASK 0x0000FFFFu
/* Segments on the free list. */
#define ORM_FW_SEG_COUNT 0x430u
#define ORM_FW_SEG_COUNT_RESET 0x00000000u
#define ORM_FW_SEG_COUNT_VALUE_SHIFT 0 /* r: segments */
#define ORM_FW_SEG_COUNT_VALUE_MASK 0x0000FFFFu
/* IRQ seg_low is raised below this. */
#define ORM_FW_SEG_LOW 0x434u
#define ORM_FW_SEG_LOW_RESET 0x00000000u
#define ORM_FW_SEG_LOW_VALUE_SHIFT 0 /* rw: segments */
#define ORM_FW_SEG_LOW_VALUE_MASK 0x0000FFFFu
/* Smallest length of the free list of segments since this register was last written. Writing restarts it. */
#define ORM_FW_SEG_LEAST 0x438u
#define ORM_FW_SEG_LEAST_RESET 0x00000000u
#define ORM_FW_SEG_LEAST_VALUE_SHIFT 0 /* rw: segments; FFFFh: never written */
#define ORM_FW_SEG_LEAST_VALUE_MASK 0x0000FFFFu
/* The first error that DRAM or NVRAM has answered to the controller since power-on. The controller has stopped: it begins no further access to a memory or to the host, and CSTS.CFS reads as 1 until power goes. Whoever waits for the access, or for a later one of that bus, waits for ever. */
#define ORM_FW_MEMORY_ERROR 0x440u
#define ORM_FW_MEMORY_ERROR_RESET 0x00000000u
#define ORM_FW_MEMORY_ERROR_USER_SHIFT 0 /* r: whose access it was: the caches of the mapping, the list of a remap command, DMA_GO, a slot log, the journal, the remap table */
#define ORM_FW_MEMORY_ERROR_USER_MASK 0x0000000Fu
#define ORM_FW_MEMORY_ERROR_NVRAM_SHIFT 4 /* r: 1: NVRAM, 0: DRAM */
#define ORM_FW_MEMORY_ERROR_NVRAM_MASK 0x00000010u
#define ORM_FW_MEMORY_ERROR_WRITE_SHIFT 5 /* r: 1: a write, 0: a read */
#define ORM_FW_MEMORY_ERROR_WRITE_MASK 0x00000020u
#define ORM_FW_MEMORY_ERROR_RESPONSE_SHIFT 8 /* r: response of AXI: 2 SLVERR, 3 DECERR */
#define ORM_FW_MEMORY_ERROR_RESPONSE_MASK 0x00000300u
#define ORM_FW_MEMORY_ERROR_VALID_SHIFT 31 /* r: 1: there was an error */
#define ORM_FW_MEMORY_ERROR_VALID_MASK 0x80000000u
/* Where it was: the first byte of the burst, within the memory. */
#define ORM_FW_MEMORY_ERROR_AT 0x444u
#define ORM_FW_MEMORY_ERROR_AT_RESET 0x00000000u
#define ORM_FW_MEMORY_ERROR_AT_VALUE_SHIFT 0 /* r: address */
#define ORM_FW_MEMORY_ERROR_AT_VALUE_MASK 0xFFFFFFFFu
/* Writing starts an operation. `read` reads a slot into the buffer in NAND_BUFFER. `probe` reads its spare area only. `program` programs the flash page that begins with the slot, from that buffer and those behind it, with spare areas of zeroes. `erase` erases the slot's block. A buffer serves one operation at a time. */
#define ORM_FW_NAND_GO 0x480u
#define ORM_FW_NAND_GO_RESET 0x00000000u
#define ORM_FW_NAND_GO_SLOT_SHIFT 0 /* w: slot */
#define ORM_FW_NAND_GO_SLOT_MASK 0x3FFFFFFFu
#define ORM_FW_NAND_GO_OP_SHIFT 30 /* w: operation */
#define ORM_FW_NAND_GO_OP_MASK 0xC0000000u
/* Outcome. One operation per die may be under way. */
#define ORM_FW_NAND_STATUS 0x484u
#define ORM_FW_NAND_STATUS_RESET 0x00000000u
#define ORM_FW_NAND_STATUS_SLOT_SHIFT 0 /* r: slot of the result */
#define ORM_FW_NAND_STATUS_SLOT_MASK 0x0FFFFFFFu
#define ORM_FW_NAND_STATUS_STATUS_SHIFT 28 /* r: status */
#define ORM_FW_NAND_STATUS_STATUS_MASK 0x30000000u
#define ORM_FW_NAND_STATUS_READY_SHIFT 30 /* r: 1: NAND_GO can be written */
#define ORM_FW_NAND_STATUS_READY_MASK 0x40000000u
#define ORM_FW_NAND_STATUS_VALID_SHIFT 31 /* r: 1: a result is shown */
#define ORM_FW_NAND_STATUS_VALID_MASK 0x80000000u
/* Writing 1 drops the result that NAND_STATUS shows. */
#define ORM_FW_NAND_POP 0x488u
#define ORM_FW_NAND_POP_RESET 0x00000000u
#define ORM_FW_NAND_POP_POP_SHIFT 0 /* w: pop */
#define ORM_FW_NAND_POP_POP_MASK 0x00000001u
/* The 16 bytes of the first buffer that NAND_DATA shows. Writing fetches them. */
#define ORM_FW_NAND_AT 0x48Cu
#define ORM_FW_NAND_AT_RESET 0x00000000u
#define ORM_FW_NAND_AT_AT_SHIFT 0 /* w: offset in the slot, in 16 bytes */
#define ORM_FW_NAND_AT_AT_MASK 0x000000FFu
#define ORM_FW_NAND_AT_READY_SHIFT 31 /* r: 1: NAND_DATA shows them */
#define ORM_FW_NAND_AT_READY_MASK 0x80000000u
/* The 16 bytes of NAND_AT. */
#define ORM_FW_NAND_DATA(i) (0x490u + 4u * (uint32_t)(i)) /* i < 4 */
#define ORM_FW_NAND_DATA_COUNT 4u
#define ORM_FW_NAND_DATA_RESET 0x00000000u
#define ORM_FW_NAND_DATA_VALUE_SHIFT 0 /* r: dword */
#define ORM_FW_NAND_DATA_VALUE_MASK 0xFFFFFFFFu
/* Spare area of the result (OobRecord). */
#define ORM_FW_NAND_OOB(i) (0x4A0u + 4u * (uint32_t)(i)) /* i < 8 */
#define ORM_FW_NAND_OOB_COUNT 8u
#define ORM_FW_NAND_OOB_RESET 0x00000000u
#define ORM_FW_NAND_OOB_VALUE_SHIFT 0 /* r: dword */
#define ORM_FW_NAND_OOB_VALUE_MASK 0xFFFFFFFFu
/* Buffer of the next read or program (NAND_GO) or transfer (DMA_GO). */
#define ORM_FW_NAND_BUFFER 0x4C0u
#define ORM_FW_NAND_BUFFER_RESET 0x00000000u
#define ORM_FW_NAND_BUFFER_INDEX_SHIFT 0 /* rw: buffer number, below CAP_BUFFERS */
#define ORM_FW_NAND_BUFFER_INDEX_MASK 0x0000FFFFu
/* Counter that COUNTER_LO and COUNTER_HI show (see the list of counters). */
#define ORM_FW_COUNTER_SELECT 0x500u
#define ORM_FW_COUNTER_SELECT_RESET 0x00000000u
#define ORM_FW_COUNTER_SELECT_INDEX_SHIFT 0 /* rw: index */
#define ORM_FW_COUNTER_SELECT_INDEX_MASK 0x0000003Fu
#define ORM_FW_COUNTER_SELECT_CLEAR_SHIFT 31 /* w: 1: set all counters to zero */
#define ORM_FW_COUNTER_SELECT_CLEAR_MASK 0x80000000u
/* Counter, low half; reading latches the high half. */
#define ORM_FW_COUNTER_LO 0x504u
#define ORM_FW_COUNTER_LO_RESET 0x00000000u
#define ORM_FW_COUNTER_LO_VALUE_SHIFT 0 /* r: bits 31:0 */
#define ORM_FW_COUNTER_LO_VALUE_MASK 0xFFFFFFFFu
/* Counter, high half. */
#define ORM_FW_COUNTER_HI 0x508u
#define ORM_FW_COUNTER_HI_RESET 0x00000000u
#define ORM_FW_COUNTER_HI_VALUE_SHIFT 0 /* r: bits 47:32 */
#define ORM_FW_COUNTER_HI_VALUE_MASK 0x0000FFFFu
enum orm_remap_result {
  ORM_REMAP_RESULT_OK = 0,
  ORM_REMAP_RESULT_UNMAPPED = 1,
  ORM_REMAP_RESULT_SHARER_LIMIT = 2,
  ORM_REMAP_RESULT_NVRAM_FULL = 3,
  ORM_REMAP_RESULT_ENGINE_ERROR = 4,
};
enum orm_sb_state {
  ORM_SB_STATE_FREE = 0,
  ORM_SB_STATE_OPEN = 1,
  ORM_SB_STATE_CLOSED = 2,
  ORM_SB_STATE_BAD = 3,
};
enum orm_memory_user {
  ORM_MEMORY_USER_L2P = 0,
  ORM_MEMORY_USER_REFS = 1,
  ORM_MEMORY_USER_REMAP_LIST = 2,
  ORM_MEMORY_USER_FIRMWARE_DMA = 3,
  ORM_MEMORY_USER_SLOT_LOG = 4,
  ORM_MEMORY_USER_JOURNAL = 5,
  ORM_MEMORY_USER_REMAP_TABLE = 6,
};
enum orm_fw_nand_op {
  ORM_FW_NAND_OP_READ = 0,
  ORM_FW_NAND_OP_PROBE = 1,
  ORM_FW_NAND_OP_PROGRAM = 2,
  ORM_FW_NAND_OP_ERASE = 3,
};
enum orm_fw_nand_status {
  ORM_FW_NAND_STATUS_OK = 0,
  ORM_FW_NAND_STATUS_FAILED = 1,
  ORM_FW_NAND_STATUS_UNCORRECTABLE = 2,
  ORM_FW_NAND_STATUS_ERASED = 3,
};


/* ---- NVMe controller registers: BAR0, 16 KiB. 32-bit accesses; 64-bit registers are two of them. */
/* Controller Capabilities, low. */
#define ORM_BAR0_CAP_LO 0x000u
#define ORM_BAR0_CAP_LO_RESET 0xFF010000u
#define ORM_BAR0_CAP_LO_MQES_SHIFT 0 /* r: MQES, zero-based */
#define ORM_BAR0_CAP_LO_MQES_MASK 0x0000FFFFu
#define ORM_BAR0_CAP_LO_CQR_SHIFT 16 /* r: CQR: queues must be contiguous */
#define ORM_BAR0_CAP_LO_CQR_MASK 0x00010000u
#define ORM_BAR0_CAP_LO_TO_SHIFT 24 /* r: TO, in units of 500 ms: after a power cut a start may have to probe all of the flash */
#define ORM_BAR0_CAP_LO_TO_MASK 0xFF000000u
/* Controller Capabilities, high. */
#define ORM_BAR0_CAP_HI 0x004u
#define ORM_BAR0_CAP_HI_RESET 0x00000020u
#define ORM_BAR0_CAP_HI_DSTRD_SHIFT 0 /* r: DSTRD */
#define ORM_BAR0_CAP_HI_DSTRD_MASK 0x0000000Fu
#define ORM_BAR0_CAP_HI_NSSRS_SHIFT 4 /* r: NSSRS */
#define ORM_BAR0_CAP_HI_NSSRS_MASK 0x00000010u
#define ORM_BAR0_CAP_HI_CSS_SHIFT 5 /* r: CSS: NVM command set */
#define ORM_BAR0_CAP_HI_CSS_MASK 0x00001FE0u
#define ORM_BAR0_CAP_HI_MPSMIN_SHIFT 16 /* r: MPSMIN: 4 KiB */
#define ORM_BAR0_CAP_HI_MPSMIN_MASK 0x000F0000u
#define ORM_BAR0_CAP_HI_MPSMAX_SHIFT 20 /* r: MPSMAX: 4 KiB */
#define ORM_BAR0_CAP_HI_MPSMAX_MASK 0x00F00000u
/* Version 1.4.0. */
#define ORM_BAR0_VS 0x008u
#define ORM_BAR0_VS_RESET 0x00010400u
#define ORM_BAR0_VS_VALUE_SHIFT 0 /* r: VS */
#define ORM_BAR0_VS_VALUE_MASK 0xFFFFFFFFu
/* Interrupt Mask Set. For pin and MSI interrupts only; reads 0 with MSI-X. */
#define ORM_BAR0_INTMS 0x00Cu
#define ORM_BAR0_INTMS_RESET 0x00000000u
#define ORM_BAR0_INTMS_VALUE_SHIFT 0 /* rw: IVMS */
#define ORM_BAR0_INTMS_VALUE_MASK 0xFFFFFFFFu
/* Interrupt Mask Clear. */
#define ORM_BAR0_INTMC 0x010u
#define ORM_BAR0_INTMC_RESET 0x00000000u
#define ORM_BAR0_INTMC_VALUE_SHIFT 0 /* rw: IVMC */
#define ORM_BAR0_INTMC_VALUE_MASK 0xFFFFFFFFu
/* Controller Configuration. */
#define ORM_BAR0_CC 0x014u
#define ORM_BAR0_CC_RESET 0x00000000u
#define ORM_BAR0_CC_EN_SHIFT 0 /* rw: EN */
#define ORM_BAR0_CC_EN_MASK 0x00000001u
#define ORM_BAR0_CC_CSS_SHIFT 4 /* rw: CSS */
#define ORM_BAR0_CC_CSS_MASK 0x00000070u
#define ORM_BAR0_CC_MPS_SHIFT 7 /* rw: MPS */
#define ORM_BAR0_CC_MPS_MASK 0x00000780u
#define ORM_BAR0_CC_AMS_SHIFT 11 /* rw: AMS */
#define ORM_BAR0_CC_AMS_MASK 0x00003800u
#define ORM_BAR0_CC_SHN_SHIFT 14 /* rw: SHN */
#define ORM_BAR0_CC_SHN_MASK 0x0000C000u
#define ORM_BAR0_CC_IOSQES_SHIFT 16 /* rw: IOSQES */
#define ORM_BAR0_CC_IOSQES_MASK 0x000F0000u
#define ORM_BAR0_CC_IOCQES_SHIFT 20 /* rw: IOCQES */
#define ORM_BAR0_CC_IOCQES_MASK 0x00F00000u
/* Controller Status. */
#define ORM_BAR0_CSTS 0x01Cu
#define ORM_BAR0_CSTS_RESET 0x00000000u
#define ORM_BAR0_CSTS_RDY_SHIFT 0 /* r: RDY */
#define ORM_BAR0_CSTS_RDY_MASK 0x00000001u
#define ORM_BAR0_CSTS_CFS_SHIFT 1 /* r: CFS */
#define ORM_BAR0_CSTS_CFS_MASK 0x00000002u
#define ORM_BAR0_CSTS_SHST_SHIFT 2 /* r: SHST */
#define ORM_BAR0_CSTS_SHST_MASK 0x0000000Cu
/* Admin Queue Attributes. */
#define ORM_BAR0_AQA 0x024u
#define ORM_BAR0_AQA_RESET 0x00000000u
#define ORM_BAR0_AQA_ASQS_SHIFT 0 /* rw: ASQS, zero-based */
#define ORM_BAR0_AQA_ASQS_MASK 0x00000FFFu
#define ORM_BAR0_AQA_ACQS_SHIFT 16 /* rw: ACQS, zero-based */
#define ORM_BAR0_AQA_ACQS_MASK 0x0FFF0000u
/* Admin Submission Queue base, low. */
#define ORM_BAR0_ASQ_LO 0x028u
#define ORM_BAR0_ASQ_LO_RESET 0x00000000u
#define ORM_BAR0_ASQ_LO_VALUE_SHIFT 12 /* rw: bits 31:12 */
#define ORM_BAR0_ASQ_LO_VALUE_MASK 0xFFFFF000u
/* Admin Submission Queue base, high. */
#define ORM_BAR0_ASQ_HI 0x02Cu
#define ORM_BAR0_ASQ_HI_RESET 0x00000000u
#define ORM_BAR0_ASQ_HI_VALUE_SHIFT 0 /* rw: bits 63:32 */
#define ORM_BAR0_ASQ_HI_VALUE_MASK 0xFFFFFFFFu
/* Admin Completion Queue base, low. */
#define ORM_BAR0_ACQ_LO 0x030u
#define ORM_BAR0_ACQ_LO_RESET 0x00000000u
#define ORM_BAR0_ACQ_LO_VALUE_SHIFT 12 /* rw: bits 31:12 */
#define ORM_BAR0_ACQ_LO_VALUE_MASK 0xFFFFF000u
/* Admin Completion Queue base, high. */
#define ORM_BAR0_ACQ_HI 0x034u
#define ORM_BAR0_ACQ_HI_RESET 0x00000000u
#define ORM_BAR0_ACQ_HI_VALUE_SHIFT 0 /* rw: bits 63:32 */
#define ORM_BAR0_ACQ_HI_VALUE_MASK 0xFFFFFFFFu
/* Doorbells: submission queue tails (even) and completion queue heads (odd). */
#define ORM_BAR0_DOORBELL(i) (0x1000u + 4u * (uint32_t)(i)) /* i < 128 */
#define ORM_BAR0_DOORBELL_COUNT 128u
#define ORM_BAR0_DOORBELL_RESET 0x00000000u
#define ORM_BAR0_DOORBELL_VALUE_SHIFT 0 /* w: new tail or head */
#define ORM_BAR0_DOORBELL_VALUE_MASK 0x0000FFFFu

/* Doorbells of queue pair `q` */
#define ORM_BAR0_SQ_TAIL(q) ORM_BAR0_DOORBELL(2u * (uint32_t)(q))
#define ORM_BAR0_CQ_HEAD(q) ORM_BAR0_DOORBELL(2u * (uint32_t)(q) + 1u)

/* Hardware counters: COUNTER_SELECT.index */
enum orm_counter {
  ORM_COUNTER_HOST_READ_PAGES = 0, /* pages sent to the host */
  ORM_COUNTER_HOST_WRITE_PAGES = 1, /* pages received from the host */
  ORM_COUNTER_HOST_TRIM_PAGES = 2, /* pages deallocated */
  ORM_COUNTER_REMAP_PAGES = 3, /* targets linked */
  ORM_COUNTER_NAND_PROGRAM_HOST = 4, /* slots programmed with host data */
  ORM_COUNTER_NAND_PROGRAM_GC = 5, /* slots programmed by GC */
  ORM_COUNTER_NAND_READ_HOST = 6, /* slots read for the host */
  ORM_COUNTER_NAND_READ_GC = 7, /* slots read by GC */
  ORM_COUNTER_NAND_READ_FW = 8, /* slots probed or read by firmware */
  ORM_COUNTER_NAND_ERASE = 9, /* die blocks erased */
  ORM_COUNTER_GC_VICTIMS = 10, /* superblocks collected */
  ORM_COUNTER_GC_MOVED_PAGES = 11, /* slots moved by GC */
  ORM_COUNTER_GC_MOVED_SHARED = 12, /* moved slots that had more than one sharer */
  ORM_COUNTER_GC_LOST_RACES = 13, /* sharers that the host changed while GC moved their slot */
  ORM_COUNTER_REMAP_ENTRIES = 14, /* entries appended to the remap table */
  ORM_COUNTER_SEGMENTS_FREED = 15, /* segments returned to the free list */
  ORM_COUNTER_BAD_ENTRIES = 16, /* entries that failed their CRC on a walk */
  ORM_COUNTER_CHAIN_COMPACTIONS = 17, /* chains compacted */
  ORM_COUNTER_STALE_DROPPED = 18, /* stale entries that compactions left out */
  ORM_COUNTER_MAP_LOOKUPS = 19, /* L2P look-ups */
  ORM_COUNTER_MAP_UPDATES = 20, /* L2P updates */
  ORM_COUNTER_STALL_WRITE_BUFFER = 21, /* cycles without a free write buffer */
  ORM_COUNTER_STALL_ALLOC = 22, /* cycles without a free slot */
  ORM_COUNTER_STALL_MAP_LOCK = 23, /* cycles waiting for mapLock */
  ORM_COUNTER_STALL_SHARE_LOCK = 24, /* cycles waiting for shareLock */
  ORM_COUNTER_STALL_FENCE = 25, /* cycles waiting for host programs */
  ORM_COUNTER_STALL_JOURNAL = 26, /* cycles with a full journal ring */
  ORM_COUNTER_HOST_READ_COMMANDS = 27, /* Read commands that passed their checks */
  ORM_COUNTER_HOST_WRITE_COMMANDS = 28, /* Write commands that passed their checks */
  ORM_COUNTER_READ_ERRORS = 29, /* Read commands that ended with Unrecovered Read Error */
  ORM_COUNTER_WRITE_ERRORS = 30, /* Write and Flush commands that ended with Write Fault */
  ORM_COUNTER_NAND_PROGRAM_PAD = 31, /* padding: slots programmed without data, to complete a flash page of several slots */
  ORM_COUNTER_NAND_PROGRAM_META = 32, /* slots programmed with destaged chains, or by firmware */
  ORM_COUNTER_CHAINS_DESTAGED = 33, /* chains destaged */
  ORM_COUNTER_ENTRIES_DESTAGED = 34, /* entries written to flash by destaging */
  ORM_COUNTER_L2P_HITS = 35, /* accesses to L2P whose line was in the cache or being fetched */
  ORM_COUNTER_L2P_MISSES = 36, /* lines of L2P fetched from DRAM */
  ORM_COUNTER_REMAP_SHARERS_2 = 37, /* sources of remaps that got their second sharer */
  ORM_COUNTER_REMAP_SHARERS_4 = 38, /* sources of remaps that got their third or fourth sharer */
  ORM_COUNTER_REMAP_SHARERS_8 = 39, /* sources of remaps that got their fifth to eighth sharer */
  ORM_COUNTER_REMAP_SHARERS_MORE = 40, /* sources of remaps that got their ninth or a later sharer */
  ORM_COUNTER_REMAPS_BY_HARDWARE = 41, /* REMAP, REMAP VECTOR and Copy commands that took effect without firmware */
  ORM_COUNTER_REMAPS_HANDED_OVER = 42, /* REMAP, REMAP VECTOR and Copy commands that hardware began and handed to firmware */
  ORM_COUNTER_COPY_REFUSED = 43, /* Copy commands refused without firmware: what the command's own fields tell */
  ORM_COUNTER_NAND_PROGRAM_FAILS = 44, /* slots whose program failed */
  ORM_COUNTER_HOST_SAVED_PAGES = 45, /* host pages whose program failed and that were programmed again elsewhere */
  ORM_COUNTER_NAND_READ_RETRIES = 46, /* reads and probes repeated at another read-retry level */
  ORM_COUNTERS = 47
};

#endif /* OPENREMAP_ORM_REGS_H */
