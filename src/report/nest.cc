#include <fmt/format.h>

#include "tilewright/report.h"

namespace tilewright::report {
namespace {

class NestWriter {
 public:
  NestWriter(const Problem& problem, const Mapping& mapping)
      : problem_(problem), mapping_(mapping) {
    for (int d = 0; d < problem.dim_count(); ++d) {
      last_.push_back(last_passes(problem, mapping, DimId{d}));
    }
  }

  std::string write() {
    int memory = 0;
    for (int l = 0; l < problem_.arch().level_count(); ++l) {
      const Level& level = problem_.arch().level(LevelId{l});
      if (std::holds_alternative<Memory>(level)) {
        write_memory(MemoryId{memory++});
      } else if (std::holds_alternative<Fanout>(level)) {
        write_fanout(LevelId{l});
      } else {
        out_ += fmt::format("{}\n{}{}\n", name_of(level), indent(), statement());
      }
    }
    return out_;
  }

 private:
  std::string indent() const { return std::string(static_cast<std::size_t>(2 + 2 * depth_), ' '); }

  std::string statement() const { return einsum_text(problem_.workload()); }

  void write_loop(int slot, DimId dim, const char* word, const char* axis) {
    const std::int64_t bound = mapping_.bound(slot, dim);
    if (bound == 1) return;
    const std::int64_t last = last_[at(dim)][at(slot)];
    const std::string rest = last == bound ? "" : fmt::format(" (last: {})", last);
    out_ += fmt::format("{}{} {} in {}{}{}\n", indent(), word, problem_.workload().dim(dim).name,
                        bound, rest, axis);
    ++depth_;
  }

  void write_memory(MemoryId memory) {
    std::string kept;
    for (int t = 0; t < problem_.tensor_count(); ++t) {
      if (mapping_.keeps(memory, TensorId{t})) {
        kept += " " + problem_.workload().tensor(TensorId{t}).name;
      }
    }
    const Memory& level = problem_.memory(memory);
    out_ += fmt::format("{} keeps{}\n", level.is_part ? level.name : memory_name(level),
                        kept.empty() ? " nothing" : kept);
    for (int position = 0; position < problem_.dim_count(); ++position) {
      write_loop(problem_.use(memory).slot, DimId{mapping_.order(memory)[position]}, "for", "");
    }
  }

  void write_fanout(LevelId level) {
    out_ += name_of(problem_.arch().level(level)) + "\n";
    for (int slot = 0; slot < problem_.slot_count(); ++slot) {
      const Slot& at = problem_.slots()[static_cast<std::size_t>(slot)];
      if (at.level != level) continue;
      const char* axis = at.kind == SlotKind::SpatialX ? "  on x" : "  on y";
      for (int d = 0; d < problem_.dim_count(); ++d) write_loop(slot, DimId{d}, "par_for", axis);
    }
  }

  const Problem& problem_;
  const Mapping& mapping_;
  std::vector<std::vector<std::int64_t>> last_;  // [dim][slot]
  int depth_ = 0;
  std::string out_;
};

}  // namespace

std::string nest_text(const Problem& problem, const Mapping& mapping) {
  return NestWriter(problem, mapping).write();
}

}  // namespace tilewright::report
