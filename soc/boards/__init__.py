# SPDX-License-Identifier: Apache-2.0
"""SoCs of boards that LiteX generates: a module per board, and what they share."""
