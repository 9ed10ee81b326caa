// SPDX-License-Identifier: Apache-2.0
#include "nand_store.h"

#include <algorithm>
#include <cstring>

namespace orm {
namespace {

constexpr size_t kAlign = 4096;
size_t align(size_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

/// Zeroes over zeroes are not stored: pages of them, of a large flash that shall be full, take no room.
void store(Image *image, size_t to, const uint8_t *from, size_t bytes) {
  const bool zeroes = std::all_of(from, from + bytes, [](uint8_t byte) { return byte == 0; });
  if (zeroes && std::memcmp(image->data() + to, from, bytes) == 0) return;
  std::memcpy(image->writable(to, bytes), from, bytes);
}

}  // namespace

// Parts of the image, in this order: block records, page states, spare areas, data.
NandStore::NandStore(const NandGeometry &geometry, const ImageFile &image)
    : geometry_(geometry),
      states_offset_(align(geometry.blocks() * sizeof(Block))),
      spare_offset_(states_offset_ + align(geometry.pages())),
      data_offset_(spare_offset_ + align(geometry.pages() * geometry.page_spare_bytes())),
      image_(image, "nand flash",
             {{"channels", geometry.channels},
              {"dies per channel", geometry.dies_per_channel},
              {"blocks per die", geometry.blocks_per_die},
              {"pages per block", geometry.pages_per_block},
              {"bytes per page", geometry.page_bytes()},
              {"spare bytes per page", geometry.page_spare_bytes()},
              {"bytes per block record", sizeof(Block)}},
             data_offset_ + geometry.pages() * geometry.page_bytes()) {}

void NandStore::write_page(size_t page, const SlotBytes *slots) {
  const size_t data = data_offset_ + page * geometry_.page_bytes();
  const size_t spare_offset = spare_offset_ + page * geometry_.page_spare_bytes();
  uint8_t *spare = image_.writable(spare_offset, geometry_.page_spare_bytes());
  for (uint32_t sub = 0; sub < geometry_.slots_per_page; ++sub) {
    store(&image_, data + size_t(sub) * geometry_.slot_bytes, slots[sub].data, geometry_.slot_bytes);
    std::memcpy(spare + size_t(sub) * geometry_.spare_bytes, slots[sub].spare, geometry_.spare_bytes);
  }
}

void NandStore::erase_block(size_t index) {
  Block &b = block(index);
  const size_t first = index * geometry_.pages_per_block;
  const size_t used = b.frontier;  // flash that is erased unused takes no room
  // In memory the room is kept for the next programs, which costs nothing; nobody can read what is left in it.
  if (image_.in_file()) image_.discard(data_offset_ + first * geometry_.page_bytes(), used * geometry_.page_bytes());
  const size_t spare = used * geometry_.page_spare_bytes();
  std::fill_n(image_.writable(spare_offset_ + first * geometry_.page_spare_bytes(), spare), spare, uint8_t(0));
  std::fill_n(image_.writable(states_offset_ + first, used), used, uint8_t(PageState::kErased));
  b.frontier = 0;
  b.reads = 0;
  ++b.erase_count;
  b.state = BlockState::kReady;
}

}  // namespace orm
