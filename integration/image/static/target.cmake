# retrial-static: the same objects in one file that needs no other, for an image without a system (integration/image). It is built only
# where it is asked for, and never with sanitizers.
if(RETRIAL_SANITIZE OR RETRIAL_FUZZ)
  return()
endif()
set(STATIC_FOLDER ${CMAKE_SOURCE_DIR}/integration/image/static)
add_library(retrial_static_parts STATIC EXCLUDE_FROM_ALL ${STATIC_FOLDER}/fmt.cc ${STATIC_FOLDER}/spdlog.cc)
target_compile_definitions(retrial_static_parts PRIVATE FMT_SHARED)
set_source_files_properties(${STATIC_FOLDER}/spdlog.cc PROPERTIES COMPILE_DEFINITIONS "SPDLOG_COMPILED_LIB;SPDLOG_SHARED_LIB;SPDLOG_FMT_EXTERNAL")

add_executable(retrial-static EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/cli/main.cc)
target_compile_definitions(retrial-static PRIVATE RETRIAL_STATIC FMT_SHARED)
target_include_directories(retrial-static PRIVATE ${CMAKE_SOURCE_DIR})
get_property(ROOMS GLOBAL PROPERTY RETRIAL_ROOMS)
set(ARCHIVES "")
foreach(name ${ROOMS})
  if(TARGET retrial_${name})
    add_dependencies(retrial-static retrial_${name})
    list(APPEND ARCHIVES $<TARGET_FILE:retrial_${name}>)
  endif()
endforeach()
list(APPEND ARCHIVES $<TARGET_FILE:tree_sitter>)
# As files: a target would bring its shared libraries along. jemalloc comes first, for malloc to be its own.
target_link_libraries(retrial-static PRIVATE -Wl,--start-group ${ARCHIVES} retrial_static_parts
  jemalloc event cares yaml sqlite3 ssl crypto z m -Wl,--end-group)
target_link_options(retrial-static PRIVATE -static-pie -Wl,--gc-sections -Wl,--build-id=none -s)
set_target_properties(retrial-static PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
