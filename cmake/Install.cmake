# cmake --install: the library, its headers, the tool, and a package for
# find_package(tilewright).

include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/tilewright")

install(
  TARGETS tilewright
  EXPORT tilewrightTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/tilewright"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.h")
install(
  EXPORT tilewrightTargets
  NAMESPACE tilewright::
  DESTINATION "${package_folder}")
if(TARGET tilewright_cli)
  install(TARGETS tilewright_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/tilewrightConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/package/tilewrightConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/tilewrightConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/tilewrightConfig.cmake"
              "${PROJECT_BINARY_DIR}/package/tilewrightConfigVersion.cmake"
        DESTINATION "${package_folder}")
