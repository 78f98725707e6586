// A line on the terminal that says how far a command is, and the end of it when
// the user presses Ctrl-C or the system asks for it.
#pragma once

#include <atomic>
#include <string>

#include "tilewright/map.h"

namespace tilewright::cli {

// Writes over one line of standard error, if that is a terminal and the user
// has not asked for quiet.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_shown() const { return shown_; }
  void show(const std::string& text);
  void clear();

 private:
  bool shown_;
  std::size_t written_ = 0;
};

// "[=====>    ]"
std::string bar(double fraction);
// "41.2 k seen, 93.0 % valid, 501 k/s, best 474.9 J*cycle, 0.30 s left"
std::string search_progress(const SearchProgress& progress, Objective objective);

// From now on Ctrl-C (SIGINT) and SIGTERM set the flag that is given back; a
// second one ends the program as usual.
const std::atomic<bool>& catch_interrupts();

}  // namespace tilewright::cli
