// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TESTS_PAGE_ORACLE_H
#define OPENREMAP_TESTS_PAGE_ORACLE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace orm {

/// Which data a page has; 0: zeroes, as a page that is not mapped reads. Each write has another version.
using Version = uint64_t;

/// One LPN gets other contents, at some moment between the command's issue and its completion.
struct PageChange;
/// Somebody looks at an LPN once, at some moment between his command's issue and its completion.
struct PageView;
using Change = std::shared_ptr<PageChange>;
using View = std::shared_ptr<PageView>;

/// What pages may read while commands overlap: whatever some order of the commands gives in which one that was issued
/// after another's completion comes after it. Each LPN by itself.
///
/// An LPN keeps the changes that may be its last one. A change drops out when another one surely came after it: one
/// that was issued after its completion and has completed, or has been seen; or when somebody looked after its
/// completion and saw something else.
class PageOracle {
 public:
  explicit PageOracle(uint64_t pages);

  uint64_t pages() const { return lpns_.size(); }

  /// A command that looks is issued.
  View look(uint64_t lpn);
  /// It has seen that. False: it cannot have.
  [[nodiscard]] bool saw(const View &view, Version version);
  /// Nobody will say what it has seen.
  void drop(const View &view);
  /// What it may have seen until now.
  std::set<Version> may_see(const View &view) const;

  /// A command is issued that writes, or unmaps. `unseen`: a view of the same command, which comes before.
  Change set(uint64_t lpn, Version version, const View &unseen = nullptr);
  /// The same of one that gives the LPN what `from` sees. `mapped`: it succeeds only if that is no unmapped page.
  Change copy(const View &from, uint64_t lpn, bool mapped);
  /// It has completed. False: it cannot have, for there was nothing that it could copy.
  [[nodiscard]] bool done(const Change &change);
  /// It was refused, and has changed nothing.
  void refused(const Change &change);
  /// It is no longer under way, and nobody knows whether it has happened.
  void forgotten(const Change &change);

 private:
  struct Lpn {
    std::vector<Change> last;  // any of these may be the last one
    std::vector<View> views;   // under way
  };

  void issue(const Change &change, const View &unseen);
  void settle(const Change &change);
  /// Those that ended before `moment` and may not have been the last, whoever asks from now on.
  template <typename Keep>
  void outdate(uint64_t lpn, uint64_t moment, Keep keep);

  std::vector<Lpn> lpns_;
  uint64_t clock_ = 0;
  mutable uint64_t walks_ = 0;
};

}  // namespace orm
#endif  // OPENREMAP_TESTS_PAGE_ORACLE_H
