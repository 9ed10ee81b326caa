# SPDX-License-Identifier: Apache-2.0
# Written from board.toml and pins.csv. Do not edit: run python -m launcher.boards.cosmos.xdc
# Part: xc7z045ffg900-3

# Pins
set_property -dict {PACKAGE_PIN W21 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {IO_NAND_CH1_DQ[0]}]
set_property -dict {PACKAGE_PIN Y21 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {IO_NAND_CH1_DQ[1]}]
set_property -dict {PACKAGE_PIN AA24 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {IO_NAND_CH1_DQ[2]}]
set_property -dict {PACKAGE_PIN AB24 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {IO_NAND_CH1_DQ[3]}]
set_property -dict {PACKAGE_PIN AA22 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {IO_NAND_CH1_DQ[4]}]
set_property -dict {PACKAGE_PIN AA23 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {IO_NAND_CH1_DQ[5]}]
set_property -dict {PACKAGE_PIN AC22 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {IO_NAND_CH1_DQ[6]}]
set_property -dict {PACKAGE_PIN AC23 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {IO_NAND_CH1_DQ[7]}]
set_property -dict {PACKAGE_PIN AG20 IOSTANDARD DIFF_SSTL18_II SLEW SLOW} [get_ports {IO_NAND_CH1_DQS_N}]
set_property -dict {PACKAGE_PIN AF20 IOSTANDARD DIFF_SSTL18_II SLEW SLOW} [get_ports {IO_NAND_CH1_DQS_P}]
set_property -dict {PACKAGE_PIN AF23 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {I_NAND_CH1_RB[0]}]
set_property -dict {PACKAGE_PIN AF24 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {I_NAND_CH1_RB[1]}]
set_property -dict {PACKAGE_PIN AD21 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {I_NAND_CH1_RB[2]}]
set_property -dict {PACKAGE_PIN AE21 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {I_NAND_CH1_RB[3]}]
set_property -dict {PACKAGE_PIN AE22 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {I_NAND_CH1_RB[4]}]
set_property -dict {PACKAGE_PIN W23 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {I_NAND_CH1_RB[5]}]
set_property -dict {PACKAGE_PIN AF22 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {I_NAND_CH1_RB[6]}]
set_property -dict {PACKAGE_PIN AB21 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {I_NAND_CH1_RB[7]}]
set_property -dict {PACKAGE_PIN Y30 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {O_NAND_CH1_ALE}]
set_property -dict {PACKAGE_PIN AG21 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH1_CE[0]}]
set_property -dict {PACKAGE_PIN AH21 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH1_CE[1]}]
set_property -dict {PACKAGE_PIN AJ20 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH1_CE[2]}]
set_property -dict {PACKAGE_PIN AK20 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH1_CE[3]}]
set_property -dict {PACKAGE_PIN AK17 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH1_CE[4]}]
set_property -dict {PACKAGE_PIN AK18 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH1_CE[5]}]
set_property -dict {PACKAGE_PIN AH19 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH1_CE[6]}]
set_property -dict {PACKAGE_PIN AJ19 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH1_CE[7]}]
set_property -dict {PACKAGE_PIN AC21 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {O_NAND_CH1_CLE}]
set_property -dict {PACKAGE_PIN Y23 IOSTANDARD DIFF_SSTL18_II SLEW SLOW} [get_ports {O_NAND_CH1_RE_N}]
set_property -dict {PACKAGE_PIN Y22 IOSTANDARD DIFF_SSTL18_II SLEW SLOW} [get_ports {O_NAND_CH1_RE_P}]
set_property -dict {PACKAGE_PIN AF19 IOSTANDARD SSTL18_II SLEW SLOW} [get_ports {O_NAND_CH1_WE}]
set_property -dict {PACKAGE_PIN Y25 IOSTANDARD LVCMOS18 SLEW SLOW} [get_ports {O_NAND_CH1_WP}]

