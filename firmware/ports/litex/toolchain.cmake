# SPDX-License-Identifier: Apache-2.0
#
# Debian's gcc-riscv64-unknown-elf with picolibc, for VexRiscv: RV32IM. By -misa-spec=2.2 the CSR instructions belong to
# I; with the newer name rv32im_zicsr Debian's libraries of this processor are not found. picolibc's usual build is the
# smallest one, whose memset and memcpy go byte by byte; that of type `release` is fast.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_OBJCOPY riscv64-unknown-elf-objcopy)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # an executable needs the port's linker script
set(orm_cpu "-march=rv32im -misa-spec=2.2 -mabi=ilp32")
set(CMAKE_C_FLAGS_INIT "${orm_cpu} --specs=picolibc.specs --picolibc-buildtype=release -O2")
set(CMAKE_ASM_FLAGS_INIT "${orm_cpu}")
