// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/link_run.h"

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "bench/run/measured_run.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "rocksbench/link_graph.h"

namespace openremap {

using leveldb::Status;

namespace {

constexpr size_t kNodeKeyBytes = 12;
constexpr size_t kLinkKeyBytes = 20;
constexpr uint64_t kNodeEntry = kNodeKeyBytes + kNodeBytes;
constexpr uint64_t kLinkEntry = kLinkKeyBytes + kLinkBytes;
constexpr uint64_t kCountEntry = kNodeKeyBytes + kLinkBytes;

class LinkRun : public MeasuredRun {
 public:
  LinkRun(const BenchOptions &options, uint64_t links, BenchDevice *device, BenchDatabase *database, Progress *progress,
          BenchResult *result, LinkCounts *counts)
      : MeasuredRun(options, device, database, progress, result, "entries"),
        counts_(counts),
        graph_(options.seed),
        source_(options.num, links, options.Operations(), options.seed) {}

 private:
  void PutNode(uint64_t id, leveldb::WriteBatch *batch) {
    batch->Put(NodeKey(id), graph_.NodeValue(id));
    bytes_ += kNodeEntry;
  }
  void PutLink(uint64_t id1, uint64_t id2, leveldb::WriteBatch *batch) {
    batch->Put(LinkKey(id1, id2), graph_.LinkValue(id1, *graph_.Find(id1, id2)));
    bytes_ += kLinkEntry;
  }
  void PutCount(uint64_t id, leveldb::WriteBatch *batch) {
    batch->Put(CountKey(id), CountValue(graph_.LinksOf(id).size()));
    bytes_ += kCountEntry;
  }

  Status Write(leveldb::WriteBatch *batch) {
    if (measuring()) result_->user_bytes += bytes_;
    bytes_ = 0;
    return MeasuredRun::Write([&](const leveldb::WriteOptions &write) { return db()->Write(write, batch); });
  }

  // Nodes in the order of their ids, each with its links and their number.
  Status Load() override {
    progress_->Begin("load", options_.num);
    for (uint64_t i = 0; i < options_.num; i++) {
      const uint64_t id = graph_.AddNode();
      const uint64_t links = source_.LoadedLinks(id);
      leveldb::WriteBatch batch;
      PutNode(id, &batch);
      for (uint64_t number = 0; number < links; number++) {
        const uint64_t end = source_.LoadedEnd(id, number);
        graph_.PutLink(id, end);
        PutLink(id, end, &batch);
      }
      PutCount(id, &batch);
      const Status s = Write(&batch);
      if (!s.ok()) return s;
      progress_->Done(i + 1);
    }
    progress_->End();
    return Status::OK();
  }

  void EndMeasuring() override {
    result_->live_bytes = graph_.live_nodes() * kNodeEntry + graph_.links() * kLinkEntry + graph_.nodes() * kCountEntry;
    result_->keys_expected = graph_.live_nodes() + graph_.links() + graph_.nodes();
  }

  Status RunWorkload() override {
    progress_->Begin("run", source_.count());
    uint64_t done = 0;
    for (LinkOperation operation; source_.Next(&operation);) {
      const Status s = Timed(OperationOf(operation.kind), [&] { return RunOperation(operation); });
      if (!s.ok()) return s;
      LinkTimes &times = counts_->at(static_cast<size_t>(operation.kind));
      times.count++;
      times.device_ns += device_nanoseconds();
      times.device.Add(device_nanoseconds());
      progress_->Done(++done);
    }
    progress_->End();
    return Generated("operations", source_.SelfCheck());
  }

  Status RunOperation(const LinkOperation &operation) {
    const uint64_t id = operation.id;
    leveldb::WriteBatch batch;
    switch (operation.kind) {
      case LinkKind::kGetNode:
        return Get(NodeKey(id), graph_.NodeExists(id), graph_.NodeValue(id));
      case LinkKind::kAddNode: {
        const uint64_t added = graph_.AddNode();
        PutNode(added, &batch);
        PutCount(added, &batch);
        return Write(&batch);
      }
      case LinkKind::kUpdateNode:
        graph_.UpdateNode(id);
        PutNode(id, &batch);
        return Write(&batch);
      case LinkKind::kDeleteNode:
        graph_.DeleteNode(id);
        batch.Delete(NodeKey(id));
        bytes_ += kNodeKeyBytes;
        return Write(&batch);
      case LinkKind::kCountLinks:
        return Get(CountKey(id), true, CountValue(graph_.LinksOf(id).size()));
      case LinkKind::kListLinks:
        return List(id);
      default:
        return RunLinkOperation(operation);
    }
  }

  // Of one link. Where the node has none, its operations ask for one that is not there.
  Status RunLinkOperation(const LinkOperation &operation) {
    const uint64_t id = operation.id;
    const std::vector<LinkGraph::Link> &links = graph_.LinksOf(id);
    const bool add = operation.kind == LinkKind::kAddLink || links.empty();
    const uint64_t end = add ? operation.other : links[operation.choice % links.size()].id2;
    const LinkGraph::Link *link = graph_.Find(id, end);
    // It is looked up first, as its node's count depends on whether it is there.
    Status s = Get(LinkKey(id, end), link != nullptr, link != nullptr ? graph_.LinkValue(id, *link) : "");
    if (!s.ok() || operation.kind == LinkKind::kGetLink) return s;
    leveldb::WriteBatch batch;
    if (operation.kind == LinkKind::kDeleteLink) {
      if (!graph_.DeleteLink(id, end)) return s;
      batch.Delete(LinkKey(id, end));
      bytes_ += kLinkKeyBytes;
      PutCount(id, &batch);
      return Write(&batch);
    }
    if (operation.kind == LinkKind::kUpdateLink && link == nullptr) return s;
    const bool is_new = graph_.PutLink(id, end);
    PutLink(id, end, &batch);
    if (is_new) PutCount(id, &batch);
    return Write(&batch);
  }

