// Mappings, and how rows of numbers stand for them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "rows.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::python {
namespace {

using nb::literals::operator""_a;

PlacedMapping read_placed(std::string_view text, const std::string& file,
                          const HeldArchitecture& arch, const HeldWorkload& workload) {
  const Problem problem = value_or_refuse(Problem::create(workload.value, arch.value));
  io::PaddedMapping read = value_or_refuse(io::read_padded_mapping(text, file, problem));
  auto place = std::make_shared<const Place>(Place{std::move(read.problem), workload.value});
  return {std::move(place), std::move(read.mapping)};
}

std::string yaml_of(const PlacedMapping& m) {
  return io::write_padded_mapping(m.place->problem, m.mapping, m.place->given);
}

bool equal_mappings(const PlacedMapping& a, const PlacedMapping& b) {
  if (a.mapping != b.mapping || a.place == b.place) return a.mapping == b.mapping;
  return a.place->problem.workload() == b.place->problem.workload() &&
         a.place->problem.arch() == b.place->problem.arch() && a.place->given == b.place->given;
}

}  // namespace

void bind_mapping(nb::module_& m) {
  nb::class_<PlacedMapping>(m, "Mapping")
      .def_static("read", read_placed, "text"_a, "file"_a, "arch"_a, "workload"_a)
      .def_prop_ro("architecture",
                   [](const PlacedMapping& p) { return HeldArchitecture(p.place->problem.arch()); })
      .def_prop_ro("workload", [](const PlacedMapping& p) { return HeldWorkload(p.place->given); })
      .def("yaml", yaml_of)
      .def("nest",
           [](const PlacedMapping& p) { return report::nest_text(p.place->problem, p.mapping); })
      .def("row",
           [](const PlacedMapping& p) {
             std::vector<std::int64_t> row(RowLayout(p.place->problem).width());
             RowLayout(p.place->problem).write(p.mapping, row.data());
             return row;
           })
      .def("columns",
           [](const PlacedMapping& p) {
             return RowLayout(p.place->problem).columns(p.place->problem);
           })
      .def("equals", equal_mappings, "other"_a);
}

}  // namespace tilewright::python
