// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class IdentifyTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  Completion identify(uint32_t cns, uint32_t nsid) { return admin(command(NVME_ADMIN_OPCODE_IDENTIFY, nsid, cns)); }
};

TEST_F(IdentifyTest, Controller) {
  ASSERT_EQ(identify(NVME_CNS_CONTROLLER, 0).status, 0);
  nvme_identify_controller c;
  nvme_identify_controller_unpack(&c, dev.host.data());
  EXPECT_EQ(std::string(reinterpret_cast<char *>(c.mn), 40), "OpenRemap" + std::string(31, ' '));
  EXPECT_EQ(std::string(reinterpret_cast<char *>(c.sn), 20), "MOCK0001            ");
  EXPECT_EQ(c.ver, 0x00010400u);
  EXPECT_EQ(c.mdts, 3) << "8 pages";
  EXPECT_EQ(c.sqes, 0x66);
  EXPECT_EQ(c.cqes, 0x44);
  EXPECT_EQ(c.nn, 1u);
  EXPECT_EQ(c.oncs, 1 << 2 | 1 << 3 | 1 << 4 | 1 << 8);
  EXPECT_EQ(c.ocfs, 3) << "Copy descriptor formats 0 and 1";
  EXPECT_EQ(c.vwc & 1, 1);
  EXPECT_EQ(c.sgls, 0u);
  EXPECT_EQ(c.oacs, NVME_OACS_FORMAT);
  EXPECT_STREQ(reinterpret_cast<char *>(c.subnqn), "nqn.2026-01.org.openremap:nvme:MOCK0001");
}

TEST_F(IdentifyTest, WhatItsOwnerMustKnow) {
  nvme_identify_controller c;
  ASSERT_EQ(identify(NVME_CNS_CONTROLLER, 0).status, 0);
  nvme_identify_controller_unpack(&c, dev.host.data());
  EXPECT_EQ(c.board, 0);
  dev.board() = ORM_BOARD_NVRAM_VOLATILE | ORM_BOARD_UNVERIFIED;
  power_cycle();
  enable();
  ASSERT_EQ(identify(NVME_CNS_CONTROLLER, 0).status, 0);
  nvme_identify_controller_unpack(&c, dev.host.data());
  EXPECT_EQ(c.board, ORM_BOARD_NVRAM_VOLATILE | ORM_BOARD_UNVERIFIED);
  EXPECT_EQ(dev.host[3072], c.board) << "the first vendor specific byte";
}

// Two devices of a machine: nothing by which a host tells one from the other is the same.
TEST_F(IdentifyTest, DevicesDiffer) {
  struct Names {
    std::string serial, nqn, nguid, eui64, descriptors;
  };
  const auto text = [](const void *bytes, size_t n) { return std::string(static_cast<const char *>(bytes), n); };
  const auto names = [&](const char *serial, uint8_t last) {
    dev.identity() = {serial, {0x02, 1, 2, 3, 4, 5, 6, last}};
    power_cycle();
    enable();
    Names n;
    nvme_identify_controller c;
    EXPECT_EQ(identify(NVME_CNS_CONTROLLER, 0).status, 0);
    nvme_identify_controller_unpack(&c, dev.host.data());
    n.serial = text(c.sn, sizeof c.sn);
    n.nqn = text(c.subnqn, sizeof c.subnqn);
    nvme_identify_namespace space;
    EXPECT_EQ(identify(NVME_CNS_NAMESPACE, 1).status, 0);
    nvme_identify_namespace_unpack(&space, dev.host.data());
    n.nguid = text(space.nguid, sizeof space.nguid);
    n.eui64 = text(&dev.host[120], 8);
    EXPECT_EQ(identify(NVME_CNS_DESCRIPTORS, 1).status, 0);
    n.descriptors = text(dev.host.data(), 4096);
    return n;
  };
  const Names a = names("S123", 7), b = names("S124", 8), again = names("S123", 7);
  EXPECT_EQ(a.serial, "S123                ");
  EXPECT_EQ(a.nqn, "nqn.2026-01.org.openremap:nvme:S123" + std::string(221, '\0'));
  EXPECT_EQ(a.eui64, std::string("\x02\x01\x02\x03\x04\x05\x06\x07"));
  EXPECT_EQ(a.nguid, std::string(7, '\0') + '\x01' + a.eui64) << "namespace 1";
  EXPECT_EQ(a.descriptors.substr(0, 12), std::string("\x01\x08\0\0", 4) + a.eui64);
  EXPECT_EQ(a.descriptors.substr(12, 20), std::string("\x02\x10\0\0", 4) + a.nguid);
  EXPECT_EQ(a.descriptors.substr(32), std::string(4064, '\0')) << "the list ends";
  for (std::string Names::*field : {&Names::serial, &Names::nqn, &Names::nguid, &Names::eui64, &Names::descriptors}) {
    EXPECT_NE(a.*field, b.*field);
    EXPECT_EQ(a.*field, again.*field);
  }
}

TEST_F(IdentifyTest, Namespace) {
  ASSERT_EQ(identify(NVME_CNS_NAMESPACE, 1).status, 0);
  nvme_identify_namespace n;
  nvme_identify_namespace_unpack(&n, dev.host.data());
  EXPECT_EQ(n.nsze, dev.reg[ORM_FW_NVME_NSZE]);
  EXPECT_EQ(n.ncap, n.nsze);
  EXPECT_EQ(n.nuse, 0u) << "nothing is mapped";
  EXPECT_EQ(n.lbaf0, 12u << 16) << "4 KiB";
  EXPECT_EQ(n.nlbaf, 0);
  EXPECT_EQ(n.dlfeat, 9) << "Linux needs it for FALLOC_FL_WRITE_ZEROES";
  EXPECT_EQ(n.mcl, MockDevice::kJournal / 2);
  EXPECT_EQ(n.msrc, 127);
}

