// SPDX-License-Identifier: Apache-2.0
// Asynchronous events from their cause to the completion of a request: each kind of event against what the host has
// enabled, what it has read, the events of other types, and thresholds that change.
extern "C" {
#include "nvme/watch.h"

#include "fw.h"
}

#include <functional>
#include <set>
#include <string>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kUnder = 1u << 20;        // THSEL of feature 04h
constexpr uint32_t kAllSensors = 15u << 16;  // TMPSEL
constexpr uint32_t kRetain = NVME_LOG_FLAG_RETAIN_EVENT;
constexpr uint32_t kEverything = 0x11F;  // feature 0Bh: all critical warnings, and the notice

using Told = std::vector<uint32_t>;

class WatchTest : public FwTest {
 public:
  void SetUp() override { start(); }

  // A device at 300 K, with thresholds of 343 and 250 K.
  void start() {
    requests_.clear();
    seen_ = 0;
    dev.~MockDevice();
    new (&dev) MockDevice();
    boot_enabled();
    threshold(250 | kUnder);
  }

  // Sends a command and returns its completion; requests may complete beside it.
  Completion ask(const nvme_submission_entry &e) {
    dev.mailbox.emplace_back(uint8_t{0}, e);
    settle();
    for (const Completion &c : dev.completions) {
      if (c.cid == e.cid) return c;
    }
    ADD_FAILURE() << "no completion";
    return {};
  }
  void set_feature(uint32_t fid, uint32_t value) {
    EXPECT_EQ(ask(command(NVME_ADMIN_OPCODE_SET_FEATURES, 0, fid, value)).status, 0);
  }
  void threshold(uint32_t cdw11) { set_feature(NVME_FEATURE_TEMPERATURE, cdw11); }
  void enable_events(uint32_t config) { set_feature(NVME_FEATURE_ASYNC_EVENT_CONFIG, config); }
  void read_page(uint32_t page, uint32_t flags = 0) {
    EXPECT_EQ(ask(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, page | 127u << 16 | flags)).status, 0);
  }
  uint32_t critical_warning() {
    read_page(NVME_LOG_PAGE_SMART, kRetain);
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    return s.critical_warning;
  }
  void request(int n = 1) {
    for (; n > 0; n--) {
      const nvme_submission_entry e = command(NVME_ADMIN_OPCODE_ASYNC_EVENT);
      requests_.insert(e.cid);
      dev.mailbox.emplace_back(uint8_t{0}, e);
      settle();
    }
  }
  // The events that were reported since the last call.
  Told told() {
    settle();
    Told events;
    for (; seen_ < dev.completions.size(); seen_++) {
      const Completion &c = dev.completions[seen_];
      if (requests_.erase(c.cid) == 0) continue;
      EXPECT_EQ(c.status, 0);
      events.push_back(c.dw0);
    }
    return events;
  }
  void doorbell(uint32_t event) {
    dev.irq_events |= event;
    settle();
  }
  void kelvin(uint16_t now) {
    dev.kelvin = now;
    settle();
  }
  // The spare goes, and with it the possibility to write.
  void wear_out() {
    for (uint32_t sb = 1; spare_percent(fw_) != 0; sb++) bad_add(fw_, sb);
    settle();
  }
  void renew() {
    bad_set_at_format(fw_, fw_->bad.count);
    settle();
  }
  void count(orm_counter counter, uint64_t errors) {
    dev.counters[counter] = errors;
    settle();
  }

 private:
  std::set<uint16_t> requests_;
  size_t seen_ = 0;
};

struct Kind {
  const char *name;
  uint32_t event;
  uint32_t config;   // bits of feature 0Bh, of which one enables it; 0: it is always enabled
  uint32_t warning;  // critical warning of SMART
  std::function<void(WatchTest &)> begin, end;
};

