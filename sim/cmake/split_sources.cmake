# SPDX-License-Identifier: Apache-2.0
#
# The number of C++ files that Verilator writes is known only after it has run, but the build needs their names before.
# So this script includes them in a fixed number of files: PREFIX__slow.cpp (construction, reset, symbols) and
# PREFIX__fast<N>.cpp for N < PARTS (evaluation).
file(GLOB sources RELATIVE "${DIR}" "${DIR}/*.cpp")
list(SORT sources)
set(slow "// Generated: sources of ${PREFIX} that run once.\n")
set(next 0)
math(EXPR last "${PARTS} - 1")
foreach(part RANGE ${last})
  set(fast${part} "// Generated: sources of ${PREFIX} that run each cycle.\n")
endforeach()
foreach(source IN LISTS sources)
  if(source MATCHES "__(slow|fast[0-9]+)\\.cpp$")
    continue()
  elseif(source MATCHES "(__Slow|__Syms[_A-Za-z0-9]*)\\.cpp$" OR source STREQUAL "${PREFIX}.cpp")
    string(APPEND slow "#include \"${source}\"\n")
  else()
    string(APPEND fast${next} "#include \"${source}\"\n")
    math(EXPR next "(${next} + 1) % ${PARTS}")
  endif()
endforeach()
file(WRITE "${DIR}/${PREFIX}__slow.cpp" "${slow}")
foreach(part RANGE ${last})
  file(WRITE "${DIR}/${PREFIX}__fast${part}.cpp" "${fast${part}}")
endforeach()
