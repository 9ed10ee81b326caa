// SPDX-License-Identifier: Apache-2.0
//
// The vfio-user server, asked by a client as QEMU would ask, and as nobody should.
#include "vfio_server.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "orm_bytes.h"
#include "vfio/vfio_client.h"

namespace orm::vfio {
namespace {

constexpr uint64_t kPage = GuestMemory::kPage;
constexpr uint32_t kCommandOffset = 4, kExpressControl = 0x68, kMsixControl = 0x52;

uint64_t eventfd_value(int fd) {
  uint64_t value = 0;
  return ::read(fd, &value, sizeof value) == ssize_t(sizeof value) ? value : 0;
}

uint32_t error_of(const Reply &reply) { return (reply.header.flags & kFlagError) != 0 ? reply.header.error : 0; }

TEST(VfioServer, AgreesOnTheVersionThatBothKnow) {
  Connection c;
  const Reply reply = c.ask(kVersion, Version{0, 7}, {'{', '}', 0});
  EXPECT_EQ(reply.header.id, c.client->id());
  EXPECT_EQ(reply.header.command, kVersion);
  EXPECT_EQ(reply.header.flags, kTypeReply);
  EXPECT_EQ(take<Version>(reply.payload).minor, 0);
  const std::string json(reply.payload.begin() + sizeof(Version), reply.payload.end());
  EXPECT_NE(json.find("\"max_msg_fds\":16"), std::string::npos) << json;
  EXPECT_EQ(json.back(), '\0');
  EXPECT_TRUE(c.server->agreed());
}

TEST(VfioServer, DescribesAnNvmeFunction) {
  Connection c;
  c.agree();
  const auto info = take<DeviceInfo>(c.ask(kGetInfo, DeviceInfo{16, 0, 0, 0}).payload);
  EXPECT_EQ(info.flags, kDeviceHasReset | kDeviceIsPci);
  EXPECT_EQ(info.regions, 9u);
  const uint64_t sizes[9] = {16384, 0, 0, 0, 4096, 0, 0, 4096, 0};
  for (uint32_t region = 0; region < 9; ++region) {
    const auto got = take<RegionInfo>(c.ask(kGetRegionInfo, RegionInfo{32, 0, region, 0, 0, 0}).payload);
    EXPECT_EQ(got.size, sizes[region]) << region;
    EXPECT_EQ(got.flags, sizes[region] != 0 ? 3u : 0u) << region;
  }
  for (uint32_t index = 0; index < 5; ++index) {
    const auto got = take<IrqInfo>(c.ask(kGetIrqInfo, IrqInfo{16, 0, index, 0}).payload);
    EXPECT_EQ(got.count, index == kIrqMsix ? 9u : 0u) << index;
  }
  EXPECT_EQ(error_of(c.ask(kGetRegionInfo, RegionInfo{32, 0, 9, 0, 0, 0})), uint32_t(EINVAL));
  EXPECT_EQ(error_of(c.ask(kGetIrqInfo, IrqInfo{16, 0, 5, 0})), uint32_t(EINVAL));

  const Reply config = c.ask(kRegionRead, RegionAccess{0, kRegionConfig, 64});
  const uint8_t *bytes = config.payload.data() + sizeof(RegionAccess);
  EXPECT_EQ(bytes[0x0B], 0x01);
  EXPECT_EQ(bytes[0x0A], 0x08);
  EXPECT_EQ(bytes[0x09], 0x02);
  EXPECT_EQ(bytes[0x10] & 0xF, 0x4) << "BAR0 has 64 bits";
  EXPECT_EQ(bytes[0x3D], 0) << "no interrupt pin";
}

/// What the server says of BAR0 to a client that sends `bytes` and takes `argsz` of them in the answer.
Reply bar0_of(Connection *c, uint32_t argsz, size_t bytes = sizeof(RegionInfo)) {
  return c->ask(kGetRegionInfo, RegionInfo{argsz, 0, kRegionBar0, 0, 0, 0},
                std::vector<uint8_t>(bytes - sizeof(RegionInfo)));
}

TEST(VfioServer, DoorbellsMayBeMapped) {
  Connection c(Server::Doorbells::kPage);
  c.agree();
  for (const size_t bytes : {size_t{32}, size_t{4064}}) {  // as QEMU asks, and as SPDK
    const Reply reply = bar0_of(&c, bytes == 32 ? 64 : 4064, bytes);
    ASSERT_EQ(reply.payload.size(), sizeof(RegionInfo) + sizeof(SparseMmap));
    const auto info = take<RegionInfo>(reply.payload);
    EXPECT_EQ(info.argsz, 64u);
    EXPECT_EQ(info.flags, 15u);
    EXPECT_EQ(info.size, 16384u);
    EXPECT_EQ(info.offset, 0u);
    ASSERT_EQ(info.capabilities, sizeof(RegionInfo));
    const auto sparse = take<SparseMmap>(reply.payload, info.capabilities);
    EXPECT_EQ(sparse.id, 1);
    EXPECT_EQ(sparse.version, 1);
    EXPECT_EQ(sparse.next, 0u);
    EXPECT_EQ(sparse.areas, 1u);
    EXPECT_EQ(sparse.offset, 0x1000u);
    EXPECT_EQ(sparse.size, 0x1000u);
    EXPECT_TRUE(reply.fd);
  }
  for (uint32_t region = 1; region < 9; ++region)
    EXPECT_FALSE(c.ask(kGetRegionInfo, RegionInfo{64, 0, region, 0, 0, 0}).fd) << region;
  EXPECT_EQ(error_of(bar0_of(&c, 31)), uint32_t(EINVAL));
}

TEST(VfioServer, WithoutRoomOfItsAnswerAClientLearnsHowMuchItNeeds) {
  Connection c(Server::Doorbells::kPage);
  c.agree();
  const Reply reply = bar0_of(&c, 32);
  const auto info = take<RegionInfo>(reply.payload);
  EXPECT_EQ(reply.payload.size(), 32u);
  EXPECT_EQ(info.argsz, 64u);
  EXPECT_EQ(info.flags, 3u);
  EXPECT_EQ(info.capabilities, 0u);
  EXPECT_FALSE(reply.fd);
  EXPECT_FALSE(c.server->rings_by_stores());
}

/// The doorbells as the client has mapped them.
class MappedDoorbells {
 public:
  explicit MappedDoorbells(Connection *c) {
    const Reply reply = bar0_of(c, 64);
    place_ = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, reply.fd.get(), 0x1000);
    if (place_ == MAP_FAILED) throw std::runtime_error("mmap");
  }
  ~MappedDoorbells() { munmap(place_, 4096); }
  MappedDoorbells(const MappedDoorbells &) = delete;
  MappedDoorbells &operator=(const MappedDoorbells &) = delete;
  volatile uint32_t &operator[](unsigned doorbell) { return static_cast<volatile uint32_t *>(place_)[doorbell]; }

