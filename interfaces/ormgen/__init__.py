# SPDX-License-Identifier: Apache-2.0
"""Generator of the interface files: descriptions in `interfaces/` into Scala, C, Python and Markdown."""
