// Map-spaces: how large they are, what is in them, samples and neighbours.
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "attend.h"
#include "base/deadline.h"
#include "bindings.h"
#include "options.h"
#include "rows.h"
#include "tilewright/io.h"
#include "tilewright/mapspace.h"
#include "tilewright/report.h"

namespace tilewright::python {
namespace {

using nb::literals::operator""_a;
using Rows = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Row = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class HeldSpace : Counted {
 public:
  HeldSpace(MapSpace space, Workload given, std::vector<std::string> remarks)
      : space_(std::move(space)),
        place_(std::make_shared<const Place>(Place{space_.problem(), std::move(given)})),
        layout_(space_.problem()),
        remarks_(std::move(remarks)) {}

  const MapSpace& space() const { return space_; }
  const Problem& problem() const { return place_->problem; }
  const SharedPlace& place() const { return place_; }
  const RowLayout& layout() const { return layout_; }
  const std::vector<std::string>& remarks() const { return remarks_; }

  // A mapping that may have been made for an equal problem.
  Mapping taken(const PlacedMapping& placed) const {
    const Place& theirs = *placed.place;
    const bool same =
        placed.place == place_ || (theirs.problem.workload() == problem().workload() &&
                                   theirs.problem.arch() == problem().arch());
    if (same) return placed.mapping;
    const std::string text = io::write_padded_mapping(theirs.problem, placed.mapping, theirs.given);
    return value_or_refuse(io::read_mapping(text, "mapping", problem()));
  }

  Mapping taken(const std::int64_t* row, std::size_t size) const {
    Mapping mapping(problem());
    if (size != layout_.width()) {
      throw Refused{{{{"row"},
                      "a mapping has " + std::to_string(layout_.width()) + " numbers here, not " +
                          std::to_string(size),
                      "see `columns`"}}};
    }
    if (!layout_.read(row, problem(), mapping)) {
      throw Refused{{{{"row"}, layout_.why_not(row, problem()), ""}}};
    }
    return mapping;
  }

 private:
  MapSpace space_;
  SharedPlace place_;
  RowLayout layout_;
  std::vector<std::string> remarks_;
};

HeldSpace make_space(const HeldArchitecture& arch, const HeldWorkload& workload, const Texts& texts,
                     const std::vector<std::string>& constrain,
                     const HeldConstraints& constraints) {
  const cli::Inputs inputs =
      inputs_of({arch.value, &workload.value, nullptr, texts, constrain, constraints.value});
  std::vector<Diagnostic> problems;
  const auto kind = texts.find("mapspace");
  const std::string name = kind == texts.end() ? "pfm" : kind->second;
  check_choice("--mapspace", name, {"pfm", "ruby-s", "ruby-t", "ruby"}, problems);
  if (inputs.arch.flexibility) {
    problems.push_back({{inputs.arch.name},
                        "can be set up in many ways, and space takes an architecture as it is "
                        "written",
                        "use flex.space, or take the key \"flexibility\" out"});
  }
  refuse_if_any(std::move(problems));
  const Problem problem = value_or_refuse(Problem::create(*inputs.workload, inputs.arch));
  const Restrictions rules = value_or_refuse(Restrictions::create(problem, inputs.constraints));
  MadeSpace made;
  Attendant attendant{nb::none()};
  const Deadline deadline(std::nullopt, attendant.cancelled());
  attendant.run([&] { made = MapSpace::create(problem, *space_kind(name), rules, &deadline); });
  if (attendant.is_interrupted() && !made.ok()) {
    throw Failed{{"interrupted before the mappings of the space were counted"}, cli::kInterrupted};
  }
  if (!made.ok()) {
    if (made.too_large) throw Refused{std::move(made.problems)};
    std::vector<std::string> lines;
    for (const Diagnostic& one : made.problems) lines.push_back(to_string(one));
    throw Failed{std::move(lines), cli::kInfeasible};
  }
  return {std::move(*made.value), *inputs.workload,
          remarks_on(*inputs.workload, inputs.arch, inputs.constraints)};
}

std::string digits(const BigUint& number) { return number.to_string(); }

// A number in decimal digits, below the size of the space.
BigUint index_in(const HeldSpace& held, const std::string& text) {
  BigUint number;
  for (const char c : text) {
    if (c < '0' || c > '9' || number >= held.space().size()) throw nb::index_error();
    number *= std::uint64_t{10};
    number += BigUint(static_cast<std::uint64_t>(c - '0'));
  }
  if (text.empty() || number >= held.space().size()) throw nb::index_error();
  return number;
}

void sample(const HeldSpace& held, const Rows& rows, std::uint64_t seed) {
  if (rows.shape(1) != held.layout().width()) throw nb::value_error("the rows have another width");
  const nb::gil_scoped_release release;
  Sampler sampler(held.space());
  Rng rng(seed);
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    held.layout().write(sampler.draw(rng), rows.data() + i * held.layout().width());
  }
}

// The rows of all neighbours, one behind the other.
std::vector<std::int64_t> neighbour_rows(const HeldSpace& held, const Mapping& mapping) {
  const std::vector<Mapping> all = neighbours(held.space(), canonical(held.problem(), mapping));
  std::vector<std::int64_t> rows(all.size() * held.layout().width());
  for (std::size_t i = 0; i < all.size(); ++i) {
    held.layout().write(all[i], rows.data() + i * held.layout().width());
  }
  return rows;
}

// An array that owns its numbers.
nb::object as_array(const HeldSpace& held, std::vector<std::int64_t> numbers) {
  auto* owned = new std::vector<std::int64_t>(std::move(numbers));
  const nb::capsule owner(
      owned, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
  const std::size_t width = held.layout().width();
  return nb::cast(nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>>(
      owned->data(), {owned->size() / width, width}, owner));
}

// One neighbour, drawn at random; the mapping itself if it has none.
PlacedMapping random_neighbour(const HeldSpace& held, const PlacedMapping& placed,
                               std::uint64_t seed) {
  const Mapping from = canonical(held.problem(), held.taken(placed));
  Rng rng(seed);
  return {held.place(), neighbour(held.space(), from, rng)};
}

void bind_members(nb::class_<HeldSpace>& space) {
  space
      .def(
          "at",
          [](const HeldSpace& h, const std::string& index) {
            return PlacedMapping(h.place(), h.space().at(index_in(h, index)));
          },
          "index"_a)
      .def(
          "mapping",
          [](const HeldSpace& h, const Row& row) {
            return PlacedMapping(h.place(), h.taken(row.data(), row.shape(0)));
          },
          "row"_a.noconvert())
      .def(
          "why_not",
          [](const HeldSpace& h, const PlacedMapping& placed) {
            return h.space().why_not(canonical(h.problem(), h.taken(placed)));
          },
          "mapping"_a)
      .def("sample", sample, "rows"_a.noconvert(), "seed"_a)
      .def(
          "neighbours",
          [](const HeldSpace& h, const PlacedMapping& placed) {
            return as_array(h, neighbour_rows(h, h.taken(placed)));
          },
          "mapping"_a)
      .def("neighbour", random_neighbour, "mapping"_a, "seed"_a);
}

}  // namespace

void bind_space(nb::module_& m) {
  nb::class_<HeldSpace> space(m, "Space");
  space
      .def_static("make", make_space, "arch"_a, "workload"_a, "texts"_a, "constrain"_a,
                  "constraints"_a)
      .def_prop_ro("size", [](const HeldSpace& h) { return digits(h.space().size()); })
      .def_prop_ro("width", [](const HeldSpace& h) { return h.layout().width(); })
      .def_prop_ro("columns", [](const HeldSpace& h) { return h.layout().columns(h.problem()); })
      .def("json", [](const HeldSpace& h) { return report::space_json(h.space(), h.remarks()); })
      .def("text", [](const HeldSpace& h) { return report::space_text(h.space(), h.remarks()); });
  bind_members(space);
}

}  // namespace tilewright::python
