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

# Sanitizers apply to everything in the process, including upstream LevelDB and Verilator's runtime: errors that cross
# into uninstrumented code would stay hidden. Verilated models are left out (sim/cmake/Verilate.cmake).
if(OPENREMAP_SANITIZE)
  # With sanitizers, full optimisation took longer than running the tests. -O1 halves the compile time. Tests and tools
  # compile slowly and run quickly, so they use -O0 (ORM_SANITIZED_TEST_OPTIONS).
  set(ORM_SANITIZED_TEST_OPTIONS -O0)
  if(OPENREMAP_SANITIZE STREQUAL "THREADS")
    set(ORM_SANITIZERS -fsanitize=thread)
  else()
    set(ORM_SANITIZERS -fsanitize=address,undefined)
  endif()
  add_compile_options(-O1 ${ORM_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(${ORM_SANITIZERS})
endif()

# Headers and options that tests of several folders share.
add_library(openremap_testing INTERFACE)
add_library(openremap::testing ALIAS openremap_testing)
target_include_directories(openremap_testing INTERFACE "${CMAKE_CURRENT_LIST_DIR}/../testing")
target_compile_options(openremap_testing INTERFACE ${ORM_SANITIZED_TEST_OPTIONS})

enable_testing()
