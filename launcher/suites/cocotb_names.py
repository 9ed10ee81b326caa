# SPDX-License-Identifier: Apache-2.0
"""JUnit properties with which a pytest case reports the cocotb cases that it ran."""

PASSED_PROPERTY = "cocotb_passed"
FAILED_PROPERTY = "cocotb_failed"
