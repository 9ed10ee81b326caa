# SPDX-License-Identifier: Apache-2.0
"""The board Cosmos+ OpenSSD (XC7Z045): project, constraints, checks, and what it boots from."""
