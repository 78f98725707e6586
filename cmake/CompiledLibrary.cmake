# The library and the commands as another build of these sources has compiled them, in its
# folder TILEWRIGHT_COMPILED.

add_library(tilewright STATIC IMPORTED)
set_target_properties(tilewright PROPERTIES IMPORTED_LOCATION "${TILEWRIGHT_COMPILED}/libtilewright.a")
target_include_directories(tilewright INTERFACE "${PROJECT_SOURCE_DIR}/include")
target_compile_definitions(tilewright INTERFACE "TILEWRIGHT_VERSION=\"${PROJECT_VERSION}\"")
target_compile_features(tilewright INTERFACE cxx_std_20)
target_link_libraries(tilewright INTERFACE Threads::Threads fmt::fmt yaml-cpp)

add_library(tilewright_commands STATIC IMPORTED)
set_target_properties(tilewright_commands PROPERTIES
                      IMPORTED_LOCATION "${TILEWRIGHT_COMPILED}/libtilewright_commands.a")
target_link_libraries(tilewright_commands INTERFACE tilewright)

add_library(tilewright_proof_commands STATIC IMPORTED)
set_target_properties(tilewright_proof_commands PROPERTIES
                      IMPORTED_LOCATION "${TILEWRIGHT_COMPILED}/libtilewright_proof_commands.a")
target_link_libraries(tilewright_proof_commands INTERFACE tilewright_commands)
