# SPDX-License-Identifier: Apache-2.0
"""The board SQRL Acorn CLE-215+ (XC7A200T on M.2): project, constraints, checks, and what its CPU executes."""
