# SPDX-License-Identifier: Apache-2.0
"""The pins of Xilinx's PCIe core of the 7 series (IP pcie_7x), and how PcieCorePorts is wired to them.

Ports of a top have the prefix `pcie`, as PcieCorePorts of that name has. `bits`: of the core's streams, 64 or 128.
"""

from __future__ import annotations


def from_core(bits: int) -> tuple[tuple[str, int, str], ...]:
    """What the core says, as (pin, bits, port of the top)."""
    return (
        ("m_axis_rx_tdata", bits, "pcie_rx_bits_data"),
        ("m_axis_rx_tkeep", bits // 8, "pcie_rx_bits_keep"),
        ("m_axis_rx_tlast", 1, "pcie_rx_bits_last"),
        ("m_axis_rx_tuser", 22, "pcie_rx_bits_user"),
        ("m_axis_rx_tvalid", 1, "pcie_rx_valid"),
        ("s_axis_tx_tready", 1, "pcie_tx_ready"),
        ("cfg_interrupt_msixenable", 1, "pcie_config_msixEnable"),
        ("cfg_interrupt_msixfm", 1, "pcie_config_msixMask"),
        ("user_lnk_up", 1, "pcie_linkUp"),
    )


# Parts of what it says, as (port of the top, expression of such pins), bits of the ports that have more than one, and
# the pins.
FROM_CORE_PARTS = (
    ("pcie_config_id", "{cfg_bus_number, cfg_device_number, cfg_function_number}"),
    ("pcie_config_busMaster", "cfg_command[2]"),
    ("pcie_config_payload", "cfg_dcommand[7:5]"),
    ("pcie_config_request", "cfg_dcommand[14:12]"),
    # The core offers no function-level reset: its pin for it is not used.
    ("pcie_functionReset", "1'b0"),
)
PART_BITS = {"pcie_config_id": 16, "pcie_config_payload": 3, "pcie_config_request": 3}
PARTS = (
    ("cfg_bus_number", 8),
    ("cfg_device_number", 5),
    ("cfg_function_number", 3),
    ("cfg_command", 16),
    ("cfg_dcommand", 16),
    ("cfg_to_turnoff", 1),
)


def to_core(bits: int) -> tuple[tuple[str, int, str], ...]:
    """What it is told, as (pin, bits, port of the top)."""
    return (
        ("m_axis_rx_tready", 1, "pcie_rx_ready"),
        ("s_axis_tx_tdata", bits, "pcie_tx_bits_data"),
        ("s_axis_tx_tkeep", bits // 8, "pcie_tx_bits_keep"),
        ("s_axis_tx_tlast", 1, "pcie_tx_bits_last"),
        ("s_axis_tx_tvalid", 1, "pcie_tx_valid"),
        ("rx_np_ok", 1, "pcie_npOk"),
        ("cfg_err_malformed", 1, "pcie_errors_malformed"),
        ("cfg_err_poisoned", 1, "pcie_errors_poisoned"),
        ("cfg_err_ur", 1, "pcie_errors_unsupported"),
        ("cfg_err_cpl_unexpect", 1, "pcie_errors_unexpected"),
        ("cfg_err_cpl_timeout", 1, "pcie_errors_timeout"),
    )


# Constants for the core, as (pin, bits, value in Verilog), with the reason for each that is not zero.
CONSTANTS = (
    ("s_axis_tx_tuser", 4, "4'b0"),
    ("tx_cfg_gnt", 1, "1'b1"),  # its own completions may go out at any time
    ("rx_np_req", 1, "1'b1"),  # requests come as they are; rx_np_ok holds them back
    ("cfg_err_posted", 1, "1'b1"),  # errors are answered by the endpoint: the core shall only record them
    ("cfg_turnoff_ok", 1, "cfg_to_turnoff"),  # nothing has to be done before power goes
    ("cfg_err_ecrc", 1, "1'b0"),
    ("cfg_err_cpl_abort", 1, "1'b0"),
    ("cfg_err_cor", 1, "1'b0"),
    ("cfg_err_atomic_egress_blocked", 1, "1'b0"),
    ("cfg_err_internal_cor", 1, "1'b0"),
    ("cfg_err_mc_blocked", 1, "1'b0"),
    ("cfg_err_norecovery", 1, "1'b0"),
    ("cfg_err_tlp_cpl_header", 48, "48'b0"),
    ("cfg_err_locked", 1, "1'b0"),
    ("cfg_err_acs", 1, "1'b0"),
    ("cfg_err_internal_uncor", 1, "1'b0"),
    ("cfg_err_aer_headerlog", 128, "128'b0"),
    ("cfg_trn_pending", 1, "1'b0"),
    ("cfg_pm_halt_aspm_l0s", 1, "1'b0"),
    ("cfg_pm_halt_aspm_l1", 1, "1'b0"),
    ("cfg_pm_force_state_en", 1, "1'b0"),
    ("cfg_pm_force_state", 2, "2'b0"),
    ("cfg_pm_wake", 1, "1'b0"),
    ("cfg_pm_send_pme_to", 1, "1'b0"),
    ("cfg_dsn", 64, "64'b0"),
    ("cfg_ds_bus_number", 8, "8'b0"),
    ("cfg_ds_device_number", 5, "5'b0"),
    ("cfg_ds_function_number", 3, "3'b0"),
    ("cfg_interrupt", 1, "1'b0"),
    ("cfg_interrupt_assert", 1, "1'b0"),
    ("cfg_interrupt_di", 8, "8'b0"),
    ("cfg_interrupt_stat", 1, "1'b0"),
    ("cfg_pciecap_interrupt_msgnum", 5, "5'b0"),
    ("cfg_aer_interrupt_msgnum", 5, "5'b0"),
)
