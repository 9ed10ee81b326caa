# SPDX-License-Identifier: Apache-2.0
# Written from board.toml and pins.csv. Do not edit: run python -m launcher.boards.cosmos.xdc
# Part: xc7z045ffg900-3

# Pins
set_property -dict {PACKAGE_PIN J4 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH4_DQ[0]}]
set_property -dict {PACKAGE_PIN J3 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH4_DQ[1]}]
set_property -dict {PACKAGE_PIN L1 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH4_DQ[2]}]
set_property -dict {PACKAGE_PIN K1 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH4_DQ[3]}]
set_property -dict {PACKAGE_PIN L3 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH4_DQ[4]}]
set_property -dict {PACKAGE_PIN L2 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH4_DQ[5]}]
set_property -dict {PACKAGE_PIN K5 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH4_DQ[6]}]
set_property -dict {PACKAGE_PIN J5 IOSTANDARD LVCMOS18 SLEW FAST} [get_ports {IO_NAND_CH4_DQ[7]}]
set_property -dict {PACKAGE_PIN H3 IOSTANDARD DIFF_SSTL18_II SLEW FAST} [get_ports {IO_NAND_CH4_DQS_N}]
set_property -dict {PACKAGE_PIN H4 IOSTANDARD DIFF_SSTL18_II SLEW FAST} [get_ports {IO_NAND_CH4_DQS_P}]
set_property -dict {PACKAGE_PIN L5 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH4_RB[0]}]
set_property -dict {PACKAGE_PIN J1 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH4_RB[1]}]
set_property -dict {PACKAGE_PIN H1 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH4_RB[2]}]
set_property -dict {PACKAGE_PIN H2 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH4_RB[3]}]
set_property -dict {PACKAGE_PIN G1 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH4_RB[4]}]
set_property -dict {PACKAGE_PIN G5 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH4_RB[5]}]
set_property -dict {PACKAGE_PIN G4 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH4_RB[6]}]
set_property -dict {PACKAGE_PIN F5 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {I_NAND_CH4_RB[7]}]
set_property -dict {PACKAGE_PIN G6 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {O_NAND_CH4_ALE}]
set_property -dict {PACKAGE_PIN E5 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH4_CE[0]}]
set_property -dict {PACKAGE_PIN E6 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH4_CE[1]}]
set_property -dict {PACKAGE_PIN D5 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH4_CE[2]}]
set_property -dict {PACKAGE_PIN D4 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH4_CE[3]}]
set_property -dict {PACKAGE_PIN D3 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH4_CE[4]}]
set_property -dict {PACKAGE_PIN E3 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH4_CE[5]}]
set_property -dict {PACKAGE_PIN E2 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH4_CE[6]}]
set_property -dict {PACKAGE_PIN E1 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH4_CE[7]}]
set_property -dict {PACKAGE_PIN H6 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {O_NAND_CH4_CLE}]
set_property -dict {PACKAGE_PIN K2 IOSTANDARD DIFF_SSTL18_II SLEW FAST} [get_ports {O_NAND_CH4_RE_N}]
set_property -dict {PACKAGE_PIN K3 IOSTANDARD DIFF_SSTL18_II SLEW FAST} [get_ports {O_NAND_CH4_RE_P}]
set_property -dict {PACKAGE_PIN G2 IOSTANDARD SSTL18_II SLEW FAST} [get_ports {O_NAND_CH4_WE}]
set_property -dict {PACKAGE_PIN K6 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH4_WP}]

