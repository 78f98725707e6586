// Mappers written in Python, as rows of the table of mappers.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/map.h"

namespace tilewright::python {

namespace nb = nanobind;

// A name, a summary, and a function that is called with a dictionary (see task_of() in the
// source) and gives the rows of mappings, one after the other; the best of them counts.
struct MapperFunction {
  std::string name, summary;
  nb::object search;
};

// Keeps the rows alive, and what their functions raised. To be made, and to be asked, by a
// thread that holds the interpreter.
class MapperRows {
 public:
  explicit MapperRows(std::vector<MapperFunction> functions);

  // Those that ship, and then these.
  std::vector<const Mapper*> table() const;
  // Raises what a function has raised. A mapper that did finds nothing from then on.
  void raise_if_any() const;

 private:
  struct Row {
    MapperFunction function;
    Mapper mapper;
    std::exception_ptr raised;
  };
  static MapperResult run(Row& row, const MappingTask& task, const Limits& limits,
                          const OptionValues& options);

  std::vector<std::unique_ptr<Row>> rows_;
};

}  // namespace tilewright::python