const std::vector<Kind> &kinds() {
  static const std::vector<Kind> all = {
      {"doorbell of no queue", NVME_ASYNC_EVENT_BAD_DOORBELL_REGISTER, 0, 0,
       [](WatchTest &t) { t.doorbell(ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_MASK); }, [](WatchTest &) {}},
      {"doorbell value", NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE, 0, 0,
       [](WatchTest &t) { t.doorbell(ORM_FW_IRQ_STATUS_BAD_DOORBELL_MASK); }, [](WatchTest &) {}},
      {"over temperature", NVME_ASYNC_EVENT_SMART_TEMPERATURE, NVME_CRITICAL_WARNING_TEMPERATURE,
       NVME_CRITICAL_WARNING_TEMPERATURE, [](WatchTest &t) { t.kelvin(343); }, [](WatchTest &t) { t.kelvin(342); }},
      {"under temperature", NVME_ASYNC_EVENT_SMART_TEMPERATURE, NVME_CRITICAL_WARNING_TEMPERATURE,
       NVME_CRITICAL_WARNING_TEMPERATURE, [](WatchTest &t) { t.kelvin(250); }, [](WatchTest &t) { t.kelvin(251); }},
      {"spare", NVME_ASYNC_EVENT_SMART_SPARE, NVME_CRITICAL_WARNING_SPARE, NVME_CRITICAL_WARNING_SPARE,
       [](WatchTest &t) { t.wear_out(); }, [](WatchTest &t) { t.renew(); }},
      {"read only", NVME_ASYNC_EVENT_SMART_RELIABILITY, NVME_CRITICAL_WARNING_READ_ONLY,
       NVME_CRITICAL_WARNING_READ_ONLY, [](WatchTest &t) { t.wear_out(); }, [](WatchTest &t) { t.renew(); }},
      {"lost data", NVME_ASYNC_EVENT_SMART_RELIABILITY, NVME_CRITICAL_WARNING_RELIABILITY,
       NVME_CRITICAL_WARNING_RELIABILITY, [](WatchTest &t) { t.count(ORM_COUNTER_READ_ERRORS, 1); },
       [](WatchTest &t) { t.count(ORM_COUNTER_READ_ERRORS, 0); }},
      {"lost sharers", NVME_ASYNC_EVENT_SMART_RELIABILITY, NVME_CRITICAL_WARNING_RELIABILITY,
       NVME_CRITICAL_WARNING_RELIABILITY, [](WatchTest &t) { t.count(ORM_COUNTER_BAD_ENTRIES, 1); },
       [](WatchTest &t) { t.count(ORM_COUNTER_BAD_ENTRIES, 0); }},
      {"namespace", NVME_ASYNC_EVENT_NAMESPACE_CHANGED, NVME_OAES_NAMESPACE_CHANGED, 0,
       [](WatchTest &t) { t.wear_out(); }, [](WatchTest &t) { t.renew(); }},
  };
  return all;
}

uint32_t type_of(uint32_t event) { return event & 7; }
uint32_t page_of(uint32_t event) { return event >> 16 & 0xFF; }
bool is_level(const Kind &k) { return k.warning != 0; }

// Runs the body on a device of its own for each kind of event.
void each(WatchTest &t, const std::function<void(const Kind &)> &body) {
  for (const Kind &k : kinds()) {
    SCOPED_TRACE(k.name);
    ASSERT_NO_FATAL_FAILURE(t.start());
    body(k);
  }
}

TEST_F(WatchTest, ToldOnceForEachTimeThatItBegins) {
  each(*this, [&](const Kind &k) {
    enable_events(k.config);
    request(4);
    EXPECT_EQ(told(), Told{});
    for (int round = 0; round < 3; round++) {
      k.begin(*this);
      EXPECT_EQ(told(), Told{k.event}) << round;
      request();
      read_page(page_of(k.event));
      read_page(page_of(k.event));
      EXPECT_EQ(told(), Told{}) << "it goes on, but nothing has changed";
      k.end(*this);
      if (k.event == NVME_ASYNC_EVENT_NAMESPACE_CHANGED) {
        EXPECT_EQ(told(), Told{k.event}) << "to write again is a change, too";
        request();
        read_page(page_of(k.event));
      }
      EXPECT_EQ(told(), Told{});
    }
  });
}

