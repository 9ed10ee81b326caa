// SPDX-License-Identifier: Apache-2.0
// What Identify, Get Log Page, Get and Set Features answer to each value of each selector. What does not exist is
// refused, and never answered with something else; the error log names the field.
//
// Sections are those of the NVM Express Base Specification 2.0 (BS) and 2.1 (BS 2.1); sections whose numbers differ
// between revisions are named by their titles, as are those of the NVM Command Set Specification (CS). Reserved fields
// need not be looked at, reserved values of a field that is used are errors (BS, Keywords: reserved).
extern "C" {
#include "fw.h"
}

#include <algorithm>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kAll = UINT32_MAX;
constexpr uint16_t kOk = NVME_STATUS_SUCCESS, kField = NVME_STATUS_INVALID_FIELD,
                   kNamespace = NVME_STATUS_INVALID_NAMESPACE;
constexpr uint32_t kMdts = 8 * 4096;

// Parameter error location of a bit of a command dword (BS 5.16.1.2).
constexpr uint16_t at(uint32_t dword, uint32_t bit) {
  return static_cast<uint16_t>(dword * 4 + bit / 8 + ((bit % 8) << 8));
}
constexpr uint16_t kNsid = at(1, 0);

class SelectorsTest : public FwTest {
 protected:
  void SetUp() override {
    dev.options().placement_handles = 2;
    boot_enabled();
  }

  // Sends it. A refused one must move no data, and its entry in the error log must name `location`.
  Completion check(const nvme_submission_entry &e, uint16_t status, uint16_t location) {
    std::fill(dev.host.begin(), dev.host.begin() + kMdts + 4, uint8_t{0xEE});
    const uint64_t errors = fw_->state.errors;
    const Completion c = admin(e);
    EXPECT_EQ(sct_sc(c), status);
    if (status == kOk) {
      EXPECT_EQ(fw_->state.errors, errors);
      return c;
    }
    EXPECT_EQ(std::count(dev.host.begin(), dev.host.begin() + kMdts, 0xEE), kMdts) << "another's data";
    EXPECT_EQ(fw_->state.errors, errors + 1);
    uint8_t raw[NVME_ERROR_LOG_ENTRY_BYTES];
    errorlog_pack(fw_, 0, raw);
    nvme_error_log_entry entry{};
    nvme_error_log_entry_unpack(&entry, raw);
    EXPECT_EQ(entry.location, location);
    return c;
  }
};

// ---- Get Log Page

struct Page {
  uint8_t id;
  uint32_t bytes;
  bool group = false, command_set = false;
};

constexpr Page kPages[] = {
    {NVME_LOG_PAGE_ERROR_INFORMATION, 1024},
    {NVME_LOG_PAGE_SMART, 512},
    {NVME_LOG_PAGE_FIRMWARE_SLOT, 512},
    {NVME_LOG_PAGE_CHANGED_NAMESPACES, 4096},
    {NVME_LOG_PAGE_COMMANDS_SUPPORTED, 4096, false, true},
    {NVME_LOG_PAGE_ENDURANCE_GROUP, 512, true},
    {NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS, 80 + 2 * 4, true},
    {NVME_LOG_PAGE_PLACEMENT_USAGE, 8 + 2 * 8, true},
    {NVME_LOG_PAGE_PLACEMENT_STATISTICS, 64, true},
    {NVME_LOG_PAGE_PLACEMENT_EVENTS, 64, true},
    {ORM_VENDOR_LOG_PAGES_OCP_SMART, 512},
    {ORM_VENDOR_LOG_PAGES_REMAP_LOG, 512},
    {ORM_VENDOR_LOG_PAGES_CRASH_LOG, ORM_CRASH_LOG_BYTES},
};

struct LogSelectors {
  uint32_t nsid = kAll, lsi = 0, lsp = 0, csi = 0, uuid = 0, dwords = 1;  // `dwords`: to read, zero-based in NUMD
  uint64_t offset = 0;
  bool index = false;  // OT
};

