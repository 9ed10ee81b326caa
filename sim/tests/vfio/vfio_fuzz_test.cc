// SPDX-License-Identifier: Apache-2.0
//
// A client that sends nearly anything. The server answers or refuses, keeps no descriptor and no memory of a connection
// that has ended, and the device lets nothing be reached that was not mapped.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "seeded_random.h"
#include "test_seed.h"
#include "vfio/vfio_client.h"

namespace orm::vfio {
namespace {

constexpr unsigned kConnections = 300;
constexpr unsigned kMessages = 100;

size_t open_descriptors() {
  size_t n = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

class MessageFuzzer {
 public:
  explicit MessageFuzzer(uint64_t seed) : random_(seed), file_(memory_file(1 << 20)), event_(eventfd(0, EFD_NONBLOCK)) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    pipe_in_ = UniqueFd(ends[0]);
    pipe_out_ = UniqueFd(ends[1]);
  }

  /// One connection, until it is refused or has had its messages; whether it was refused.
  bool connection() {
    Connection c(random_.coin() ? Server::Doorbells::kPage : Server::Doorbells::kMessages, random_.coin());
    if (random_.below(10) != 0) c.agree();
    for (unsigned i = 0; i < kMessages; ++i) {
      const std::vector<uint8_t> bytes = message();
      c.client->send_raw(bytes, descriptors());
      try {
        served_ += c.server->serve();
      } catch (const Refused &) {
        return true;
      }
      while (const auto reply = c.client->receive()) {
        EXPECT_EQ(reply->header.flags & kFlagTypeMask, kTypeReply);
        ++replies_;
        if (reply->fd) store(reply->fd.get());
      }
      c.server->ring();
      probe(c);
    }
    return false;
  }
  uint64_t served() const { return served_; }
  uint64_t replies() const { return replies_; }
  /// Times that it got the doorbells, and stored there.
  uint64_t stored() const { return stored_; }

 private:
  uint64_t number() {
    switch (random_.below(6)) {
      case 0:
        return random_.next();
      case 1:
        return random_.below(16);
      case 2:
        return ~random_.below(0x3000);
      default:
        return random_.below(64) * 4096;
    }
  }
  uint32_t small() { return uint32_t(random_.below(8) == 0 ? random_.next() : random_.below(12)); }

  std::vector<uint8_t> payload(uint16_t command) {
    std::vector<uint8_t> bytes;
    switch (command) {
      case kDmaMap:
        append(&bytes, DmaMap{32, uint32_t(random_.below(4)), number(), number(), number()});
        break;
      case kDmaUnmap:
        append(&bytes, DmaUnmap{24, uint32_t(random_.below(20) == 0 ? 2 : 0), number(), number()});
        break;
      case kGetInfo:
        append(&bytes, DeviceInfo{16, 0, 0, 0});
        break;
      case kGetRegionInfo:
        append(&bytes, RegionInfo{random_.coin() ? 32u : 64u, 0, small(), 0, 0, 0});
        break;
      case kGetIrqInfo:
        append(&bytes, IrqInfo{16, 0, small(), 0});
        break;
      case kSetIrqs:
        append(&bytes, IrqSet{20, random_.coin() ? kIrqEventfd | kIrqTrigger : small(), random_.coin() ? 2 : small(),
                              small(), small()});
        break;
      case kRegionRead:
        append(&bytes, RegionAccess{random_.below(0x5000), random_.coin() ? 7 : small(), uint32_t(random_.below(300))});
        break;
      case kRegionWrite: {
        const uint32_t count = uint32_t(random_.below(40));
        append(&bytes, RegionAccess{random_.below(0x5000), random_.coin() ? 0 : small(), count});
        for (uint32_t i = 0; i < count; ++i) bytes.push_back(uint8_t(random_.next()));
        break;
      }
      case kVersion:
        append(&bytes, Version{uint16_t(random_.below(2)), uint16_t(random_.below(3))});
        break;
      default:
        break;
    }
    if (random_.below(250) == 0) bytes.resize(random_.below(80));
    return bytes;
  }

  std::vector<uint8_t> message() {
    static constexpr uint16_t kKnown[] = {kDmaMap,     kDmaMap,  kDmaUnmap,   kGetInfo,     kGetRegionInfo,
                                          kGetIrqInfo, kSetIrqs, kRegionRead, kRegionWrite, kDeviceReset};
    uint16_t command = kKnown[random_.below(std::size(kKnown))];
    if (random_.below(400) == 0) command = uint16_t(random_.below(20));
    const std::vector<uint8_t> body = payload(command);
    uint32_t size = uint32_t(sizeof(Header) + body.size());
    if (random_.below(400) == 0) size = uint32_t(random_.coin() ? random_.next() : random_.below(64));
    const uint32_t flags = random_.below(400) == 0 ? uint32_t(random_.next())
                           : random_.below(4) == 0 ? kFlagNoReply
                                                   : 0;
    std::vector<uint8_t> bytes;
    append(&bytes, Header{uint16_t(random_.next()), command, size, flags, 0});
    bytes.insert(bytes.end(), body.begin(), body.end());
    // Descriptors that are right for the command, mostly.
    next_ = command == kDmaMap ? file_.get() : command == kSetIrqs ? event_.get() : -1;
    if (random_.below(250) == 0) next_ = random_.coin() ? pipe_in_.get() : file_.get();
    return bytes;
  }

  std::vector<int> descriptors() {
    if (next_ < 0 || random_.below(8) == 0) return {};
    return std::vector<int>(random_.below(200) == 0 ? random_.below(20) : 1, next_);
  }

  /// Stores anything anywhere in the file of the doorbells, as a client that maps it may.
  void store(int fd) {
    struct stat file {};
    ASSERT_EQ(fstat(fd, &file), 0);
    for (unsigned i = 0; i < 20; ++i) {
      const uint32_t value = uint32_t(number());
      ASSERT_EQ(pwrite(fd, &value, sizeof value, off_t(random_.below(uint64_t(file.st_size) - 3))), 4);
    }
    ++stored_;
  }

  /// What the device may do at any time.
  void probe(Connection &c) {
    Guest &guest = c.guest;
    // As the function with the command accesses memory: sizes of entries, too, some of them of the command.
    const pcie_host *host = random_.coin() ? c.buffer.host() : guest.host();
    uint8_t data[64] = {};
    const size_t len = random_.coin() ? 1 + random_.below(sizeof data) : random_.coin() ? 64 : 16;
    if (random_.coin()) data[0] = DoorbellBuffer::kOpcode;
    const uint64_t address = number();
    const int read = host->dma_read(host->ctx, address, data, len);
    const int write = host->dma_write(host->ctx, address, data, len);
    if (guest.memory().maps() == 0 || !guest.config().bus_master()) {
      EXPECT_EQ(read, -EFAULT);
      EXPECT_EQ(write, -EFAULT);
    }
    host->msix(host->ctx, unsigned(random_.below(12)));
  }

  SeededRandom random_;
  UniqueFd file_, event_, pipe_in_, pipe_out_;
  int next_ = -1;
  uint64_t served_ = 0, replies_ = 0, stored_ = 0;
};

TEST(VfioFuzz, AnythingIsAnsweredOrRefused) {
  MessageFuzzer fuzzer(openremap::TestSeed());
  const size_t before = open_descriptors();
  unsigned refused = 0;
  for (unsigned i = 0; i < kConnections; ++i) {
    refused += fuzzer.connection() ? 1 : 0;
    ASSERT_EQ(open_descriptors(), before) << "connection " << i;
  }
  std::printf("%u connections, %u refused, %llu messages served, %llu answered\n", kConnections, refused,
              static_cast<unsigned long long>(fuzzer.served()), static_cast<unsigned long long>(fuzzer.replies()));
  EXPECT_GT(refused, kConnections / 10);
  EXPECT_LT(refused, kConnections);
  EXPECT_GT(fuzzer.replies(), kConnections);
  EXPECT_GT(fuzzer.stored(), 0u);
}

}  // namespace
}  // namespace orm::vfio
