// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/ycsb.h"

namespace openremap {

YcsbLoad::YcsbLoad(const SourceOptions &options)
    : records_(options.records), scatter_(KeySpaceSize(options), options.seed) {}

bool YcsbLoad::Next(Operation *operation) {
  if (next_ == records_) return false;
  *operation = {OperationKind::kPut, scatter_(next_++), 0};
  return true;
}

Ycsb::Ycsb(const SourceOptions &options)
    : options_(options),
      records_(options.records),
      random_(options.seed ^ 0x79637362),
      popularity_(options.records),
      scatter_(KeySpaceSize(options), options.seed),
      popularity_order_(options.records, options.seed + 1) {}

// Of D the newest is the most popular; of the others which ones are does not depend on their age.
uint64_t Ycsb::ExistingRecord() {
  if (options_.workload == Workload::kYcsbD) {
    if (popularity_.items() < records_) popularity_.Grow(records_);
    return records_ - 1 - popularity_.Next(&random_);
  }
  return popularity_order_(popularity_.Next(&random_));
}

bool Ycsb::Next(Operation *operation) {
  if (given_++ == options_.operations) return false;
  const uint64_t dice = random_.Below(100);
  OperationKind kind = OperationKind::kGet;
  bool insert = false;
  switch (options_.workload) {
    case Workload::kYcsbA:
      if (dice < 50) kind = OperationKind::kPut;
      break;
    case Workload::kYcsbB:
      if (dice < 5) kind = OperationKind::kPut;
      break;
    case Workload::kYcsbD:
      insert = dice < kInsertPercent;
      break;
    case Workload::kYcsbE:
      insert = dice < kInsertPercent;
      kind = OperationKind::kScan;
      break;
    case Workload::kYcsbF:
      if (dice < 50) kind = OperationKind::kReadModifyWrite;
      break;
    default:
      break;  // C reads
  }
  if (insert) {
    *operation = {OperationKind::kPut, scatter_(records_++), 0};
    return true;
  }
  *operation = {kind, scatter_(ExistingRecord()), 0};
  if (kind == OperationKind::kScan) operation->length = 1 + random_.Below(kMostScanned);
  return true;
}

ZipfianFill::ZipfianFill(const SourceOptions &options)
    : operations_(options.operations),
      random_(options.seed ^ 0x7a697066),
      popularity_(options.records),
      scatter_(options.records, options.seed) {}

bool ZipfianFill::Next(Operation *operation) {
  if (given_++ == operations_) return false;
  *operation = {OperationKind::kPut, scatter_(popularity_.Next(&random_)), 0};
  return true;
}

}  // namespace openremap
