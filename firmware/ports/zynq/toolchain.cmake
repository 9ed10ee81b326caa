# SPDX-License-Identifier: Apache-2.0
#
# Debian's gcc-arm-none-eabi with picolibc, for a Cortex-A9. Nothing uses the floating-point unit, so a trap has none of
# its registers to save. picolibc's build of type `release` is the fast one.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_OBJCOPY arm-none-eabi-objcopy)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # an executable needs the port's linker script
set(orm_cpu "-mcpu=cortex-a9 -marm -mfloat-abi=soft")
set(CMAKE_C_FLAGS_INIT "${orm_cpu} --specs=picolibc.specs --picolibc-buildtype=release -O2")
set(CMAKE_ASM_FLAGS_INIT "${orm_cpu}")
