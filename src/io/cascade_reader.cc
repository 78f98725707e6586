// Cascades: einsums that read what others write, and what is done in between.
#include <fmt/format.h>

#include <set>

#include "cascade_fields.h"
#include "einsum.h"
#include "network_sizes.h"
#include "tilewright/io.h"
#include "values.h"
#include "workload_fields.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

class CascadeReader {
 public:
  CascadeReader(Context& context, const Variables& sizes) : context_(context), sizes_(sizes) {}

  std::optional<Cascade> read(const Node& root) {
    CascadeFile file;
    read_fields(context_, root, cascade_fields(), file, "the cascade");
    cascade_.name = file.name;
    cascade_.source = file.source;
    bits_ = file.bits;
    if (file.einsums == nullptr || !context_.expect_list(*file.einsums, kEinsumsForm)) {
      return std::nullopt;
    }
    for (const Node& item : file.einsums->children) read_einsum(item);
    if (!context_.clean()) return std::nullopt;
    for (const CascadeProblem& problem : problems_of(cascade_)) {
      const Node& where = file.einsums->children.empty()
                              ? *file.einsums
                              : file.einsums->children[at(problem.einsum)];
      context_.complain(where, problem.message, problem.hint);
    }
    check_unused(*file.sizes);
    if (!context_.clean()) return std::nullopt;
    return std::move(cascade_);
  }

 private:
  void read_einsum(const Node& item) {
    if (!context_.expect_map(item, "an einsum such as \"QK: S[m,p] += Q[m,e] * K[p,e]\"")) return;
    const Node* text = nullptr;
    const Node* known_as = nullptr;
    const Node* widths = nullptr;
    CascadeEinsum einsum;
    for (const std::size_t entry : context_.usable_entries(item)) {
      const Node& key = item.key(entry);
      if (key.text == "then") {
        read_then(item.value(entry), einsum.then.emplace());
      } else if (key.text == kKnownAs) {
        known_as = &item.value(entry);
      } else if (key.text == kWidths) {
        widths = &item.value(entry);
      } else if (key.text == kLeaves) {
        einsum.leaves = read_bool(context_, item.value(entry)).value_or(false);
      } else if (text != nullptr) {
        context_.complain(key, fmt::format("\"{}\" is a second einsum", abbreviated(key.text)),
                          "start it with a dash of its own");
      } else if (context_.expect_scalar(item.value(entry), kEinsumForm)) {
        text = &item.value(entry);
        name_ = key.text;
      } else {
        return;
      }
    }
    if (text == nullptr) {
      context_.complain(item, "the einsum is missing", fmt::format("write {}", kEinsumForm));
      return;
    }
    auto workload = contraction(context_, *text, sizes_of(*text));
    if (!workload) return;
    workload->name = name_;
    for (Tensor& tensor : workload->tensors) tensor.bits = bits_;
    if (widths != nullptr) read_bits(context_, *widths, *workload);
    assign_roles(*workload);
    einsum.workload = std::move(*workload);
    if (known_as != nullptr) read_known_as(*known_as, einsum.workload);
    cascade_.einsums.push_back(std::move(einsum));
  }

  void read_known_as(const Node& map, Workload& workload) {
    if (!context_.expect_map(map, "a map such as \"{a: K}\"")) return;
    for (const std::size_t entry : context_.usable_entries(map)) {
      const std::string& dim = map.key(entry).text;
      const auto found = workload.find_dim(dim);
      const auto name = read_text(context_, map.value(entry), kNameForm);
      if (found && name) {
        workload.dims[at(*found)].known_as = *name == dim ? "" : *name;
      } else if (!found) {
        context_.complain(map.key(entry),
                          fmt::format("{} has no dimension {}", workload.name, abbreviated(dim)),
                          suggestion(dim, names_of(workload.dims), "its dimensions are"));
      }
    }
  }

  // The sizes of the dimensions that an einsum has, as numbers.
  Node sizes_of(const Node& text) {
    Node map = Node::container(Node::Kind::Map, text.line, text.column);
    Context aside("");
    const auto einsum = parse_einsum(aside, text);
    if (!einsum) return map;
    std::vector<EinsumTensor> tensors = einsum->inputs;
    tensors.insert(tensors.begin(), einsum->output);
    for (const EinsumTensor& tensor : tensors) {
      for (const auto& rank : tensor.ranks) {
        for (const EinsumTerm& term : rank) add_size(term.dim, text, map);
      }
    }
    return map;
  }

  void add_size(const std::string& dim, const Node& text, Node& map) {
    used_.insert(dim);
    const auto size = sizes_.find(dim);
    if (size == sizes_.end() || map.find(dim) != nullptr) return;
    const std::int64_t value = size->second ? static_cast<std::int64_t>(size->second->above) : 1;
    map.children.push_back(Node::scalar(dim, text.line, text.column));
    map.children.push_back(Node::scalar(fmt::format("{}", value), text.line, text.column));
  }

  void read_then(const Node& node, Afterwards& then) {
    ThenFile file;
    const KeySet present = read_fields(context_, node, then_fields(), file, "then");
    const int said = (file.softmax ? 1 : 0) + (file.norm ? 1 : 0) + (file.function ? 1 : 0);
    if (node.is_map() && said != 1) {
      context_.complain(node, "it does not say what is done, or says several things",
                        "write one of softmax, norm and function");
    }
    then.function = file.softmax ? "softmax" : file.norm ? "norm" : file.function.value_or("");
    then.reduces = file.softmax ? file.softmax : file.norm;
    then.online_words = file.online;
    then.energy_pj = file.energy_pj;
    then.elements_per_cycle = file.rate;
    if (file.online && !then.reduces) {
      context_.complain(node, "only a softmax or a norm can be done online", "leave online out");
    }
  }

  // Sizes may serve other sizes.
  void check_unused(const Node& sizes) {
    for (std::size_t i = 0; i < sizes.entry_count(); ++i) {
      std::string_view rest = sizes.value(i).text;
      while (!rest.empty()) {
        const std::string_view name = leading_identifier(rest);
        if (!name.empty()) used_.emplace(name);
        rest.remove_prefix(name.empty() ? 1 : name.size());
      }
    }
    for (std::size_t i = 0; i < sizes.entry_count(); ++i) {
      if (used_.contains(sizes.key(i).text)) continue;
      context_.complain(sizes.key(i),
                        fmt::format("nothing uses the size {}", abbreviated(sizes.key(i).text)),
                        "leave it out");
    }
  }

  Context& context_;
  const Variables& sizes_;
  Cascade cascade_;
  std::string name_;
  std::int64_t bits_ = kDefaultBits;
  std::set<std::string, std::less<>> used_;
};

}  // namespace

Checked<Cascade> read_cascade(std::string_view text, const std::string& file,
                              const std::vector<std::string>& sizes) {
  Checked<Node> document = parse_document(text, file, "\"cascade:\" and a name");
  if (!document.value) return {std::nullopt, std::move(document.problems)};
  Context context(file);
  set_sizes(context, *document.value, sizes);
  const Variables variables = read_sizes(context, *document.value);
  if (!context.clean()) return {std::nullopt, context.take_problems()};
  auto cascade = CascadeReader(context, variables).read(*document.value);
  if (!cascade) return {std::nullopt, context.take_problems()};
  for (const auto& [name, value] : variables) {
    cascade->sizes.push_back({name, static_cast<std::int64_t>(value->above)});
  }
  return {std::move(cascade), {}};
}

}  // namespace tilewright::io