 private:
  void *place_;
};

TEST(VfioServer, AStoreRingsTheDoorbell) {
  Connection c(Server::Doorbells::kPage);
  c.agree();
  EXPECT_EQ(c.server->ring(), 0u);
  MappedDoorbells doorbells(&c);
  EXPECT_TRUE(c.server->rings_by_stores());
  doorbells[0] = 5;
  doorbells[17] = 9;
  doorbells[18] = 1;  // of a queue that the function does not have
  EXPECT_EQ(c.server->ring(), 2u);
  EXPECT_EQ(c.function.registers[0x1000], 5u);
  EXPECT_EQ(c.function.registers[0x1044], 9u);
  EXPECT_EQ(c.function.registers.count(0x1048), 0u);
  c.function.registers.clear();
  EXPECT_EQ(c.server->ring(), 0u);
  EXPECT_TRUE(c.function.registers.empty());
}

TEST(VfioServer, AStoreBeforeAMessageComesBeforeIt) {
  Connection c(Server::Doorbells::kPage);
  c.agree();
  MappedDoorbells doorbells(&c);
  doorbells[2] = 7;
  const Reply reply = c.ask(kRegionRead, RegionAccess{0x1008, kRegionBar0, 4});
  EXPECT_EQ(take<uint32_t>(reply.payload, sizeof(RegionAccess)), 7u);
  // One before a reset does not ring afterwards, and the same value rings again then.
  doorbells[2] = 7;
  c.ask_bytes(kDeviceReset, {});
  EXPECT_TRUE(c.function.registers.empty());
  EXPECT_EQ(c.server->ring(), 0u);
  doorbells[2] = 7;
  EXPECT_EQ(c.server->ring(), 1u);
  EXPECT_EQ(c.function.registers[0x1008], 7u);
}

TEST(VfioServer, AClientThatHasGoneRingsNothing) {
  Connection c(Server::Doorbells::kPage);
  c.agree();
  MappedDoorbells old(&c);
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  c.client.emplace(UniqueFd(pair[0]));
  c.server.emplace(UniqueFd(pair[1]), &c.function.base, &c.guest, Server::Doorbells::kPage);
  c.agree();
  MappedDoorbells now(&c);
  old[2] = 3;
  EXPECT_EQ(c.server->ring(), 0u);
  now[2] = 4;
  EXPECT_EQ(c.server->ring(), 1u);
  EXPECT_EQ(c.function.registers[0x1008], 4u);
}

TEST(VfioServer, AStoppedDeviceIsNotRung) {
  Connection c(Server::Doorbells::kPage);
  c.agree();
  MappedDoorbells doorbells(&c);
  c.function.stopped = true;
  doorbells[0] = 1;
  EXPECT_THROW(c.server->ring(), DeviceStopped);
}

TEST(VfioServer, ShadowsRingWhileTheControllerIsEnabled) {
  Connection c(Server::Doorbells::kMessages, true);
  c.agree();
  ShadowHost host(&c);
  host.use_shadows();
  ASSERT_NE(c.server->shadows(), nullptr);
  host.store(2, 3);
  EXPECT_EQ(c.server->ring(), 1u);
  EXPECT_EQ(c.function.registers[0x1008], 3u);
  c.write32(0x1008, 2);  // older than the shadow
  EXPECT_EQ(c.function.registers[0x1008], 3u);
  c.write32(0x1000, 5);
  EXPECT_EQ(c.function.registers[0x1000], 5u) << "the admin queue has its register";
  c.write32(ORM_BAR0_CC, ShadowHost::kEnabled & ~ORM_BAR0_CC_EN_MASK);
  EXPECT_EQ(c.server->shadows(), nullptr);
  c.write32(0x1008, 1);
  EXPECT_EQ(c.function.registers[0x1008], 1u);
}

/// What ends the buffers: each leaves the doorbells as registers.
struct Ending {
  const char *name;
  void (*end)(Connection *);
  bool enabled = false;  // the controller still is
};

class VfioShadowsEnd : public ::testing::TestWithParam<Ending> {};

TEST_P(VfioShadowsEnd, AndTheNextBuffersAreTaken) {
  Connection c(Server::Doorbells::kMessages, true);
  c.agree();
  ShadowHost host(&c);
  host.use_shadows();
  ASSERT_NE(c.server->shadows(), nullptr);
  host.store(2, 3);
  ASSERT_EQ(c.server->ring(), 1u);
  host.fetch(DoorbellBuffer::kOpcode, ShadowHost::kShadows, ShadowHost::kEvents, 0);  // one that is under way
  GetParam().end(&c);
  EXPECT_EQ(c.server->shadows(), nullptr);
  host.store(2, 4);
  EXPECT_EQ(c.server->ring(), 0u);
  c.write32(0x1008, 5);
  EXPECT_EQ(c.function.registers[0x1008], 5u);

  c.set_bus_master();
  const uint16_t late = host.complete();
  EXPECT_EQ(c.server->shadows(), nullptr);
  if (GetParam().enabled) {
    EXPECT_NE(late, 0u);
    EXPECT_NE(host.admin(DoorbellBuffer::kOpcode, ShadowHost::kShadows, ShadowHost::kEvents, 0), 0u);
    EXPECT_EQ(c.server->shadows(), nullptr);
    c.write32(ORM_BAR0_CC, 0);
  }
  host.enable();
  host.use_shadows();
  ASSERT_NE(c.server->shadows(), nullptr);
  host.store(2, 6);
  EXPECT_EQ(c.server->ring(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Each, VfioShadowsEnd,
    ::testing::Values(
        Ending{"Disable", [](Connection *c) { c->write32(ORM_BAR0_CC, 0); }},
        Ending{"NormalShutdown",
               [](Connection *c) {
                 c->write32(ORM_BAR0_CC, ShadowHost::kEnabled | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL));
               },
               true},
        Ending{"AbruptShutdown",
               [](Connection *c) {
                 c->write32(ORM_BAR0_CC, ShadowHost::kEnabled | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_ABRUPT));
               },
               true},
        Ending{"ShutdownWithDisable",
               [](Connection *c) { c->write32(ORM_BAR0_CC, ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL)); }},
        Ending{"DeviceReset", [](Connection *c) { c->ask_bytes(kDeviceReset, {}); }},
        Ending{"FunctionLevelReset",
               [](Connection *c) {
                 c->ask(kRegionWrite, RegionAccess{kExpressControl, kRegionConfig, 2}, {0x10, 0xA8});
               }}),
    [](const auto &given) { return std::string(given.param.name); });

