// The commit that the tool was built from. CMake writes the one source file
// that has it (cmake/Commit.cmake), so that a new commit compiles nothing else.
#pragma once

namespace tilewright::cli {

// Its first digits, "-dirty" after them if files had been changed since;
// "unknown" where the sources were not in a git repository of their own.
extern const char* const kCommit;

}  // namespace tilewright::cli
