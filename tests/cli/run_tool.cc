#include "cli/run_tool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>

#include "support/checkout.h"

extern char** environ;

namespace tilewright::cli::testing {
namespace {

namespace fs = std::filesystem;

// Files to open in the child. Files rather than pipes: nothing can block.
class Actions {
 public:
  Actions() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addchdir_np(&actions_, checkout_folder().c_str());
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  void redirect(int descriptor, const std::string& path) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

namespace {

// Starts the tool, lets `meanwhile` act on it, and waits for its end.
Outcome run(const std::vector<std::string>& arguments, const std::string& out_path,
            const std::function<void(pid_t)>& meanwhile) {
  const Scratch scratch;
  Actions actions;
  actions.redirect(STDOUT_FILENO, out_path.empty() ? scratch.path("out") : out_path);
  actions.redirect(STDERR_FILENO, scratch.path("err"));
  std::vector<std::string> words = {tool_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, words[0].c_str(), actions.get(), nullptr, pointers.data(), environ);
  if (error != 0) {
    ADD_FAILURE() << words[0] << " does not start, error " << error;
    return {};
  }
  if (meanwhile) meanwhile(child);
  Outcome outcome;
  outcome.exit_code = wait_for(child);
  if (out_path.empty()) outcome.out = contents(scratch.path("out"));
  outcome.err = contents(scratch.path("err"));
  return outcome;
}

}  // namespace

Outcome run_tool(const std::vector<std::string>& arguments, const std::string& out_path) {
  return run(arguments, out_path, {});
}

Outcome run_and_interrupt(const std::vector<std::string>& arguments) {
  return run(arguments, "", [](pid_t child) {
    const fs::path threads = fs::path("/proc") / std::to_string(child) / "task";
    std::error_code error;
    while (!error &&
           std::distance(fs::directory_iterator(threads, error), fs::directory_iterator()) < 2) {
      usleep(1000);
    }
    kill(child, SIGINT);
  });
}

Outcome run_with_memory(const std::vector<std::string>& arguments, std::size_t bytes) {
  return run(arguments, "", [bytes](pid_t child) {
    const rlimit limit{bytes, bytes};
    EXPECT_EQ(prlimit(child, RLIMIT_AS, &limit, nullptr), 0);
  });
}

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "tilewright-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder " << name;
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Scratch::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

}  // namespace tilewright::cli::testing