# The strobe from NAND clocks DQ on both edges.
create_clock -name ch1_dqs_in -period 10.000 [get_ports IO_NAND_CH1_DQS_P]
set_clock_uncertainty 0.6 [get_clocks ch1_dqs_in]
set_clock_latency -source 0.5 [get_clocks ch1_dqs_in]
set_input_delay -clock ch1_dqs_in -max 6.0 [get_ports {IO_NAND_CH1_DQ[*]}]
set_input_delay -clock ch1_dqs_in -add_delay -min 4.0 [get_ports {IO_NAND_CH1_DQ[*]}]
set_input_delay -clock ch1_dqs_in -clock_fall -add_delay -max 6.0 [get_ports {IO_NAND_CH1_DQ[*]}]
set_input_delay -clock ch1_dqs_in -clock_fall -add_delay -min 4.0 [get_ports {IO_NAND_CH1_DQ[*]}]

# The strobe to NAND, from the serialiser to its pin; DQ goes with it.
create_generated_clock -add -multiply_by 1 -name ch1_dqs_root -source [get_pins cosmos_i/nand_clock/inst/clk_out1] \
    -master_clock [get_clocks -of_objects [get_pins cosmos_i/nand_clock/inst/clk_out1]] \
    [get_pins cosmos_i/nfc_1/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Output/Inst_DQSOSERDES/OQ]
create_generated_clock -add -multiply_by 1 -name ch1_dqs_out \
    -source [get_pins cosmos_i/nfc_1/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Output/Inst_DQSOSERDES/OQ] \
    -master_clock [get_clocks ch1_dqs_root] [get_ports IO_NAND_CH1_DQS_P]
set_output_delay -clock ch1_dqs_out 1.0 [get_ports {IO_NAND_CH1_DQ[*]}]
set_output_delay -clock ch1_dqs_out -clock_fall -add_delay 1.0 [get_ports {IO_NAND_CH1_DQ[*]}]

# WE clocks commands and addresses. RE is a clock, too, so that tools keep it one.
create_generated_clock -add -multiply_by 1 -name ch1_we -source [get_pins cosmos_i/nand_clock/inst/clk_out1] \
    -master_clock [get_clocks -of_objects [get_pins cosmos_i/nand_clock/inst/clk_out1]] [get_ports O_NAND_CH1_WE]
create_generated_clock -add -multiply_by 1 -name ch1_re -source [get_pins cosmos_i/nand_clock/inst/clk_out1] \
    -master_clock [get_clocks -of_objects [get_pins cosmos_i/nand_clock/inst/clk_out1]] [get_ports O_NAND_CH1_RE_P]
set_output_delay -clock ch1_we 1.0 [get_ports {O_NAND_CH1_CE[*]}]
set_output_delay -clock ch1_we 1.0 [get_ports O_NAND_CH1_ALE]
set_output_delay -clock ch1_we -clock_fall -add_delay 1.0 [get_ports O_NAND_CH1_ALE]
set_output_delay -clock ch1_we 1.0 [get_ports O_NAND_CH1_CLE]
set_output_delay -clock ch1_we -clock_fall -add_delay 1.0 [get_ports O_NAND_CH1_CLE]

# The PHY orders these by its protocol; no edge of one is near an edge of the other that matters.
set_false_path -from [get_clocks clk_fpga_0] -to [get_clocks ch1_dqs_out]
set_false_path -from [get_clocks ch1_dqs_out] -to [get_clocks clk_fpga_0]
set_false_path -from [get_clocks ch1_dqs_in] -to [get_clocks ch1_dqs_out]
set_false_path -from [get_clocks ch1_dqs_out] -to [get_clocks ch1_dqs_in]

# Places: the FIFO beside DQ, and the delay of the strobe, which one controller calibrates in each bank.
set_property BEL IN_FIFO \
    [get_cells cosmos_i/nfc_1/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQINFIFO4x4]
set_property LOC IN_FIFO_X0Y8 \
    [get_cells cosmos_i/nfc_1/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQINFIFO4x4]
set_property IODELAY_GROUP dqs_bank_11 \
    [get_cells cosmos_i/nfc_1/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQSIDELAY]
set_property IODELAY_GROUP {} \
    [get_cells cosmos_i/nfc_1/inst/Inst_NPhy_Toggle_Top/Inst_NPhy_Toggle_Physical_Input/Inst_DQSIDELAYCTRL]
