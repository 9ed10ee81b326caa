# SPDX-License-Identifier: Apache-2.0
#
# What the builds of images share. A port's CMakeLists.txt is a project of its own, because it has another compiler than
# the rest: cmake -S firmware/ports/PORT -B build/firmware/PORT -G Ninja --toolchain firmware/ports/PORT/toolchain.cmake
# (`./openremap firmware build`). It includes this file after project().

get_filename_component(ORM_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(ORM_PORTS "${CMAKE_CURRENT_LIST_DIR}")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

# Stacks of an image, in bytes. `./openremap firmware size` says how much of them is needed at most.
set(ORM_STACK_BYTES 12288)
set(ORM_TRAP_STACK_BYTES 4096)

# orm_header_values(HEADER PREFIX): sets a variable for each number that a generated header defines with this prefix,
# for linker scripts.
function(orm_header_values header prefix)
  set(path "${ORM_ROOT}/interfaces/gen/c/${header}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  file(STRINGS "${path}" lines REGEX "^#define ${prefix}[A-Z0-9_]+ 0x[0-9A-F]+u$")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#define ([A-Z0-9_]+) (0x[0-9A-F]+)u$" "\\1;\\2" pair "${line}")
    list(GET pair 0 name)
    list(GET pair 1 value)
    set(${name} ${value} PARENT_SCOPE)
  endforeach()
endfunction()

include("${ORM_ROOT}/firmware/sources.cmake")
list(TRANSFORM orm_firmware_sources PREPEND "${ORM_ROOT}/firmware/" OUTPUT_VARIABLE orm_sources)

# Flags of all sources. The call graph with the frames' sizes is what bounds the stack (launcher/firmware/stack.py).
# ccache does not keep that file, so images are compiled without it.
add_compile_options(-Wall -Wextra -Werror -Wshadow -Wconversion -Wpointer-arith -ffunction-sections -fdata-sections
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-fcallgraph-info=su>)
include_directories("${ORM_ROOT}/firmware/include" "${ORM_ROOT}/interfaces/include" "${ORM_ROOT}/interfaces/gen/c"
  "${ORM_PORTS}/bare")

# The firmware for this processor, and what the ports for bare metal share.
add_library(orm_firmware OBJECT ${orm_sources})
target_include_directories(orm_firmware PRIVATE "${ORM_ROOT}/firmware/src")
add_library(orm_bare OBJECT "${ORM_PORTS}/bare/board.c" "${ORM_PORTS}/bare/console.c" "${ORM_PORTS}/bare/runner.c")

# orm_image(NAME SCRIPT FILE.ld.in SOURCES source... [LIBRARIES library...]): NAME.elf, its map and its plain bytes
# (NAME.bin).
function(orm_image name)
  cmake_parse_arguments(I "" "SCRIPT" "SOURCES;LIBRARIES" ${ARGN})
  get_filename_component(script "${I_SCRIPT}" NAME_WLE)
  configure_file("${I_SCRIPT}" "${CMAKE_BINARY_DIR}/${script}" @ONLY)
  add_executable(${name} ${I_SOURCES})
  set_target_properties(${name} PROPERTIES SUFFIX .elf LINK_DEPENDS "${CMAKE_BINARY_DIR}/${script}")
  target_link_libraries(${name} PRIVATE ${I_LIBRARIES})
  target_link_options(${name} PRIVATE -nostartfiles "LINKER:--gc-sections,--fatal-warnings,-Map=${name}.map"
    -T "${CMAKE_BINARY_DIR}/${script}")
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
    COMMAND "${CMAKE_OBJCOPY}" -O binary "$<TARGET_FILE:${name}>" "${name}.bin")
endfunction()
