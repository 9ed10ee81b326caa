// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/write_buffer.h"

#include <gtest/gtest.h>

#include <string>

#include "pagefs/tests/device/fake_page_device.h"

namespace openremap {
namespace {

constexpr size_t kChunk = ChunkPool::kChunkBytes;

class WriteBufferTest : public ::testing::Test {
 protected:
  // Of which every byte tells where it is.
  static std::string Bytes(size_t from, size_t bytes) {
    std::string text(bytes, '\0');
    for (size_t i = 0; i < bytes; i++) text[i] = static_cast<char>((from + i) * 31 >> 4);
    return text;
  }

  void Fill(WriteBuffer *buffer, size_t bytes) {
    for (size_t part = 1; buffer->size() < bytes; part = part * 3 + 1) {
      const std::string text = Bytes(buffer->size(), std::min(part, bytes - buffer->size()));
      buffer->Append(text.data(), text.size());
    }
  }

  static std::string Copy(const WriteBuffer &buffer, size_t begin, size_t bytes) {
    std::string text(bytes, '\0');
    buffer.CopyTo(begin, bytes, &text[0]);
    return text;
  }

  FakePageDevice device_{64};
  ChunkPool pool_{&device_};
};

TEST_F(WriteBufferTest, HoldsWhatWasAppended) {
  for (const size_t bytes : {size_t{1}, kChunk - 1, kChunk, kChunk + 1, 3 * kChunk, 3 * kChunk + 5000}) {
    WriteBuffer buffer(&pool_);
    Fill(&buffer, bytes);
    EXPECT_EQ(buffer.size(), bytes);
    EXPECT_EQ(Copy(buffer, 0, bytes), Bytes(0, bytes)) << bytes;
    EXPECT_EQ(Copy(buffer, bytes / 2, bytes - bytes / 2), Bytes(bytes / 2, bytes - bytes / 2)) << bytes;
    EXPECT_EQ(Copy(buffer, bytes, 0), "");
  }
}

TEST_F(WriteBufferTest, PiecesLieAtPagesAndEndWithChunks) {
  WriteBuffer buffer(&pool_);
  Fill(&buffer, 2 * kChunk + 100);
  const auto [first, first_bytes] = buffer.Piece(kPageBytes, 3 * kChunk);
  EXPECT_EQ(first_bytes, kChunk - kPageBytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % kPageBytes, 0u);
  EXPECT_EQ(std::string(first, first_bytes), Bytes(kPageBytes, first_bytes));
  EXPECT_EQ(buffer.Piece(kChunk, 10).second, 10u);
  EXPECT_EQ(buffer.Piece(2 * kChunk, kChunk).second, 100u) << "the end";
}

TEST_F(WriteBufferTest, OnlyTheTailStays) {
  WriteBuffer buffer(&pool_);
  Fill(&buffer, 2 * kChunk + 100);
  buffer.KeepLast(300);  // across two chunks
  EXPECT_EQ(buffer.size(), 300u);
  EXPECT_EQ(Copy(buffer, 0, 300), Bytes(2 * kChunk - 200, 300));
  buffer.Append("more", 4);
  EXPECT_EQ(Copy(buffer, 300, 4), "more");
  buffer.Clear();
  EXPECT_EQ(buffer.size(), 0u);
  buffer.Clear();
  Fill(&buffer, 10);
  EXPECT_EQ(Copy(buffer, 0, 10), Bytes(0, 10));
}

TEST_F(WriteBufferTest, ChunksServeTheNextBufferAndAreBounded) {
  const char *used = nullptr;
  {
    WriteBuffer buffer(&pool_);
    Fill(&buffer, 10);
    used = buffer.Piece(0, 1).first;
  }
  WriteBuffer buffer(&pool_);
  Fill(&buffer, 10);
  EXPECT_EQ(buffer.Piece(0, 1).first, used);
  Fill(&buffer, (ChunkPool::kMostSpare + 3) * kChunk);
  EXPECT_EQ(device_.memory, ChunkPool::kMostSpare + 3);
  buffer.Clear();
  EXPECT_EQ(device_.memory, ChunkPool::kMostSpare);
}

}  // namespace
}  // namespace openremap