nvme_submission_entry get_log(uint8_t id, const LogSelectors &s) {
  nvme_submission_entry e = command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, s.nsid);
  const uint32_t numd = s.dwords - 1;
  e.cdw10 = id | s.lsp << 8 | (numd & 0xFFFF) << 16;
  e.cdw11 = numd >> 16 | s.lsi << 16;
  e.cdw12 = static_cast<uint32_t>(s.offset);
  e.cdw13 = static_cast<uint32_t>(s.offset >> 32);
  e.cdw14 = s.uuid | uint32_t{s.index} << 23 | s.csi << 24;
  return e;
}

const Page *page_of(uint32_t id) {
  for (const Page &p : kPages) {
    if (p.id == id) return &p;
  }
  return nullptr;
}

struct LogCase {
  const char *what, *section;
  void (*select)(const Page &, LogSelectors &);
  uint16_t status;  // of the pages that `applies` names, or of all; others succeed
  uint16_t location = COMMAND_NO_FIELD;
  bool (*applies)(const Page &) = nullptr;
};

bool of_group(const Page &p) { return p.group; }
bool of_command_set(const Page &p) { return p.command_set; }

const LogCase kLogCases[] = {
    {"no namespace", "BS 5.16", [](const Page &, LogSelectors &s) { s.nsid = 0; }, kOk},
    {"all namespaces", "BS 5.16", [](const Page &, LogSelectors &s) { s.nsid = kAll; }, kOk},
    {"the namespace: no page is a namespace's", "BS 5.16, LPA bit 0", [](const Page &, LogSelectors &s) { s.nsid = 1; },
     kField, kNsid},
    {"a namespace that does not exist", "BS 3.2.1", [](const Page &, LogSelectors &s) { s.nsid = 2; }, kNamespace,
     kNsid},
    {"the largest NSID", "BS 3.2.1", [](const Page &, LogSelectors &s) { s.nsid = 0xFFFFFFFE; }, kNamespace, kNsid},
    {"group 0", "BS 5.16.1.10, BS 2.1 5.1.12.1.28", [](const Page &, LogSelectors &s) { s.lsi = 0; }, kField,
     at(11, 16), of_group},
    {"group 2", "BS 5.16.1.10, BS 2.1 5.1.12.1.28", [](const Page &, LogSelectors &s) { s.lsi = 2; }, kField,
     at(11, 16), of_group},
    {"group FFFFh", "BS 5.16.1.10, BS 2.1 5.1.12.1.28", [](const Page &, LogSelectors &s) { s.lsi = 0xFFFF; }, kField,
     at(11, 16), of_group},
    {"LSP, which no page here uses", "BS, Keywords: reserved", [](const Page &, LogSelectors &s) { s.lsp = 0x7F; },
     kOk},
    {"the events of the host", "BS 2.1 5.1.12.1.31", [](const Page &, LogSelectors &s) { s.lsp = 1; }, kOk},
    {"Key Value Command Set", "BS 5.16.1.6", [](const Page &, LogSelectors &s) { s.csi = 1; }, kField, at(14, 24),
     of_command_set},
    {"Zoned Namespace Command Set", "BS 5.16.1.6", [](const Page &, LogSelectors &s) { s.csi = 2; }, kField, at(14, 24),
     of_command_set},
    {"command set FFh", "BS 5.16.1.6", [](const Page &, LogSelectors &s) { s.csi = 0xFF; }, kField, at(14, 24),
     of_command_set},
    {"UUID Index 1: there is no list", "BS, UUIDs for Vendor Specific Information",
     [](const Page &, LogSelectors &s) { s.uuid = 1; }, kField, at(14, 0)},
    {"UUID Index 7Fh", "BS, UUIDs for Vendor Specific Information",
     [](const Page &, LogSelectors &s) { s.uuid = 0x7F; }, kField, at(14, 0)},
    {"offset by entries", "BS 5.16, OT", [](const Page &, LogSelectors &s) { s.index = true; }, kField, at(14, 23)},
    {"the last dword", "BS 5.16", [](const Page &p, LogSelectors &s) { s.offset = p.bytes - 4; }, kOk},
    {"at the end", "BS 5.16", [](const Page &p, LogSelectors &s) { s.offset = p.bytes; }, kOk},
    {"past the end", "BS 5.16", [](const Page &p, LogSelectors &s) { s.offset = p.bytes + 4; }, kField, at(12, 0)},
    {"far past the end", "BS 5.16", [](const Page &, LogSelectors &s) { s.offset = uint64_t{1} << 32; }, kField,
     at(12, 0)},
    {"offset all ones but for its low bits", "BS 5.16", [](const Page &, LogSelectors &s) { s.offset = ~uint64_t{3}; },
     kField, at(12, 0)},
    {"no dword", "BS 5.16", [](const Page &, LogSelectors &s) { s.offset = 2; }, kField, at(12, 0)},
    {"the largest transfer", "BS 5.16, MDTS", [](const Page &, LogSelectors &s) { s.dwords = kMdts / 4; }, kOk},
    {"past the largest transfer", "BS 5.16, MDTS", [](const Page &, LogSelectors &s) { s.dwords = kMdts / 4 + 1; },
     kField, at(10, 16)},
    {"NUMD all ones", "BS 5.16, MDTS", [](const Page &, LogSelectors &s) { s.dwords = 0; }, kField, at(10, 16)},
};

