// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_DOORBELL_PAGE_H
#define OPENREMAP_DOORBELL_PAGE_H

#include <cstdint>

#include "unique_fd.h"
#include "vfio_pci_config.h"

namespace orm::vfio {

/// The doorbells of BAR0 as memory that a client maps: it rings by a store, without a message, and the server looks for
/// what was stored.
///
/// A doorbell that nobody has rung since the last look reads as kNotRung. So no value of an earlier queue is left, and
/// a queue that is made anew may begin with the value that the one before it ended with. Hosts do not read doorbells
/// (NVMe 1.4, SQyTDBL and CQyHDBL: what a read returns is vendor specific). kNotRung is no value of any queue, and none
/// that a mistake makes, as -1 would be: the function must see those, to report them.
class DoorbellPage {
 public:
  static constexpr uint64_t kOffset = 0x1000, kBytes = 0x1000;  // in BAR0, and in the file
  static constexpr uint32_t kNotRung = 0x9E6C'5A37;
  /// Doorbells of the queues that the function can have, a pair for each vector; no other one is looked at.
  static constexpr unsigned kDoorbells = 2 * PciConfig::kVectors;

  /// Throws std::system_error when there is no memory.
  DoorbellPage();
  ~DoorbellPage();
  DoorbellPage(const DoorbellPage &) = delete;
  DoorbellPage &operator=(const DoorbellPage &) = delete;

  /// The file, of which clients map the page at kOffset. Its size cannot be changed.
  int fd() const { return fd_.get(); }
  /// Takes the value that was stored in a doorbell since the last call: true and the value, or false.
  bool take(unsigned doorbell, uint32_t *value);

 private:
  UniqueFd fd_;
  uint32_t *doorbells_ = nullptr;
};

}  // namespace orm::vfio
#endif  // OPENREMAP_DOORBELL_PAGE_H
