#include <fmt/format.h>

#include "einsum.h"
#include "tilewright/io.h"
#include "values.h"
#include "workload_fields.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

// Calls `apply` for each entry of a map from tensors to something.
template <typename Apply>
void for_each_tensor(Context& context, const Node& map, Workload& workload, const Apply& apply) {
  for (const std::size_t entry : context.usable_entries(map)) {
    const Node& key = map.key(entry);
    if (const auto tensor = workload.find_tensor(key.text)) {
      apply(workload.tensors[at(*tensor)], map.value(entry));
    } else {
      context.complain(key, fmt::format("no tensor is named \"{}\"", key.text),
                       suggestion(key.text, names_of(workload.tensors), "the tensors are"));
    }
  }
}

// Roles that stand in the einsum already cannot be given again; those of a short
// form can.
void read_roles(Context& context, const Node& node, bool of_einsum, Workload& workload) {
  if (!context.expect_map(node, "a map such as \"{W: weight}\"")) return;
  for_each_tensor(context, node, workload, [&](Tensor& tensor, const Node& value) {
    if (&tensor == &workload.tensors.back()) {
      if (value.is_scalar() && value.text == "output") return;
      context.complain(value, fmt::format("{} is the output and can be nothing else", tensor.name),
                       "leave it out");
      return;
    }
    if (of_einsum && !tensor.role_by_rule) {
      context.complain(value, fmt::format("the einsum gives {} a role already", tensor.name),
                       "leave one of the two out");
      return;
    }
    const auto choice = read_choice(context, value, {"input", "weight"});
    if (!choice) return;
    tensor.role = *choice == 0 ? Role::Input : Role::Weight;
    tensor.role_by_rule = false;
  });
}

// --- short forms ------------------------------------------------------------

// Fills in what depthwise means; complains about channels that do not divide.
bool settle_groups(Context& context, const Node& node, const KeySet& present, Conv2dForm& form) {
  const Node* groups = node.find("groups");
  const auto fail = [&](const std::string& message, const std::string& hint) {
    context.complain(groups != nullptr ? *groups : node, message, hint);
    return false;
  };
  if (form.depthwise) {
    if (groups != nullptr && form.groups != form.in_channels) {
      return fail(fmt::format("a depthwise convolution of {} channels has as many groups, not {}",
                              form.in_channels, form.groups),
                  "leave out groups or depthwise");
    }
    form.groups = form.in_channels;
    if (!present.contains("out_channels")) form.out_channels = form.in_channels;
  } else if (!present.contains("out_channels")) {
    context.complain(node, "conv2d lacks the key \"out_channels\"",
                     fmt::format("add \"out_channels\" with {}", kCountForm));
    return false;
  }
  const auto divides = [&](const char* key, std::int64_t channels) {
    if (channels % form.groups == 0) return true;
    return fail(fmt::format("{} groups do not divide {} = {}", form.groups, key, channels),
                "choose groups that divide both channel counts");
  };
  const bool inputs = divides("in_channels", form.in_channels);
  const bool outputs = divides("out_channels", form.out_channels);
  return inputs && outputs;
}

std::optional<Workload> read_conv2d(Context& context, const Node& node) {
  const std::size_t before = context.problem_count();
  Conv2dForm form;
  const KeySet present = read_fields(context, node, conv2d_fields(), form, "conv2d");
  if (!node.is_map() || !settle_groups(context, node, present, form)) return std::nullopt;
  if (context.problem_count() != before) return std::nullopt;
  return make_conv2d("", form);
}

// What the fields of a short form say; nothing after complaints.
template <typename Form>
std::optional<Form> read_short_form(Context& context, const Node& node, FieldTable<Form> fields,
                                    const char* name) {
  const std::size_t before = context.problem_count();
  Form form;
  read_fields(context, node, fields, form, name);
  return context.problem_count() == before ? std::optional(form) : std::nullopt;
}

// --- the whole --------------------------------------------------------------

