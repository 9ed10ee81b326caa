// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_GUARDED_COPY_H
#define OPENREMAP_GUARDED_COPY_H

#include <cstddef>

namespace orm::vfio {

/// As memcpy between memory of this process and a mapped file, which another process may have made shorter since:
/// false, and the first bytes may have been copied, where that would end this process (SIGBUS).
bool guarded_copy(void *to, const void *from, size_t bytes);

}  // namespace orm::vfio
#endif  // OPENREMAP_GUARDED_COPY_H
