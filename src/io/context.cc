#include "context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace tilewright::io {

namespace {

// Nobody reads more, and a hostile file could ask for a million.
constexpr std::size_t kMaxProblems = 100;

std::string_view description(Node::Kind kind) {
  constexpr std::array<std::string_view, 4> kTexts = {"nothing", "a single value", "a list",
                                                      "a map"};
  return kTexts[static_cast<std::size_t>(kind)];
}

}  // namespace

void Context::push(SourcePosition where, std::string message, std::string hint) {
  if (problems_.size() >= kMaxProblems) return;
  const auto place = std::upper_bound(
      problems_.begin(), problems_.end(), where, [](const SourcePosition& a, const Diagnostic& b) {
        return std::tie(a.line, a.column) < std::tie(b.where.line, b.where.column);
      });
  problems_.insert(place, {std::move(where), std::move(message), std::move(hint)});
}

// What did not come from the file has no place in it.
SourcePosition Context::position_of(const Node& node) const {
  if (!node.origin.empty()) return {node.origin, 0, 0};
  return {file_, node.line, node.column};
}

void Context::complain(const Node& at, std::string message, std::string hint) {
  push(position_of(at), std::move(message), std::move(hint));
}

void Context::complain_inside(const Node& scalar, std::size_t offset, std::string message,
                              std::string hint) {
  SourcePosition where = position_of(scalar);
  if (scalar.origin.empty() && scalar.text_column != 0) {
    where.column = scalar.text_column + static_cast<int>(offset);
  }
  push(std::move(where), std::move(message), std::move(hint));
}

void Context::complain_about_file(std::string message, std::string hint) {
  push({file_, 0, 0}, std::move(message), std::move(hint));
}

void Context::add(std::vector<Diagnostic> problems) {
  for (Diagnostic& problem : problems) {
    push(std::move(problem.where), std::move(problem.message), std::move(problem.hint));
  }
}

bool Context::expect(Node::Kind kind, const Node& node, std::string_view form) {
  if (node.kind == kind) return true;
  complain(node, fmt::format("{} where {} is expected", description(node.kind), description(kind)),
           fmt::format("write {}", form));
  return false;
}

bool Context::expect_scalar(const Node& node, std::string_view form) {
  return expect(Node::Kind::Scalar, node, form);
}

bool Context::expect_list(const Node& node, std::string_view form) {
  return expect(Node::Kind::List, node, form);
}

bool Context::expect_map(const Node& node, std::string_view form) {
  return expect(Node::Kind::Map, node, form);
}

std::vector<std::size_t> Context::usable_entries(const Node& map) {
  std::vector<std::size_t> usable;
  std::map<std::string_view, int> first_line;
  for (std::size_t i = 0; i < map.entry_count(); ++i) {
    const Node& key = map.key(i);
    if (!expect_scalar(key, "a word before the colon")) continue;
    const auto [known, inserted] = first_line.emplace(key.text, key.line);
    if (inserted) {
      usable.push_back(i);
    } else {
      complain(key, fmt::format("the key \"{}\" stands here twice", key.text),
               fmt::format("keep this one or the one on line {}", known->second));
    }
  }
  return usable;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string suggestion_and_list(const std::string& word, const std::vector<std::string>& candidates,
                                std::string_view what) {
  const std::string list = fmt::format("{} {}", what, join(candidates, ", "));
  const auto match = closest_match(word, candidates);
  return match ? fmt::format("did you mean {}? ({})", *match, list) : list;
}

}  // namespace tilewright::io
