// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NAND_STORE_H
#define OPENREMAP_NAND_STORE_H

#include <cstddef>
#include <cstdint>

#include "image.h"
#include "nand_types.h"

namespace orm {

/// What flash holds, without rules and without time: a record for each block, a state for each page, and of each slot
/// its data and its spare area. All of it lies in one Image, so it survives power cuts and, in a file, the process.
///
/// Blocks, pages and slots are numbered through: by channel, die, block, page and slot. Addresses must lie in the
/// geometry. What changes something throws ImageError if the image cannot be written; the flash is then as after a
/// power cut at that moment.
class NandStore {
 public:
  enum class BlockState : uint32_t { kReady, kErasing, kHalfErased };
  /// As stored in the image.
  struct Block {
    uint32_t erase_count;
    uint32_t frontier;  // page that the next program must name; nothing was written there or behind it since the erase
    BlockState state;
    uint32_t marked_bad;  // in the factory
    uint32_t reads;       // reads and probes since the erase
  };
  /// Torn: a program or an erase did not end well. The page's data is lost; its spare, which is another codeword, may
  /// be good after a power cut.
  enum class PageState : uint8_t { kErased, kProgrammed, kTorn, kTornButSpare };
  /// The bytes of one slot: slot_bytes of data, spare_bytes of spare.
  struct SlotBytes {
    const uint8_t *data;
    const uint8_t *spare;
  };

  /// A fresh flash is erased. Throws ImageError.
  NandStore(const NandGeometry &geometry, const ImageFile &image);

  const NandGeometry &geometry() const { return geometry_; }
  bool fresh() const { return image_.fresh(); }

  size_t block_index(const NandAddress &at) const {
    return (size_t(at.channel) * geometry_.dies_per_channel + at.die) * geometry_.blocks_per_die + at.block;
  }
  size_t page_index(const NandAddress &at) const { return block_index(at) * geometry_.pages_per_block + at.page; }

  /// The record of a block, to be changed. Throws ImageError.
  Block &block(size_t index) {
    return *reinterpret_cast<Block *>(image_.writable(index * sizeof(Block), sizeof(Block)));
  }
  Block &block(const NandAddress &at) { return block(block_index(at)); }
  const Block &block(size_t index) const { return reinterpret_cast<const Block *>(image_.data())[index]; }
  const Block &block(const NandAddress &at) const { return block(block_index(at)); }

  PageState page_state(size_t page) const { return PageState(image_.data()[states_offset_ + page]); }
  void set_page_state(size_t page, PageState state) { *image_.writable(states_offset_ + page, 1) = uint8_t(state); }

  /// What is stored of slot `sub` of a page, whatever its state.
  SlotBytes slot(size_t page, uint32_t sub) const {
    return {image_.data() + data_offset_ + page * geometry_.page_bytes() + size_t(sub) * geometry_.slot_bytes,
            image_.data() + spare_offset_ + page * geometry_.page_spare_bytes() + size_t(sub) * geometry_.spare_bytes};
  }
  /// Stores a page: `slots` has slots_per_page of them. Its state and its block's record stay as they are.
  void write_page(size_t page, const SlotBytes *slots);

  /// All pages of the block are erased, as is its record; its erase count grows.
  void erase_block(size_t block);

  /// As Image::check_kept().
  void check_kept() const { image_.check_kept(); }

 private:
  NandGeometry geometry_;
  size_t states_offset_;
  size_t spare_offset_;
  size_t data_offset_;
  Image image_;
};

}  // namespace orm
#endif  // OPENREMAP_NAND_STORE_H
