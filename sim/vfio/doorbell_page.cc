// SPDX-License-Identifier: Apache-2.0
#include "doorbell_page.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace orm::vfio {

DoorbellPage::DoorbellPage() : fd_(memfd_create("doorbells", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  void *place = MAP_FAILED;
  // A client that could shorten the file would end this process by SIGBUS.
  if (fd_ && ftruncate(fd_.get(), kOffset + kBytes) == 0 &&
      fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    place = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), kOffset);
  if (place == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "page of doorbells");
  doorbells_ = static_cast<uint32_t *>(place);
  std::fill_n(doorbells_, kBytes / sizeof *doorbells_, kNotRung);
}

DoorbellPage::~DoorbellPage() { munmap(doorbells_, kBytes); }

bool DoorbellPage::take(unsigned doorbell, uint32_t *value) {
  uint32_t *place = doorbells_ + doorbell;
  if (__atomic_load_n(place, __ATOMIC_RELAXED) == kNotRung) return false;
  // An exchange, so that a store between the two is not lost. What the client wrote before it rang is visible.
  *value = __atomic_exchange_n(place, kNotRung, __ATOMIC_ACQ_REL);
  return *value != kNotRung;
}

}  // namespace orm::vfio
