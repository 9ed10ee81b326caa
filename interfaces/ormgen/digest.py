# SPDX-License-Identifier: Apache-2.0
"""The digest of an interface: two programs with equal ones agree on every address, layout and code.

It is made of the generated C headers without their comments. So another text of a description leaves it as it is.
"""

import hashlib
import re

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def of(headers: list[str]) -> int:
    """32 bits, never 0, which is what memory that nobody has written may hold."""
    whole = hashlib.sha256()
    for header in headers:
        whole.update(" ".join(_COMMENT.sub(" ", header).split()).encode() + b"\0")
    return int.from_bytes(whole.digest()[:4], "little") or 1
