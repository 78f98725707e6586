# cmake --install: the library, its headers, the tool with its manual page and
# completions, the documentation, and a package for find_package(tilewright).

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
  foreach(program tilewright_full tilewright_reproduce)
    if(TARGET ${program}) # and if it was built
      install(PROGRAMS "$<TARGET_FILE:${program}>" DESTINATION "${CMAKE_INSTALL_BINDIR}" OPTIONAL)
    endif()
  endforeach()
  # The tool prints what is then installed: rules run in the order written.
  set(pages "${PROJECT_BINARY_DIR}/pages")
  install(
    CODE "
    function(tilewright_page file)
      execute_process(COMMAND \"$<TARGET_FILE:tilewright_cli>\" \${ARGN}
                      OUTPUT_FILE \"${pages}/\${file}\" COMMAND_ERROR_IS_FATAL ANY)
    endfunction()
    file(MAKE_DIRECTORY \"${pages}\")
    tilewright_page(tilewright.1 man)
    tilewright_page(tilewright completion bash)
    tilewright_page(_tilewright completion zsh)
    tilewright_page(tilewright.fish completion fish)")
  install(FILES "${pages}/tilewright.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${pages}/tilewright"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${pages}/_tilewright" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${pages}/tilewright.fish"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()

# As in the sources, so that links between the pages hold.
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/LICENSE"
              "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/CITATION.cff"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/tilewrightConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/package/tilewrightConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/tilewrightConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/tilewrightConfig.cmake"
              "${PROJECT_BINARY_DIR}/package/tilewrightConfigVersion.cmake"
        DESTINATION "${package_folder}")
