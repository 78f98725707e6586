// The native module behind the Python package: values, questions and answers of the
// library, in the plainest form. The package around it has the names that users see.
#include "bindings.h"

NB_MODULE(_native, m) {
  using namespace tilewright::python;
  // Values may live as long as the process; a test of the package looks for leaks.
  nb::set_leak_warnings(false);
  m.doc() = "The engine behind the package; use the names of `tilewright` instead.";
  m.attr("VERSION") = TILEWRIGHT_VERSION;
  m.def(
      "live_objects", [] { return Counted::count().load(); },
      "The number of native values that Python holds.");
  bind_errors(m);
  bind_yaml(m);
  bind_values(m);
  bind_mapping(m);
  bind_evaluate(m);
  bind_search(m);
  bind_space(m);
  bind_flex(m);
  bind_fusion(m);
  bind_command_line(m);
}
