# The architectures that ship inside the library: a C++ file made from
# architectures/*.yaml, made again when one of them changes, comes or goes.
#
# Included, it offers embed_architectures(); run as a script (cmake -P), it
# writes the file. Script arguments: FOLDER, OUTPUT.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(embed_script "${CMAKE_CURRENT_LIST_FILE}")

  function(embed_architectures folder source_variable)
    file(GLOB files CONFIGURE_DEPENDS "${folder}/*.yaml")
    set(output "${PROJECT_BINARY_DIR}/generated/builtin_architectures.cc")
    # The list of names is an input of its own: when a file is taken away, no
    # remaining file is newer than the output.
    set(names "${PROJECT_BINARY_DIR}/generated/builtin_architectures.txt")
    string(REPLACE ";" "\n" lines "${files}")
    file(CONFIGURE OUTPUT "${names}" CONTENT "${lines}\n" @ONLY)
    add_custom_command(
      OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DOUTPUT=${output}" -P "${embed_script}"
      DEPENDS ${files} "${names}" "${embed_script}"
      COMMENT "Embedding architectures"
      VERBATIM)
    set(${source_variable} "${output}" PARENT_SCOPE)
  endfunction()

  return()
endif()

cmake_policy(VERSION 3.25)

# A raw literal's delimiter has 16 characters at most.
set(delimiter "tilewright_yaml")

file(GLOB files RELATIVE "${FOLDER}" "${FOLDER}/*.yaml")
list(TRANSFORM files REPLACE "\\.yaml$" "")
list(SORT files)

set(entries "")
foreach(name IN LISTS files)
  file(READ "${FOLDER}/${name}.yaml" text)
  string(FIND "${text}" ")${delimiter}\"" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${FOLDER}/${name}.yaml: must not contain )${delimiter}\"")
  endif()
  string(APPEND entries "      {\"${name}\", R\"${delimiter}(${text})${delimiter}\"},\n")
endforeach()

# The standard promises literals of 64 KiB only, and clang's -Wpedantic says
# so; both compilers take longer ones.
file(
  WRITE "${OUTPUT}"
  "// Made from architectures/*.yaml by cmake/EmbedFiles.cmake.
#include <vector>

#include \"tilewright/io.h\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace tilewright::io {

const std::vector<BuiltinArchitecture>& builtin_architectures() {
  static const std::vector<BuiltinArchitecture> all = {
${entries}  };
  return all;
}

}  // namespace tilewright::io
")