TEST_F(SelectorsTest, EachLogPageWithEachSelector) {
  for (const Page &p : kPages) {
    for (const LogCase &c : kLogCases) {
      SCOPED_TRACE(testing::Message() << "page " << int{p.id} << ": " << c.what << " (" << c.section << ")");
      LogSelectors s;
      s.lsi = p.group ? 1 : 0;
      c.select(p, s);
      const bool refused = c.status != kOk && (c.applies == nullptr || c.applies(p));
      check(get_log(p.id, s), refused ? c.status : kOk, c.location);
    }
  }
}

// BS 5.16: Invalid Log Page. Whatever else is wrong, this is the first thing that is.
TEST_F(SelectorsTest, LogPagesThatDoNotExist) {
  for (uint32_t id = 0; id < 256; id++) {
    if (page_of(id) != nullptr) continue;
    SCOPED_TRACE(id);
    LogSelectors s;
    check(get_log(static_cast<uint8_t>(id), s), NVME_STATUS_LOG_PAGE_INVALID, at(10, 0));
    s.nsid = 7;
    s.lsi = 0xFFFF;
    check(get_log(static_cast<uint8_t>(id), s), NVME_STATUS_LOG_PAGE_INVALID, at(10, 0));
  }
}

// What Identify Controller says (ENDGIDMAX, CTRATT, LPA, ONCS) is what the commands do.
TEST_F(SelectorsTest, IdentifyAgrees) {
  ASSERT_EQ(admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER)).status, 0);
  nvme_identify_controller c;
  nvme_identify_controller_unpack(&c, dev.host.data());
  EXPECT_EQ(c.endgidmax, 1);
  EXPECT_EQ(c.lpa & 1, 0) << "SMART is the controller's";
  EXPECT_EQ(c.ctratt & 0x200, 0u) << "no UUID list";
  EXPECT_EQ(c.oncs & NVME_ONCS_SAVE_SELECT, NVME_ONCS_SAVE_SELECT) << "Select is looked at";
}

// ---- Identify

struct IdentifyCase {
  uint32_t cns, nsid;
  uint16_t status;
  uint16_t location;
  const char *section;
  uint32_t cntid = 0, csi = 0, uuid = 0;
};

