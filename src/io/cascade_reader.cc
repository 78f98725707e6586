// Cascades: einsums that read what others write, and what is done in between.
#include <fmt/format.h>

#include <set>

#include "einsum.h"
#include "member_fields.h"
#include "network_sizes.h"
#include "tilewright/io.h"
#include "workload_fields.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

constexpr const char* kCascadeForm = "a list such as \"- QK: S[m,p] += Q[m,e] * K[p,e]\"";

struct CascadeFile {
  std::string name, source;
  const Node* sizes = nullptr;
  const Node* einsums = nullptr;
  std::int64_t bits = kDefaultBits;
};

constexpr std::optional<std::string> (*kNotWritten)(const CascadeFile&) =
    [](const CascadeFile&) -> std::optional<std::string> { return std::nullopt; };

constexpr auto kCascadeFields = std::to_array<Field<CascadeFile>>({
    member_field<&CascadeFile::name, read_name, quoted_if_needed>("cascade", kNameForm, nullptr,
                                                                  "its name"),
    member_field<&CascadeFile::source, read_note, quoted_if_needed>(
        "source", "a text", "none", "where it comes from, for the reader alone"),
    node_field<CascadeFile, &CascadeFile::sizes>(
        {"sizes", "a map such as \"{tokens: 1024, m: tokens}\"", nullptr,
         "the size of every dimension; one may be computed from those before it"},
        kNotWritten),
    member_field<&CascadeFile::bits, read_count, count_text>("bits", kCountForm, "8",
                                                             "width of one element"),
    node_field<CascadeFile, &CascadeFile::einsums>(
        {"einsums", kCascadeForm, nullptr,
         "name and contraction of each, and under \"then\" what is done to its output"},
        kNotWritten),
});

struct ThenFile {
  std::optional<std::string> softmax, norm, function;
  std::optional<std::int64_t> online;
  double energy_pj = 0;
  std::optional<Rational> rate;
};

std::optional<std::optional<std::string>> read_optional_name(Context& context, const Node& node) {
  auto name = read_name(context, node);
  if (!name) return std::nullopt;
  return std::optional<std::string>(*name);
}
std::string optional_text(const std::optional<std::string>& text) {
  return quoted_if_needed(*text);
}
std::optional<std::optional<std::int64_t>> read_online(Context& context, const Node& node) {
  const auto words = read_words(context, node);
  return words ? std::optional(words) : std::nullopt;
}
std::string online_text(const std::optional<std::int64_t>& words) { return words_text(*words); }
std::optional<std::optional<Rational>> read_rate(Context& context, const Node& node) {
  const auto rate = read_bandwidth(context, node);
  return rate ? std::optional(rate) : std::nullopt;
}

constexpr auto kThenFields = std::to_array<Field<ThenFile>>({
    member_field<&ThenFile::softmax, read_optional_name, optional_text>(
        "softmax", "a dimension", "none", "a softmax along this dimension"),
    member_field<&ThenFile::norm, read_optional_name, optional_text>("norm", "a dimension", "none",
                                                                     "a norm along this dimension"),
    member_field<&ThenFile::function, read_optional_name, optional_text>(
        "function", kNameForm, "none", "a function of single elements, such as gelu"),
    member_field<&ThenFile::online, read_online, online_text>(
        "online", kWordsForm, "not possible",
        "state per remaining index, where it can be done part by part"),
    member_field<&ThenFile::energy_pj, read_energy_pj, energy_text>("energy", kEnergyForm, "0 pJ",
                                                                    "of one element"),
    member_field<&ThenFile::rate, read_rate, optional_bandwidth_text>(
        "rate", kBandwidthForm, "without limit", "elements per cycle"),
});

class CascadeReader {
 public:
  CascadeReader(Context& context, const Variables& sizes) : context_(context), sizes_(sizes) {}

  std::optional<Cascade> read(const Node& root) {
    CascadeFile file;
    read_fields(context_, root, FieldTable<CascadeFile>(kCascadeFields), file, "the cascade");
    cascade_.name = file.name;
    cascade_.source = file.source;
    bits_ = file.bits;
    if (file.einsums == nullptr || !context_.expect_list(*file.einsums, kCascadeForm)) {
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
    CascadeEinsum einsum;
    for (const std::size_t entry : context_.usable_entries(item)) {
      const Node& key = item.key(entry);
      if (key.text == "then") {
        read_then(item.value(entry), einsum.then.emplace());
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
    assign_roles(*workload);
    einsum.workload = std::move(*workload);
    cascade_.einsums.push_back(std::move(einsum));
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
    const KeySet present =
        read_fields(context_, node, FieldTable<ThenFile>(kThenFields), file, "then");
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

std::string then_text(const Afterwards& then) {
  ThenFile file;
  file.softmax = then.function == "softmax" ? then.reduces : std::nullopt;
  file.norm = then.function == "norm" ? then.reduces : std::nullopt;
  if (!then.reduces) file.function = then.function;
  file.online = then.online_words;
  file.energy_pj = then.energy_pj;
  file.rate = then.elements_per_cycle;
  return fmt::format("{{{}}}", join(write_fields(FieldTable<ThenFile>(kThenFields), file), ", "));
}

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

std::string write_cascade(const Cascade& cascade) {
  std::string text = fmt::format("cascade: {}\n", quoted_if_needed(cascade.name));
  if (!cascade.source.empty())
    text += fmt::format("source: {}\n", quoted_if_needed(cascade.source));
  std::vector<std::string> sizes, known;
  std::string einsums;
  for (const CascadeEinsum& einsum : cascade.einsums) {
    for (const Dimension& dim : einsum.workload.dims) {
      if (contains(known, dim.name)) continue;
      known.push_back(dim.name);
      sizes.push_back(fmt::format("{}: {}", quoted_if_needed(dim.name), dim.size));
    }
    const Workload& workload = einsum.workload;
    std::vector<std::string> inputs;
    for (std::size_t t = 0; t + 1 < workload.tensors.size(); ++t) {
      const Tensor& tensor = workload.tensors[t];
      inputs.push_back(tensor_text(workload, tensor, tensor.role));
    }
    einsums += fmt::format("  - {}: \"{} += {}\"\n", quoted_if_needed(workload.name),
                           tensor_text(workload, workload.tensors.back()), join(inputs, " * "));
    if (einsum.then) einsums += fmt::format("    then: {}\n", then_text(*einsum.then));
  }
  text += fmt::format("sizes: {{{}}}\n", join(sizes, ", "));
  const std::int64_t bits = cascade.workload(0).tensors.back().bits;
  if (bits != kDefaultBits) text += fmt::format("bits: {}\n", bits);
  return text + "einsums:\n" + einsums;
}

}  // namespace tilewright::io
