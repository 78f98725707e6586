# cmake/Commit.cmake names the commit of a repository, says when files were
# changed since, knows no commit of other folders, and writes only what is new.
# Script arguments: SCRIPT, SCRATCH.

find_program(git_program git)
if(NOT git_program)
  message("git is not installed; nothing to test")
  return()
endif()

set(output "${SCRATCH}/commit.cc")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/repository/inside")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(git)
  run(git -C "${SCRATCH}/repository" -c user.name=Somebody -c user.email=somebody@example.org
      ${ARGN})
endfunction()

function(expect_commit sources pattern)
  run("${CMAKE_COMMAND}" "-DSOURCES=${sources}" "-DOUTPUT=${output}" -P "${SCRIPT}")
  file(READ "${output}" text)
  if(NOT text MATCHES "kCommit = \"${pattern}\";")
    message(FATAL_ERROR "expected ${pattern} in\n${text}")
  endif()
endfunction()

git(init --quiet)
file(WRITE "${SCRATCH}/repository/file" "one\n")
git(add file)
git(commit --quiet -m "A file")
git(tag v1) # commits are named, not tags
expect_commit("${SCRATCH}/repository" "[0-9a-f]+")
file(TIMESTAMP "${output}" before "%s%f")
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 0.05)
expect_commit("${SCRATCH}/repository" "[0-9a-f]+")
file(TIMESTAMP "${output}" after "%s%f")
if(NOT before STREQUAL after)
  message(FATAL_ERROR "the file was written again for the same commit")
endif()
file(WRITE "${SCRATCH}/repository/file" "two\n")
expect_commit("${SCRATCH}/repository" "[0-9a-f]+-dirty")
expect_commit("${SCRATCH}/repository/inside" "unknown")
