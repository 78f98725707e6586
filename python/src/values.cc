// What users describe: workloads, architectures, networks, constraints.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.h"
#include "cli/inputs.h"
#include "tilewright/io.h"
#include "tilewright/report.h"
#include "wide.h"

namespace tilewright::python {
namespace {

using nb::literals::operator""_a;

template <typename T>
bool equal(const Held<T>& a, const Held<T>& b) {
  return a.value == b.value;
}

std::vector<std::string> names_of_files(const std::vector<io::BuiltinFile>& files) {
  std::vector<std::string> names;
  for (const io::BuiltinFile& file : files) names.push_back(file.name);
  return names;
}

// --- workloads ------------------------------------------------------------------

// Tensors whose roles nobody gave: no part of the value, but remarks look at it.
std::vector<std::string> roles_by_rule(const HeldWorkload& workload) {
  std::vector<std::string> names;
  for (const Tensor& tensor : workload.value.tensors) {
    if (tensor.role_by_rule) names.push_back(tensor.name);
  }
  return names;
}

HeldWorkload with_roles_by_rule(const HeldWorkload& workload,
                                const std::vector<std::string>& names) {
  HeldWorkload result = workload;
  for (Tensor& tensor : result.value.tensors) tensor.role_by_rule = contains(names, tensor.name);
  return result;
}

std::vector<std::pair<std::string, std::int64_t>> dims_of(const HeldWorkload& workload) {
  std::vector<std::pair<std::string, std::int64_t>> dims;
  for (const Dimension& dim : workload.value.dims) dims.emplace_back(dim.name, dim.size);
  return dims;
}

void bind_workload(nb::module_& m) {
  nb::class_<HeldWorkload>(m, "Workload")
      .def_static(
          "read",
          [](std::string_view text, const std::string& file) {
            return HeldWorkload(value_or_refuse(io::read_workload(text, file)));
          },
          "text"_a, "file"_a)
      .def_static(
          "read_line",
          [](std::string_view text, const std::string& file) {
            return HeldWorkload(value_or_refuse(io::read_workload_line(text, file)));
          },
          "text"_a, "file"_a)
      .def_static(
          "load",
          [](const std::string& text_or_path) {
            return HeldWorkload(value_or_refuse(io::load_workload(text_or_path)));
          },
          "text_or_path"_a)
      .def_prop_ro("name", [](const HeldWorkload& w) { return w.value.name; })
      .def_prop_ro("dims", dims_of)
      .def_prop_ro("macs", [](const HeldWorkload& w) { return multiply_accumulates(w.value); })
      .def_prop_ro("einsum", [](const HeldWorkload& w) { return einsum_text(w.value); })
      .def_prop_ro("roles_by_rule", roles_by_rule)
      .def("with_roles_by_rule", with_roles_by_rule, "names"_a)
      .def("yaml", [](const HeldWorkload& w) { return io::write_workload(w.value); })
      .def("json", [](const HeldWorkload& w) { return report::workload_json(w.value); })
      .def("text", [](const HeldWorkload& w) { return report::workload_text(w.value); })
      .def("equals", equal<Workload>, "other"_a);
}

// --- architectures -----------------------------------------------------------------

// Name and kind, outermost first.
std::vector<std::pair<std::string, std::string>> levels_of(const HeldArchitecture& arch) {
  constexpr std::array<const char*, 3> kKinds = {"memory", "fanout", "compute"};
  std::vector<std::pair<std::string, std::string>> levels;
  for (const Level& level : arch.value.levels) {
    levels.emplace_back(name_of(level), kKinds[level.index()]);
  }
  return levels;
}

std::optional<HeldArchitecture> ideal(const std::vector<const HeldArchitecture*>& several,
                                      bool fanouts_may_differ) {
  std::vector<const Architecture*> architectures;
  for (const HeldArchitecture* one : several) architectures.push_back(&one->value);
  auto found = ideal_of(architectures, fanouts_may_differ);
  if (!found) return std::nullopt;
  return HeldArchitecture(std::move(*found));
}

void bind_architecture(nb::module_& m) {
  nb::class_<HeldArchitecture>(m, "Architecture")
      .def_static(
          "read",
          [](std::string_view text, const std::string& file,
             const std::vector<std::string>& changes) {
            return HeldArchitecture(value_or_refuse(io::read_architecture(text, file, changes)));
          },
          "text"_a, "file"_a, "changes"_a = std::vector<std::string>{})
      .def_static(
          "load",
          [](const std::string& name_or_path, const std::vector<std::string>& changes) {
            return HeldArchitecture(value_or_refuse(io::load_architecture(name_or_path, changes)));
          },
          "name_or_path"_a, "changes"_a = std::vector<std::string>{})
      .def_prop_ro("name", [](const HeldArchitecture& a) { return a.value.name; })
      .def_prop_ro("levels", levels_of)
      .def_prop_ro("is_flexible",
                   [](const HeldArchitecture& a) { return a.value.flexibility.has_value(); })
      .def_prop_ro("compute_instances",
                   [](const HeldArchitecture& a) {
                     return physical_instances(a.value, a.value.compute_level());
                   })
      .def_prop_ro("area_um2", [](const HeldArchitecture& a) { return total_area_um2(a.value); })
      .def_prop_ro("clock_hz", [](const HeldArchitecture& a) { return a.value.clock_hz; })
      .def("yaml", [](const HeldArchitecture& a) { return io::write_architecture(a.value); })
      .def("json", [](const HeldArchitecture& a) { return report::architecture_json(a.value); })
      .def(
          "text",
          [](const HeldArchitecture& a, int width) {
            return report::architecture_text(a.value, width);
          },
          "width"_a)
      .def("equals", equal<Architecture>, "other"_a);
  m.def("ideal", ideal, "several"_a, "fanouts_may_differ"_a);
  m.def("builtin_architectures", [] { return names_of_files(io::builtin_architectures()); });
}

// --- networks ---------------------------------------------------------------------

using LayerParts = std::tuple<std::string, HeldWorkload, std::int64_t, std::string, std::string>;

HeldNetwork make_network(const std::string& name, const std::string& description,
                         const std::string& source, const std::vector<LayerParts>& layers) {
  Network network;
  network.name = name;
  network.description = description;
  network.source = source;
  std::vector<Diagnostic> problems;
  if (layers.empty()) problems.push_back({{"network"}, "a network has at least one layer", ""});
  for (const auto& [layer, workload, count, from, note] : layers) {
    if (count < 1) {
      problems.push_back(
          {{"network"}, "layer " + layer + " occurs less than once", "write a count from 1 on"});
    }
    network.layers.push_back({layer, workload.value, count, from, note});
  }
  refuse_if_any(std::move(problems));
  network.graph = unconnected(network.layers);
  return HeldNetwork(std::move(network));
}

std::vector<LayerParts> layers_of(const HeldNetwork& network) {
  std::vector<LayerParts> layers;
  for (const Layer& layer : network.value.layers) {
    layers.emplace_back(layer.name, HeldWorkload(layer.workload), layer.count, layer.source,
                        layer.note);
  }
  return layers;
}

void bind_network(nb::module_& m) {
  nb::class_<HeldNetwork>(m, "Network")
      .def_static(
          "read",
          [](std::string_view text, const std::string& file,
             const std::vector<std::string>& sizes) {
            return HeldNetwork(value_or_refuse(io::read_network(text, file, sizes)));
          },
          "text"_a, "file"_a, "sizes"_a)
      .def_static(
          "load",
          [](const std::string& name_or_path, const std::vector<std::string>& sizes) {
            return HeldNetwork(value_or_refuse(io::load_network(name_or_path, sizes)));
          },
          "name_or_path"_a, "sizes"_a)
      .def_static("make", make_network, "name"_a, "description"_a, "source"_a, "layers"_a)
      .def_prop_ro("name", [](const HeldNetwork& n) { return n.value.name; })
      .def_prop_ro("description", [](const HeldNetwork& n) { return n.value.description; })
      .def_prop_ro("source", [](const HeldNetwork& n) { return n.value.source; })
      .def_prop_ro("macs", [](const HeldNetwork& n) { return multiply_accumulates(n.value); })
      .def_prop_ro("layers", layers_of)
      .def(
          "pick",
          [](const HeldNetwork& n, const std::string& layer) {
            return HeldWorkload(value_or_refuse(io::pick_layer(n.value, layer)).workload);
          },
          "layer"_a)
      .def("json", [](const HeldNetwork& n) { return report::network_json(n.value); })
      .def("yaml", [](const HeldNetwork& n) { return io::write_network(n.value); })
      .def_prop_ro(
          "is_list",
          [](const HeldNetwork& n) { return n.value.graph == unconnected(n.value.layers); })
      .def(
          "text",
          [](const HeldNetwork& n, int width) { return report::network_text(n.value, width); },
          "width"_a)
      .def("equals", equal<Network>, "other"_a);
  m.def("builtin_networks", [] { return names_of_files(io::builtin_networks()); });
}

// --- constraints -------------------------------------------------------------------

std::vector<std::string> lines_of(const HeldConstraints& constraints) {
  std::vector<std::string> lines;
  for (const Constraint& one : constraints.value) lines.push_back(to_string(one));
  return lines;
}

void bind_constraints(nb::module_& m) {
  nb::class_<HeldConstraints>(m, "Constraints")
      .def_static(
          "read",
          [](std::string_view text, const std::string& file, const HeldArchitecture& arch) {
            return HeldConstraints(value_or_refuse(io::read_constraints(text, file, arch.value)));
          },
          "text"_a, "file"_a, "arch"_a)
      .def_static(
          "read_line",
          [](std::string_view text, const std::string& file, const HeldArchitecture& arch) {
            return HeldConstraints(
                value_or_refuse(io::read_constraint_line(text, file, arch.value)));
          },
          "text"_a, "file"_a, "arch"_a)
      .def_static(
          "load",
          [](const std::string& path, const HeldArchitecture& arch) {
            return HeldConstraints(value_or_refuse(io::load_constraints(path, arch.value)));
          },
          "path"_a, "arch"_a)
      .def_static(
          "join",
          [](const std::vector<HeldConstraints>& parts) {
            HeldConstraints joined{{}};
            for (const HeldConstraints& part : parts) append(joined.value, part.value);
            return joined;
          },
          "parts"_a)
      .def_prop_ro("lines", lines_of)
      .def("yaml", [](const HeldConstraints& c) { return io::write_constraints(c.value); })
      .def("equals", equal<Constraints>, "other"_a);
}

}  // namespace

void bind_values(nb::module_& m) {
  bind_workload(m);
  bind_architecture(m);
  bind_network(m);
  bind_constraints(m);
  m.def("format_kinds", [] { return io::format_kinds(); });
  m.def("describe_format", io::describe_format, "kind"_a);
  m.def(
      "read_file",
      [](const std::string& path, std::size_t most) {
        return value_or_refuse(io::read_file(path, most));
      },
      "path"_a, "most"_a);
}

}  // namespace tilewright::python