TEST_F(WatchTest, TheWarningsOfSmartAreThoseOfTheEvents) {
  each(*this, [&](const Kind &k) {
    EXPECT_EQ(critical_warning(), 0u);
    k.begin(*this);
    EXPECT_EQ(critical_warning() & k.warning, k.warning);
    k.end(*this);
    EXPECT_EQ(critical_warning(), 0u);
  });
}

TEST_F(WatchTest, OnlyWhatTheHostHasEnabled) {
  each(*this, [&](const Kind &k) {
    if (k.config == 0) return;
    enable_events(kEverything &
                  ~(k.event == NVME_ASYNC_EVENT_SMART_SPARE || k.event == NVME_ASYNC_EVENT_NAMESPACE_CHANGED ||
                            k.config == NVME_CRITICAL_WARNING_READ_ONLY
                        ? NVME_CRITICAL_WARNING_SPARE | NVME_CRITICAL_WARNING_READ_ONLY | NVME_OAES_NAMESPACE_CHANGED
                        : k.config));
    request();
    k.begin(*this);
    EXPECT_EQ(told(), Told{});
  });
}

TEST_F(WatchTest, EnabledWhileItHolds) {
  each(*this, [&](const Kind &k) {
    if (k.config == 0) return;
    request(2);
    k.begin(*this);
    EXPECT_EQ(told(), Told{});
    enable_events(k.config);
    EXPECT_EQ(told(), Told{k.event});
    read_page(page_of(k.event));
    enable_events(k.config);
    EXPECT_EQ(told(), Told{}) << "it was enabled before";
    enable_events(0);
    EXPECT_EQ(told(), Told{});
    enable_events(k.config);
    EXPECT_EQ(told(), is_level(k) ? Told{k.event} : Told{}) << "a notice was cleared with its log page";
  });
}

TEST_F(WatchTest, EnabledAfterItHasEnded) {
  each(*this, [&](const Kind &k) {
    if (!is_level(k)) return;
    request();
    k.begin(*this);
    k.end(*this);
    enable_events(k.config);
    EXPECT_EQ(told(), Told{});
  });
}

TEST_F(WatchTest, DisabledBeforeItCouldBeTold) {
  each(*this, [&](const Kind &k) {
    if (k.config == 0) return;
    enable_events(k.config);
    k.begin(*this);
    enable_events(0);
    request();
    EXPECT_EQ(told(), Told{});
    enable_events(k.config);
    EXPECT_EQ(told(), Told{k.event});
  });
}

TEST_F(WatchTest, WaitsForARequest) {
  each(*this, [&](const Kind &k) {
    enable_events(k.config);
    k.begin(*this);
    read_page(page_of(k.event), kRetain);
    read_page(page_of(k.event) == NVME_LOG_PAGE_SMART ? NVME_LOG_PAGE_ERROR_INFORMATION : NVME_LOG_PAGE_SMART);
    request(2);
    EXPECT_EQ(told(), Told{k.event});
  });
}

TEST_F(WatchTest, WhatTheHostHasReadBeforeItsRequestIsNotTold) {
  each(*this, [&](const Kind &k) {
    enable_events(k.config);
    k.begin(*this);
    read_page(page_of(k.event));
    request();
    EXPECT_EQ(told(), Told{});
  });
}

