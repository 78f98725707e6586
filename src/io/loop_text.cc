#include "loop_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "mapping_fields.h"
#include "values.h"

namespace tilewright::io {

namespace {

constexpr const char* kLoopForm = "a loop such as \"P 17\" or \"P 17 last 4\"";

std::optional<std::int64_t> whole_number(const std::string& word) {
  const auto value = number_in<std::int64_t>(word);
  return value && *value >= 1 && *value <= kCountLimit ? value : std::nullopt;
}

class LoopReader {
 public:
  LoopReader(Context& context, const Problem& problem, int slot)
      : context_(context), problem_(problem), slot_(slot) {}

  // Adds the loop of one scalar, or the "last" of the loop before it.
  bool read(const Node& scalar, std::vector<LoopText>& loops) {
    if (!context_.expect_scalar(scalar, kLoopForm)) return false;
    std::vector<std::string> words = words_of(scalar.text);
    if (is_last_clause(words)) return read_last(scalar, words[1], loops);
    const bool with_last = words.size() == 4 && words[2] == "last";
    if (words.size() != 2 && !with_last) {
      context_.complain(scalar, fmt::format("\"{}\" is not a loop", scalar.text),
                        fmt::format("write {}", kLoopForm));
      return false;
    }
    const auto dim = read_dim(scalar, words[0], loops);
    const auto bound = read_bound(scalar, words[1]);
    if (!dim || !bound) return false;
    loops.push_back({.dim = *dim, .bound = *bound, .last = {}, .slot = slot_, .node = &scalar});
    return !with_last || read_last(scalar, words[3], loops);
  }

 private:
  // A dimension may itself be called "last"; then the clause must stand in the
  // same scalar as its loop.
  bool is_last_clause(const std::vector<std::string>& words) const {
    return words.size() == 2 && words[0] == "last" && !problem_.workload().find_dim("last");
  }

  bool read_last(const Node& scalar, const std::string& word, std::vector<LoopText>& loops) {
    if (loops.empty() || loops.back().last) {
      context_.complain(scalar, "no loop comes before this \"last\"",
                        fmt::format("write {}", kLoopForm));
      return false;
    }
    const auto last = read_bound(scalar, word);
    if (last) loops.back().last = *last;
    return last.has_value();
  }

  std::optional<DimId> read_dim(const Node& scalar, const std::string& name,
                                const std::vector<LoopText>& loops) {
    const auto dim = problem_.workload().find_dim(name);
    if (!dim) {
      context_.complain(scalar, fmt::format("the workload has no dimension \"{}\"", name),
                        suggestion(name, names_of(problem_.workload().dims), "its dimensions are"));
      return std::nullopt;
    }
    for (const LoopText& loop : loops) {
      if (loop.dim != *dim) continue;
      context_.complain(scalar,
                        fmt::format("{} has a second loop at {}", name, problem_.slot_name(slot_)),
                        "write one loop with the product of the bounds");
      return std::nullopt;
    }
    return dim;
  }

  std::optional<std::int64_t> read_bound(const Node& scalar, const std::string& word) {
    const auto bound = whole_number(word);
    if (!bound) {
      context_.complain(scalar, fmt::format("\"{}\" is not a whole number from 1 to 2^60", word),
                        fmt::format("write {}", kLoopForm));
    }
    return bound;
  }

  Context& context_;
  const Problem& problem_;
  int slot_;
};

}  // namespace

std::optional<std::vector<LoopText>> read_loops(Context& context, const Node& list,
                                                const Problem& problem, int slot) {
  if (!context.expect_list(list, kLoopsForm)) return std::nullopt;
  LoopReader reader(context, problem, slot);
  std::vector<LoopText> loops;
  bool sound = true;
  for (const Node& item : list.children) {
    // Without the loop before it, a complaint about a "last" would mislead.
    const bool orphan = !sound && item.is_scalar() && item.text.starts_with("last");
    if (!orphan) sound = reader.read(item, loops) && sound;
  }
  if (!sound) return std::nullopt;
  return loops;
}

std::string loop_text(const std::string& dim, std::int64_t bound, std::int64_t last) {
  if (last == bound) return fmt::format("{} {}", dim, bound);
  return fmt::format("{} {} last {}", dim, bound, last);
}

}  // namespace tilewright::io
