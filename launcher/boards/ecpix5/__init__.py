# SPDX-License-Identifier: Apache-2.0
"""The ECPIX-5 (LFE5UM5G-85F, DDR3, Gigabit Ethernet): its bitstream, and what a PC does to start it."""