TEST(VfioServer, AWriteOfCcThatChangesNothingKeepsTheShadows) {
  Connection c(Server::Doorbells::kMessages, true);
  c.agree();
  ShadowHost host(&c);
  host.use_shadows();
  c.write32(ORM_BAR0_CC, ShadowHost::kEnabled);
  ASSERT_NE(c.server->shadows(), nullptr);
  host.store(2, 3);
  EXPECT_EQ(c.server->ring(), 1u);
}

TEST(VfioServer, AnUnmapMayBringTheDescriptorOfTheMap) {
  Connection c;
  c.agree();
  const UniqueFd file = memory_file(kPage);
  EXPECT_EQ(error_of(c.ask(kDmaMap, DmaMap{32, 3, 0, 0x10000, kPage}, {}, {file.get()})), 0u);
  EXPECT_EQ(error_of(c.ask(kDmaUnmap, DmaUnmap{24, 0, 0x10000, kPage}, {}, {file.get()})), 0u);
  EXPECT_EQ(c.guest.memory().maps(), 0u);
  std::vector<uint8_t> payload;
  append(&payload, DmaUnmap{24, 0, 0x10000, kPage});
  c.client->send(kDmaUnmap, payload, {file.get(), file.get()});
  EXPECT_THROW(c.server->serve(), Refused) << "two of them";
}

