// SPDX-License-Identifier: Apache-2.0
#include "device/traffic.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "orm_formats.h"

namespace orm {
namespace {

constexpr uint64_t kSliceNs = 1'000'000;
/// Fills a page with the version, and with bytes that follow from it.
void fill(uint8_t *page, Version version) {
  SeededRandom random(version);
  orm_put_le(page, version, 8);
  for (size_t i = 8; i < QueueHost::kPage; i += 8) {
    const uint64_t word = version == 0 ? 0 : random.next();
    std::memcpy(page + i, &word, 8);
  }
}

/// Throws for a page whose content is not that of one version.
Version version_of(const uint8_t *page) {
  const Version version = orm_get_le(page, 8);
  uint8_t whole[QueueHost::kPage];
  fill(whole, version);
  if (std::memcmp(page, whole, sizeof whole) != 0)
    throw Wrong("torn: a page with the first word of version " + std::to_string(version));
  return version;
}

bool copies(Op op) { return op == Op::kRemap || op == Op::kMove || op == Op::kCopy; }

}  // namespace

IoCommand Mix::draw(SeededRandom &random) const {
  const uint32_t sum = std::accumulate(weights.begin(), weights.end(), 0u);
  uint64_t at = random.below(sum);
  size_t op = 0;
  while (at >= weights[op]) at -= weights[op++];
  IoCommand c;
  c.op = Op(op);
  c.pages = uint32_t(1 + random.below(most_pages));
  c.fua = c.op == Op::kWrite && random.below(8) == 0;
  if (copies(c.op)) {
    c.pages = uint32_t(std::min<uint64_t>(c.pages, count / 2));
    c.src = first + random.below(count - c.pages + 1);
    do {
      c.lpn = first + random.below(count - c.pages + 1);
    } while (c.lpn < c.src + c.pages && c.src < c.lpn + c.pages);
  } else {
    c.lpn = first + random.below(count - c.pages + 1);
  }
  return c;
}

Traffic::Traffic(QueueHost &host) : host_(host), oracle_(host.pages()), touched_(host.pages()), read_(host.pages()) {
  host_.taken = [this](const QueueCompletion &done) { completed(done); };
}

const char *Traffic::name(Op op) {
  constexpr const char *kNames[kOps] = {"read",         "write", "flush", "deallocate",
                                        "write zeroes", "remap", "move",  "copy"};
  return kNames[size_t(op)];
}

void Traffic::put(unsigned qid, const IoCommand &c) {
  Sent sent{c, {}, {}, {}};
  nvme_submission_entry e;
  const auto list = [&] {
    sent.memory.push_back(host_.take_page(true));
    e.prp1 = sent.memory[0];
    return host_.at(e.prp1);
  };
  switch (c.op) {
    case Op::kRead:
      nvme_cmd_read(&e, 1, c.lpn, c.pages);
      break;
    case Op::kWrite:
      nvme_cmd_write(&e, 1, c.lpn, c.pages, c.fua);
      break;
    case Op::kFlush:
      nvme_cmd_flush(&e, 1);
      break;
    case Op::kWriteZeroes:
      nvme_cmd_write_zeroes(&e, 1, c.lpn, c.pages, 1);
      break;
    case Op::kDeallocate: {  // page by page
      nvme_cmd_deallocate(&e, 1, c.pages);
      uint8_t *at = list();
      for (uint32_t i = 0; i < c.pages; ++i) {
        const nvme_dsm_range range{0, 1, c.lpn + i};
        nvme_dsm_range_pack(&range, at + i * NVME_DSM_RANGE_BYTES);
      }
      break;
    }
    case Op::kCopy: {
      nvme_cmd_copy(&e, 1, c.lpn, 1);
      nvme_copy_range range{};
      range.slba = c.src;
      range.nlb = uint16_t(c.pages - 1);
      nvme_copy_range_pack(&range, list());
      break;
    }
    case Op::kRemap:
    case Op::kMove:
      nvme_cmd_init(&e, ORM_VENDOR_OPCODES_REMAP, 1);
      nvme_cmd_slba(&e, c.src);
      e.cdw12 = uint32_t(c.lpn);
      e.cdw14 = c.pages;
      e.cdw15 = c.op == Op::kMove ? ORM_VENDOR_FLAGS_MOVE : 0;
      break;
  }
  for (uint32_t i = 0; i < c.pages && c.op != Op::kFlush; ++i) {
    const uint64_t lpn = c.lpn + i;
    touched_[lpn] = touched_[lpn] || c.op != Op::kRead;
    if (c.op == Op::kRead || c.op == Op::kWrite) {
      if (i == 2) throw std::logic_error("more pages than PRP1 and PRP2 name");
      sent.memory.push_back(host_.take_page(c.op == Op::kWrite));
      (i == 0 ? e.prp1 : e.prp2) = sent.memory[i];
    }
    if (c.op == Op::kRead) {
      std::memset(host_.at(sent.memory[i]), 0xEE, QueueHost::kPage);
      sent.views.push_back(oracle_.look(lpn));
    } else if (c.op == Op::kWrite) {
      fill(host_.at(sent.memory[i]), ++last_version_);
      sent.changes.push_back(oracle_.set(lpn, last_version_));
    } else if (copies(c.op)) {
      sent.views.push_back(oracle_.look(c.src + i));
      sent.changes.push_back(oracle_.copy(sent.views[i], lpn, c.op != Op::kCopy));
      touched_[c.src + i] = true;
      if (c.op == Op::kMove) sent.changes.push_back(oracle_.set(c.src + i, 0, sent.views[i]));
    } else {
      sent.changes.push_back(oracle_.set(lpn, 0));
    }
  }
  const uint16_t cid = host_.put(qid, e);
  sent_.emplace(std::make_pair(qid, cid), std::move(sent));
}

void Traffic::check_read(const Sent &sent) {
  for (size_t i = 0; i < sent.views.size(); ++i) {
    const Version version = version_of(host_.at(sent.memory[i]));
    const std::set<Version> allowed = oracle_.may_see(sent.views[i]);
    ++pages_read_;
    pages_certain_ += allowed.size() == 1;
    if (oracle_.saw(sent.views[i], version)) {
      read_[sent.command.lpn + i] = version;
      continue;
    }
    std::string text =
        "LPN " + std::to_string(sent.command.lpn + i) + " reads version " + std::to_string(version) + ", not one of";
    for (const Version v : allowed) text += " " + std::to_string(v);
    throw Wrong(text);
  }
}

bool Traffic::may_be_refused(const Sent &sent, int status) const {
  const auto vendor = [](unsigned code) { return NVME_STATUS(NVME_STATUS_TYPE_VENDOR, code); };
  if (status == NVME_STATUS_ABORT_SQ_DELETION) return true;
  if (!copies(sent.command.op)) return false;
  if (status == vendor(ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT)) return true;
  if (status == vendor(ORM_VENDOR_STATUS_REMAP_NVRAM_FULL)) return true;
  if (status != vendor(ORM_VENDOR_STATUS_REMAP_UNMAPPED) || sent.command.op == Op::kCopy) return false;
  return std::any_of(sent.views.begin(), sent.views.end(),
                     [this](const View &view) { return oracle_.may_see(view).count(0) != 0; });
}

void Traffic::end(const Sent &sent) {
  for (const uint64_t page : sent.memory) host_.give_page(page);
}

void Traffic::completed(const QueueCompletion &done) {
  const auto found = sent_.find({done.qid, done.cid});
  if (found == sent_.end()) throw Wrong("a completion of nothing that was sent");
  const Sent sent = std::move(found->second);
  sent_.erase(found);
  const Op op = sent.command.op;
  if (done.status != 0) {
    if (!may_be_refused(sent, done.status))
      throw Wrong(std::string(name(op)) + " of LPN " + std::to_string(sent.command.lpn) + " ends with status " +
                  std::to_string(done.status));
    ++refused_[size_t(op)];
    for (const Change &change : sent.changes) oracle_.refused(change);
    if (op == Op::kRead) {
      for (const View &view : sent.views) oracle_.drop(view);
    }
  } else {
    ++succeeded_[size_t(op)];
    if (op == Op::kRead) check_read(sent);
    for (const Change &change : sent.changes) {
      if (!oracle_.done(change))
        throw Wrong("a remap of LPN " + std::to_string(sent.command.src) + " without data succeeds");
    }
  }
  end(sent);
}

void Traffic::finish() {
  while (!sent_.empty()) host_.poll(kSliceNs);
}

std::vector<Version> Traffic::read_all(unsigned qid, uint64_t end) {
  end = std::min<uint64_t>(end, touched_.size());
  IoCommand c;
  c.op = Op::kRead;
  for (c.lpn = 0; c.lpn < end; ++c.lpn) {
    if (!touched_[c.lpn]) continue;
    for (; host_.room(qid) == 0; host_.poll(kSliceNs)) host_.ring(qid);
    put(qid, c);
  }
  host_.ring(qid);
  finish();
  return {read_.begin(), read_.begin() + std::ptrdiff_t(end)};
}

void Traffic::deleted(unsigned qid) {
  for (auto it = sent_.begin(); it != sent_.end();) {
    if (it->first.first != qid) {
      ++it;
      continue;
    }
    for (const Change &change : it->second.changes) oracle_.refused(change);
    if (it->second.command.op == Op::kRead) {
      for (const View &view : it->second.views) oracle_.drop(view);
    }
    end(it->second);
    it = sent_.erase(it);
  }
}

void Traffic::reset() {
  for (auto &[id, sent] : sent_) {
    const bool fetched = host_.was_fetched(id.first, id.second);
    for (const Change &change : sent.changes) {
      if (fetched) oracle_.forgotten(change);
      if (!fetched) oracle_.refused(change);
    }
    if (sent.command.op == Op::kRead) {
      for (const View &view : sent.views) oracle_.drop(view);
    }
  }
  sent_.clear();  // the host has taken its memory back
}

size_t Traffic::in_flight(unsigned qid) const {
  return size_t(std::count_if(sent_.begin(), sent_.end(), [qid](const auto &s) { return s.first.first == qid; }));
}

uint64_t Traffic::answered() const {
  return std::accumulate(succeeded_.begin(), succeeded_.end(), uint64_t{0}) +
         std::accumulate(refused_.begin(), refused_.end(), uint64_t{0});
}

}  // namespace orm
