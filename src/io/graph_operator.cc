#include "graph_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "einsum.h"
#include "values.h"

namespace tilewright::io {

namespace {

// --- contractions -------------------------------------------------------------

// The sizes of an einsum's dimensions: those that the operator gives, then those that are
// named like sizes of the network.
Node sizes_of(const Context& context, const OperatorFile& file) {
  Node sizes = file.sizes != nullptr
                   ? *file.sizes
                   : Node::container(Node::Kind::Map, file.einsum->line, file.einsum->column);
  Context aside("");
  const auto einsum = parse_einsum(aside, *file.einsum);
  const Variables* known = context.around().variables;
  if (!einsum || known == nullptr || !sizes.is_map()) return sizes;
  const auto add = [&](const EinsumTensor& tensor) {
    for (const auto& rank : tensor.ranks) {
      for (const EinsumTerm& term : rank) {
        if (sizes.find(term.dim) != nullptr || !known->contains(term.dim)) continue;
        const Node name = Node::scalar(term.dim, file.einsum->line, file.einsum->column);
        sizes.children.insert(sizes.children.end(), {name, name});
      }
    }
  };
  add(einsum->output);
  for (const EinsumTensor& input : einsum->inputs) add(input);
  return sizes;
}

// In the layers of all networks tensors have these names, so that layers that differ in the
// names of a network's tensors alone are the same.
void use_plain_names(Workload& workload) {
  int inputs = 0;
  int weights = 0;
  const auto numbered = [](const char* name, int number) {
    return number == 1 ? std::string(name) : fmt::format("{}{}", name, number);
  };
  for (Tensor& tensor : workload.tensors) {
    tensor.name = tensor.role == Role::Input    ? numbered("I", ++inputs)
                  : tensor.role == Role::Weight ? numbered("W", ++weights)
                                                : "O";
  }
}

class ContractionReader {
 public:
  ContractionReader(Context& context, const Node& node, const OperatorFile& file)
      : context_(context), node_(node), file_(file) {}

  bool read(NamedOperator& named) {
    OperatorFile file = file_;
    Node sizes;
    if (file.einsum != nullptr) {
      sizes = sizes_of(context_, file);
      file.sizes = &sizes;
    }
    auto workload = workload_of(context_, node_, file);
    if (!workload) return false;
    find_tensors(*workload, named);
    Contraction contraction{std::move(*workload), {}, 0};
    const bool sound = read_each(contraction);
    if (file.einsum != nullptr) use_plain_names(contraction.workload);
    named.op.what = std::move(contraction);
    return sound;
  }

 private:
  // An einsum names tensors of the network, unless the key "uses" does.
  void find_tensors(const Workload& workload, NamedOperator& named) {
    const std::map<std::string, const Node*> used = read_uses(workload);
    std::map<std::string, std::size_t> offsets;
    if (file_.einsum != nullptr) {
      const auto einsum = parse_einsum(context_, *file_.einsum);
      offsets.emplace(einsum->output.name, einsum->output.offset);
      for (const EinsumTensor& input : einsum->inputs) offsets.emplace(input.name, input.offset);
    }
    for (const Tensor& tensor : workload.tensors) {
      const bool is_output = tensor.role == Role::Output;
      TensorUse use{named.op.name, &node_, 0, true};
      const auto found = used.find(tensor.name);
      if (found != used.end()) {
        use = {found->second->text, found->second, 0, tensor.role == Role::Weight};
      } else if (file_.einsum != nullptr) {
        use = {tensor.name, file_.einsum, offsets[tensor.name], tensor.role == Role::Weight};
      } else if (!is_output) {
        use.name += "." + tensor.name;
      }
      if (is_output) {
        named.writes = std::move(use);
      } else {
        named.reads.push_back(std::move(use));
      }
    }
  }

  std::map<std::string, const Node*> read_uses(const Workload& workload) {
    std::map<std::string, const Node*> used;
    if (file_.uses == nullptr) return used;
    if (!context_.expect_map(*file_.uses, "a map such as \"{I: x, O: y}\"")) return used;
    for (const std::size_t entry : context_.usable_entries(*file_.uses)) {
      const Node& key = file_.uses->key(entry);
      const Node& value = file_.uses->value(entry);
      if (!workload.find_tensor(key.text)) {
        context_.complain(key, fmt::format("the contraction has no tensor \"{}\"", key.text),
                          suggestion(key.text, names_of(workload.tensors), "its tensors are"));
      } else if (read_text(context_, value, kNameForm)) {
        used.emplace(key.text, &value);
      }
    }
    return used;
  }