TEST(VfioServer, CapabilitiesAreAListThatEnds) {
  PciConfig config;
  std::vector<uint8_t> seen;
  uint8_t at = 0;
  config.read(0x34, 1, &at);
  while (at != 0 && seen.size() < 10) {
    uint8_t entry[2];
    config.read(at, 2, entry);
    seen.push_back(entry[0]);
    at = entry[1];
  }
  EXPECT_EQ(seen, (std::vector<uint8_t>{0x01, 0x11, 0x10}));
}

TEST(VfioServer, ConfigurationChangesOnlyWhereItMay) {
  PciConfig config;
  const std::vector<uint8_t> ones(PciConfig::kBytes, 0xFF);
  EXPECT_TRUE(config.write(0, PciConfig::kBytes, ones.data()));
  uint8_t bytes[4];
  config.read(0, 4, bytes);
  EXPECT_EQ(bytes[0], 0x34);
  EXPECT_EQ(bytes[1], 0x12);
  config.read(0x10, 4, bytes);
  EXPECT_EQ(bytes[0], 0x04) << "a BAR tells its size by its zeroes";
  EXPECT_EQ(bytes[1], 0xC0);
  config.read(kMsixControl, 2, bytes);
  EXPECT_EQ(bytes[0], PciConfig::kVectors - 1);
  EXPECT_EQ(bytes[1], 0xC0);
  config.read(kExpressControl, 2, bytes);
  EXPECT_EQ(bytes[1] & 0x80, 0) << "the request for a reset reads as 0";
  config.reset();
  EXPECT_FALSE(config.bus_master());
}

