#include "storage_point_keys.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "values.h"

namespace tilewright::io {

namespace {

// "Buffer(W, O)" taken apart.
struct PointText {
  std::string memory;
  std::vector<std::string> tensors;
};

std::optional<PointText> point_text(std::string_view key) {
  const std::size_t open = key.rfind('(');
  if (open == std::string_view::npos || open == 0 || !key.ends_with(')')) return std::nullopt;
  PointText text;
  text.memory = trimmed(key.substr(0, open));
  text.tensors = words_of(key.substr(open + 1, key.size() - open - 2));
  return text;
}

std::optional<MemoryId> memory_named(const Problem& problem, const std::string& name) {
  const auto level = problem.arch().find_level(name);
  if (!level || !std::holds_alternative<Memory>(problem.arch().level(*level))) return std::nullopt;
  return problem.memory_at(*level);
}

// The tensors of a point; nothing after a complaint.
std::uint32_t tensors_of(Context& context, const Node& key, const Workload& workload,
                         const PointText& text) {
  if (text.tensors.empty()) {
    context.complain(
        key, fmt::format("a storage point of {} has no tensor", text.memory),
        fmt::format("write the tensors that have their tiles there, such as \"{}({})\"",
                    text.memory, workload.tensors.front().name));
  }
  std::uint32_t all = 0;
  for (const std::string& name : text.tensors) {
    const std::uint32_t named = tensors_named(context, key, workload, name);
    if (named == 0) return 0;
    all |= named;
  }
  return all;
}

}  // namespace

std::uint32_t tensors_named(Context& context, const Node& item, const Workload& workload,
                            const std::string& name) {
  if (const auto tensor = workload.find_tensor(name)) return 1U << index_of(*tensor);
  std::uint32_t named = 0;
  for (int t = 0; t < workload.tensor_count(); ++t) {
    if (names_tensor(name, workload.tensor(TensorId{t}))) named |= 1U << t;
  }
  if (named == 0) {
    std::vector<std::string> names = names_of(workload.tensors);
    names.insert(names.end(), {"input", "weight", "output"});
    context.complain(item, fmt::format("the workload has no tensor \"{}\"", name),
                     suggestion(name, names, "write one of"));
  }
  return named;
}

PointKeys read_storage_points(Context& context, const Node& levels,
                              const std::vector<std::size_t>& entries, const Problem& problem) {
  PointKeys points;
  points.of_memory.resize(static_cast<std::size_t>(problem.memory_count()));
  for (const std::size_t entry : entries) {
    const Node& key = levels.key(entry);
    if (problem.arch().find_level(key.text)) continue;  // a level may be called like a point
    const auto text = point_text(key.text);
    const auto memory = text ? memory_named(problem, text->memory) : std::nullopt;
    if (!memory) continue;  // not a level at all, which is said later
    const std::uint32_t tensors = tensors_of(context, key, problem.workload(), *text);
    if (tensors == 0) continue;
    StoragePoints& own = points.of_memory[at(*memory)];
    for (const std::uint32_t other : own) {
      if ((other & tensors) == 0) continue;
      context.complain(
          key,
          fmt::format("{} has one of these tensors at another storage point, too", text->memory),
          "a tensor has one place in a memory");
    }
    if (levels.find(text->memory) != nullptr) {
      context.complain(key, fmt::format("{} stands here as a whole, too", text->memory),
                       "write its loops under its storage points");
    }
    own.push_back(tensors);
    points.level_of_key.emplace(&key, point_name(problem, *memory, tensors));
  }
  return points;
}

}  // namespace tilewright::io
