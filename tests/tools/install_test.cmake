# Installs a build into an empty folder, looks for what belongs there, then builds
# and runs a program that knows nothing but that folder. Script arguments: BUILD,
# COMPILER, SCRATCH.

set(prefix "${SCRATCH}/prefix")
file(REMOVE_RECURSE "${SCRATCH}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

# Files that have to be there, and the line that each begins with.
function(expect file start)
  if(NOT EXISTS "${prefix}/share/${file}")
    message(FATAL_ERROR "share/${file} is not installed")
  endif()
  file(READ "${prefix}/share/${file}" text)
  string(FIND "${text}" "${start}" at)
  if(NOT at EQUAL 0)
    message(FATAL_ERROR "share/${file} does not begin with ${start}")
  endif()
endfunction()

expect(man/man1/tilewright.1 ".\\\" Made by `tilewright man`.")
expect(bash-completion/completions/tilewright "# Completion of tilewright in bash")
expect(zsh/site-functions/_tilewright "#compdef tilewright")
expect(fish/vendor_completions.d/tilewright.fish "# Completion of tilewright in fish")
expect(doc/tilewright/README.md "# Tilewright")
expect(doc/tilewright/CHANGELOG.md "# Changelog")
expect(doc/tilewright/CITATION.cff "cff-version: ")
expect(doc/tilewright/LICENSE "
                                 Apache License")
expect(doc/tilewright/docs/tutorial.md "# ")
expect(doc/tilewright/examples/eyeriss/mapping.yaml "#")

run("${CMAKE_COMMAND}" -G Ninja -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${SCRATCH}/consumer"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${prefix}")
run("${CMAKE_COMMAND}" --build "${SCRATCH}/consumer")
run("${SCRATCH}/consumer/consumer")
run("${prefix}/bin/tilewright" --version)
run("${prefix}/bin/tilewright" reproduce --help)
run("${prefix}/bin/tilewright" map -a eyeriss -w "gemm: m=8 n=8 k=8" --certificate "${SCRATCH}/best.json")
run("${prefix}/bin/tilewright" check "${SCRATCH}/best.json")
