# SPDX-License-Identifier: Apache-2.0
"""A model of a JTAG chain with an FPGA in it, and OpenOCD that loads it."""