// Every pair: the first is reported and not read. The second of the same type waits, that of another does not.
TEST_F(WatchTest, AnEventMasksItsTypeAndNoOther) {
  for (const Kind &first : kinds()) {
    each(*this, [&](const Kind &second) {
      SCOPED_TRACE(first.name);
      if (&first == &second) return;
      const auto worn = [](const Kind &k) {
        return k.config == NVME_CRITICAL_WARNING_SPARE || k.config == NVME_CRITICAL_WARNING_READ_ONLY ||
               k.config == NVME_OAES_NAMESPACE_CHANGED;
      };
      if (worn(first) && worn(second)) return;  // they have one cause: AllThatOneCauseBrings
      if (first.event == second.event && first.warning == NVME_CRITICAL_WARNING_TEMPERATURE) return;
      enable_events(first.config | second.config);
      request(4);
      first.begin(*this);
      EXPECT_EQ(told(), Told{first.event});
      second.begin(*this);
      const bool masked = type_of(first.event) == type_of(second.event);
      EXPECT_EQ(told(), masked ? Told{} : Told{second.event});
      read_page(page_of(first.event), kRetain);
      for (const uint32_t other : {NVME_LOG_PAGE_ERROR_INFORMATION, NVME_LOG_PAGE_SMART, NVME_LOG_PAGE_FIRMWARE_SLOT})
        if (other != page_of(first.event)) read_page(other);
      EXPECT_EQ(told(), Told{}) << "the type stays masked";
      read_page(page_of(first.event));
      EXPECT_EQ(told(), masked && first.event != second.event ? Told{second.event} : Told{});
      read_page(page_of(first.event));
      read_page(page_of(second.event));
      EXPECT_EQ(told(), Told{}) << "once";
    });
  }
}

TEST_F(WatchTest, AllThatOneCauseBrings) {
  enable_events(kEverything);
  request(4);
  wear_out();
  EXPECT_EQ(told(), (Told{NVME_ASYNC_EVENT_SMART_RELIABILITY, NVME_ASYNC_EVENT_NAMESPACE_CHANGED}));
  read_page(NVME_LOG_PAGE_SMART);
  EXPECT_EQ(told(), Told{NVME_ASYNC_EVENT_SMART_SPARE});
  read_page(NVME_LOG_PAGE_SMART);
  read_page(NVME_LOG_PAGE_CHANGED_NAMESPACES);
  EXPECT_EQ(told(), Told{});
}

struct Step {
  enum { kKelvin, kThreshold, kRead, kConfig } what;
  uint32_t value;
  bool tells;  // SMART / temperature
  uint32_t warning;
};

constexpr uint32_t kHot = NVME_CRITICAL_WARNING_TEMPERATURE;