std::optional<Workload> read_einsum(Context& context, const WorkloadFile& file) {
  if (file.sizes == nullptr) {
    parse_einsum(context, *file.einsum);
    context.complain(*file.einsum, "the sizes of the dimensions are missing",
                     "add a map such as \"sizes: {m: 512, n: 512, k: 64}\"");
    return std::nullopt;
  }
  return contraction(context, *file.einsum, *file.sizes);
}

// The one part that says what is computed; null after a complaint.
const Node* form_of(Context& context, const Node& root, const WorkloadFile& file) {
  const Node* form = nullptr;
  for (const Node* candidate : {file.einsum, file.conv2d, file.gemm, file.matmul}) {
    if (candidate == nullptr) continue;
    if (form != nullptr) {
      context.complain(*candidate, "the file says twice what is computed",
                       "keep one of einsum, conv2d, gemm and matmul");
      return nullptr;
    }
    form = candidate;
  }
  if (form == nullptr) {
    context.complain(root, "the workload does not say what is computed",
                     "add one of the keys einsum, conv2d, gemm, matmul");
  } else if (form != file.einsum && file.sizes != nullptr) {
    context.complain(*file.sizes, "sizes belong to an einsum", "leave them out");
  }
  return form;
}

std::optional<Workload> read_form(Context& context, const WorkloadFile& file) {
  if (file.einsum != nullptr) return read_einsum(context, file);
  if (file.conv2d != nullptr) return read_conv2d(context, *file.conv2d);
  if (file.gemm != nullptr) {
    const auto form = read_short_form(context, *file.gemm, gemm_fields(), "gemm");
    return form ? std::optional(make_gemm("", form->m, form->n, form->k)) : std::nullopt;
  }
  const auto form = read_short_form(context, *file.matmul, matmul_fields(), "matmul");
  if (!form) return std::nullopt;
  return make_batched_matmul("", form->batch, form->m, form->n, form->k);
}

}  // namespace

void read_bits(Context& context, const Node& node, Workload& workload) {
  if (node.is_map()) {
    for_each_tensor(context, node, workload, [&](Tensor& tensor, const Node& value) {
      if (const auto bits = read_count(context, value)) tensor.bits = *bits;
    });
  } else if (context.expect_scalar(node, "a number, or a map such as \"{I: 8, O: 16}\"")) {
    const auto bits = read_count(context, node);
    for (Tensor& tensor : workload.tensors) tensor.bits = bits.value_or(tensor.bits);
  }
}

std::optional<Workload> workload_from(Context& context, const Node& root) {
  WorkloadFile file;
  read_fields(context, root, workload_fields(), file, "the workload");
  if (!root.is_map()) return std::nullopt;
  auto workload = workload_of(context, root, file);
  return context.clean() ? std::move(workload) : std::nullopt;
}

std::optional<Workload> workload_of(Context& context, const Node& root, const WorkloadFile& file) {
  const std::size_t before = context.problem_count();
  const Node* form = form_of(context, root, file);
  if (form == nullptr) return std::nullopt;
  auto workload = read_form(context, file);
  if (!workload) return std::nullopt;
  workload->name = file.workload.name;
  if (file.bits != nullptr) read_bits(context, *file.bits, *workload);
  if (file.roles != nullptr) {
    read_roles(context, *file.roles, file.einsum != nullptr, *workload);
  }
  assign_roles(*workload);
  if (context.problem_count() != before) return std::nullopt;
  for (const std::string& message : problems_of(*workload)) context.complain(*form, message);
  if (context.problem_count() != before) return std::nullopt;
  return workload;
}

Checked<Workload> read_workload(std::string_view text, const std::string& file) {
  Checked<Node> document = parse_document(text, file, "\"workload:\" and a name");
  if (!document.value) return {std::nullopt, std::move(document.problems)};
  Context context(file);
  auto workload = workload_from(context, *document.value);
  return {std::move(workload), context.take_problems()};
}

std::string write_workload(const Workload& workload) {
  WorkloadFile file;
  file.workload = workload;
  return join(write_fields(workload_fields(), file), "\n") + "\n";
}

}  // namespace tilewright::io