TEST(VfioServer, RegistersAreReadInAnySizeAndWrittenAsAWhole) {
  Connection c;
  c.agree();
  c.ask(kRegionWrite, RegionAccess{0x20, kRegionBar0, 8}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(c.function.registers[0x20], 0x04030201u);
  EXPECT_EQ(c.function.registers[0x24], 0x08070605u);
  for (uint32_t size : {1u, 2u, 3u, 4u, 5u}) {
    const Reply reply = c.ask(kRegionRead, RegionAccess{0x22, kRegionBar0, size});
    ASSERT_EQ(reply.payload.size(), sizeof(RegionAccess) + size);
    for (uint32_t i = 0; i < size; ++i) EXPECT_EQ(reply.payload[sizeof(RegionAccess) + i], 3 + i) << size;
  }
  EXPECT_EQ(error_of(c.ask(kRegionWrite, RegionAccess{0x21, kRegionBar0, 1}, {9})), 0u);
  EXPECT_EQ(c.function.registers[0x20], 0x04030201u);
  EXPECT_EQ(error_of(c.ask(kRegionRead, RegionAccess{0x3FFC, kRegionBar0, 8})), uint32_t(EINVAL));
  EXPECT_EQ(error_of(c.ask(kRegionRead, RegionAccess{UINT64_MAX, kRegionBar0, 4})), uint32_t(EINVAL));
  EXPECT_EQ(error_of(c.ask(kRegionRead, RegionAccess{0, kRegionConfig, 0})), uint32_t(EINVAL));
  EXPECT_EQ(error_of(c.ask(kRegionRead, RegionAccess{0, 1, 4})), uint32_t(EINVAL));
  EXPECT_EQ(error_of(c.ask(kRegionRead, RegionAccess{0, 1000, 4})), uint32_t(EINVAL));
}

TEST(VfioServer, APostedWriteIsNotAnswered) {
  Connection c;
  c.agree();
  std::vector<uint8_t> payload;
  append(&payload, RegionAccess{0x1000, kRegionBar0, 4});
  append(&payload, uint32_t{77});
  c.client->send(kRegionWrite, payload, {}, kFlagNoReply);
  c.client->send(kRegionWrite, payload, {}, kFlagNoReply);
  EXPECT_EQ(c.server->serve(), 2u);
  EXPECT_EQ(c.function.registers[0x1000], 77u);
  EXPECT_FALSE(c.client->receive());
}

TEST(VfioServer, MemoryIsWhatWasMappedAndNothingElse) {
  Connection c;
  c.agree();
  const UniqueFd file = memory_file(4 * kPage);
  const auto map = [&](uint64_t offset, uint64_t address, uint64_t size, uint32_t flags, bool shared = true) {
    return error_of(c.ask(kDmaMap, DmaMap{32, flags, offset, address, size}, {},
                          shared ? std::vector<int>{file.get()} : std::vector<int>{}));
  };
  EXPECT_EQ(map(0, 0x10000, 2 * kPage, 3), 0u);
  EXPECT_EQ(map(2 * kPage, 0x12000, kPage, 3), 0u);
  EXPECT_EQ(map(3 * kPage, 0x13000, kPage, kDmaRead), 0u);
  EXPECT_EQ(map(0, 0x14000, kPage, 3, false), 0u);
  EXPECT_EQ(map(0, 0x11000, kPage, 3), uint32_t(EEXIST));
  EXPECT_EQ(map(0, 0x20000, 5 * kPage, 3), uint32_t(EINVAL)) << "the file ends before";
  EXPECT_EQ(map(8 * kPage, 0x20000, kPage, 3), uint32_t(EINVAL));
  EXPECT_EQ(map(0, 0x20001, kPage, 3), uint32_t(EINVAL));
  EXPECT_EQ(map(0, ~uint64_t{0xFFF}, 2 * kPage, 3), uint32_t(EINVAL)) << "past the end of the bus";
  EXPECT_EQ(map(0, 0x20000, 0, 3), uint32_t(EINVAL));
  EXPECT_EQ(map(0, 0x20000, kPage, 4), uint32_t(EINVAL));

  const pcie_host *host = c.guest.host();
  std::vector<uint8_t> data(3 * kPage, 0x5A), back(3 * kPage);
  EXPECT_EQ(host->dma_write(host->ctx, 0x10000, data.data(), data.size()), -EFAULT) << "not a bus master yet";
  c.set_bus_master();
  EXPECT_EQ(host->dma_write(host->ctx, 0x10000, data.data(), data.size()), 0) << "over two maps that touch";
  EXPECT_EQ(pread(file.get(), back.data(), back.size(), 0), ssize_t(back.size()));
  EXPECT_EQ(back, data);
  EXPECT_EQ(host->dma_read(host->ctx, 0x12FFF, back.data(), 2), 0);
  EXPECT_EQ(host->dma_write(host->ctx, 0x12FFF, data.data(), 2), -EFAULT) << "the second byte may only be read";
  EXPECT_EQ(host->dma_read(host->ctx, 0x13FFF, back.data(), 2), -EFAULT) << "not shared";
  EXPECT_EQ(host->dma_read(host->ctx, 0xFFFF, back.data(), 2), -EFAULT);
  EXPECT_EQ(host->dma_read(host->ctx, 0x15000, back.data(), 1), -EFAULT);
  EXPECT_EQ(host->dma_read(host->ctx, UINT64_MAX, back.data(), 2), -EFAULT);

  const auto unmap = [&](uint64_t address, uint64_t size, uint32_t flags = 0) {
    return error_of(c.ask(kDmaUnmap, DmaUnmap{24, flags, address, size}));
  };
  EXPECT_EQ(unmap(0x10000, kPage), uint32_t(EINVAL)) << "half of a map";
  EXPECT_EQ(unmap(0x11000, kPage), uint32_t(EINVAL));
  EXPECT_EQ(unmap(0x30000, kPage), uint32_t(ENOENT));
  EXPECT_EQ(unmap(0x10000, 3 * kPage), 0u) << "two at a time";
  EXPECT_EQ(host->dma_read(host->ctx, 0x10000, back.data(), 1), -EFAULT);
  EXPECT_EQ(host->dma_read(host->ctx, 0x13000, back.data(), 1), 0);
  EXPECT_EQ(unmap(0, 0, kUnmapAll), 0u);
  EXPECT_EQ(c.guest.memory().maps(), 0u);
}

TEST(VfioServer, MemoryThatTheClientTakesAwayIsNotThere) {
  Connection c;
  c.agree();
  const UniqueFd file = memory_file(4 * kPage);
  EXPECT_EQ(error_of(c.ask(kDmaMap, DmaMap{32, 3, 0, 0x10000, 4 * kPage}, {}, {file.get()})), 0u);
  c.set_bus_master();
  const pcie_host *host = c.guest.host();
  std::vector<uint8_t> data(4 * kPage, 0x5A);
  EXPECT_EQ(host->dma_write(host->ctx, 0x10000, data.data(), data.size()), 0);
  ASSERT_EQ(ftruncate(file.get(), off_t(kPage)), 0);
  EXPECT_EQ(host->dma_write(host->ctx, 0x10000, data.data(), data.size()), -EFAULT);
  EXPECT_EQ(host->dma_read(host->ctx, 0x12000, data.data(), 8), -EFAULT);
  EXPECT_EQ(host->dma_read(host->ctx, 0x10000, data.data(), kPage), 0) << "and goes on";
  ASSERT_EQ(ftruncate(file.get(), off_t(4 * kPage)), 0);
  EXPECT_EQ(host->dma_read(host->ctx, 0x12000, data.data(), 8), 0);
}

TEST(VfioServer, WhyTheGuestsMemoryCannotBeReachedIsToldOnce) {
  std::vector<std::string> told;
  GuestMemory memory([&](const std::string &what) { told.push_back(what); });
  const UniqueFd file = memory_file(4 * kPage);
  uint8_t data[8] = {};
  for (const bool again : {false, true}) {
    ASSERT_EQ(memory.map(0x10000, kPage, -1, 0, true, true), 0) << again;
    ASSERT_EQ(memory.map(0x20000, 4 * kPage, file.get(), 0, true, true), 0);
    told.clear();
    EXPECT_EQ(memory.read(0x30000, data, 8), -EFAULT) << "the guest's own mistake";
    EXPECT_TRUE(told.empty());
    EXPECT_EQ(memory.read(0x10008, data, 8), -EFAULT);
    EXPECT_EQ(memory.write(0x10000, data, 8), -EFAULT);
    ASSERT_EQ(told.size(), 1u) << "told more than once";
    EXPECT_EQ(told[0],
              "the guest's memory at 0x10008 is not shared with the device: QEMU needs -object "
              "memory-backend-memfd,share=on for it");
    memory.clear();  // another client
  }
  ASSERT_EQ(memory.map(0x20000, 4 * kPage, file.get(), 0, true, true), 0);
  ASSERT_EQ(ftruncate(file.get(), off_t(kPage)), 0);
  EXPECT_EQ(memory.read(0x22000, data, 8), -EFAULT);
  EXPECT_EQ(told.back(), "the guest's memory at 0x22000 was taken away while the device used it");
}

TEST(VfioServer, MemoryThatTheClientHasToItselfIsTold) {
  Connection c;  // whose client is this process
  const UniqueFd file = memory_file(4 * kPage);
  void *copy = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.get(), 0);
  ASSERT_NE(copy, MAP_FAILED);

  std::vector<std::string> told;
  Guest guest([&](const std::string &what) { told.push_back(what); });
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  Client client{UniqueFd(pair[0])};
  Server server(UniqueFd(pair[1]), &c.function.base, &guest);
  std::vector<uint8_t> version, map;
  append(&version, Version{0, 0});
  client.send(kVersion, version);
  append(&map, DmaMap{32, 3, 0, 0x10000, kPage});
  client.send(kDmaMap, map, {file.get()});
  EXPECT_EQ(server.serve(), 2u);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("memory at 0x10000 is not shared with the device"), std::string::npos) << told[0];
  munmap(copy, kPage);
}