const IdentifyCase kIdentifyCases[] = {
    {NVME_CNS_NAMESPACE, 1, kOk, 0, "CS 4.1.5.1"},
    {NVME_CNS_NAMESPACE, 0, kNamespace, kNsid, "CS 4.1.5.1"},
    {NVME_CNS_NAMESPACE, 2, kNamespace, kNsid, "BS 3.2.1"},
    {NVME_CNS_NAMESPACE, kAll, kNamespace, kNsid, "CS 4.1.5.1: no namespace management"},
    {NVME_CNS_NAMESPACE, 1, kField, at(14, 0), "BS, UUIDs for Vendor Specific Information", 0, 0, 1},
    {NVME_CNS_CONTROLLER, 0, kOk, 0, "BS 5.17.2.1"},
    {NVME_CNS_CONTROLLER, 1, kOk, 0, "BS, Common Command Format: should be refused; many hosts send it"},
    {NVME_CNS_CONTROLLER, kAll, kOk, 0, "BS, Common Command Format"},
    {NVME_CNS_CONTROLLER, 0, kField, at(14, 0), "BS, UUIDs for Vendor Specific Information", 0, 0, 0x7F},
    {NVME_CNS_ACTIVE_NAMESPACES, 0, kOk, 0, "BS 5.17.2.2"},
    {NVME_CNS_ACTIVE_NAMESPACES, 1, kOk, 0, "BS 5.17.2.2"},
    {NVME_CNS_ACTIVE_NAMESPACES, 0xFFFFFFFD, kOk, 0, "BS 5.17.2.2"},
    {NVME_CNS_ACTIVE_NAMESPACES, 0xFFFFFFFE, kNamespace, kNsid, "BS 5.17.2.2"},
    {NVME_CNS_ACTIVE_NAMESPACES, kAll, kNamespace, kNsid, "BS 5.17.2.2"},
    {NVME_CNS_DESCRIPTORS, 1, kOk, 0, "BS 5.17.2.3"},
    {NVME_CNS_DESCRIPTORS, 0, kNamespace, kNsid, "BS 5.17.2.3"},
    {NVME_CNS_DESCRIPTORS, 2, kNamespace, kNsid, "BS 5.17.2.3"},
    {NVME_CNS_DESCRIPTORS, kAll, kNamespace, kNsid, "BS 5.17.2.3"},
    {NVME_CNS_SET_NAMESPACE, 1, kOk, 0, "BS 5.17, I/O Command Set specific Identify Namespace"},
    {NVME_CNS_SET_NAMESPACE, 0, kNamespace, kNsid, "BS 5.17, I/O Command Set specific Identify Namespace"},
    {NVME_CNS_SET_NAMESPACE, kAll, kNamespace, kNsid, "BS 5.17, I/O Command Set specific Identify Namespace"},
    {NVME_CNS_SET_NAMESPACE, 1, kField, at(11, 24),
     "BS 5.17, I/O Command Set specific Identify Namespace: Zoned Namespace Command Set", 0, 2},
    {NVME_CNS_SET_NAMESPACE, 1, kField, at(11, 24), "BS 5.17, I/O Command Set specific Identify Namespace", 0, 0xFF},
    {NVME_CNS_SET_CONTROLLER, 0, kOk, 0, "BS 5.17, I/O Command Set specific Identify Controller"},
    {NVME_CNS_SET_CONTROLLER, 0, kField, at(11, 24), "BS 5.17, I/O Command Set specific Identify Controller", 0, 2},
    {NVME_CNS_SET_CONTROLLER, 0, kField, at(11, 24), "BS 5.17, I/O Command Set specific Identify Controller", 0, 0xFF},
    {NVME_CNS_CONTROLLERS, 0, kOk, 0, "BS 5.17, Controller List"},
    {NVME_CNS_CONTROLLERS, 0, kOk, 0, "BS 5.17, Controller List", 1},
    {NVME_CNS_CONTROLLERS, 0, kOk, 0, "BS 5.17, Controller List", 2},
    {NVME_CNS_CONTROLLERS, 0, kOk, 0, "BS 5.17, Controller List", 0xFFFF},
};

TEST_F(SelectorsTest, EachIdentifyWithEachSelector) {
  for (const IdentifyCase &c : kIdentifyCases) {
    SCOPED_TRACE(testing::Message() << "CNS " << c.cns << ", NSID " << c.nsid << " (" << c.section << ")");
    nvme_submission_entry e =
        command(NVME_ADMIN_OPCODE_IDENTIFY, c.nsid, c.cns | c.cntid << 16, c.csi << 24, MockDevice::kHost);
    e.cdw14 = c.uuid;
    check(e, c.status, c.location);
  }
}

// BS 5.17: Invalid Field in Command.
TEST_F(SelectorsTest, IdentifyOfWhatDoesNotExist) {
  for (uint32_t cns = 0; cns < 256; cns++) {
    const bool known = std::any_of(std::begin(kIdentifyCases), std::end(kIdentifyCases),
                                   [cns](const IdentifyCase &c) { return c.cns == cns; });
    if (known) continue;
    for (uint32_t nsid : {0u, 1u, kAll}) {
      SCOPED_TRACE(testing::Message() << "CNS " << cns << ", NSID " << nsid);
      check(command(NVME_ADMIN_OPCODE_IDENTIFY, nsid, cns), kField, at(10, 0));
    }
  }
}

