// Collects complaints about one text, and the few checks that every reader
// makes on a node.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fraction.h"
#include "node.h"
#include "tilewright/base.h"

namespace tilewright::io {

// By name. A variable whose own value was refused is there without one, so that it is not
// complained about again wherever it is used.
using NumbersByName = std::map<std::string, std::optional<Fraction>, std::less<>>;
struct Variables : NumbersByName {
  using NumbersByName::NumbersByName;
  const char* noun = "variable";  // what complaints call one
  const char* key = "variables";  // of the file, where they stand
};

// What the place of a quantity has to offer for its conversion. A key that is there but
// could not be read was complained about, so that nothing has to be said of its absence.
struct Surroundings {
  template <typename T>
  struct Known {
    std::optional<T> value;
    bool unreadable = false;
  };
  const Variables* variables = nullptr;  // without them there is no arithmetic
  Known<std::int64_t> clock_hz;
  Known<std::int64_t> word_bits;  // of the memory
  std::int64_t block_words = 1;
};

class Context {
 public:
  explicit Context(std::string file) : file_(std::move(file)) {}

  void complain(const Node& at, std::string message, std::string hint = "");
  // Points at a character of a scalar when the scalar stands in the file as it
  // reads, otherwise at the scalar.
  void complain_inside(const Node& scalar, std::size_t offset, std::string message,
                       std::string hint = "");
  void complain_about_file(std::string message, std::string hint = "");
  void add(std::vector<Diagnostic> problems);
  SourcePosition position_of(const Node& node) const;

  const Surroundings& around() const { return around_; }
  void set_around(Surroundings around) { around_ = around; }

  bool clean() const { return problems_.empty(); }
  std::size_t problem_count() const { return problems_.size(); }
  // The complaints in the order of the text.
  std::vector<Diagnostic> take_problems() { return std::move(problems_); }
  // What was read, or else the complaints.
  template <typename T>
  Checked<T> checked(T value) {
    if (!clean()) return {std::nullopt, take_problems()};
    return {std::move(value), {}};
  }

  // Each gives false after a complaint. `form` is what to write instead, such
  // as `a list such as "[input, weight]"`.
  bool expect_scalar(const Node& node, std::string_view form);
  bool expect_list(const Node& node, std::string_view form);
  bool expect_map(const Node& node, std::string_view form);

  // Complains about keys that are no text or stand twice; the remaining
  // entries are left to the caller, as positions in `map`.
  std::vector<std::size_t> usable_entries(const Node& map);

 private:
  void push(SourcePosition where, std::string message, std::string hint);
  bool expect(Node::Kind kind, const Node& node, std::string_view form);

  std::string file_;
  std::vector<Diagnostic> problems_;  // in the order of the text
  Surroundings around_;
};

// "did you mean output? (the levels are A, B)", or failing that the list alone.
std::string suggestion_and_list(const std::string& word, const std::vector<std::string>& candidates,
                                std::string_view what);

std::string join(const std::vector<std::string>& words, std::string_view separator);

}  // namespace tilewright::io