TEST(VfioServer, AFullDescriptorHoldsNothingUp) {
  Connection c;
  c.agree();
  c.set_bus_master();
  const UniqueFd full(eventfd(0, 0));  // a write to it would wait
  const uint64_t most = ~uint64_t{1};
  ASSERT_EQ(write(full.get(), &most, sizeof most), ssize_t(sizeof most));
  EXPECT_EQ(error_of(c.ask(kSetIrqs, IrqSet{20, kIrqEventfd | kIrqTrigger, kIrqMsix, 0, 1}, {}, {full.get()})), 0u);
  const pcie_host *host = c.guest.host();
  host->msix(host->ctx, 0);
  uint64_t value = 0;
  ASSERT_EQ(read(full.get(), &value, sizeof value), ssize_t(sizeof value));
  EXPECT_EQ(value, most);
  host->msix(host->ctx, 0);
  ASSERT_EQ(read(full.get(), &value, sizeof value), ssize_t(sizeof value));
  EXPECT_EQ(value, 1u);
}

TEST(VfioServer, EachVectorHasItsDescriptor) {
  Connection c;
  c.agree();
  c.set_bus_master();
  const UniqueFd a(eventfd(0, EFD_NONBLOCK)), b(eventfd(0, EFD_NONBLOCK));
  const uint32_t give = kIrqEventfd | kIrqTrigger;
  EXPECT_EQ(error_of(c.ask(kSetIrqs, IrqSet{20, give, kIrqMsix, 7, 2}, {}, {a.get(), b.get()})), 0u);
  const pcie_host *host = c.guest.host();
  host->msix(host->ctx, 8);
  host->msix(host->ctx, 8);
  host->msix(host->ctx, 0);
  host->msix(host->ctx, 1000);
  EXPECT_EQ(eventfd_value(a.get()), 0u);
  EXPECT_EQ(eventfd_value(b.get()), 2u);
  EXPECT_EQ(error_of(c.ask(kSetIrqs, IrqSet{20, give, kIrqMsix, 8, 1})), 0u);
  host->msix(host->ctx, 8);
  host->msix(host->ctx, 7);
  EXPECT_EQ(eventfd_value(b.get()), 0u);
  EXPECT_EQ(eventfd_value(a.get()), 1u);
  EXPECT_EQ(error_of(c.ask(kSetIrqs, IrqSet{20, kIrqNoData | kIrqTrigger, kIrqMsix, 0, 0})), 0u);
  host->msix(host->ctx, 7);
  EXPECT_EQ(eventfd_value(a.get()), 0u);

  EXPECT_EQ(error_of(c.ask(kSetIrqs, IrqSet{20, give, kIrqMsix, 8, 2}, {}, {a.get(), b.get()})), uint32_t(EINVAL));
  EXPECT_EQ(error_of(c.ask(kSetIrqs, IrqSet{20, give, kIrqMsix, 0, 3}, {}, {a.get(), b.get()})), uint32_t(EINVAL));
  EXPECT_EQ(error_of(c.ask(kSetIrqs, IrqSet{20, give, kIrqMsix, UINT32_MAX, 2})), uint32_t(EINVAL));
  EXPECT_EQ(error_of(c.ask(kSetIrqs, IrqSet{20, give, 0, 0, 1}, {}, {a.get()})), uint32_t(EINVAL));
  EXPECT_EQ(error_of(c.ask(kSetIrqs, IrqSet{20, give, 9, 0, 1}, {}, {a.get()})), uint32_t(EINVAL));
}

