// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TESTS_CLIENT_DRIVER_H
#define OPENREMAP_TESTS_CLIENT_DRIVER_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "client/device_process.h"
#include "client/nvme_client.h"
#include "client/user_client.h"

namespace orm::client {

/// How I/O doorbells are rung.
enum class Way { kMapped, kMessages, kShadows, kMappedAndShadows };
constexpr const char *kNames[] = {"Mapped", "Messages", "Shadows", "MappedAndShadows"};

/// A client with its driver, enabled, with one I/O queue pair.
struct Driver {
  Driver(const DeviceProcess &device, Way the_way, int patience_seconds = UserClient::kPatienceSeconds)
      : way(the_way),
        user(device.socket(), way == Way::kMapped || way == Way::kMappedAndShadows ? UserClient::Doorbells::kPage
                                                                                   : UserClient::Doorbells::kMessages),
        nvme(&user, patience_seconds) {
    start();
  }
  void start() {
    nvme.enable();
    if (way == Way::kShadows) nvme.use_shadows();
    nvme.create_pair(1);
    if (way == Way::kMappedAndShadows) nvme.use_shadows();  // a queue that is there already
  }

  int write(uint64_t lba, uint8_t with, unsigned qid = 1) {
    const uint64_t page = page_of(&written);
    std::fill_n(user.at(page), UserClient::kPage, with);
    nvme_submission_entry e;
    nvme_cmd_write(&e, 1, lba, 1, 0);
    e.prp1 = page;
    return nvme.io(qid, e).status;
  }
  /// The byte that the whole block has; -1: a status, or another byte.
  int read(uint64_t lba, unsigned qid = 1) {
    const uint64_t page = page_of(&got);
    nvme_submission_entry e;
    nvme_cmd_read(&e, 1, lba, 1);
    e.prp1 = page;
    if (nvme.io(qid, e).status != 0) return -1;
    const uint8_t *bytes = user.at(page);
    for (size_t i = 1; i < UserClient::kPage; ++i) {
      if (bytes[i] != bytes[0]) return -1;
    }
    return bytes[0];
  }
  uint64_t page_of(uint64_t *page) {
    if (*page == 0) *page = user.take_page();
    return *page;
  }

  Way way;
  UserClient user;
  NvmeClient nvme;
  uint64_t written = 0, got = 0;
};

}  // namespace orm::client
#endif  // OPENREMAP_TESTS_CLIENT_DRIVER_H
