#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "residence.h"
#include "tilewright/mapping.h"

namespace tilewright {

namespace {

using Names = std::vector<std::string>;

// --- roles ------------------------------------------------------------------

bool names_input_or_weight(const Constraint& constraint) {
  const auto* rule = std::get_if<ResidenceRule>(&constraint.rule);
  if (rule == nullptr) return false;
  const auto is_role = [](const std::string& name) { return name == "input" || name == "weight"; };
  return std::any_of(rule->keep.begin(), rule->keep.end(), is_role) ||
         std::any_of(rule->bypass.begin(), rule->bypass.end(), is_role);
}

// Whether a memory would do something else with the tensor in its other role.
bool depends_on_role(const Memory& memory, Tensor tensor) {
  tensor.role = Role::Input;
  const Residence as_input = residence_of(memory, tensor);
  const auto share_as_input = partition_of(memory, tensor);
  tensor.role = Role::Weight;
  return residence_of(memory, tensor) != as_input || partition_of(memory, tensor) != share_as_input;
}

bool depends_on_roles(const Workload& workload, const Architecture& arch,
                      const std::vector<Constraint>& more) {
  // Its view of a workload as a convolution goes by roles.
  if (arch.flexibility) return true;
  for (const Level& level : arch.levels) {
    const auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr) continue;
    for (std::size_t t = 0; t + 1 < workload.tensors.size(); ++t) {
      if (depends_on_role(*memory, workload.tensors[t])) return true;
    }
  }
  return std::any_of(arch.constraints.begin(), arch.constraints.end(), names_input_or_weight) ||
         std::any_of(more.begin(), more.end(), names_input_or_weight);
}

void remark_on_roles(const Workload& workload, const Architecture& arch,
                     const std::vector<Constraint>& more, Names& remarks) {
  const auto by_rule = [](const Tensor& tensor) { return tensor.role_by_rule; };
  const bool chosen = std::any_of(workload.tensors.begin(), workload.tensors.end(), by_rule);
  if (!chosen || workload.tensors.size() < 3 || !depends_on_roles(workload, arch, more)) return;
  std::string taken;
  std::string other;  // what to write for another choice
  for (std::size_t t = 0; t + 1 < workload.tensors.size(); ++t) {
    const Tensor& tensor = workload.tensors[t];
    taken += fmt::format("{}{} as {}", tensor.name, taken.empty() ? " is taken" : "",
                         to_string(tensor.role));
    if (t + 2 < workload.tensors.size()) taken += ", ";
    if (other.empty() && tensor.role_by_rule && tensor.role == Role::Input) {
      other = tensor_text(workload, tensor, Role::Weight);
    }
  }
  add_text(remarks,
           "The workload does not say which roles its inputs have, and {} tells inputs and "
           "weights apart: {} (docs/semantics.md). Write a role behind a name to choose, "
           "such as {}; map tries all of them with --roles any.",
           arch.name, taken, other);
}

// --- names of dimensions ------------------------------------------------------

// A list of dimensions in an architecture, and what it is for.
struct Place {
  std::string name;            // "Rows.y", "Buffer"
  std::int64_t instances = 0;  // along an axis; 0 of a memory
  Names dims;
};

std::vector<Place> places_of(const Architecture& arch) {
  std::vector<Place> places;
  for (const Level& level : arch.levels) {
    if (const auto* fanout = std::get_if<Fanout>(&level)) {
      const auto add = [&](const char* axis, const FanoutAxis& along) {
        if (along.size == 1 || !along.dims) return;
        places.push_back({fanout->name + axis, along.size, *along.dims});
      };
      add(".y", fanout->y);
      add(".x", fanout->x);
    } else if (const auto* memory = std::get_if<Memory>(&level)) {
      if (memory->dims) places.push_back({memory->name, 0, *memory->dims});
    }
  }
  for (const Constraint& constraint : arch.constraints) {
    const auto* rule = std::get_if<DimsRule>(&constraint.rule);
    if (rule == nullptr || !constraint.axis) continue;
    const auto* fanout = std::get_if<Fanout>(&arch.level(*arch.find_level(constraint.level)));
    if (fanout == nullptr) continue;
    const std::int64_t size = *constraint.axis == Axis::X ? fanout->x.size : fanout->y.size;
    if (size > 1) places.push_back({place_of(constraint), size, rule->dims});
  }
  return places;
}

// Every dimension that an architecture and constraints name.
Names all_names(const std::vector<Place>& places, const Architecture& arch,
                const std::vector<Constraint>& more) {
  Names names;
  const auto add = [&](const Names& some) { append(names, some); };
  for (const Place& place : places) add(place.dims);
  for (const auto* list : {&arch.constraints, &more}) {
    for (const Constraint& constraint : *list) {
      if (const auto* factor = std::get_if<FactorRule>(&constraint.rule)) add({factor->dim});
      if (const auto* dims = std::get_if<DimsRule>(&constraint.rule)) add(dims->dims);
      if (const auto* order = std::get_if<OrderRule>(&constraint.rule)) {
        add(order->outermost);
        add(order->innermost);
      }
    }
  }
  return names;
}

void remark_on_case(const Workload& workload, const Architecture& arch, const Names& names,
                    Names& remarks) {
  std::map<int, std::string> taken_for;
  for (const std::string& name : names) {
    if (workload.find_dim(name)) continue;
    const std::uint32_t mask = dims_named(workload, name);
    for (int d = 0; d < workload.dim_count(); ++d) {
      if (((mask >> d) & 1U) != 0) taken_for.emplace(d, name);
    }
  }
  if (taken_for.empty()) return;
  Names own;
  Names meant;
  for (const auto& [dim, name] : taken_for) {
    own.push_back(workload.dim(DimId{dim}).name);
    meant.push_back(name);
  }
  add_text(remarks,
           "{} {} taken for {} of {}: names of dimensions that differ in case alone mean the same.",
           list_of(own), own.size() == 1 ? "is" : "are", list_of(meant), arch.name);
}

// --- what cannot be used ------------------------------------------------------

std::uint32_t dims_at(const Workload& workload, const Place& place) {
  std::uint32_t mask = 0;
  for (const std::string& name : place.dims) mask |= dims_named(workload, name);
  return mask;
}

// Finds new names for dimensions that an architecture does not know.
class Renamer {
 public:
  Renamer(const Workload& workload, const Names& known) : workload_(workload) {
    for (const std::string& name : known) spoken_for_ |= dims_named(workload, name);
  }

