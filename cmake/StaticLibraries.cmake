# For what has to work where yaml-cpp is not installed: it comes from its archive. To be
# included after it was found.

# By its file name: next to it stands the shared library.
find_library(YAML_CPP_ARCHIVE libyaml-cpp.a REQUIRED)
get_target_property(configurations yaml-cpp IMPORTED_CONFIGURATIONS)
foreach(configuration IN LISTS configurations)
  set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION_${configuration} "${YAML_CPP_ARCHIVE}"
                                            IMPORTED_SONAME_${configuration} "")
endforeach()