TEST(VfioServer, InterruptsOfIoQueuesMayWait) {
  Connection c;
  c.guest.hold_interrupts(true);
  c.agree();
  c.set_bus_master();
  const UniqueFd admin(eventfd(0, EFD_NONBLOCK)), a(eventfd(0, EFD_NONBLOCK)), b(eventfd(0, EFD_NONBLOCK));
  const IrqSet all{20, kIrqEventfd | kIrqTrigger, kIrqMsix, 0, 3};
  const auto give = [&] { return error_of(c.ask(kSetIrqs, all, {}, {admin.get(), a.get(), b.get()})); };
  ASSERT_EQ(give(), 0u);
  const pcie_host *host = c.guest.host();
  for (const unsigned vector : {0u, 1u, 1u, 2u, 1000u}) host->msix(host->ctx, vector);
  EXPECT_EQ(c.guest.fired(), 5u);
  EXPECT_EQ(c.guest.held(), 0b110u);
  EXPECT_EQ(eventfd_value(admin.get()), 1u) << "the admin queue's never waits";
  EXPECT_EQ(eventfd_value(a.get()), 0u);
  c.guest.deliver(1);
  EXPECT_EQ(c.guest.held(), 0b100u);
  EXPECT_EQ(eventfd_value(a.get()), 1u) << "one for both";
  EXPECT_EQ(eventfd_value(b.get()), 0u);
  ASSERT_EQ(give(), 0u);
  EXPECT_EQ(eventfd_value(b.get()), 1u) << "none is lost where descriptors change";

  host->msix(host->ctx, 1);
  c.ask_bytes(kDeviceReset, {});
  EXPECT_EQ(c.guest.held(), 0u) << "a reset drops it";
  c.set_bus_master();
  host->msix(host->ctx, 1);
  c.ask(kRegionWrite, RegionAccess{kCommandOffset, kRegionConfig, 2}, {0, 0});
  c.guest.deliver_all();
  EXPECT_EQ(eventfd_value(a.get()), 0u) << "the function is no bus master any more";
}

TEST(VfioServer, SubmissionQueuesThatAreRungAreTold) {
  Connection c(Server::Doorbells::kPage, true);
  c.agree();
  EXPECT_EQ(c.server->take_rung(), 0u);
  for (const unsigned doorbell : {0u, 3u, 4u, 16u, 18u, 1000u}) c.write32(ORM_BAR0_DOORBELL(doorbell), 1);
  EXPECT_EQ(c.server->take_rung(), 1u << 0 | 1u << 2 | 1u << 8) << "no heads, and no queues that cannot be";
  EXPECT_EQ(c.server->take_rung(), 0u);
  ShadowHost host(&c);
  host.use_shadows();
  host.store(2, 1);
  host.store(3, 1);
  EXPECT_EQ(c.server->ring(), 2u);
  EXPECT_EQ(c.server->take_rung(), 1u << 1);
}

TEST(VfioServer, BothKindsOfResetReachTheFunction) {
  Connection c;
  c.agree();
  c.set_bus_master();
  EXPECT_EQ(error_of(c.ask_bytes(kDeviceReset, {})), 0u);
  EXPECT_EQ(c.function.resets, 1u);
  EXPECT_FALSE(c.guest.config().bus_master());
  c.ask(kRegionWrite, RegionAccess{kExpressControl, kRegionConfig, 2}, {0x10, 0xA8});
  EXPECT_EQ(c.function.resets, 2u);
  c.ask(kRegionWrite, RegionAccess{kExpressControl, kRegionConfig, 2}, {0x10, 0x28});
  c.ask(kRegionWrite, RegionAccess{kCommandOffset, kRegionConfig, 2}, {0xFF, 0xFF});
  EXPECT_EQ(c.function.resets, 2u);
}

TEST(VfioServer, MessagesMayComeInPieces) {
  Connection c;
  c.agree();
  std::vector<uint8_t> bytes;
  append(&bytes, Header{5, kRegionRead, 32, 0, 0});
  append(&bytes, RegionAccess{0, kRegionConfig, 4});
  for (const uint8_t byte : bytes) {
    EXPECT_FALSE(c.client->receive());
    c.client->send_raw({byte});
    c.server->serve();
  }
  const auto reply = c.client->receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->header.id, 5);
  EXPECT_EQ(reply->payload.size(), 20u);
}

// What ends the connection: each is sent to a new one, after a version where it says so.
struct Bad {
  const char *name;
  bool agreed;
  Header header;
  std::vector<uint8_t> payload;
  bool pipe = false;  // one end goes along
};

class VfioRefusal : public ::testing::TestWithParam<Bad> {};

