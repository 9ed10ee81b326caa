// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TESTS_PAGE_ORACLE_H
#define OPENREMAP_TESTS_PAGE_ORACLE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace orm {

/// The version of the data of a page; 0: zeroes, as an unmapped page reads. Each write has another version.
using Version = uint64_t;

/// A change of one LPN, at some moment between the command's issue and its completion.
struct PageChange;
/// A read of an LPN, at one moment between its command's issue and its completion.
struct PageView;
using Change = std::shared_ptr<PageChange>;
using View = std::shared_ptr<PageView>;

/// The contents that pages may have while commands overlap: every result of some order of the commands, in which a
/// command that was issued after another one's completion comes after it. Each LPN is treated by itself.
///
/// An LPN keeps the changes that may be its last one. A change drops out when another one surely came after it: one
/// that was issued after its completion and has completed, or has been seen. It also drops out when a read after its
/// completion saw another version.
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
