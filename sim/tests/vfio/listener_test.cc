// SPDX-License-Identifier: Apache-2.0
#include "listener.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "temp_dir.h"
#include "vfio/vfio_client.h"

namespace orm::vfio {
namespace {

/// Whether the other end has closed the connection, and nothing is left to read.
bool closed(int fd) {
  char byte = 0;
  const ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

bool readable(int fd) {
  pollfd look{fd, POLLIN, 0};
  return poll(&look, 1, 0) == 1;
}

class VfioListener : public ::testing::Test {
 protected:
  std::unique_ptr<Client> other() {
    UniqueFd fd = connect_to(path_);
    EXPECT_TRUE(fd);
    return std::make_unique<Client>(std::move(fd));
  }

  const TempDir folder_;
  const std::string path_ = folder_.path + "/socket";
  std::vector<std::string> told_;
  Listener listener_{path_, [this](const std::string &what) { told_.push_back(what); }};
  const UniqueFd stop_{eventfd(0, EFD_NONBLOCK)};
};

TEST_F(VfioListener, AnotherClientIsToldThatTheDeviceIsBusy) {
  const auto first = other();
  const UniqueFd served = listener_.accept(stop_.get());
  ASSERT_TRUE(served);
  EXPECT_FALSE(readable(listener_.fd()));

  const auto second = other();
  EXPECT_TRUE(readable(listener_.fd()));
  listener_.turn_away();
  EXPECT_EQ(told_.size(), 1u);
  EXPECT_FALSE(closed(second->fd())) << "it has asked nothing yet";
  EXPECT_FALSE(readable(listener_.fd()));
  second->send_version(1);
  EXPECT_TRUE(readable(listener_.fd()));
  listener_.turn_away();
  const auto reply = second->receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->header.id, second->id());
  EXPECT_EQ(reply->header.command, kVersion);
  EXPECT_EQ(reply->header.flags, kTypeReply | kFlagError);
  EXPECT_EQ(reply->header.error, uint32_t(EBUSY));
  EXPECT_TRUE(reply->payload.empty());
  EXPECT_TRUE(closed(second->fd()));
  EXPECT_FALSE(closed(first->fd()));
  EXPECT_FALSE(readable(listener_.fd()));
}

TEST_F(VfioListener, WhoSaysSomethingElseOrGoesIsForgotten) {
  const auto first = other();
  const UniqueFd served = listener_.accept(stop_.get());
  auto junk = other(), gone = other(), command = other();
  listener_.turn_away();
  junk->send_raw(std::vector<uint8_t>(16, 0xFF));
  gone.reset();
  command->send(kDeviceReset, {});
  listener_.turn_away();
  EXPECT_TRUE(closed(junk->fd()));
  EXPECT_TRUE(closed(command->fd()));
  EXPECT_FALSE(readable(listener_.fd()));
}

TEST_F(VfioListener, ThoseWhoSayNothingAreFew) {
  const auto first = other();
  const UniqueFd served = listener_.accept(stop_.get());
  std::vector<std::unique_ptr<Client>> silent;
  for (unsigned i = 0; i < 12; ++i) {
    silent.push_back(other());
    listener_.turn_away();
  }
  unsigned open = 0;
  for (const auto &client : silent) open += closed(client->fd()) ? 0u : 1u;
  EXPECT_EQ(open, 8u);
  EXPECT_TRUE(closed(silent.front()->fd())) << "the oldest went first";
  EXPECT_FALSE(closed(silent.back()->fd()));
}

TEST_F(VfioListener, TheNextClientIsTheOneThatComesNext) {
  {
    const auto first = other();
    const UniqueFd served = listener_.accept(stop_.get());
    ASSERT_TRUE(served);
  }
  const auto second = other();
  const UniqueFd served = listener_.accept(stop_.get());
  ASSERT_TRUE(served);
  const uint64_t one = 1;
  ASSERT_EQ(::write(stop_.get(), &one, sizeof one), ssize_t(sizeof one));
  EXPECT_FALSE(listener_.accept(stop_.get())) << "told to stop";
}

TEST_F(VfioListener, TheSocketGoesWithIt) {
  {
    const std::string path = folder_.path + "/another";
    const Listener another(path);
    EXPECT_TRUE(connect_to(path));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path + "/another"));
}

}  // namespace
}  // namespace orm::vfio