// ---- features

constexpr uint16_t kNotNamespaced = NVME_STATUS_FEATURE_NOT_NAMESPACED, kNotSaveable = NVME_STATUS_FEATURE_NOT_SAVEABLE;
constexpr uint32_t kCurrent = NVME_FEATURE_SELECT_CURRENT, kDefault = NVME_FEATURE_SELECT_DEFAULT,
                   kSaved = NVME_FEATURE_SELECT_SAVED, kCapabilities = NVME_FEATURE_SELECT_CAPABILITIES;

struct Feature {
  uint8_t fid;
  uint32_t cdw11;  // that Set accepts
  bool namespaced;
  uint16_t set = kOk;
};

// Error Recovery is a namespace's (CS, Error Recovery), and so are FDP events (BS 2.1 5.1.25.1.21).
constexpr Feature kFeatures[] = {
    {NVME_FEATURE_ARBITRATION, 7, false},
    {NVME_FEATURE_POWER_MANAGEMENT, 0, false},
    {NVME_FEATURE_TEMPERATURE, 343, false},
    {NVME_FEATURE_ERROR_RECOVERY, 5, true},
    {NVME_FEATURE_WRITE_CACHE, 1, false},
    {NVME_FEATURE_NUMBER_OF_QUEUES, 0, false},
    {NVME_FEATURE_INTERRUPT_COALESCING, 0, false},
    {NVME_FEATURE_INTERRUPT_VECTOR, 1, false},
    {NVME_FEATURE_WRITE_ATOMICITY, 1, false},
    {NVME_FEATURE_ASYNC_EVENT_CONFIG, 0, false},
    {NVME_FEATURE_KEEP_ALIVE, 0, false},
    {NVME_FEATURE_HOST_BEHAVIOR, 0, false, kField},  // of these data
    {NVME_FEATURE_PLACEMENT, 1, false, NVME_STATUS_SEQUENCE_ERROR},
    {NVME_FEATURE_PLACEMENT_EVENTS, 1, true},
};

bool is_fdp(const Feature &f) { return f.fid == NVME_FEATURE_PLACEMENT || f.fid == NVME_FEATURE_PLACEMENT_EVENTS; }

nvme_submission_entry get_feature(const Feature &f, uint32_t nsid, uint32_t select = kCurrent) {
  return command(NVME_ADMIN_OPCODE_GET_FEATURES, nsid, f.fid | select << 8, f.cdw11);
}

nvme_submission_entry set_feature(const Feature &f, uint32_t nsid, uint32_t flags = 0) {
  return command(NVME_ADMIN_OPCODE_SET_FEATURES, nsid, f.fid | flags, f.cdw11);
}

// BS, Feature Values: scope of features and the NSID.
TEST_F(SelectorsTest, EachFeatureWithEachNamespace) {
  for (const Feature &f : kFeatures) {
    SCOPED_TRACE(testing::Message() << "feature " << int{f.fid});
    check(get_feature(f, 1), kOk, 0);
    check(get_feature(f, 0), f.namespaced ? kNamespace : kOk, kNsid);
    check(get_feature(f, kAll), f.namespaced ? kNamespace : kOk, kNsid);
    check(get_feature(f, 2), kNamespace, kNsid);
    check(get_feature(f, 0xFFFFFFFE), kNamespace, kNsid);
    check(set_feature(f, 0), f.namespaced ? kNamespace : f.set, f.namespaced ? kNsid : COMMAND_NO_FIELD);
    check(set_feature(f, 2), kNamespace, kNsid);
    if (is_fdp(f)) continue;  // FDP is an endurance group's: cmd_placement_test.cc
    check(set_feature(f, 1), f.namespaced ? kOk : kNotNamespaced, kNsid);
    check(set_feature(f, kAll), f.set, COMMAND_NO_FIELD);
  }
}