TEST_P(VfioRefusal, EndsTheConnectionAndNothingElse) {
  const Bad &bad = GetParam();
  Connection c;
  if (bad.agreed) c.agree();
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  const UniqueFd in(pipe_ends[0]), out(pipe_ends[1]);
  std::vector<uint8_t> bytes;
  append(&bytes, bad.header);
  bytes.insert(bytes.end(), bad.payload.begin(), bad.payload.end());
  c.client->send_raw(bytes, bad.pipe ? std::vector<int>{in.get()} : std::vector<int>{});
  EXPECT_THROW(c.server->serve(), Refused);
  EXPECT_FALSE(c.client->receive());
  const unsigned resets = c.function.resets;
  c.server.reset();
  EXPECT_EQ(c.function.resets, resets + 1);
  EXPECT_EQ(c.guest.memory().maps(), 0u);
}

std::vector<uint8_t> zeroes(size_t n) { return std::vector<uint8_t>(n, 0); }
template <class T>
std::vector<uint8_t> bytes_of(const T &value, size_t more = 0) {
  std::vector<uint8_t> bytes;
  append(&bytes, value);
  bytes.resize(bytes.size() + more);
  return bytes;
}

INSTANTIATE_TEST_SUITE_P(
    Messages, VfioRefusal,
    ::testing::Values(
        Bad{"SizeBelowTheHeader", true, {1, kGetInfo, 15, 0, 0}, {}}, Bad{"SizeZero", true, {1, kGetInfo, 0, 0, 0}, {}},
        Bad{"SizeOfGigabytes", true, {1, kRegionWrite, 0xFFFFFFFF, 0, 0}, {}},
        Bad{"SizeOverWhatWasAgreed", true, {1, kRegionWrite, kMostMessage + 1, 0, 0}, {}},
        Bad{"UnknownCommand", true, {1, 99, 16, 0, 0}, {}}, Bad{"CommandZero", true, {1, 0, 16, 0, 0}, {}},
        Bad{"CommandOfTheServer", true, {1, 11, 16, 0, 0}, {}}, Bad{"Reply", true, {1, kGetInfo, 16, 1, 0}, {}},
        Bad{"UnknownFlag", true, {1, kGetInfo, 32, 0x40, 0}, zeroes(16)},
        Bad{"NoVersionFirst", false, {1, kGetInfo, 32, 0, 0}, zeroes(16)},
        Bad{"SecondVersion", true, {1, kVersion, 20, 0, 0}, zeroes(4)},
        Bad{"OtherMajorVersion", false, {1, kVersion, 20, 0, 0}, {1, 0, 0, 0}},
        Bad{"ShortVersion", false, {1, kVersion, 18, 0, 0}, zeroes(2)},
        Bad{"EndlessJson", false, {1, kVersion, 22, 0, 0}, {0, 0, 0, 0, '{', '}'}},
        Bad{"ShortMap", true, {1, kDmaMap, 40, 0, 0}, zeroes(24)},
        Bad{"LongMap", true, {1, kDmaMap, 56, 0, 0}, zeroes(40)},
        Bad{"ShortUnmap", true, {1, kDmaUnmap, 32, 0, 0}, zeroes(16)},
        Bad{"ShortRegionInfo", true, {1, kGetRegionInfo, 32, 0, 0}, zeroes(16)},
        Bad{"ShortIrqSet", true, {1, kSetIrqs, 32, 0, 0}, zeroes(16)},
        Bad{"WriteWithLessThanItSays", true, {1, kRegionWrite, 36, 0, 0}, bytes_of(RegionAccess{0, kRegionBar0, 8}, 4)},
        Bad{"WriteWithMoreThanItSays",
            true,
            {1, kRegionWrite, 44, 0, 0},
            bytes_of(RegionAccess{0, kRegionBar0, 8}, 12)},
        Bad{"ResetWithPayload", true, {1, kDeviceReset, 20, 0, 0}, zeroes(4)},
        Bad{"DescriptorForARead", true, {1, kRegionRead, 32, 0, 0}, bytes_of(RegionAccess{0, kRegionBar0, 4}), true},
        Bad{"PipeForAnInterrupt",
            true,
            {1, kSetIrqs, 36, 0, 0},
            bytes_of(IrqSet{20, kIrqEventfd | kIrqTrigger, kIrqMsix, 0, 1}),
            true}),
    [](const auto &given) { return std::string(given.param.name); });

TEST(VfioServer, APipeIsNoMemory) {
  Connection c;
  c.agree();
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd in(ends[0]), out(ends[1]);
  EXPECT_EQ(error_of(c.ask(kDmaMap, DmaMap{32, 3, 0, 0, kPage}, {}, {in.get()})), uint32_t(EINVAL));
  c.client->send(kDmaMap, bytes_of(DmaMap{32, 3, 0, 0, kPage}), {in.get(), out.get()});
  EXPECT_THROW(c.server->serve(), Refused) << "two of them";
}

TEST(VfioServer, ADeviceThatStopsEndsIt) {
  Connection c;
  c.agree();
  c.function.stopped = true;
  c.client->send(kRegionRead, bytes_of(RegionAccess{0, kRegionBar0, 4}));
  EXPECT_THROW(c.server->serve(), DeviceStopped);
}

}  // namespace
}  // namespace orm::vfio
