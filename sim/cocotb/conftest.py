# SPDX-License-Identifier: Apache-2.0
"""The test benches take sizes and codes from the RTL (lib/params.py) as they are imported: these are written first."""

from launcher import rtl

rtl.emit_params()
