# The folders of src as parts of the library.

# Compiles the sources together, for reading the headers of others takes longer than
# compiling our own code. At most so many, so that all processors have something to do.
function(tilewright_target_together target)
  if(NOT TILEWRIGHT_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(number 0)
  foreach(source IN LISTS ARGN)
    math(EXPR batch "${number} / 16")
    math(EXPR number "${number} + 1")
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/src")
    string(MAKE_C_IDENTIFIER "${folder}_${batch}" group)
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
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/unity_groups.py" 8 ${ARGN}
    OUTPUT_VARIABLE lines
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.+)$" _ "${line}")
    set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "group_${CMAKE_MATCH_1}")
  endforeach()
endfunction()

# The objects of some modules.
function(tilewright_object_library target)
  add_library(${target} OBJECT)
  foreach(module IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${module}/*.cc")
    target_sources(${target} PRIVATE ${sources})
    tilewright_target_together(${target} ${sources})
  endforeach()
  tilewright_target_flags(${target})
  tilewright_target_coverage(${target})
  if(TILEWRIGHT_UNITY)
    tilewright_target_common_headers(${target})
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${target} PRIVATE "TILEWRIGHT_VERSION=\"${PROJECT_VERSION}\"")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include"
                                               "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE fmt::fmt yaml-cpp nlohmann_json::nlohmann_json
                                          Threads::Threads)
endfunction()
