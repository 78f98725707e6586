# The folders of src as parts of the library.

# Sources of src, by patterns such as model/*.
function(tilewright_sources result)
  list(TRANSFORM ARGN REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1.cc" OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# Moves the sources that patterns name from a list to another.
function(tilewright_take result from)
  tilewright_sources(named ${ARGN})
  set(taken "")
  set(left "")
  foreach(source IN LISTS ${from})
    if(source IN_LIST named)
      list(APPEND taken "${source}")
    else()
      list(APPEND left "${source}")
    endif()
  endforeach()
  set(${result} ${taken} PARENT_SCOPE)
  set(${from} ${left} PARENT_SCOPE)
endfunction()

# Folders of src whose sources are compiled together, apart from all others. Reading the
# headers of others, and compiling what they make of them, takes longer than compiling our own
# code; but all processors should have something to do.
set(tilewright_groups
    "report golden study certificate estimate" "io arch workload mapping cascade"
    "map mappers mapspace flexibility"
    "mappers/quickflow mappers/genetic mappers/sampling mappers/published base")

# Compiles the sources of a folder together, and those of the folders it is grouped with.
function(tilewright_target_together target)
  if(NOT TILEWRIGHT_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/src")
    foreach(group IN LISTS tilewright_groups)
      string(REPLACE " " ";" members "${group}")
      if(folder IN_LIST members)
        set(folder "${group}")
        break()
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endforeach()
endfunction()

# The same for sources that may declare the same names: groups without such.
function(tilewright_target_in_groups target)
  if(NOT TILEWRIGHT_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A change may bring a name that another file has.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  # A line per file: its group, then its path.
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/unity_groups.py" 20 ${ARGN}
    OUTPUT_VARIABLE lines
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.+)$" _ "${line}")
    set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "group_${CMAKE_MATCH_1}")
  endforeach()
endfunction()

# Objects of the library. HEADERS_OF names another such target whose compiled headers will do.
function(tilewright_object_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADERS_OF" "")
  set(sources ${arg_UNPARSED_ARGUMENTS})
  add_library(${target} OBJECT ${sources})
  tilewright_target_together(${target} ${sources})
  tilewright_target_flags(${target})
  tilewright_target_coverage(${target})
  if(TILEWRIGHT_UNITY AND arg_HEADERS_OF)
    target_precompile_headers(${target} REUSE_FROM ${arg_HEADERS_OF})
    tilewright_target_collect_no_garbage(${target})
  elseif(TILEWRIGHT_UNITY)
    tilewright_target_common_headers(${target})
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${target} PRIVATE "TILEWRIGHT_VERSION=\"${PROJECT_VERSION}\"")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include"
                                               "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE fmt::fmt yaml-cpp nlohmann_json::nlohmann_json
                                          Threads::Threads)
endfunction()

# Of inline functions that several files have, the linker takes the first: those of the optimised
# part of the library come before all others.
function(tilewright_target_optimised_first target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:tilewright_fast>
                                   $<TARGET_OBJECTS:tilewright_fusion>
                                   $<TARGET_OBJECTS:tilewright_checker>)
endfunction()
