// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_GUARDED_COPY_H
#define OPENREMAP_GUARDED_COPY_H

#include <cstddef>

namespace orm::vfio {

/// memcpy between memory of this process and a mapped file that another process may have truncated meanwhile. Where the
/// access would end this process (SIGBUS) it returns false; the first bytes may have been copied then.
bool guarded_copy(void *to, const void *from, size_t bytes);

}  // namespace orm::vfio
#endif  // OPENREMAP_GUARDED_COPY_H
