# Files that ship inside a program: a C++ file made from those of a folder,
# made again when one of them changes, comes or goes.
#
# Included, it offers embed_files(); run as a script (cmake -P), it writes the
# file. Script arguments: FOLDER, EXTENSIONS, HEADER, FUNCTION, OUTPUT.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(embed_script "${CMAKE_CURRENT_LIST_FILE}")

  # Appends to `sources` a file that defines tilewright::<builtin_function>(), which the
  # header declares: the files of the folder with one of these extensions.
  function(embed_files folder extensions header builtin_function sources)
    cmake_path(GET folder FILENAME folder_name)
    list(TRANSFORM extensions PREPEND "${folder}/*." OUTPUT_VARIABLE patterns)
    file(GLOB files CONFIGURE_DEPENDS ${patterns})
    set(output "${PROJECT_BINARY_DIR}/generated/embedded_${folder_name}.cc")
    # The list of names is an input of its own: when a file is taken away, no
    # remaining file is newer than the output.
    set(names "${PROJECT_BINARY_DIR}/generated/embedded_${folder_name}.txt")
    string(REPLACE ";" "\n" lines "${files}")
    string(REPLACE ";" "," extension_words "${extensions}")
    file(CONFIGURE OUTPUT "${names}" CONTENT "${lines}\n" @ONLY)
    add_custom_command(
      OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DEXTENSIONS=${extension_words}"
              "-DHEADER=${header}" "-DFUNCTION=${builtin_function}" "-DOUTPUT=${output}" -P
              "${embed_script}"
      DEPENDS ${files} "${names}" "${embed_script}"
      COMMENT "Embedding ${folder_name}"
      VERBATIM)
    set(${sources} ${${sources}} "${output}" PARENT_SCOPE)
  endfunction()

  return()
endif()

cmake_policy(VERSION 3.25)

# A raw literal's delimiter has 16 characters at most.
set(delimiter "tilewright_file")

cmake_path(GET FOLDER FILENAME folder_name)
string(REPLACE "," ";" extensions "${EXTENSIONS}")
list(TRANSFORM extensions PREPEND "${FOLDER}/*." OUTPUT_VARIABLE patterns)
file(GLOB files RELATIVE "${FOLDER}" ${patterns})
list(SORT files)

set(entries "")
foreach(file_name IN LISTS files)
  cmake_path(GET file_name STEM LAST_ONLY name)
  file(READ "${FOLDER}/${file_name}" text)
  string(FIND "${text}" ")${delimiter}\"" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${FOLDER}/${file_name}: must not contain )${delimiter}\"")
  endif()
  string(APPEND entries "      {\"${name}\", R\"${delimiter}(${text})${delimiter}\"},\n")
endforeach()

# The standard promises literals of 64 KiB only, and clang's -Wpedantic says
# so; both compilers take longer ones.
file(
  WRITE "${OUTPUT}"
  "// Made from the files of ${folder_name} by cmake/EmbedFiles.cmake.
#include <vector>

#include \"${HEADER}\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace tilewright {

const std::vector<io::BuiltinFile>& ${FUNCTION}() {
  static const std::vector<io::BuiltinFile> all = {
${entries}  };
  return all;
}

}  // namespace tilewright
")
