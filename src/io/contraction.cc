// From an einsum and the sizes of its dimensions to a workload.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "einsum.h"
#include "values.h"
#include "workload_fields.h"

namespace tilewright::io {

namespace {

class Assembler {
 public:
  Assembler(Context& context, const Node& scalar, const Einsum& einsum)
      : context_(context), scalar_(scalar), einsum_(einsum) {}

  std::optional<Workload> assemble(const Node& sizes) {
    if (!read_sizes(sizes)) return std::nullopt;
    for (const EinsumTensor& input : einsum_.inputs) add_tensor(input);
    add_tensor(einsum_.output);
    complain_about_unused(sizes);
    if (!sound_) return std::nullopt;
    return std::move(workload_);
  }

 private:
  bool read_sizes(const Node& sizes) {
    if (!context_.expect_map(sizes, "a map such as \"{m: 512, n: 512, k: 64}\"")) return false;
    if (sizes.entry_count() > static_cast<std::size_t>(kMaxDims)) {
      context_.complain(sizes, fmt::format("{} dimensions are more than the {} possible",
                                           sizes.entry_count(), kMaxDims));
      return false;
    }
    for (const std::size_t entry : context_.usable_entries(sizes)) {
      const auto size = read_count(context_, sizes.value(entry));
      sound_ = sound_ && size.has_value();
      workload_.dims.push_back({sizes.key(entry).text, size.value_or(1)});
    }
    sound_ = sound_ && workload_.dims.size() == sizes.entry_count();
    return true;
  }

  void add_tensor(const EinsumTensor& source) {
    if (workload_.find_tensor(source.name)) {
      complain(source.offset, fmt::format("a second tensor is named {}", source.name),
               "give every tensor a name of its own");
    }
    const bool is_output = &source == &einsum_.output;
    Tensor tensor{.name = source.name,
                  .role = is_output ? Role::Output : Role::Input,
                  .ranks = {},
                  .bits = kDefaultBits,
                  .role_by_rule = !is_output && source.role.empty()};
    if (!source.role.empty()) tensor.role = role_of(source, is_output);
    for (const std::vector<EinsumTerm>& index : source.ranks) {
      Rank rank;
      for (const EinsumTerm& term : index) {
        if (const auto dim = find_dim(term)) rank.push_back({*dim, term.coefficient});
      }
      tensor.ranks.push_back(std::move(rank));
    }
    workload_.tensors.push_back(std::move(tensor));
  }

  // The role as it is written; complains if it cannot be that.
  Role role_of(const EinsumTensor& source, bool is_output) {
    const auto wrong = [&](const std::string& message, const std::string& hint) {
      complain(source.role_offset, message, hint);
      return Role::Input;
    };
    if (is_output) {
      if (source.role == "output") return Role::Output;
      return wrong(fmt::format("{} is the output and can be nothing else", source.name),
                   fmt::format("write {}[...]", source.name));
    }
    if (source.role == "weight") return Role::Weight;
    if (source.role == "input") return Role::Input;
    return wrong(fmt::format("\"{}\" is no role of {}", source.role, source.name),
                 fmt::format("write {}:input[...] or {}:weight[...]", source.name, source.name));
  }

  std::optional<DimId> find_dim(const EinsumTerm& term) {
    const auto dim = workload_.find_dim(term.dim);
    if (!dim && missing_.insert(term.dim).second) {
      complain(term.offset, fmt::format("the size of dimension {} is missing", term.dim),
               fmt::format("add {} to the sizes", term.dim));
    }
    return dim;
  }

  void complain_about_unused(const Node& sizes) {
    for (int d = 0; d < workload_.dim_count(); ++d) {
      const bool used =
          std::any_of(workload_.tensors.begin(), workload_.tensors.end(),
                      [&](const Tensor& tensor) { return is_relevant(tensor, DimId{d}); });
      if (used) continue;
      sound_ = false;
      const std::string& name = workload_.dim(DimId{d}).name;
      for (std::size_t i = 0; i < sizes.entry_count(); ++i) {
        if (sizes.key(i).text != name) continue;
        const auto meant = closest_match(name, {missing_.begin(), missing_.end()});
        context_.complain(sizes.key(i), fmt::format("no tensor has a dimension \"{}\"", name),
                          meant ? fmt::format("did you mean {}?", *meant) : "leave it out");
        break;
      }
    }
  }

  void complain(std::size_t offset, const std::string& message, const std::string& hint) {
    sound_ = false;
    context_.complain_inside(scalar_, offset, message, hint);
  }

  Context& context_;
  const Node& scalar_;
  const Einsum& einsum_;
  Workload workload_;
  std::set<std::string> missing_;
  bool sound_ = true;
};

}  // namespace

std::optional<Workload> contraction(Context& context, const Node& einsum, const Node& sizes) {
  const auto parsed = parse_einsum(context, einsum);
  if (!parsed) return std::nullopt;
  return Assembler(context, einsum, *parsed).assemble(sizes);
}

}  // namespace tilewright::io
