#include <fmt/format.h>

#include "base/bits.h"
#include "loop_text.h"
#include "mapping_fields.h"
#include "storage_point_keys.h"
#include "tilewright/io.h"
#include "values.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

class MappingReader {
 public:
  MappingReader(Context& context, const Problem& problem)
      : context_(context), problem_(problem), mapping_(problem) {}

  std::optional<PaddedMapping> read(const Node& root) {
    MappingFile file;
    read_fields(context_, root, mapping_fields(), file, "the mapping");
    // Loops can only be held against sizes that are known.
    if (file.padded.node != nullptr && !read_padding(*file.padded.node)) return std::nullopt;
    const Node* levels = file.levels.node;
    if (levels == nullptr) return std::nullopt;
    if (!context_.expect_map(*levels, "the levels, such as \"DRAM: [M 4, C 2]\"")) {
      return std::nullopt;
    }
    const std::vector<std::size_t> entries = context_.usable_entries(*levels);
    if (!read_points(*levels, entries)) return std::nullopt;
    loops_are_known_ = entries.size() == levels->entry_count();
    for (const std::size_t entry : entries) {
      read_level(levels->key(entry), levels->value(entry));
    }
    if (loops_are_known_) {
      check_loops(context_, *levels, problem_, mapping_, loops_);
    }
    if (context_.clean()) {
      for (const std::string& message : structural_problems(problem_, mapping_)) {
        context_.complain(*levels, message);
      }
    }
    if (!context_.clean()) return std::nullopt;
    return PaddedMapping{std::move(problem_), std::move(mapping_)};
  }

 private:
  // Takes memories apart where the file has storage points of theirs.
  bool read_points(const Node& levels, const std::vector<std::size_t>& entries) {
    const std::size_t before = context_.problem_count();
    points_ = read_storage_points(context_, levels, entries, problem_);
    if (context_.problem_count() != before) return false;
    if (points_.level_of_key.empty()) return true;
    Checked<Problem> taken_apart = with_points(problem_, points_.of_memory);
    for (const Diagnostic& problem : taken_apart.problems) {
      context_.complain(levels, problem.message, problem.hint);
    }
    if (!taken_apart.ok()) return false;
    problem_ = std::move(*taken_apart.value);
    mapping_ = Mapping(problem_);
    return true;
  }

  bool read_padding(const Node& map) {
    if (!context_.expect_map(map, kPaddedForm)) return false;
    const std::size_t before = context_.problem_count();
    Workload padded = problem_.workload();
    for (const std::size_t entry : context_.usable_entries(map)) {
      read_padded_size(map.key(entry), map.value(entry), padded);
    }
    if (context_.problem_count() != before) return false;
    for (const std::string& problem : problems_of(padded)) context_.complain(map, problem);
    if (context_.problem_count() != before) return false;
    // What can go wrong with the pair has nothing to do with sizes.
    problem_ = *Problem::create(std::move(padded), problem_.arch()).value;
    mapping_ = Mapping(problem_);
    return true;
  }

  void read_padded_size(const Node& key, const Node& value, Workload& padded) {
    const auto dim = padded.find_dim(key.text);
    if (!dim) {
      context_.complain(key, fmt::format("the workload has no dimension \"{}\"", key.text),
                        suggestion(key.text, names_of(padded.dims), "its dimensions are"));
      return;
    }
    const auto size = read_count(context_, value);
    if (!size) return;
    std::int64_t& of_dim = padded.dims[at(*dim)].size;
    if (*size < of_dim) {
      context_.complain(
          value,
          fmt::format("{} = {} is less than its {} in the workload", key.text, *size, of_dim),
          "write what it is padded to");
    }
    of_dim = *size;
  }

  void read_level(const Node& key, const Node& value) {
    const auto point = points_.level_of_key.find(&key);
    const auto id =
        problem_.arch().find_level(point == points_.level_of_key.end() ? key.text : point->second);
    const std::size_t before = context_.problem_count();
    if (!id) {
      context_.complain(key, fmt::format("the architecture has no level \"{}\"", key.text),
                        suggestion(key.text, looping_levels(problem_.arch()), "its levels are"));
    } else if (std::holds_alternative<Memory>(problem_.arch().level(*id))) {
      read_memory(*id, value);
    } else if (std::holds_alternative<Fanout>(problem_.arch().level(*id))) {
      read_fanout(*id, value);
    } else {
      context_.complain(key, fmt::format("the compute level {} has no loops", key.text),
                        "leave it out");
    }
    // Bounds that were not understood are missing from every product.
    if (context_.problem_count() != before) loops_are_known_ = false;
  }

  void read_memory(LevelId id, const Node& value) {
    MemoryEntry entry;
    if (value.is_map()) {
      read_fields(context_, value, memory_entry_fields(), entry, "a memory of a mapping");
    } else {
      entry.loops.node = &value;
    }
    const MemoryId memory = problem_.memory_at(id);
    if (entry.loops.node != nullptr) {
      mapping_.set_order(memory, read_slot(*entry.loops.node, problem_.use(memory).slot));
    }
    read_residence(memory, entry);
  }

