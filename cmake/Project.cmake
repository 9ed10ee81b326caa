# SPDX-License-Identifier: Apache-2.0
#
# Settings that every build of this repository shares, whether of all parts or of one: build type, languages, compiler
# cache, sanitizers, and the targets openremap::warnings and openremap::testing. Include it after project().
set(OPENREMAP_SANITIZE OFF CACHE STRING "ON: AddressSanitizer and UndefinedBehaviorSanitizer; THREADS: ThreadSanitizer")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Release builds keep asserts, so that a broken invariant also stops a test of a release build.
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

find_program(OPENREMAP_CCACHE ccache)
if(OPENREMAP_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${OPENREMAP_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${OPENREMAP_CCACHE}")
endif()

# Warnings for our own sources. Third-party code (Verilator's output, upstream LevelDB) does not link this target.
add_library(openremap_warnings INTERFACE)
add_library(openremap::warnings ALIAS openremap_warnings)
target_compile_options(openremap_warnings INTERFACE -Wall -Wextra -Werror -Wshadow -Wconversion -Wpointer-arith
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)

# Tests, and the programs that run devices, compile slowly and run quickly: their work is done by the libraries. So they
# are optimised little.
set(ORM_TEST_OPTIONS -O0)
set(ORM_PROGRAM_OPTIONS -O1)

# Sanitizers apply to everything in the process, including upstream LevelDB and Verilator's runtime: errors that cross
# into uninstrumented code would stay hidden. Verilated models are left out (sim/cmake/Verilate.cmake).
if(OPENREMAP_SANITIZE)
  # With sanitizers, full optimisation took longer than running the tests. -O1 halves the compile time.
  set(ORM_PROGRAM_OPTIONS -O0)
  if(OPENREMAP_SANITIZE STREQUAL "THREADS")
    set(ORM_SANITIZERS -fsanitize=thread)
  else()
    set(ORM_SANITIZERS -fsanitize=address,undefined)
  endif()
  add_compile_options(-O1 ${ORM_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(${ORM_SANITIZERS})
endif()

# Headers that tests of several folders share, and programs that draw random commands.
add_library(openremap_test_headers INTERFACE)
add_library(openremap::test_headers ALIAS openremap_test_headers)
target_include_directories(openremap_test_headers INTERFACE "${CMAKE_CURRENT_LIST_DIR}/../testing")

# The same with the options of a test program.
add_library(openremap_testing INTERFACE)
add_library(openremap::testing ALIAS openremap_testing)
target_link_libraries(openremap_testing INTERFACE openremap_test_headers)
target_compile_options(openremap_testing INTERFACE ${ORM_TEST_OPTIONS})

# --- which build runs which test --------------------------------------------------------------------------------------
# `./openremap test` compiles a test for one build, so that a first run stays short:
#   unit tests      the sanitized build. Their label is `unit` or `unit-threads`; the target unit_tests builds them.
#   all others      the release build. The target device_tests builds their programs.
#   label `memory`  both: runs of whole devices that also look for memory errors; the target memory_tests builds them.
# The suites native-all and sanitized-all run every test of a build.
foreach(kind unit_tests memory_tests device_tests)
  if(NOT TARGET ${kind})
    add_custom_target(${kind})
  endif()
endforeach()

# openremap_gtest(PROGRAM KIND [option of gtest_discover_tests]...): the cases of a GoogleTest program. KIND is `unit`,
# `memory` (both builds: a unit test that does more where no sanitizer slows it down), one of these followed by
# `-threads` (with threads: also under ThreadSanitizer), `device`, or `soc` (a suite of its own).
function(openremap_gtest program kind)
  if(kind MATCHES "^unit(-threads)?$")
    add_dependencies(unit_tests ${program})
    set_property(GLOBAL APPEND PROPERTY ORM_UNIT_PROGRAMS ${program})
  elseif(kind MATCHES "^memory(-threads)?$")
    add_dependencies(memory_tests ${program})
  elseif(NOT kind MATCHES "^(device|soc)$")
    message(FATAL_ERROR "openremap_gtest: '${kind}' is no kind of test")
  endif()
  if(NOT "PROPERTIES" IN_LIST ARGN)
    list(APPEND ARGN PROPERTIES)
  endif()
  gtest_discover_tests(${program} DISCOVERY_TIMEOUT 600 ${ARGN} LABELS ${kind})
endfunction()

# openremap_script_test(NAME COST SCRIPT [argument]...): a script in Python that uses the launcher's modules, with whole
# devices. COST: about how many seconds it takes.
function(openremap_script_test name cost script)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.."
    "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/${script}" ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800 COST ${cost})
endfunction()

# openremap_device_tests(): lets device_tests build all programs and shared libraries of the project that are no unit
# tests and not left to request. Call it after the last add_subdirectory.
function(openremap_device_tests)
  get_property(units GLOBAL PROPERTY ORM_UNIT_PROGRAMS)
  set(folders "${CMAKE_SOURCE_DIR}")
  while(folders)
    list(POP_FRONT folders folder)
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${below})
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_target_property(on_request ${target} EXCLUDE_FROM_ALL)
      if(type MATCHES "^(EXECUTABLE|SHARED_LIBRARY)$" AND NOT on_request AND NOT target IN_LIST units)
        add_dependencies(device_tests ${target})
      endif()
    endforeach()
  endwhile()
endfunction()

enable_testing()