# The strobe from NAND clocks DQ on both edges.
create_clock -name ch4_dqs_in -period 10.000 [get_ports IO_NAND_CH4_DQS_P]
set_clock_uncertainty 0.6 [get_clocks ch4_dqs_in]
set_clock_latency -source 0.5 [get_clocks ch4_dqs_in]
set_input_delay -clock ch4_dqs_in -max 6.0 [get_ports {IO_NAND_CH4_DQ[*]}]
set_input_delay -clock ch4_dqs_in -add_delay -min 4.0 [get_ports {IO_NAND_CH4_DQ[*]}]
set_input_delay -clock ch4_dqs_in -clock_fall -add_delay -max 6.0 [get_ports {IO_NAND_CH4_DQ[*]}]
set_input_delay -clock ch4_dqs_in -clock_fall -add_delay -min 4.0 [get_ports {IO_NAND_CH4_DQ[*]}]

# The strobe to NAND, from the serialiser to its pin; DQ goes with it.
create_generated_clock -add -multiply_by 1 -name ch4_dqs_root -source [get_pins cosmos_i/nand_clock/inst/clk_out1] \
    -master_clock [get_clocks -of_objects [get_pins cosmos_i/nand_clock/inst/clk_out1]] \
    [get_pins cosmos_i/nfc_4/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Output/Inst_DQSOSERDES/OQ]
create_generated_clock -add -multiply_by 1 -name ch4_dqs_out \
    -source [get_pins cosmos_i/nfc_4/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Output/Inst_DQSOSERDES/OQ] \
    -master_clock [get_clocks ch4_dqs_root] [get_ports IO_NAND_CH4_DQS_P]
set_output_delay -clock ch4_dqs_out 1.0 [get_ports {IO_NAND_CH4_DQ[*]}]
set_output_delay -clock ch4_dqs_out -clock_fall -add_delay 1.0 [get_ports {IO_NAND_CH4_DQ[*]}]

# WE clocks commands and addresses. RE is a clock, too, so that tools keep it one.
create_generated_clock -add -multiply_by 1 -name ch4_we -source [get_pins cosmos_i/nand_clock/inst/clk_out1] \
    -master_clock [get_clocks -of_objects [get_pins cosmos_i/nand_clock/inst/clk_out1]] [get_ports O_NAND_CH4_WE]
create_generated_clock -add -multiply_by 1 -name ch4_re -source [get_pins cosmos_i/nand_clock/inst/clk_out1] \
    -master_clock [get_clocks -of_objects [get_pins cosmos_i/nand_clock/inst/clk_out1]] [get_ports O_NAND_CH4_RE_P]
set_output_delay -clock ch4_we 1.0 [get_ports {O_NAND_CH4_CE[*]}]
set_output_delay -clock ch4_we 1.0 [get_ports O_NAND_CH4_ALE]
set_output_delay -clock ch4_we -clock_fall -add_delay 1.0 [get_ports O_NAND_CH4_ALE]
set_output_delay -clock ch4_we 1.0 [get_ports O_NAND_CH4_CLE]
set_output_delay -clock ch4_we -clock_fall -add_delay 1.0 [get_ports O_NAND_CH4_CLE]

# The PHY orders these by its protocol; no edge of one is near an edge of the other that matters.
set_false_path -from [get_clocks clk_fpga_0] -to [get_clocks ch4_dqs_out]
set_false_path -from [get_clocks ch4_dqs_out] -to [get_clocks clk_fpga_0]
set_false_path -from [get_clocks ch4_dqs_in] -to [get_clocks ch4_dqs_out]
set_false_path -from [get_clocks ch4_dqs_out] -to [get_clocks ch4_dqs_in]

# Places: the FIFO beside DQ, and the delay of the strobe, which one controller calibrates in each bank.
set_property BEL IN_FIFO \
    [get_cells cosmos_i/nfc_4/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQINFIFO4x4]
set_property LOC IN_FIFO_X1Y19 \
    [get_cells cosmos_i/nfc_4/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQINFIFO4x4]
set_property IODELAY_GROUP dqs_bank_33 \
    [get_cells cosmos_i/nfc_4/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQSIDELAY]
set_property IODELAY_GROUP dqs_bank_33 \
    [get_cells cosmos_i/nfc_4/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQSIDELAYCTRL]
