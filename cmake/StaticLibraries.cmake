# For what has to work where fmt and yaml-cpp are not installed: fmt comes from its headers,
# yaml-cpp from its archive. To be included after both were found.

set_target_properties(fmt::fmt PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)

# By its file name: next to it stands the shared library.
find_library(YAML_CPP_ARCHIVE libyaml-cpp.a REQUIRED)
get_target_property(configurations yaml-cpp IMPORTED_CONFIGURATIONS)
foreach(configuration IN LISTS configurations)
  set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION_${configuration} "${YAML_CPP_ARCHIVE}"
                                            IMPORTED_SONAME_${configuration} "")
endforeach()
