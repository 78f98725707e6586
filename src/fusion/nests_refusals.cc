// What the tables of private nests do not cover.
#include "base/text.h"
#include "fusion/nests_stack.h"

namespace tilewright::fusion {

void NestStack::refuse_constraints(const Restrictions& restrictions,
                                   std::vector<std::string>& no) const {
  for (int m = 0; m < flat_.memories; ++m) {
    const MemoryId id{m};
    const std::string& name = problem_.memory(id).name;
    if (restrictions.keep_always(id) != restrictions.keep_allowed(id)) {
      add_text(no, "{} is free to keep a tensor or not; fused mapping needs to be told which",
               name);
    }
    if (!restrictions.outermost(id).empty() || !restrictions.innermost(id).empty()) {
      add_text(no, "the order of the loops of {} is constrained, which fused mapping cannot", name);
    }
    for (int d = 0; d < flat_.dims; ++d) {
      const BoundLimits& limits = restrictions.limits(flat_.memory[at(m)].slot, DimId{d});
      const bool allowed = contains(loop_dims_[at(m)], d);
      if (limits.least > 1 || (allowed && limits.most < flat_.size[at(d)])) {
        add_text(no, "the loop over {} at {} is constrained, which fused mapping cannot",
                 problem_.workload().dims[at(d)].name, name);
      }
    }
  }
}

// What passes by a memory is shared in the fan-outs outside it, which the tables do not know
// when its run ends at that memory.
void NestStack::refuse_bypass(std::vector<std::string>& no) const {
  for (int t = 0; t < flat_.tensors; ++t) {
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (stages_[s].kind != Stage::Kind::Loops || stages_[s].number == shared_) continue;
      const int memory = stages_[s].number;
      if (contains(kept_[at(memory)], t)) continue;
      const int keeper = keeper_outside(memory, t);
      if (keeper >= 0 && fanouts_left(s, std::max(keeper, shared_))) {
        add_text(no, "{} passes by {}, and a fan-out lies outside that",
                 problem_.workload().tensors[at(t)].name, problem_.memory(MemoryId{memory}).name);
      }
    }
  }
}

std::vector<std::string> refusals_of_plans(const Problem& problem, const Restrictions& restrictions,
                                           int shared) {
  std::vector<std::string> no;
  const FlatProblem flat(problem);
  for (const FlatFanout& fanout : flat.fanout) {
    if (fanout.shares_halos) {
      add_text(no, "the fan-out {} shares halos", name_of(problem.arch().level(fanout.level)));
    }
    if (fanout.level < flat.memory[at(shared)].level && fanout.size_x * fanout.size_y > 1) {
      add_text(no, "the fan-out {} lies outside the shared memory",
               name_of(problem.arch().level(fanout.level)));
    }
  }
  for (int m = 0; m < flat.memories; ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    if (memory.leakage_pj_per_cycle != 0) add_text(no, "{} leaks", memory.name);
    if (memory.block_words != 1) add_text(no, "{} moves blocks of words", memory.name);
    if (memory.is_part) {
      add_text(no, "{} shares its room with other memories", memory.name);
    } else if (!memory.point_of.empty()) {
      add_text(no, "{} is a storage point", memory.name);
    }
  }
  if (!problem.memory(MemoryId{shared}).partitions.empty()) {
    add_text(no, "{} is divided into partitions", problem.memory(MemoryId{shared}).name);
  }
  if (flat.reads_first_sums) add_text(no, "first sums are read back");
  if (restrictions.keep_always(MemoryId{0}) != (1U << flat.tensors) - 1) {
    add_text(no, "{} does not keep all tensors", problem.memory(MemoryId{0}).name);
  }
  const std::uint32_t loops = problem.slots()[at(problem.use(MemoryId{0}).slot)].allowed_dims;
  for (int d = 0; d < flat.dims; ++d) {
    if (flat.size[at(d)] > 1 && !contains(loops, d)) {
      add_text(no, "{} may have no loop over {}, as groups may need",
               problem.memory(MemoryId{0}).name, problem.workload().dims[at(d)].name);
    }
  }
  for (const Constraint& constraint : problem.arch().constraints) {
    const auto* factor = std::get_if<FactorRule>(&constraint.rule);
    if (factor != nullptr && !factor->value) {
      add_text(no, "{} has to take all of {}, which means nothing for tiles of fused groups",
               place_of(constraint), factor->dim);
    }
  }
  return no;
}

std::vector<std::string> NestStack::refusals(const Restrictions& restrictions) const {
  std::vector<std::string> no = refusals_of_plans(problem_, restrictions, shared_);
  for (const FlatFanout& fanout : flat_.fanout) {
    if (fanout.word_pj == 0) continue;
    add_text(no, "words in the fan-out {} take energy",
             name_of(problem_.arch().level(fanout.level)));
  }
  if (flat_.systolic) add_text(no, "the array is systolic");
  for (int t = 0; t < flat_.tensors; ++t) {
    if (!flat_.tensor[at(t)].windows.empty()) {
      add_text(no, "{} is seen through a window", problem_.workload().tensors[at(t)].name);
    }
  }
  refuse_constraints(restrictions, no);
  refuse_bypass(no);
  return no;
}

}  // namespace tilewright::fusion