  // So that the place has something to do; keeps what it has said before.
  void make_useful(const Place& place) {
    for (const std::string& name : place.dims) {
      if (said_.count(name) > 0) return;
    }
    for (const std::string& name : place.dims) {
      const auto dim = best_for(name);
      if (!dim) continue;
      spoken_for_ |= 1U << *dim;
      said_.insert(name);
      text_ +=
          fmt::format("{}{}={}", text_.empty() ? "" : ",", workload_.dim(DimId{*dim}).name, name);
      return;
    }
  }

  const std::string& text() const { return text_; }

 private:
  // These are summed over in a convolution and in a product of matrices.
  static bool is_summed(const std::string& name) {
    constexpr std::array<const char*, 4> kSummed = {"C", "K", "R", "S"};
    return std::find(kSummed.begin(), kSummed.end(), name) != kSummed.end();
  }

  bool suits(int dim, const std::string& name) const {
    const DimId id{dim};
    if (((spoken_for_ >> dim) & 1U) != 0 || workload_.dim(id).size == 1) return false;
    if (is_relevant(workload_.tensors.back(), id) == is_summed(name)) return false;
    // What all tensors have is a batch; it brings no reuse.
    return !std::all_of(workload_.tensors.begin(), workload_.tensors.end(),
                        [&](const Tensor& tensor) { return is_relevant(tensor, id); });
  }

  std::optional<int> best_for(const std::string& name) const {
    std::optional<int> best;
    const auto size = [&](int dim) { return workload_.dim(DimId{dim}).size; };
    for (int d = 0; d < workload_.dim_count(); ++d) {
      if (suits(d, name) && (!best || size(d) > size(*best))) best = d;
    }
    return best;
  }

