#include "cli/run_tool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support/checkout.h"
#include "support/file_text.h"

extern char** environ;

namespace tilewright::cli::testing {
namespace {

namespace fs = std::filesystem;

// Files to open in the child. Files rather than pipes: nothing can block.
class Actions {
 public:
  explicit Actions(const std::string& input_path) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addchdir_np(&actions_, checkout_folder().c_str());
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, input_path.c_str(), O_RDONLY, 0);
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

// The variables of the tests, without those that change what the tool prints.
std::vector<std::string> variables(const std::vector<std::string>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (variable.starts_with("COLUMNS=") || variable.starts_with("NO_COLOR=")) continue;
    all.push_back(variable);
  }
  // The last one counts.
  for (const std::string& variable : more) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(all, [&](const std::string& other) { return other.starts_with(name); });
    all.push_back(variable);
  }
  return all;
}

// As the system's functions take them.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the tool, lets `meanwhile` act on it, and waits for its end.
Outcome run(const Surroundings& around, const std::vector<std::string>& arguments,
            const std::function<void(pid_t)>& meanwhile) {
  const Scratch scratch;
  const std::string& out_path = around.out_path;
  Actions actions(around.input.empty() ? "/dev/null" : scratch.write("in", around.input));
  actions.redirect(STDOUT_FILENO, out_path.empty() ? scratch.path("out") : out_path);
  actions.redirect(STDERR_FILENO, scratch.path("err"));
  std::vector<std::string> words = around.before;
  words.push_back(tool_path());
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = variables(around.environment);
  pid_t child = 0;
  const int error = posix_spawn(&child, words[0].c_str(), actions.get(), nullptr,
                                pointers_to(words).data(), pointers_to(environment).data());
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

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Outcome run_tool(const std::vector<std::string>& arguments, const std::string& out_path) {
  return run({.out_path = out_path}, arguments, {});
}

nlohmann::json json_of(std::vector<std::string> words) {
  words.emplace_back("--json");
  const Outcome outcome = run_tool(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

Outcome run_tool_in(const Surroundings& surroundings, const std::vector<std::string>& arguments) {
  return run(surroundings, arguments, {});
}

Outcome run_on_terminal(const std::vector<std::string>& arguments, int columns,
                        const std::vector<std::string>& environment) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  const std::string path = ptsname(terminal);
  // Kept open, so that reading does not end before the tool has opened it.
  const int other_end = open(path.c_str(), O_RDWR | O_NOCTTY);
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  EXPECT_EQ(ioctl(terminal, TIOCSWINSZ, &size), 0);
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  std::string text;
  const auto read_all = [&] {
    std::array<char, 4096> chunk{};
    for (ssize_t got = 0; (got = ::read(terminal, chunk.data(), chunk.size())) > 0;) {
      text.append(chunk.data(), static_cast<std::size_t>(got));
    }
  };
  std::vector<std::string> variables = environment;
  variables.insert(variables.begin(), "TERM=xterm");
  // The terminal holds little: it is read until the tool has ended.
  Outcome outcome = run({.out_path = path, .environment = variables}, arguments, [&](pid_t child) {
    siginfo_t ended{};
    do {
      read_all();
      ended.si_pid = 0;
      waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
      usleep(1000);
    } while (ended.si_pid == 0);
  });
  read_all();
  close(other_end);
  close(terminal);
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  outcome.out = text;
  return outcome;
}

Outcome run_and_interrupt(const std::vector<std::string>& arguments, int signal) {
  return run({}, arguments, [signal](pid_t child) {
    const fs::path threads = fs::path("/proc") / std::to_string(child) / "task";
    std::error_code error;
    while (!error &&
           std::distance(fs::directory_iterator(threads, error), fs::directory_iterator()) < 2) {
      usleep(1000);
    }
    kill(child, signal);
  });
}

Outcome run_with_memory(const std::vector<std::string>& arguments, std::size_t bytes) {
  return run({}, arguments, [bytes](pid_t child) {
    const rlimit limit{bytes, bytes};
    EXPECT_EQ(prlimit(child, RLIMIT_AS, &limit, nullptr), 0);
  });
}

std::string contents(const fs::path& path) {
  EXPECT_TRUE(std::ifstream(path)) << path;
  return file_text(path);
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
