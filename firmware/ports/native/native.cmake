# SPDX-License-Identifier: Apache-2.0
#
# The native port as a part of a target. What cpu_costs.json says becomes a header for cpu_costs.cc.
set(orm_native_dir "${CMAKE_CURRENT_LIST_DIR}")
set(orm_costs_json "${orm_native_dir}/cpu_costs.json")
set(orm_costs_dir "${CMAKE_CURRENT_BINARY_DIR}/native_port")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${orm_costs_json}")

function(orm_write_cpu_costs path)
  file(READ "${orm_costs_json}" json)
  set(text "// Generated from cpu_costs.json.\n#pragma once\n#include <cstdint>\n\nnamespace orm {\n\n")
  string(APPEND text "struct CpuCost {\n  const char *kind;\n  uint64_t ps;\n};\n\n")
  set(list "#define CPU_COSTS_LIST(X)")
  string(JSON cpus LENGTH "${json}" cpus)
  math(EXPR last_cpu "${cpus} - 1")
  foreach(i RANGE ${last_cpu})
    string(JSON cpu MEMBER "${json}" cpus ${i})
    string(APPEND text "inline constexpr CpuCost kCpuCosts${i}[] = {\n")
    string(JSON kinds LENGTH "${json}" cpus "${cpu}" ps)
    math(EXPR last_kind "${kinds} - 1")
    foreach(k RANGE ${last_kind})
      string(JSON kind MEMBER "${json}" cpus "${cpu}" ps ${k})
      string(JSON ps GET "${json}" cpus "${cpu}" ps "${kind}")
      string(APPEND text "    {\"${kind}\", ${ps}},\n")
    endforeach()
    string(APPEND text "};\n")
    string(APPEND list " X(\"${cpu}\", kCpuCosts${i})")
  endforeach()
  file(CONFIGURE OUTPUT "${path}" CONTENT "${text}\n${list}\n\n}  // namespace orm\n" @ONLY)
endfunction()
orm_write_cpu_costs("${orm_costs_dir}/cpu_costs_table.h")

# orm_add_native_port(TARGET): its sources. The target links orm_firmware, orm_models and the harness's headers.
function(orm_add_native_port target)
  target_sources(${target} PRIVATE "${orm_native_dir}/cpu_costs.cc" "${orm_native_dir}/fiber.cc"
    "${orm_native_dir}/native_firmware.cc")
  target_include_directories(${target} PRIVATE "${orm_native_dir}" "${orm_costs_dir}")
endfunction()