  const Workload& workload_;
  std::uint32_t spoken_for_ = 0;  // bit per dimension
  std::set<std::string> said_;
  std::string text_;
};

// Remarks on a place whose dimensions the workload has, but with size 1 each.
void remark_on_ones(const Workload& workload, const Place& place, std::uint32_t mask,
                    Names& remarks) {
  Names ones;
  for (int d = 0; d < workload.dim_count(); ++d) {
    if (((mask >> d) & 1U) == 0) continue;
    if (workload.dim(DimId{d}).size > 1) return;
    ones.push_back(workload.dim(DimId{d}).name);
  }
  add_text(remarks, "{} ({} instances) cannot be used: the workload has {} = 1.", place.name,
           place.instances, fmt::join(ones, " = "));
}

void remark_on_idle_places(const Workload& workload, const Architecture& arch,
                           const std::vector<Place>& places, const Names& known, Names& remarks) {
  Renamer renamer(workload, known);
  bool foreign = false;
  for (const Place& place : places) {
    const bool axis = place.instances > 0;
    const std::uint32_t mask = dims_at(workload, place);
    if (mask != 0) {
      if (axis) remark_on_ones(workload, place, mask, remarks);
      continue;
    }
    if (place.dims.empty() && !axis) continue;  // a memory that is meant to have no loop
    const std::string why = place.dims.empty() ? "it allows no dimension"
                                               : fmt::format("the workload has none of {}",
                                                             fmt::join(place.dims, ", "));
    remarks.push_back(axis ? fmt::format("{} ({} instances) cannot be used: {}.", place.name,
                                         place.instances, why)
                           : fmt::format("{} can have no loop: {}.", place.name, why));
    foreign = foreign || !place.dims.empty();
    renamer.make_useful(place);
  }
  if (!foreign) return;
  const std::string own = fmt::format("{}", fmt::join(names_of(workload.dims), ", "));
  remarks.push_back(
      renamer.text().empty()
          ? fmt::format("To change that, put dimensions of the workload ({}) into the lists of {}, "
                        "or rename some with --rename.",
                        own, arch.name)
          : fmt::format("To change that, give dimensions the names that {} knows, such as --rename "
                        "{}, or put those of the workload ({}) into its lists.",
                        arch.name, renamer.text(), own));
}

// --- energies -------------------------------------------------------------------

void remark_on_energies(const Architecture& arch, Names& remarks) {
  if (takes_energy(arch)) return;
  add_text(remarks,
           "All energies of {} are 0, so every mapping takes 0 pJ, and cycles alone tell "
           "mappings apart. Give its memories \"read: ... pJ\", or its multipliers "
           "\"energy: ... pJ\", to have energies counted.",
           arch.name);
}

// --- widths ---------------------------------------------------------------------

// With a clock, numbers are likely to be said of bits and bytes; the model counts words.
void remark_on_widths(const Workload& workload, const Architecture& arch, Names& remarks) {
  if (!arch.clock_hz) return;
  for (const Level& level : arch.levels) {
    const auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr || memory->word_bits == 1) continue;
    Names others;
    for (const Tensor& tensor : workload.tensors) {
      const bool passes = residence_of(*memory, tensor) == Residence::Bypass;
      if (tensor.bits == memory->word_bits || passes) continue;
      add_text(others, "{} ({} bits)", tensor.name, tensor.bits);
    }
    if (others.empty()) continue;
    add_text(
        remarks,
        "Elements of {} are not as wide as the words of {} ({} bits): in its traffic{} and its "
        "time each of them counts as one word.",
        list_of(others), memory->name, memory->word_bits,
        memory->energy_of_bits ? "" : ", its energy");
  }
}

}  // namespace

std::vector<std::string> remarks_on(const Workload& workload, const Architecture& arch,
                                    const std::vector<Constraint>& more) {
  Names remarks;
  if (!problems_of(workload).empty() || !problems_of(arch).empty()) return remarks;
  remark_on_roles(workload, arch, more, remarks);
  const std::vector<Place> places = places_of(arch);
  const Names known = all_names(places, arch, more);
  remark_on_case(workload, arch, known, remarks);
  // What is unrolled along the axes of a flexible array is a matter of its setting.
  if (!arch.flexibility) remark_on_idle_places(workload, arch, places, known, remarks);
  remark_on_energies(arch, remarks);
  remark_on_widths(workload, arch, remarks);
  return remarks;
}

}  // namespace tilewright
