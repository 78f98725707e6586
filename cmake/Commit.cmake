# Writes the source file that names the commit of the sources. Runs with every
# build, and leaves the file alone unless the commit has changed. Script
# arguments: SOURCES, the folder of the sources, and OUTPUT, the file to write.

set(commit "unknown")
find_program(git git)
if(git)
  # A copy of the sources inside some other repository is not that repository.
  execute_process(
    COMMAND "${git}" -C "${SOURCES}" rev-parse --show-toplevel
    OUTPUT_VARIABLE top
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCES}" folder)
  if(top STREQUAL folder)
    execute_process(
      COMMAND "${git}" -C "${SOURCES}" describe --always --dirty --abbrev=12 "--exclude=*"
      RESULT_VARIABLE failed
      OUTPUT_VARIABLE described
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed)
      set(commit "${described}")
    endif()
  endif()
endif()

set(text
    "#include \"cli/commit.h\"\n\nnamespace tilewright::cli {\n\nconst char* const kCommit = \"${commit}\";\n\n}  // namespace tilewright::cli\n"
)
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