  bool read_each(Contraction& contraction) {
    if (file_.each == nullptr) return true;
    const std::size_t before = context_.problem_count();
    if (!context_.expect_list(*file_.each, kDimsForm)) return false;
    for (const Node& item : file_.each->children) {
      if (read_text(context_, item, kNameForm)) read_each_dim(item, contraction);
    }
    if (std::ssize(contraction.each) >= contraction.workload.dim_count()) {
      context_.complain(*file_.each, "this leaves no dimension to be mapped", "leave one out");
    }
    std::sort(contraction.each.begin(), contraction.each.end());
    return context_.problem_count() == before;
  }

  void read_each_dim(const Node& item, Contraction& contraction) {
    const Workload& workload = contraction.workload;
    const auto dim = workload.find_dim(item.text);
    if (!dim) {
      context_.complain(item, fmt::format("the contraction has no dimension \"{}\"", item.text),
                        suggestion(item.text, names_of(workload.dims), "its dimensions are"));
      return;
    }
    if (contains(contraction.each, *dim)) {
      context_.complain(item, fmt::format("{} stands here twice", item.text), "leave one out");
      return;
    }
    for (const Tensor& tensor : workload.tensors) {
      for (const Rank& rank : tensor.ranks) {
        const bool has = std::any_of(rank.begin(), rank.end(),
                                     [&](const Term& term) { return term.dim == *dim; });
        if (!has || (rank.size() == 1 && rank.front().coefficient == 1)) continue;
        context_.complain(
            item, fmt::format("{} is a part of the index {}", item.text, rank_text(workload, rank)),
            "values can be taken one by one where an index is the dimension alone");
        return;
      }
    }
    contraction.each.push_back(*dim);
  }

  Context& context_;
  const Node& node_;
  const OperatorFile& file_;
};

// --- what is not mapped -------------------------------------------------------

std::optional<std::vector<int>> read_axes(Context& context, const Node& node) {
  if (!context.expect_list(node, "a list of axes such as \"[1, 0]\"")) return std::nullopt;
  constexpr int kMostAxes = 64;
  std::vector<int> axes;
  for (const Node& item : node.children) {
    if (!context.expect_scalar(item, "the number of an axis")) return std::nullopt;
    const auto axis = number_in<int>(item.text);
    if (!axis || *axis < 0 || *axis >= kMostAxes) {
      context.complain(item, fmt::format("\"{}\" is no axis", abbreviated(item.text)),
                       "axes count from 0");
      return std::nullopt;
    }
    axes.push_back(*axis);
  }
  return axes;
}

class UnmappedReader {
 public:
  UnmappedReader(Context& context, const Node& node, const OperatorFile& file)
      : context_(context), node_(node), file_(file) {}

  bool read(NamedOperator& named) {
    const std::size_t before = context_.problem_count();
    Unmapped what = form();
    read_tensors(named);
    const bool one = what.kind != Unmapped::Kind::Elementwise && what.kind != Unmapped::Kind::Other;
    if (one && named.reads.size() > 1 && what.kind != Unmapped::Kind::Normalize) {
      context_.complain(*file_.reads, "this reads one tensor", "leave the others out");
    }
    if (file_.reshape != nullptr) shape_ = file_.reshape;
    if (shape_ != nullptr) named.shape = read_tensor_shape(context_, *shape_).value_or(named.shape);
    named.op.what = std::move(what);
    return context_.problem_count() == before;
  }

 private:
  Unmapped form() {
    using Kind = Unmapped::Kind;
    if (file_.elementwise != nullptr) return of(Kind::Elementwise, *file_.elementwise);
    if (file_.reshape != nullptr) return {Kind::Reshape, "", {}};
    if (file_.transpose != nullptr) {
      return {Kind::Transpose, "", read_axes(context_, *file_.transpose).value_or(Axes{})};
    }
    if (file_.normalize != nullptr) {
      Unmapped what = of(Kind::Normalize, *file_.normalize);
      if (file_.axes != nullptr) {
        what.axes = read_axes(context_, *file_.axes).value_or(Axes{});
      } else {
        missing("axes", "the axes along which it normalises, such as \"[1]\"");
      }
      return what;
    }
    if (file_.shape != nullptr) {
      shape_ = file_.shape;
    } else {
      missing("shape", "the shape of what it writes, such as \"[hidden, tokens]\"");
    }
    return of(Kind::Other, *file_.other);
  }

  using Axes = std::vector<int>;

  Unmapped of(Unmapped::Kind kind, const Node& function) {
    return {kind, read_text(context_, function, "the name of a function").value_or(""), {}};
  }

  void read_tensors(NamedOperator& named) {
    named.writes = {named.op.name, &node_, 0, true};
    if (file_.writes != nullptr && read_text(context_, *file_.writes, kNameForm)) {
      named.writes = {file_.writes->text, file_.writes, 0, true};
    }
    if (file_.reads == nullptr) return missing("reads", "a list of tensors");
    if (!context_.expect_list(*file_.reads, "a list of tensors such as \"[x, y]\"")) return;
    for (const Node& item : file_.reads->children) {
      if (read_text(context_, item, kNameForm)) named.reads.push_back({item.text, &item, 0, false});
    }
    if (file_.reads->children.empty()) {
      context_.complain(*file_.reads, "an operator reads at least one tensor", "");
    }
  }

