// The command line of the tool, in this process.
#include "cli/command_line.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "cli/process.h"

namespace tilewright::python {
namespace {

int run_tool(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  const nb::gil_scoped_release release;
  return cli::run_program(cli::run, count, arguments.data());
}

}  // namespace

void bind_command_line(nb::module_& m) {
  m.def("run_tool", run_tool, nb::arg("words"),
        "Runs the tool with these words, the first of which is its name; gives the exit code. It "
        "takes over the handling of Ctrl-C.");
}

}  // namespace tilewright::python
