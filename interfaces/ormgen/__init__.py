# SPDX-License-Identifier: Apache-2.0
"""Generates Scala, C, Python and Markdown from the descriptions in `interfaces/`; called by interfaces/generate.py."""