  Status Get(const std::string &key, bool exists, const std::string &expected) {
    std::string value;
    Status s;
    Call([&] { s = db()->Get(leveldb::ReadOptions(), key, &value); });
    RunPending();
    if (!s.ok() && !s.IsNotFound()) return s;
    if (s.ok() != exists || (exists && value != expected)) Mismatch(key);
    result_->reads++;
    return Status::OK();
  }

  Status List(uint64_t id) {
    const std::string prefix = LinkPrefix(id);
    std::vector<std::pair<std::string, std::string>> found;
    Status s;
    Call([&] {
      const std::unique_ptr<leveldb::Iterator> it(db()->NewIterator(leveldb::ReadOptions()));
      for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix); it->Next()) {
        found.emplace_back(it->key().ToString(), it->value().ToString());
      }
      s = it->status();
    });
    RunPending();
    if (!s.ok()) return s;
    const std::vector<LinkGraph::Link> &links = graph_.LinksOf(id);
    bool right = found.size() == links.size();
    for (size_t i = 0; right && i < links.size(); i++) {
      right = found[i].first == LinkKey(id, links[i].id2) && found[i].second == graph_.LinkValue(id, links[i]);
    }
    if (!right) Mismatch(prefix);
    result_->reads += found.size();
    return s;
  }

  // Keys are no text.
  void Mismatch(const std::string &key) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string shown;
    for (const char c : key) {
      shown += kDigits[static_cast<unsigned char>(c) >> 4];
      shown += kDigits[static_cast<unsigned char>(c) & 15];
    }
    MeasuredRun::Mismatch(shown);
  }

  // One scan over everything: the keys of nodes come first, then those of links, then those of counts.
  Status ReadBack() override {
    progress_->Begin("verify", result_->keys_expected);
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    it_.reset(db()->NewIterator(read));
    it_->SeekToFirst();
    for (uint64_t id = 0; id < graph_.nodes(); id++) {
      if (graph_.NodeExists(id)) {
        Expect(NodeKey(id), graph_.NodeValue(id));
      } else if (!it_->Valid() || it_->key() != NodeKey(id)) {
        result_->deleted_verified++;
      }
    }
    for (uint64_t id = 0; id < graph_.nodes(); id++) {
      for (const LinkGraph::Link &link : graph_.LinksOf(id)) Expect(LinkKey(id, link.id2), graph_.LinkValue(id, link));
    }
    for (uint64_t id = 0; id < graph_.nodes(); id++) Expect(CountKey(id), CountValue(graph_.LinksOf(id).size()));
    for (; it_->Valid(); it_->Next()) Mismatch(it_->key().ToString());
    const Status s = it_->status();
    it_.reset();
    return s;
  }

  void Expect(const std::string &key, const std::string &value) {
    for (; it_->Valid() && it_->key().compare(key) < 0; it_->Next()) Mismatch(it_->key().ToString());
    if (!it_->Valid() || it_->key() != key) {
      Mismatch(key);
      return;
    }
    if (it_->value() == value) {
      result_->keys_verified++;
      progress_->Done(result_->keys_verified);
    } else {
      Mismatch(key);
    }
    it_->Next();
  }

  LinkCounts *const counts_;
  LinkGraph graph_;
  LinkSource source_;
  std::unique_ptr<leveldb::Iterator> it_;
  uint64_t bytes_ = 0;  // of the batch
};

}  // namespace

Status RunLinkBench(const BenchOptions &options, uint64_t links, BenchDevice *device, BenchDatabase *database,
                    Progress *progress, BenchResult *result, LinkCounts *counts) {
  return LinkRun(options, links, device, database, progress, result, counts).Execute();
}

bool LinksFit(const BenchOptions &options, uint64_t links, uint64_t free_bytes, std::string *error) {
  const uint64_t bytes = options.num * (kNodeEntry + kCountEntry + links * kLinkEntry);
  if (bytes <= free_bytes) return true;
  *error = "--num=" + std::to_string(options.num) + ": about " + std::to_string(bytes) +
           " bytes of nodes and links do not fit the device, which has room for " + std::to_string(free_bytes);
  return false;
}

std::string LinkMembers(const LinkCounts &counts) {
  std::string operations, times;
  for (size_t i = 0; i < kLinkKinds; i++) {
    const LinkTimes &of = counts.at(i);
    const std::string name = std::string(i == 0 ? "" : ", ") + "\"" + LinkKindName(static_cast<LinkKind>(i)) + "\": ";
    const auto us = [](uint64_t ns) { return static_cast<double>(ns) / 1000; };
    const double mean = of.count == 0 ? 0 : us(of.device_ns) / static_cast<double>(of.count);
    char text[160];
    std::snprintf(text, sizeof(text), "{\"mean\": %.9g, \"p50\": %.9g, \"p99\": %.9g, \"p999\": %.9g, \"max\": %.9g}",
                  mean, us(of.device.Percentile(0.5)), us(of.device.Percentile(0.99)), us(of.device.Percentile(0.999)),
                  us(of.device.max()));
    operations += name + std::to_string(of.count);
    times += name + text;
  }
  return "\"link_operations\": {" + operations + "}, \"link_device_us\": {" + times + "}";
}

}  // namespace openremap
