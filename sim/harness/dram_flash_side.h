// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_DRAM_FLASH_SIDE_H
#define OPENREMAP_DRAM_FLASH_SIDE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "axi_read_slave.h"
#include "axi_write_slave.h"
#include "firmware_side.h"
#include "nand_monitor.h"

namespace orm {

/// What DramFlashTop shows of its NAND ports.
#define ORM_SEEN_PINS(Name, p)                                                                  \
  template <class Top>                                                                          \
  class Name {                                                                                  \
   public:                                                                                      \
    explicit Name(Top &top) : t_(top) {}                                                        \
    bool cmd_taken() const { return t_.p##_cmd_valid && t_.p##_cmd_ready; }                     \
    unsigned cmd_op() const { return t_.p##_cmd_bits_op; }                                      \
    uint32_t cmd_die() const { return t_.p##_cmd_bits_die; }                                    \
    uint32_t cmd_block() const { return t_.p##_cmd_bits_block; }                                \
    uint32_t cmd_page() const { return t_.p##_cmd_bits_page; }                                  \
    uint32_t cmd_sub() const { return t_.p##_cmd_bits_sub; }                                    \
    uint32_t cmd_retry() const { return t_.p##_cmd_bits_retry; }                                \
    bool wdata_taken() const { return t_.p##_wdata_valid && t_.p##_wdata_ready; }               \
    void wdata(uint8_t *word) const { std::memcpy(word, &t_.p##_wdata_bits_data, kBeatBytes); } \
    bool rdata_taken() const { return t_.p##_rdata_valid && t_.p##_rdata_ready; }               \
    void rdata(uint8_t *word) const { std::memcpy(word, &t_.p##_rdata_bits_data, kBeatBytes); } \
    bool rdata_last() const { return t_.p##_rdata_bits_last != 0; }                             \
    bool result_taken() const { return t_.p##_result_valid && t_.p##_result_ready; }            \
    uint32_t result_die() const { return t_.p##_result_bits_die; }                              \
    unsigned result_status() const { return t_.p##_result_bits_status; }                        \
                                                                                                \
   private:                                                                                     \
    Top &t_;                                                                                    \
  }

ORM_SEEN_PINS(Seen0Pins, seen_0);
ORM_SEEN_PINS(Seen1Pins, seen_1);
#undef ORM_SEEN_PINS

/// FirmwareSide of DramFlashTop, with two channels whose flash is in DRAM.
template <class Top, class Core>
class DramFlashSide : public FirmwareSide<Top, Core> {
 public:
  static constexpr size_t kNandPorts = 2;

  DramFlashSide(Top &top, const CoreOptions &options, const Board &board, Core &core)
      : FirmwareSide<Top, Core>(top, options, board, core),
        read_0_("m_axi_flash_0", Flash0Pins<Top>(top), board.flash, stalls(options, 0)),
        read_1_("m_axi_flash_1", Flash1Pins<Top>(top), board.flash, stalls(options, 1)),
        write_0_("m_axi_flash_0", Flash0Pins<Top>(top), board.flash, stalls(options, 2)),
        write_1_("m_axi_flash_1", Flash1Pins<Top>(top), board.flash, stalls(options, 3)),
        seen_0_(0, Seen0Pins<Top>(top), board.nand),
        seen_1_(1, Seen1Pins<Top>(top), board.nand) {
    const NandTiming &times = options.nand_timing;
    top.flash_times_read = top.flash_times_retry = uint32_t(times.read_ns / kPeriodNs);
    top.flash_times_program = uint32_t(times.program_ns / kPeriodNs);
    top.flash_times_erase = uint32_t(times.erase_ns / kPeriodNs);
    top.flash_times_word = 0;
    top.flash_forget = 0;
  }

  template <class F>
  void each_port(F &&f) {
    f(read_0_);
    f(read_1_);
    f(write_0_);
    f(write_1_);
  }
  void sample(uint64_t cycle) {
    seen_0_.sample(cycle * kPeriodNs);
    seen_1_.sample(cycle * kPeriodNs);
  }

 private:
  static constexpr uint64_t kFlashStalls = 32;  // behind those of VerilatedCore

  static BusStalls stalls(const CoreOptions &options, uint64_t bus) {
    return options.bus_stalls ? BusStalls(options.seed, kFlashStalls + bus) : BusStalls();
  }

  AxiReadSlave<Flash0Pins<Top>, DramMemory> read_0_;
  AxiReadSlave<Flash1Pins<Top>, DramMemory> read_1_;
  AxiWriteSlave<Flash0Pins<Top>, DramMemory> write_0_;
  AxiWriteSlave<Flash1Pins<Top>, DramMemory> write_1_;
  NandMonitor<Seen0Pins<Top>> seen_0_;
  NandMonitor<Seen1Pins<Top>> seen_1_;
};

}  // namespace orm
#endif  // OPENREMAP_DRAM_FLASH_SIDE_H
