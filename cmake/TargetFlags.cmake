# Compiler flags of our own targets, in one place.

# %4m lets the processes of a test run add to a common pool of four files.
set(coverage_counters "-fprofile-instr-generate=${PROJECT_BINARY_DIR}/profiles/%4m.profraw")

# -ffp-contract=off: without it arm64 fuses multiply and add, and doubles
# differ from those of x86-64.
function(tilewright_target_flags target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF COMPILE_WARNING_AS_ERROR ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -ffp-contract=off)
  # What g++ guesses while optimising takes impossible paths of inlined code for
  # real, in std::string above all. The sanitizers check bounds without guessing;
  # clang-tidy wants every variable initialised.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict
                                             -Wno-stringop-overflow -Wno-stringop-overread)
    if(TILEWRIGHT_UNITY) # takes the file that includes the others for a header
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  else()
    # libstdc++'s own std::stable_sort uses what the standard deprecates.
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
  # Position-independent code must not stop the compiler from inlining our own
  # functions: nobody replaces them at load time.
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  if(TILEWRIGHT_SANITIZE)
    # GLIBCXX_ASSERTIONS catches what the address sanitizer cannot, such as an
    # index past size() but within capacity().
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
    # A null pointer is found by the address sanitizer when it is followed. We cast no pointers,
    # to derived classes neither, so alignment and types of objects need no look
    # at each access, which takes a third of the time to compile; nor does arithmetic with them,
    # which is that of containers. A trap in place of a message takes an eighth less: the
    # sanitizer of addresses tells where it is (ASAN_OPTIONS=handle_sigill=1).
    target_compile_options(
      ${target} PRIVATE -fsanitize=address,undefined -fsanitize-trap=undefined
                        -fno-sanitize-recover=all
                        -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow
                        -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
  if(TILEWRIGHT_SANITIZE_THREADS)
    target_compile_options(${target} PRIVATE -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=thread)
  endif()
  if(TILEWRIGHT_LIBFUZZER)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(TILEWRIGHT_COVERAGE)
    target_link_options(${target} PRIVATE "${coverage_counters}")
  endif()
endfunction()

# Only for code whose coverage is of interest: counters in the tests would
# make every test program slower and its profile larger.
function(tilewright_target_coverage target)
  if(TILEWRIGHT_COVERAGE)
    target_compile_options(${target} PRIVATE "${coverage_counters}" -fcoverage-mapping)
  endif()
endfunction()

# For programs around the library, whose compile time matters more than their
# own speed. The library they call keeps its flags. (g++ takes less time with -Og
# than with -O1, and no less with -O0: then it inlines nothing.)
function(tilewright_target_compile_fast target)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-Og>" "$<$<CONFIG:Sanitize,Thread>:-O0>")
endfunction()

# Headers of others that most of our files read and that take longer to read than
# our own code, compiled once for a target. Ours are left out, so that a change to
# one of them builds again only what includes it.
function(tilewright_target_common_headers target)
  target_precompile_headers(
    ${target} PRIVATE <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <set>
                      <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>
                      ${ARGN})
  tilewright_target_collect_no_garbage(${target})
endfunction()

# With precompiled headers g++ holds so much memory from the start that it looks
# for garbage all the time, a tenth of its time. Not below this size (in KiB).
function(tilewright_target_collect_no_garbage target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=1500000)
  endif()
endfunction()
