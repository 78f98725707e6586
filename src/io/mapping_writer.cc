#include <fmt/format.h>

#include "loop_text.h"
#include "mapping_fields.h"
#include "tilewright/io.h"
#include "values.h"

namespace tilewright::io {

namespace {

class MappingWriter {
 public:
  MappingWriter(const Problem& problem, const Mapping& mapping)
      : problem_(problem), mapping_(mapping) {
    for (int d = 0; d < problem.dim_count(); ++d) {
      passes_.push_back(last_passes(problem, mapping, DimId{d}));
    }
  }

  std::string write(const Workload& given) const {
    std::string levels;
    for (int i = 0; i < problem_.arch().level_count(); ++i) {
      const std::vector<std::string> fields = level_fields(LevelId{i});
      if (fields.empty() && !is_point(LevelId{i})) continue;
      levels += fmt::format("\n  {}: {{{}}}",
                            quoted_if_needed(name_of(problem_.arch().level(LevelId{i}))),
                            join(fields, ", "));
    }
    MappingFile file;
    file.padded.text = padded_text(given);
    file.levels.text = levels.empty() ? "{}" : levels;
    return join(write_fields(mapping_fields(), file), "\n") + "\n";
  }

 private:
  // "{P: 14}"; empty where nothing is padded.
  std::string padded_text(const Workload& given) const {
    std::vector<std::string> sizes;
    for (int d = 0; d < problem_.dim_count(); ++d) {
      const Dimension& dim = problem_.workload().dim(DimId{d});
      if (dim.size == given.dim(DimId{d}).size) continue;
      sizes.push_back(fmt::format("{}: {}", quoted_if_needed(dim.name), dim.size));
    }
    return sizes.empty() ? "" : fmt::format("{{{}}}", join(sizes, ", "));
  }

  // Storage points are written even without loops: they say where tiles are.
  bool is_point(LevelId level) const {
    const auto* memory = std::get_if<Memory>(&problem_.arch().level(level));
    return memory != nullptr && !memory->point_of.empty() && !memory->is_part;
  }

  std::vector<std::string> level_fields(LevelId level) const {
    if (std::holds_alternative<Memory>(problem_.arch().level(level))) {
      return memory_fields_of(problem_.memory_at(level));
    }
    FanoutEntry entry;
    for (int slot = 0; slot < problem_.slot_count(); ++slot) {
      const Slot& where = problem_.slots()[at(slot)];
      if (where.level != level) continue;
      std::string& text = (where.kind == SlotKind::SpatialX ? entry.x : entry.y).text;
      text = list_text(spatial_loops(slot));
    }
    return write_fields(fanout_entry_fields(), entry);
  }

  std::vector<std::string> memory_fields_of(MemoryId memory) const {
    MemoryEntry entry;
    entry.loops.text = list_text(temporal_loops(memory));
    std::vector<std::string> keep, bypass;
    const MemoryUse& use = problem_.use(memory);
    for (int t = 0; t < problem_.tensor_count(); ++t) {
      if (use.residence[at(t)] != Residence::Free) continue;
      const std::string& name = problem_.workload().tensor(TensorId{t}).name;
      (mapping_.keeps(memory, TensorId{t}) ? keep : bypass).push_back(name);
    }
    if (!keep.empty()) entry.keep.text = names_text(keep);
    if (!bypass.empty()) entry.bypass.text = names_text(bypass);
    return write_fields(memory_entry_fields(), entry);
  }

  std::vector<std::string> spatial_loops(int slot) const {
    std::vector<std::string> loops;
    for (int d = 0; d < problem_.dim_count(); ++d) {
      if (mapping_.bound(slot, DimId{d}) > 1) loops.push_back(text_of(slot, d));
    }
    return loops;
  }

  // The reader puts dimensions without a loop last, in the order of the
  // workload. A loop of bound 1 is written where the order says otherwise.
  std::vector<std::string> temporal_loops(MemoryId memory) const {
    const int slot = problem_.use(memory).slot;
    const std::uint8_t* order = mapping_.order(memory);
    int written = problem_.dim_count();
    while (written > 0 && mapping_.bound(slot, DimId{order[written - 1]}) == 1 &&
           (written == problem_.dim_count() || order[written - 1] < order[written])) {
      --written;
    }
    std::vector<std::string> loops;
    for (int i = 0; i < written; ++i) loops.push_back(text_of(slot, order[i]));
    return loops;
  }

  std::string text_of(int slot, int dim) const {
    return loop_text(problem_.workload().dim(DimId{dim}).name, mapping_.bound(slot, DimId{dim}),
                     passes_[at(dim)][at(slot)]);
  }

  static std::string list_text(const std::vector<std::string>& loops) {
    return loops.empty() ? "" : fmt::format("[{}]", join(loops, ", "));
  }

  const Problem& problem_;
  const Mapping& mapping_;
  std::vector<std::vector<std::int64_t>> passes_;  // [dim][slot]
};

}  // namespace

std::string write_mapping(const Problem& problem, const Mapping& mapping) {
  return MappingWriter(problem, mapping).write(problem.workload());
}

std::string write_padded_mapping(const Problem& problem, const Mapping& mapping,
                                 const Workload& given) {
  return MappingWriter(problem, mapping).write(given);
}

}  // namespace tilewright::io
