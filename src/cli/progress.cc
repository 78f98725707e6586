#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "cli/terminal.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

// Signal handlers have no other way to say something.
std::atomic<bool> stop_asked{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void on_interrupt(int signal) {
  stop_asked.store(true);
  std::signal(signal, SIG_DFL);
}

// "best 474.9 J*cycle, bound 470.1, gap 1.02 %, 3.2 s"
std::string proof_progress(const SearchProgress& progress, Objective objective) {
  std::string text = "no mapping yet";
  if (progress.best) {
    const double value = value_of(objective, *progress.best);
    text = "best " + report::value_text(objective, *progress.best);
    if (*progress.bound > 0) {
      text += fmt::format(", gap {:.2g} %", 100 * (value / *progress.bound - 1));
    }
  }
  return fmt::format("{}, bound {}, {}", text, report::value_text(objective, *progress.bound),
                     duration_text(progress.seconds));
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : shown_(!quiet && isatty(fileno(stderr)) != 0) {}
ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const std::string& text) {
  if (!shown_) return;
  // Terminals wrap what is longer than they are wide.
  const std::string line = text.substr(0, static_cast<std::size_t>(message_width() - 1));
  fmt::print(stderr, "\r{:<{}}", line, std::max(written_, line.size()));
  std::fflush(stderr);
  written_ = line.size();
}

void ProgressLine::clear() {
  if (!shown_ || written_ == 0) return;
  fmt::print(stderr, "\r{:{}}\r", "", written_);
  std::fflush(stderr);
  written_ = 0;
}

std::string bar(double fraction) {
  constexpr int kWidth = 20;
  const int done = std::clamp(static_cast<int>(fraction * kWidth), 0, kWidth);
  const std::string head = done < kWidth ? ">" : "";
  return fmt::format("[{:<{}}]", std::string(static_cast<std::size_t>(done), '=') + head, kWidth);
}

std::string search_progress(const SearchProgress& progress, Objective objective) {
  if (progress.bound) return proof_progress(progress, objective);
  const auto seen = static_cast<double>(progress.seen);
  std::string text =
      fmt::format("{} seen, {:.1f} % valid, {}/s", report::rounded(seen),
                  seen > 0 ? 100 * static_cast<double>(progress.valid) / seen : 0.0,
                  report::rounded(progress.seconds > 0 ? seen / progress.seconds : 0));
  if (progress.best) text += ", best " + report::value_text(objective, *progress.best);
  if (progress.fraction && *progress.fraction > 0.01) {
    const double left = progress.seconds * (1 / *progress.fraction - 1);
    text += fmt::format(", {} left", duration_text(left));
  }
  return text;
}

const std::atomic<bool>& catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  return stop_asked;
}

}  // namespace tilewright::cli