// BS 5.15 (Select), 5.27 (Save), UUIDs for Vendor Specific Information (UUID Index).
TEST_F(SelectorsTest, EachFeatureWithEachSelect) {
  for (const Feature &f : kFeatures) {
    const uint32_t nsid = f.namespaced ? 1 : 0;
    for (uint32_t select = 0; select < 8; select++) {
      SCOPED_TRACE(testing::Message() << "feature " << int{f.fid} << ", select " << select);
      check(get_feature(f, nsid, select), select <= kCapabilities ? kOk : kField, at(10, 8));
    }
    SCOPED_TRACE(testing::Message() << "feature " << int{f.fid});
    check(set_feature(f, nsid, NVME_FEATURE_FLAG_SAVE), kNotSaveable, at(10, 31));
    const Completion c = check(get_feature(f, nsid, kCapabilities), kOk, 0);
    EXPECT_EQ(c.dw0 & 1, 0u) << "not saveable";
    EXPECT_EQ((c.dw0 & NVME_FEATURE_FLAG_NAMESPACED) != 0, f.namespaced);
    EXPECT_EQ(c.dw0 & ~7u, 0u) << "reserved";
    nvme_submission_entry e = get_feature(f, nsid);
    e.cdw14 = 1;
    check(e, kField, at(14, 0));
    e = set_feature(f, nsid);
    e.cdw14 = 0x7F;
    check(e, kField, at(14, 0));
  }
}

// BS 5.15 and 5.27: Invalid Field in Command, whatever the select.
TEST_F(SelectorsTest, FeaturesThatDoNotExist) {
  for (uint32_t fid = 0; fid < 256; fid++) {
    const bool known =
        std::any_of(std::begin(kFeatures), std::end(kFeatures), [fid](const Feature &f) { return f.fid == fid; });
    if (known) continue;
    SCOPED_TRACE(testing::Message() << "feature " << fid);
    const Feature f{static_cast<uint8_t>(fid), 0, false};
    for (uint32_t select = 0; select <= kCapabilities; select++) check(get_feature(f, 1, select), kField, at(10, 0));
    check(set_feature(f, 0), kField, at(10, 0));
    check(set_feature(f, 0, NVME_FEATURE_FLAG_SAVE), kField, at(10, 0));
  }
}

struct FeatureCase {
  uint8_t fid;
  uint32_t nsid, cdw11;
  uint16_t get, set;
  uint16_t location;
  const char *section;
};

const FeatureCase kFeatureCases[] = {
    {NVME_FEATURE_TEMPERATURE, 0, 0xFu << 16 | 340, kField, kOk, at(11, 16), "BS 5.27.1.3: all sensors, in Set only"},
    {NVME_FEATURE_TEMPERATURE, 0, 1u << 16 | 340, kField, kField, at(11, 16), "BS 5.27.1.3: no sensor beside"},
    {NVME_FEATURE_TEMPERATURE, 0, 9u << 16 | 340, kField, kField, at(11, 16), "BS 5.27.1.3: reserved"},
    {NVME_FEATURE_TEMPERATURE, 0, 1u << 20, kOk, kOk, 0, "BS 5.27.1.3: under temperature"},
    {NVME_FEATURE_TEMPERATURE, 0, 2u << 20, kField, kField, at(11, 20), "BS 5.27.1.3: reserved"},
    {NVME_FEATURE_TEMPERATURE, 0, 3u << 20, kField, kField, at(11, 20), "BS 5.27.1.3: reserved"},
    {NVME_FEATURE_TEMPERATURE, 0, 1u << 22, kField, kField, at(11, 22), "BS 2.1 5.1.25.1.3: no hysteresis"},
    {NVME_FEATURE_INTERRUPT_VECTOR, 0, MockDevice::kQueues, kOk, kOk, 0, "BS 5.27.1.7"},
    {NVME_FEATURE_INTERRUPT_VECTOR, 0, MockDevice::kQueues + 1, kField, kField, at(11, 0), "BS 5.27.1.7"},
    {NVME_FEATURE_INTERRUPT_VECTOR, 0, 0xFFFF, kField, kField, at(11, 0), "BS 5.27.1.7"},
    {NVME_FEATURE_POWER_MANAGEMENT, 0, 1, kOk, kField, at(11, 0), "BS 5.27.1.2: one power state (NPSS)"},
    {NVME_FEATURE_POWER_MANAGEMENT, 0, 0x1F, kOk, kField, at(11, 0), "BS 5.27.1.2"},
    {NVME_FEATURE_ERROR_RECOVERY, 1, 1u << 16, kOk, kField, at(11, 16),
     "CS, Error Recovery: DULBE, which NSFEAT lacks"},
    {NVME_FEATURE_NUMBER_OF_QUEUES, 0, 0xFFFF, kOk, kField, at(11, 0), "BS 5.27.1.5"},
    {NVME_FEATURE_NUMBER_OF_QUEUES, 0, 0xFFFF0000, kOk, kField, at(11, 16), "BS 5.27.1.5"},
    {NVME_FEATURE_WRITE_CACHE, 0, 0, kOk, NVME_STATUS_FEATURE_NOT_CHANGEABLE, at(11, 0),
     "BS, Feature Values: not changeable"},
    {NVME_FEATURE_KEEP_ALIVE, 0, 1000, kOk, NVME_STATUS_FEATURE_NOT_CHANGEABLE, at(11, 0),
     "BS, Keep Alive Timer: KAS is 0, so the timer is off"},
    {NVME_FEATURE_PLACEMENT, 0, 0, kField, kField, at(11, 0), "BS 2.1 5.1.25.1.20: endurance group"},
    {NVME_FEATURE_PLACEMENT, 0, 2, kField, kField, at(11, 0), "BS 2.1 5.1.25.1.20"},
    {NVME_FEATURE_PLACEMENT, 0, 0xFFFF, kField, kField, at(11, 0), "BS 2.1 5.1.25.1.20"},
    {NVME_FEATURE_PLACEMENT_EVENTS, 1, 2, kField, kField, at(11, 0), "BS 2.1 5.1.25.1.21: placement handle"},
    {NVME_FEATURE_PLACEMENT_EVENTS, 1, 0xFFFF, kField, kField, at(11, 0), "BS 2.1 5.1.25.1.21"},
    {NVME_FEATURE_PLACEMENT_EVENTS, 1, 1u << 16, kOk, kField, at(11, 16), "BS 2.1 5.1.25.1.21: no event is known"},
};

