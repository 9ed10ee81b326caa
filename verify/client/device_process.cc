// SPDX-License-Identifier: Apache-2.0
#include "client/device_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace orm::client {
namespace {

constexpr double kStartSeconds = 120;  // takes a fraction of one on an idle machine
constexpr std::chrono::milliseconds kLook{2};

using Clock = std::chrono::steady_clock;

}  // namespace

DeviceProcess::DeviceProcess(const std::string &program, const std::vector<std::string> &arguments) {
  std::string place = std::filesystem::temp_directory_path() / "openremap-XXXXXX";
  if (mkdtemp(place.data()) == nullptr) throw std::runtime_error(place + ": cannot be made");
  folder_ = place;
  socket_ = folder_ + "/cntrl";  // the name that SPDK expects in the folder that it is given
  std::vector<std::string> words = {program, "--socket", socket_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (std::string &word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = folder_ + "/log";
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) {
    const int out = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  const auto begun = Clock::now();
  while (said().find("listening") == std::string::npos) {
    if (!runs()) throw std::runtime_error(program + " did not start: " + said());
    if (std::chrono::duration<double>(Clock::now() - begun).count() > kStartSeconds)
      throw std::runtime_error(program + " does not listen: " + said());
    std::this_thread::sleep_for(kLook);
  }
}

DeviceProcess::~DeviceProcess() {
  if (runs()) {
    kill(pid_, SIGKILL);
    look(0);
  }
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

bool DeviceProcess::look(int options) {
  if (!ended_ && waitpid(pid_, &status_, options) == pid_) ended_ = true;
  return ended_;
}

bool DeviceProcess::runs() { return !look(WNOHANG); }

int DeviceProcess::wait(double seconds) {
  const auto begun = Clock::now();
  while (runs()) {
    if (std::chrono::duration<double>(Clock::now() - begun).count() > seconds)
      throw std::runtime_error("the device does not end: " + said());
    std::this_thread::sleep_for(kLook);
  }
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
}

std::string DeviceProcess::said() const {
  std::ifstream in(folder_ + "/log");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

double DeviceProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

}  // namespace orm::client