  void read_fanout(LevelId id, const Node& value) {
    if (!value.is_map()) {
      context_.complain(value, "loops of a fan-out need their axis",
                        "write them as \"{x: [M 4], y: [C 2]}\"");
      return;
    }
    FanoutEntry entry;
    read_fields(context_, value, fanout_entry_fields(), entry, "a fan-out of a mapping");
    for (int slot = 0; slot < problem_.slot_count(); ++slot) {
      const Slot& where = problem_.slots()[at(slot)];
      if (where.level != id) continue;
      const MappingPart& axis = where.kind == SlotKind::SpatialX ? entry.x : entry.y;
      if (axis.node != nullptr) read_slot(*axis.node, slot);
    }
  }

  // Sets the bounds of a slot; returns the dimensions in the order written.
  std::vector<DimId> read_slot(const Node& list, int slot) {
    std::vector<DimId> order;
    const auto loops = read_loops(context_, list, problem_, slot);
    if (!loops) return order;
    for (const LoopText& loop : *loops) {
      mapping_.set_bound(slot, loop.dim, loop.bound);
      order.push_back(loop.dim);
    }
    append(loops_, *loops);
    return order;
  }

  void read_residence(MemoryId memory, const MemoryEntry& entry) {
    const std::uint32_t keep = read_tensors(entry.keep, memory, Residence::Bypass, "keep");
    const std::uint32_t bypass = read_tensors(entry.bypass, memory, Residence::Keep, "bypass");
    for (const int t : members(keep & bypass)) {
      context_.complain(*entry.bypass.node,
                        fmt::format("{} stands in both keep and bypass",
                                    problem_.workload().tensor(TensorId{t}).name),
                        "leave it in one of them");
    }
    mapping_.set_kept(memory, problem_.use(memory).keep_allowed & ~bypass);
  }

  // A bit per tensor of a list; complains about those of which the hardware
  // does the opposite.
  std::uint32_t read_tensors(const MappingPart& part, MemoryId memory, Residence opposite,
                             const char* list) {
    if (part.node == nullptr || !context_.expect_list(*part.node, "a list such as \"[input]\"")) {
      return 0;
    }
    std::uint32_t all = 0;
    for (const Node& item : part.node->children) {
      const auto name = read_text(context_, item, "the name or role of a tensor");
      if (!name) continue;
      const std::uint32_t named = tensors_named(context_, item, problem_.workload(), *name);
      for (const int t : members(named)) {
        const Residence fixed = problem_.use(memory).residence[at(t)];
        if (fixed == opposite) complain_contradiction(item, memory, TensorId{t}, opposite, list);
      }
      all |= named;
    }
    return all;
  }

  void complain_contradiction(const Node& item, MemoryId memory, TensorId tensor,
                              Residence residence, const char* list) {
    context_.complain(
        item,
        fmt::format("in this architecture {} always {} {}", problem_.memory(memory).name,
                    residence == Residence::Keep ? "keeps" : "bypasses",
                    problem_.workload().tensor(tensor).name),
        fmt::format("take it out of {}", list));
  }

  Context& context_;
  Problem problem_;  // with the padded sizes and the storage points
  PointKeys points_;
  Mapping mapping_;
  std::vector<LoopText> loops_;
  bool loops_are_known_ = true;
};

// "M = 9 in place of 8"
std::string padding_text(const Workload& padded, const Workload& given) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < given.dims.size(); ++d) {
    if (padded.dims[d].size == given.dims[d].size) continue;
    parts.push_back(fmt::format("{} = {} in place of {}", given.dims[d].name, padded.dims[d].size,
                                given.dims[d].size));
  }
  return join(parts, ", ");
}

}  // namespace

std::optional<PaddedMapping> mapping_from(Context& context, const Node& root,
                                          const Problem& problem) {
  return MappingReader(context, problem).read(root);
}

Checked<Mapping> read_mapping(std::string_view text, const std::string& file,
                              const Problem& problem) {
  Checked<PaddedMapping> read = read_padded_mapping(text, file, problem);
  if (!read.value) return {std::nullopt, std::move(read.problems)};
  const std::string padding = padding_text(read.value->problem.workload(), problem.workload());
  if (padding.empty() && read.value->problem.slot_count() != problem.slot_count()) {
    return {std::nullopt,
            {{{file},
              "the mapping is uneven: a memory has several storage points",
              "here memories have one each"}}};
  }
  if (padding.empty()) return {std::move(read.value->mapping), {}};
  return {std::nullopt,
          {{{file}, "the mapping pads dimensions: " + padding, "here the sizes are fixed"}}};
}

Checked<PaddedMapping> read_padded_mapping(std::string_view text, const std::string& file,
                                           const Problem& problem) {
  Checked<Node> document = parse_document(text, file, "\"levels:\"");
  if (!document.value) return {std::nullopt, std::move(document.problems)};
  Context context(file);
  auto mapping = MappingReader(context, problem).read(*document.value);
  return {std::move(mapping), context.take_problems()};
}

}  // namespace tilewright::io
