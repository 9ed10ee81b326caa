// SPDX-License-Identifier: Apache-2.0
//
// Bindings of the ports of `OpenRemapTop`, or of the SoC around it, in a Verilated model. Verilator makes each port a
// member of the model's class, whose integer type follows the port's width; these classes give the bus models one view
// of them whatever the widths are. The prefixes are the port names of hw/src/top/OpenRemapTop.scala; a renamed port
// does not compile.
#ifndef OPENREMAP_TOP_PINS_H
#define OPENREMAP_TOP_PINS_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "axi_rules.h"

namespace orm {

#define ORM_AXI_MASTER_PINS(Name, p)                                                                  \
  template <class Top>                                                                                \
  class Name {                                                                                        \
   public:                                                                                            \
    explicit Name(Top &top) : t_(top) {                                                               \
      t_.p##_rid = 0;                                                                                 \
      t_.p##_bid = 0;                                                                                 \
    }                                                                                                 \
    bool ar_valid() const { return t_.p##_arvalid != 0; }                                             \
    AxiBurst ar() const { return {t_.p##_araddr, t_.p##_arlen + 1u, t_.p##_arsize, t_.p##_arburst}; } \
    void set_ar_ready(bool ready) { t_.p##_arready = ready; }                                         \
    bool r_ready() const { return t_.p##_rready != 0; }                                               \
    void drive_r(bool valid, const uint8_t *data, unsigned resp, bool last) {                         \
      t_.p##_rvalid = valid;                                                                          \
      std::memcpy(&t_.p##_rdata, data, kBeatBytes);                                                   \
      t_.p##_rresp = uint8_t(resp);                                                                   \
      t_.p##_rlast = last;                                                                            \
    }                                                                                                 \
    bool aw_valid() const { return t_.p##_awvalid != 0; }                                             \
    AxiBurst aw() const { return {t_.p##_awaddr, t_.p##_awlen + 1u, t_.p##_awsize, t_.p##_awburst}; } \
    void set_aw_ready(bool ready) { t_.p##_awready = ready; }                                         \
    bool w_valid() const { return t_.p##_wvalid != 0; }                                               \
    void w(uint8_t *data, uint32_t *strobe, bool *last) const {                                       \
      std::memcpy(data, &t_.p##_wdata, kBeatBytes);                                                   \
      *strobe = t_.p##_wstrb;                                                                         \
      *last = t_.p##_wlast != 0;                                                                      \
    }                                                                                                 \
    void set_w_ready(bool ready) { t_.p##_wready = ready; }                                           \
    bool b_ready() const { return t_.p##_bready != 0; }                                               \
    void drive_b(bool valid, unsigned resp) {                                                         \
      t_.p##_bvalid = valid;                                                                          \
      t_.p##_bresp = uint8_t(resp);                                                                   \
    }                                                                                                 \
                                                                                                      \
   private:                                                                                           \
    Top &t_;                                                                                          \
  }

ORM_AXI_MASTER_PINS(HostPins, m_axi_host);
ORM_AXI_MASTER_PINS(DramPins, m_axi_dram);
ORM_AXI_MASTER_PINS(NvramPins, m_axi_nvram);
// Of the SoC's top: the CPU's own ports.
ORM_AXI_MASTER_PINS(CpuDramPins, m_axi_cpu_dram);
ORM_AXI_MASTER_PINS(CpuNvramPins, m_axi_cpu_nvram);
// Of the top with its flash in DRAM: the flash of each channel.
ORM_AXI_MASTER_PINS(Flash0Pins, m_axi_flash_0);
ORM_AXI_MASTER_PINS(Flash1Pins, m_axi_flash_1);
#undef ORM_AXI_MASTER_PINS

#define ORM_AXIL_SLAVE_PINS(Name, p)                        \
  template <class Top>                                      \
  class Name {                                              \
   public:                                                  \
    explicit Name(Top &top) : t_(top) {                     \
      drive_aw(false, 0);                                   \
      drive_w(false, 0);                                    \
      drive_ar(false, 0);                                   \
      set_b_ready(false);                                   \
      set_r_ready(false);                                   \
    }                                                       \
    void drive_aw(bool valid, uint32_t addr) {              \
      t_.p##_awvalid = valid;                               \
      t_.p##_awaddr = uint16_t(addr);                       \
    }                                                       \
    bool aw_ready() const { return t_.p##_awready != 0; }   \
    void drive_w(bool valid, uint32_t data) {               \
      t_.p##_wvalid = valid;                                \
      t_.p##_wdata = data;                                  \
      t_.p##_wstrb = 0xF;                                   \
    }                                                       \
    bool w_ready() const { return t_.p##_wready != 0; }     \
    void set_b_ready(bool ready) { t_.p##_bready = ready; } \
    bool b_valid() const { return t_.p##_bvalid != 0; }     \
    unsigned b_resp() const { return t_.p##_bresp; }        \
    void drive_ar(bool valid, uint32_t addr) {              \
      t_.p##_arvalid = valid;                               \
      t_.p##_araddr = uint16_t(addr);                       \
    }                                                       \
    bool ar_ready() const { return t_.p##_arready != 0; }   \
    void set_r_ready(bool ready) { t_.p##_rready = ready; } \
    bool r_valid() const { return t_.p##_rvalid != 0; }     \
    uint32_t r_data() const { return t_.p##_rdata; }        \
    unsigned r_resp() const { return t_.p##_rresp; }        \
                                                            \
   private:                                                 \
    Top &t_;                                                \
  }

ORM_AXIL_SLAVE_PINS(BarPins, s_axil_bar);
ORM_AXIL_SLAVE_PINS(FwPins, s_axil_fw);
#undef ORM_AXIL_SLAVE_PINS

/// Pins of NAND port `I`; `exists` tells whether the model has that port, so that the number of channels comes from the
/// RTL.
template <class Top, size_t I, class = void>
class NandPins {
 public:
  static constexpr bool exists = false;
};

#define ORM_NAND_PINS(i)                                                                               \
  template <class Top>                                                                                 \
  class NandPins<Top, i, std::void_t<decltype(std::declval<Top &>().nand_##i##_cmd_valid)>> {          \
   public:                                                                                             \
    static constexpr bool exists = true;                                                               \
    explicit NandPins(Top &top) : t_(top) {}                                                           \
    bool cmd_valid() const { return t_.nand_##i##_cmd_valid != 0; }                                    \
    unsigned cmd_op() const { return t_.nand_##i##_cmd_bits_op; }                                      \
    uint32_t cmd_die() const { return t_.nand_##i##_cmd_bits_die; }                                    \
    uint32_t cmd_block() const { return t_.nand_##i##_cmd_bits_block; }                                \
    uint32_t cmd_page() const { return t_.nand_##i##_cmd_bits_page; }                                  \
    uint32_t cmd_sub() const { return t_.nand_##i##_cmd_bits_sub; }                                    \
    uint32_t cmd_retry() const { return t_.nand_##i##_cmd_bits_retry; }                                \
    void set_cmd_ready(bool ready) { t_.nand_##i##_cmd_ready = ready; }                                \
    bool wdata_valid() const { return t_.nand_##i##_wdata_valid != 0; }                                \
    void wdata(uint8_t *word) const { std::memcpy(word, &t_.nand_##i##_wdata_bits_data, kBeatBytes); } \
    bool wdata_last() const { return t_.nand_##i##_wdata_bits_last != 0; }                             \
    void set_wdata_ready(bool ready) { t_.nand_##i##_wdata_ready = ready; }                            \
    void drive_rdata(bool valid, const uint8_t *word, bool last) {                                     \
      t_.nand_##i##_rdata_valid = valid;                                                               \
      std::memcpy(&t_.nand_##i##_rdata_bits_data, word, kBeatBytes);                                   \
      t_.nand_##i##_rdata_bits_last = last;                                                            \
    }                                                                                                  \
    bool rdata_ready() const { return t_.nand_##i##_rdata_ready != 0; }                                \
    void drive_result(bool valid, uint32_t die, unsigned status, bool weak) {                          \
      t_.nand_##i##_result_valid = valid;                                                              \
      t_.nand_##i##_result_bits_die = uint8_t(die);                                                    \
      t_.nand_##i##_result_bits_status = uint8_t(status);                                              \
      t_.nand_##i##_result_bits_weak = weak;                                                           \
    }                                                                                                  \
    bool result_ready() const { return t_.nand_##i##_result_ready != 0; }                              \
                                                                                                       \
   private:                                                                                            \
    Top &t_;                                                                                           \
  }

ORM_NAND_PINS(0);
ORM_NAND_PINS(1);
ORM_NAND_PINS(2);
ORM_NAND_PINS(3);
ORM_NAND_PINS(4);
ORM_NAND_PINS(5);
ORM_NAND_PINS(6);
ORM_NAND_PINS(7);
#undef ORM_NAND_PINS

/// NAND ports that a Verilated model has.
template <class Top, size_t I = 0>
constexpr size_t nand_port_count() {
  if constexpr (NandPins<Top, I>::exists) {
    return nand_port_count<Top, I + 1>();
  } else {
    return I;
  }
}

}  // namespace orm
#endif  // OPENREMAP_TOP_PINS_H