TEST_F(WatchTest, Thresholds) {
  using S = Step;
  const std::vector<std::pair<const char *, std::vector<Step>>> cases = {
      {"a threshold comes down to the temperature and goes up again",
       {{S::kThreshold, 301, false, 0},
        {S::kThreshold, 300, true, kHot},
        {S::kRead, 0, false, kHot},
        {S::kThreshold, 301, false, 0},
        {S::kThreshold, 300, true, kHot}}},
      {"the under threshold goes up to it",
       {{S::kThreshold, 299 | kUnder, false, 0},
        {S::kThreshold, 300 | kUnder, true, kHot},
        {S::kRead, 0, false, kHot},
        {S::kThreshold, 299 | kUnder, false, 0}}},
      {"the same threshold again is no change",
       {{S::kThreshold, 300, true, kHot}, {S::kRead, 0, false, kHot}, {S::kThreshold, 300, false, kHot}}},
      {"another threshold that is passed is told",
       {{S::kThreshold, 290, true, kHot}, {S::kRead, 0, false, kHot}, {S::kThreshold, 295, true, kHot}}},
      {"the next threshold, before the first event was read, is the same event",
       {{S::kThreshold, 290, true, kHot}, {S::kThreshold, 295, false, kHot}, {S::kRead, 0, false, kHot}}},
      {"both thresholds, one after the other",
       {{S::kThreshold, 300, true, kHot},
        {S::kRead, 0, false, kHot},
        {S::kThreshold, 300 | kUnder, true, kHot},
        {S::kRead, 0, false, kHot},
        {S::kThreshold, 343, false, kHot},
        {S::kThreshold, 0 | kUnder, false, 0}}},
      {"a temperature that comes and goes",
       {{S::kKelvin, 342, false, 0},
        {S::kKelvin, 343, true, kHot},
        {S::kKelvin, 350, false, kHot},
        {S::kRead, 0, false, kHot},
        {S::kKelvin, 351, false, kHot},
        {S::kKelvin, 342, false, 0},
        {S::kKelvin, 400, true, kHot},
        {S::kRead, 0, false, kHot},
        {S::kKelvin, 251, false, 0},
        {S::kKelvin, 250, true, kHot},
        {S::kRead, 0, false, kHot},
        {S::kKelvin, 343, true, kHot}}},
      {"comes, goes and comes before it is read: one event",
       {{S::kKelvin, 343, true, kHot},
        {S::kKelvin, 300, false, 0},
        {S::kKelvin, 343, false, kHot},
        {S::kRead, 0, false, kHot}}},
      {"the over threshold of all sensors", {{S::kThreshold, 300 | kAllSensors, true, kHot}}},
      {"the highest threshold and the lowest one",
       {{S::kThreshold, 0xFFFF, false, 0},
        {S::kThreshold, 0 | kUnder, false, 0},
        {S::kKelvin, 500, false, 0},
        {S::kThreshold, 0, true, kHot}}},
      {"the warning without the event",
       {{S::kConfig, kEverything & ~kHot, false, 0},
        {S::kThreshold, 300, false, kHot},
        {S::kConfig, kHot, true, kHot},
        {S::kConfig, kHot, false, kHot}}},
  };
  for (const auto &[name, steps] : cases) {
    SCOPED_TRACE(name);
    ASSERT_NO_FATAL_FAILURE(start());
    enable_events(kEverything);
    request(4);
    for (size_t i = 0; i < steps.size(); i++) {
      SCOPED_TRACE(i);
      const Step &s = steps[i];
      if (s.what == Step::kKelvin) kelvin(static_cast<uint16_t>(s.value));
      if (s.what == Step::kThreshold) threshold(s.value);
      if (s.what == Step::kRead) read_page(NVME_LOG_PAGE_SMART);
      if (s.what == Step::kConfig) enable_events(s.value);
      EXPECT_EQ(told(), s.tells ? Told{NVME_ASYNC_EVENT_SMART_TEMPERATURE} : Told{});
      EXPECT_EQ(critical_warning(), s.warning);
      if (s.tells) request();
    }
  }
}

TEST_F(WatchTest, AReadThatFailsClearsNothing) {
  enable_events(kEverything);
  request(2);
  kelvin(343);
  EXPECT_EQ(told().size(), 1u);
  dev.dma_status = NVME_STATUS_DATA_TRANSFER_ERROR;
  EXPECT_NE(ask(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, NVME_LOG_PAGE_SMART | 127u << 16)).status, 0);
  dev.dma_status = 0;
  kelvin(300);
  kelvin(343);
  EXPECT_EQ(told(), Told{}) << "the host has not seen the log page";
}

TEST_F(WatchTest, WhatHappensWhileTheLogPageIsOnItsWayIsTold) {
  enable_events(kEverything);
  request(2);
  kelvin(343);
  EXPECT_EQ(told().size(), 1u);
  kelvin(300);
  dev.hold_dma = true;
  dev.mailbox.emplace_back(uint8_t{0},
                           command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, NVME_LOG_PAGE_SMART | 127u << 16));
  settle();
  kelvin(343);
  EXPECT_EQ(told(), Told{}) << "masked";
  dev.release_dma();
  EXPECT_EQ(told(), Told{NVME_ASYNC_EVENT_SMART_TEMPERATURE}) << "the page shows no warning";
}

TEST_F(WatchTest, AControllerResetForgetsEventsAndWhatWasEnabled) {
  each(*this, [&](const Kind &k) {
    enable_events(k.config);
    request();
    k.begin(*this);
    EXPECT_EQ(told().size(), 1u);
    if (k.config != 0) k.begin(*this);
    set_cc(0);
    enable();
    request();
    EXPECT_EQ(told(), Told{});
    enable_events(k.config);
    threshold(250 | kUnder);
    EXPECT_EQ(told(), is_level(k) ? Told{k.event} : Told{}) << "a warning that holds, not what was before";
  });
}

