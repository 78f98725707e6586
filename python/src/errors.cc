// Complaints of the library as exceptions of Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <new>

#include "bindings.h"

namespace tilewright::python {
namespace {

nb::list problem_list(const std::vector<Diagnostic>& problems) {
  nb::list list;
  for (const Diagnostic& one : problems) {
    list.append(nb::make_tuple(one.where.file, one.where.line, one.where.column, one.message,
                               one.hint, to_string(one)));
  }
  return list;
}

void set_error(const nb::object& error) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  const auto errors = [] { return nb::module_::import_("tilewright._errors"); };
  try {
    std::rethrow_exception(thrown);
  } catch (const Refused& refused) {
    set_error(errors().attr("refused")(problem_list(refused.problems)));
  } catch (const Failed& failed) {
    set_error(errors().attr("failed")(failed.lines, failed.exit_code));
  }
}

}  // namespace

std::atomic<std::int64_t>& Counted::count() {
  static std::atomic<std::int64_t> live{0};
  return live;
}

void bind_errors(nb::module_& /*m*/) { nb::register_exception_translator(translate); }

}  // namespace tilewright::python
