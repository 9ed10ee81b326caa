# SPDX-License-Identifier: Apache-2.0
"""`./openremap firmware`: images for processors other than this machine's."""
