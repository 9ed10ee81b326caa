# SPDX-License-Identifier: Apache-2.0
"""Properties by which a pytest case tells how many cocotb cases it stands for."""

PASSED_PROPERTY = "cocotb_passed"
FAILED_PROPERTY = "cocotb_failed"
