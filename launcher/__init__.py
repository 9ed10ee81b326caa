# SPDX-License-Identifier: Apache-2.0
"""The launcher behind `./openremap`: set-up, build, tests and benchmarks."""