TEST_F(SelectorsTest, SelectorsOfSingleFeatures) {
  for (const FeatureCase &c : kFeatureCases) {
    SCOPED_TRACE(testing::Message() << "feature " << int{c.fid} << ", cdw11 " << c.cdw11 << " (" << c.section << ")");
    const Feature f{c.fid, c.cdw11, false};
    for (uint32_t select : {kCurrent, kDefault, kSaved}) check(get_feature(f, c.nsid, select), c.get, c.location);
    check(set_feature(f, c.nsid), c.set, c.location);
  }
}

// BS 5.27.1.7: the value names its vector, also as default and as saved value.
TEST_F(SelectorsTest, EachVectorHasItsDefault) {
  for (uint32_t vector = 0; vector <= MockDevice::kQueues; vector++) {
    const Feature on{NVME_FEATURE_INTERRUPT_VECTOR, vector | 1u << 16, false}, f{on.fid, vector, false};
    check(set_feature(on, 0), kOk, 0);
    EXPECT_EQ(check(get_feature(f, 0), kOk, 0).dw0, on.cdw11);
    EXPECT_EQ(check(get_feature(f, 0, kDefault), kOk, 0).dw0, vector);
    EXPECT_EQ(check(get_feature(f, 0, kSaved), kOk, 0).dw0, vector);
  }
}

// Reserved bits are not stored: they would be reported as if they meant something.
TEST_F(SelectorsTest, ReservedBitsReadBackAsZero) {
  const struct {
    uint8_t fid;
    uint32_t nsid, set, get;
  } cases[] = {
      {NVME_FEATURE_ARBITRATION, 0, 0xFFFFFFFF, 0xFFFFFF07},     {NVME_FEATURE_POWER_MANAGEMENT, 0, 0xFFFFFFE0, 0xE0},
      {NVME_FEATURE_ERROR_RECOVERY, 1, 0xFFFEFFFF, 0xFFFF},      {NVME_FEATURE_WRITE_CACHE, 0, 0xFFFFFFFF, 1},
      {NVME_FEATURE_INTERRUPT_COALESCING, 0, 0xFFFF0507, 0x507}, {NVME_FEATURE_WRITE_ATOMICITY, 0, 0xFFFFFFFF, 1},
      {NVME_FEATURE_ASYNC_EVENT_CONFIG, 0, 0x1FF, 0x13F},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(testing::Message() << "feature " << int{c.fid});
    const Feature f{c.fid, c.set, false};
    check(set_feature(f, c.nsid), kOk, 0);
    EXPECT_EQ(check(get_feature(f, c.nsid), kOk, 0).dw0, c.get);
  }
}