TEST_F(WatchTest, AShutdownReportsNothing) {
  each(*this, [&](const Kind &k) {
    enable_events(k.config);
    request();
    set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, 1));
    k.begin(*this);
    settle(1'000'000);
    EXPECT_EQ(told(), Told{});
    set_cc(0);
    EXPECT_EQ(dev.dropped.size(), 1u) << "the request has no completion";
    EXPECT_EQ(told(), Told{});
  });
}

TEST_F(WatchTest, TheChangedNamespaceIsListedUntilItsLogPageIsRead) {
  const auto listed = [&](uint32_t flags) {
    read_page(NVME_LOG_PAGE_CHANGED_NAMESPACES, flags);
    EXPECT_EQ(orm_get_le(&dev.host[4], 4), 0u);
    return orm_get_le(dev.host.data(), 4);
  };
  for (const bool enabled : {false, true}) {
    ASSERT_NO_FATAL_FAILURE(start());
    enable_events(enabled ? kEverything : 0);
    request(4);
    EXPECT_EQ(listed(0), 0u);
    wear_out();
    EXPECT_EQ(listed(kRetain), 1u) << "the namespace is write protected";
    EXPECT_EQ(listed(0), 1u);
    EXPECT_EQ(listed(0), 0u);
  }
}

TEST_F(WatchTest, WhatTheHostFindsWhenItEnablesTheControllerIsNoChange) {
  const auto expect_none = [&] {
    enable_events(NVME_OAES_NAMESPACE_CHANGED);
    request();
    EXPECT_EQ(told(), Told{});
    read_page(NVME_LOG_PAGE_CHANGED_NAMESPACES);
    EXPECT_EQ(orm_get_le(dev.host.data(), 4), 0u);
  };
  // Enabled before the firmware has started.
  dev.power_cycle();
  dev.reg[ORM_FW_NVME_CC] = ORM_PUT(ORM_BAR0_CC_EN, 1);
  boot();
  ASSERT_EQ(csts(), 1u);
  expect_none();
  // Write protected while the controller was off.
  set_cc(0);
  wear_out();
  enable();
  expect_none();
}

TEST_F(WatchTest, AFormatIsAChangeWhenItBeginsAndWhenItEnds) {
  enable_events(NVME_OAES_NAMESPACE_CHANGED);
  request(4);
  dev.engines[1] = 1;  // an I/O command is inside: the format waits for its end
  dev.io_quiet = false;
  const nvme_submission_entry format = command(NVME_ADMIN_OPCODE_FORMAT_NVM, 1);
  dev.mailbox.emplace_back(uint8_t{0}, format);
  EXPECT_EQ(told(), Told{NVME_ASYNC_EVENT_NAMESPACE_CHANGED}) << "FPI";
  read_page(NVME_LOG_PAGE_CHANGED_NAMESPACES);
  EXPECT_EQ(told(), Told{});
  dev.engines[1] = 0;
  dev.io_quiet = true;
  settle(1'000'000);
  EXPECT_EQ(told(), Told{NVME_ASYNC_EVENT_NAMESPACE_CHANGED});
}

// Base specification 2.0, 5.16.1.10: bit 1 of an endurance group's warning is reserved.
TEST_F(WatchTest, AnEnduranceGroupHasNoTemperature) {
  kelvin(400);
  EXPECT_EQ(critical_warning(), uint32_t{NVME_CRITICAL_WARNING_TEMPERATURE});
  EXPECT_EQ(
      ask(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, NVME_LOG_PAGE_ENDURANCE_GROUP | 127u << 16, 1u << 16))
          .status,
      0);
  nvme_endurance_group_log e;
  nvme_endurance_group_log_unpack(&e, dev.host.data());
  EXPECT_EQ(e.critical_warning, 0);
}

}  // namespace
}  // namespace orm_test