  void missing(const char* key, const char* form) {
    context_.complain(node_, fmt::format("operator {} lacks the key \"{}\"", file_.name, key),
                      fmt::format("add \"{}\" with {}", key, form));
  }

  Context& context_;
  const Node& node_;
  const OperatorFile& file_;
  const Node* shape_ = nullptr;
};

// --- any ----------------------------------------------------------------------

// A key that says what an operator is, and those that belong to some of them only.
struct Form {
  const char* key;
  const Node* node;
};

std::array<Form, 4> contraction_forms(const OperatorFile& file) {
  return {{{"einsum", file.einsum},
           {"conv2d", file.conv2d},
           {"gemm", file.gemm},
           {"matmul", file.matmul}}};
}

std::array<Form, 5> unmapped_forms(const OperatorFile& file) {
  return {{{"elementwise", file.elementwise},
           {"normalize", file.normalize},
           {"reshape", file.reshape},
           {"transpose", file.transpose},
           {"other", file.other}}};
}

// The one key that says what the operator does; null after a complaint.
std::optional<Form> form_of(Context& context, const Node& node, const OperatorFile& file) {
  std::vector<Form> all;
  for (const Form& form : contraction_forms(file)) all.push_back(form);
  for (const Form& form : unmapped_forms(file)) all.push_back(form);
  std::optional<Form> found;
  std::vector<std::string> keys;
  for (const Form& form : all) {
    keys.emplace_back(form.key);
    if (form.node == nullptr) continue;
    if (found) {
      context.complain(*form.node, fmt::format("this operator is a {} already", found->key),
                       "start an operator of its own, with \"-\", for each");
      return std::nullopt;
    }
    found = form;
  }
  if (!found) {
    context.complain(node, fmt::format("operator {} does not say what it does", file.name),
                     fmt::format("add one of the keys {}", join(keys, ", ")));
  }
  return found;
}

// Complains about keys that the operator would ignore.
void refuse_others(Context& context, const OperatorFile& file, const Form& form,
                   bool is_contraction) {
  const std::string key = form.key;
  const auto refuse = [&](bool belongs, const char* name, const Node* node) {
    if (belongs || node == nullptr) return;
    context.complain(*node, fmt::format("{} has no key \"{}\"", key, name), "leave it out");
  };
  refuse(key == "einsum", "sizes", file.sizes);
  refuse(is_contraction, "roles", file.roles);
  refuse(is_contraction, "each", file.each);
  refuse(is_contraction, "uses", file.uses);
  refuse(!is_contraction, "reads", file.reads);
  refuse(!is_contraction, "writes", file.writes);
  refuse(key == "normalize", "axes", file.axes);
  refuse(key == "other", "shape", file.shape);
}

}  // namespace

std::optional<std::vector<std::int64_t>> read_tensor_shape(Context& context, const Node& node) {
  if (!context.expect_list(node, "a list of sizes such as \"[hidden, tokens]\"")) {
    return std::nullopt;
  }
  std::vector<std::int64_t> shape;
  for (const Node& item : node.children) {
    const auto size = read_count(context, item);
    if (!size) return std::nullopt;
    shape.push_back(*size);
  }
  if (!checked_product(shape)) {
    context.complain(node, "a tensor of this shape has more than 2^60 elements", "");
    return std::nullopt;
  }
  return shape;
}

std::optional<NamedOperator> read_operator(Context& context, const Node& node) {
  const std::size_t before = context.problem_count();
  OperatorFile file;
  const Node* name = node.find(kOperatorKey);
  const std::string owner =
      name != nullptr && name->is_scalar() ? "operator " + name->text : "an operator";
  read_fields(context, node, operator_fields(), file, owner);
  if (!node.is_map() || file.name.empty()) return std::nullopt;
  const auto form = form_of(context, node, file);
  if (!form) return std::nullopt;
  const auto contractions = contraction_forms(file);
  const bool is_contraction = std::any_of(contractions.begin(), contractions.end(),
                                          [&](const Form& one) { return one.node == form->node; });
  refuse_others(context, file, *form, is_contraction);
  NamedOperator named;
  named.where = form->node;
  named.op.name = file.name;
  named.op.count = file.count;
  named.op.source = file.source;
  named.op.note = file.note;
  const bool read = is_contraction ? ContractionReader(context, node, file).read(named)
                                   : UnmappedReader(context, node, file).read(named);
  if (!read || context.problem_count() != before) return std::nullopt;
  return named;
}

}  // namespace tilewright::io