// BS 5.27.1.8: bits 31:8 enable optional events. Each that OAES does not offer is refused, and what was set before
// stays. Critical warnings can all be enabled, also those that cannot occur here.
TEST_F(SelectorsTest, EventsThatAreNotOfferedCannotBeEnabled) {
  ASSERT_EQ(admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER)).status, 0);
  nvme_identify_controller c;
  nvme_identify_controller_unpack(&c, dev.host.data());
  EXPECT_EQ(c.oaes, NVME_OAES_NAMESPACE_CHANGED);
  constexpr uint32_t kWarnings = 0x3F;
  const auto feature = [](uint32_t cdw11) { return Feature{NVME_FEATURE_ASYNC_EVENT_CONFIG, cdw11, false}; };
  for (uint32_t bit = 0; bit < 32; bit++) {
    SCOPED_TRACE(bit);
    const uint32_t event = uint32_t{1} << bit;
    const bool offered = bit < 8 || (c.oaes & event) != 0;
    check(set_feature(feature(0x21), 0), kOk, 0);
    check(set_feature(feature(event), 0), offered ? kOk : kField, at(11, bit));
    const uint32_t now = !offered ? 0x21 : bit < 8 ? event & kWarnings : event;
    EXPECT_EQ(check(get_feature(feature(0), 0), kOk, 0).dw0, now);
    for (uint32_t select : {kDefault, kSaved}) EXPECT_EQ(check(get_feature(feature(0), 0, select), kOk, 0).dw0, 0u);
    EXPECT_EQ(check(get_feature(feature(0), 0, kCapabilities), kOk, 0).dw0, uint32_t{NVME_FEATURE_FLAG_CHANGEABLE});
  }
  check(set_feature(feature(c.oaes | 0x1F), 0), kOk, 0);
  EXPECT_EQ(check(get_feature(feature(0), 0), kOk, 0).dw0, c.oaes | 0x1F);
  check(set_feature(feature(kAll), 0), kField, at(11, 9));
  EXPECT_EQ(check(get_feature(feature(0), 0), kOk, 0).dw0, c.oaes | 0x1F);
}

// BS 5.16.1.6: an opcode that the log of effects names is carried out, one that it does not is Invalid Command Opcode.
TEST_F(SelectorsTest, EffectsAgreeWithTheCommands) {
  LogSelectors s;
  s.dwords = 1024;
  ASSERT_EQ(admin(get_log(NVME_LOG_PAGE_COMMANDS_SUPPORTED, s)).status, 0);
  const std::vector<uint8_t> page(dev.host.begin(), dev.host.begin() + 4096);
  EXPECT_EQ(std::count(page.begin() + 2048, page.end(), 0), 2048) << "reserved";
  // By the hardware (docs/design/nvme.md): they do not come here.
  const std::set<uint32_t> hardware = {NVME_IO_OPCODE_FLUSH, NVME_IO_OPCODE_WRITE, NVME_IO_OPCODE_READ,
                                       NVME_IO_OPCODE_WRITE_ZEROES, NVME_IO_OPCODE_DATASET_MANAGEMENT};
  for (uint32_t opcode = 0; opcode < 256; opcode++) {
    SCOPED_TRACE(opcode);
    for (const uint8_t qid : std::array<uint8_t, 2>{0, 1}) {
      const bool named = orm_get_le(&page[1024 * qid + 4 * opcode], 4) & NVME_EFFECT_SUPPORTED;
      if (qid == 1 && hardware.count(opcode) != 0) {
        EXPECT_TRUE(named);
        continue;
      }
      nvme_submission_entry e = command(static_cast<uint8_t>(opcode), 7);
      e.flags = 0x40;  // refused, so that nothing is changed or held
      EXPECT_EQ(sct_sc(run(qid, e)), named ? kField : uint16_t{NVME_STATUS_INVALID_OPCODE}) << int{qid};
    }
  }
}

}  // namespace
}  // namespace orm_test