TEST_F(IdentifyTest, UseFollowsTheMapping) {
  dev.sb[1].valid = 5;
  dev.sb[MockDevice::kSuperblocks - 1].valid = 7;
  ASSERT_EQ(identify(NVME_CNS_NAMESPACE, 1).status, 0);
  nvme_identify_namespace n;
  nvme_identify_namespace_unpack(&n, dev.host.data());
  EXPECT_EQ(n.nuse, 12u);
}

TEST_F(IdentifyTest, NamespaceThatDoesNotExist) {
  for (uint32_t nsid : {0u, 2u, 0xFFFFFFFFu})
    EXPECT_EQ(sct_sc(identify(NVME_CNS_NAMESPACE, nsid)), NVME_STATUS_INVALID_NAMESPACE) << nsid;
}

TEST_F(IdentifyTest, ActiveNamespaces) {
  dev.host[4] = 0xAA;
  ASSERT_EQ(identify(NVME_CNS_ACTIVE_NAMESPACES, 0).status, 0);
  EXPECT_EQ(orm_get_le(&dev.host[0], 8), 1u);
  ASSERT_EQ(identify(NVME_CNS_ACTIVE_NAMESPACES, 1).status, 0);
  EXPECT_EQ(orm_get_le(&dev.host[0], 8), 0u);
  EXPECT_EQ(sct_sc(identify(NVME_CNS_ACTIVE_NAMESPACES, 0xFFFFFFFE)), NVME_STATUS_INVALID_NAMESPACE);
}

TEST_F(IdentifyTest, Descriptors) {
  ASSERT_EQ(identify(NVME_CNS_DESCRIPTORS, 1).status, 0);
  EXPECT_EQ(dev.host[0], NVME_DESCRIPTOR_EUI64);
  EXPECT_EQ(dev.host[12], NVME_DESCRIPTOR_NGUID);
  EXPECT_EQ(sct_sc(identify(NVME_CNS_DESCRIPTORS, 0)), NVME_STATUS_INVALID_NAMESPACE);
}

// Linux and nvme-cli send these to any controller. An error would add an entry to the error log at each start.
TEST_F(IdentifyTest, WhatBelongsToTheNvmCommandSet) {
  for (uint32_t cns : {uint32_t{NVME_CNS_SET_NAMESPACE}, uint32_t{NVME_CNS_SET_CONTROLLER}}) {
    std::fill_n(dev.host.begin(), 4096, uint8_t{0xAA});
    ASSERT_EQ(identify(cns, 1).status, 0) << cns;
    EXPECT_EQ(std::count(dev.host.begin(), dev.host.begin() + 4096, 0), 4096) << cns;
    nvme_submission_entry zoned = command(NVME_ADMIN_OPCODE_IDENTIFY, 1, cns);
    zoned.cdw11 = 2u << 24;
    EXPECT_EQ(sct_sc(admin(zoned)), NVME_STATUS_INVALID_FIELD) << cns;
  }
  EXPECT_EQ(identify(NVME_CNS_SET_CONTROLLER, 0).status, 0);
  EXPECT_EQ(sct_sc(identify(NVME_CNS_SET_NAMESPACE, 2)), NVME_STATUS_INVALID_NAMESPACE);
}

TEST_F(IdentifyTest, ControllersFromAnIdentifierOn) {
  for (uint32_t from : {0u, 1u, 2u}) {
    dev.host[0] = 0xAA;
    ASSERT_EQ(identify(NVME_CNS_CONTROLLERS | from << 16, 0).status, 0) << from;
    EXPECT_EQ(orm_get_le(&dev.host[0], 4), from <= 1 ? 1u | 1u << 16 : 0u) << from;
  }
}

TEST_F(IdentifyTest, UnknownCns) {
  for (uint32_t cns : {0x04u, 0x07u, 0x08u, 0x10u, 0x11u, 0x1Cu, 0xFFu})
    EXPECT_EQ(sct_sc(identify(cns, 1)), NVME_STATUS_INVALID_FIELD) << cns;
}

TEST_F(IdentifyTest, HostMemoryThatDoesNotAnswer) {
  dev.dma_status = NVME_STATUS_DATA_TRANSFER_ERROR;
  Completion c = identify(NVME_CNS_CONTROLLER, 0);
  EXPECT_EQ(sct_sc(c), NVME_STATUS_DATA_TRANSFER_ERROR);
  dev.dma_status = 0;
  EXPECT_EQ(identify(NVME_CNS_CONTROLLER, 0).status, 0) << "the device goes on";
}

TEST_F(IdentifyTest, StatusOfTheTransferIsPassedOn) {
  dev.dma_status = NVME_STATUS_INVALID_PRP_OFFSET | NVME_STATUS_FLAG_DO_NOT_RETRY;
  EXPECT_EQ(identify(NVME_CNS_CONTROLLER, 0).status,
            NVME_STATUS_INVALID_PRP_OFFSET | NVME_STATUS_FLAG_DO_NOT_RETRY | NVME_STATUS_FLAG_MORE);
}

TEST_F(IdentifyTest, SglsAndFusedCommandsAreRefused) {
  for (uint8_t flags : std::array<uint8_t, 4>{0x40, 0x80, 0x01, 0x02}) {
    nvme_submission_entry e = command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER);
    e.flags = flags;
    EXPECT_EQ(sct_sc(admin(e)), NVME_STATUS_INVALID_FIELD) << int{flags};
  }
}

}  // namespace
}  // namespace orm_test
