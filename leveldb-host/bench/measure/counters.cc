// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/counters.h"

namespace openremap {

DeviceStats Difference(const DeviceStats &end, const DeviceStats &begin) {
  DeviceStats d = end;
  d.host_write_pages -= begin.host_write_pages;
  d.host_read_pages -= begin.host_read_pages;
  d.nand_program_pages -= begin.nand_program_pages;
  d.gc_pages -= begin.gc_pages;
  d.wear_pages -= begin.wear_pages;
  d.gc_shared_pages -= begin.gc_shared_pages;
  d.metadata_pages -= begin.metadata_pages;
  d.nvram_bytes -= begin.nvram_bytes;
  d.erases -= begin.erases;
  d.fs_metadata_pages -= begin.fs_metadata_pages;
  d.coarse_pages -= begin.coarse_pages;
  d.journal_pages -= begin.journal_pages;
  d.side_pages -= begin.side_pages;
  d.file_bytes -= begin.file_bytes;
  for (size_t i = 0; i < kWriteCauses; i++) d.bytes_by_cause.at(i) -= begin.bytes_by_cause.at(i);
  d.device_seconds -= begin.device_seconds;
  d.sim_cycles -= begin.sim_cycles;
  d.evaluated_cycles -= begin.evaluated_cycles;
  d.firmware_seconds -= begin.firmware_seconds;
  d.sim_cpu_seconds -= begin.sim_cpu_seconds;
  return d;
}

LevelCounters Difference(LevelCounters end, const LevelCounters &begin) {
  end.tables -= begin.tables;
  end.table_bytes -= begin.table_bytes;
  end.padding_bytes -= begin.padding_bytes;
  end.input_blocks -= begin.input_blocks;
  end.unchanged_blocks -= begin.unchanged_blocks;
  end.skipped_blocks -= begin.skipped_blocks;
  end.remapped_blocks -= begin.remapped_blocks;
  end.copied_blocks -= begin.copied_blocks;
  end.kept_pages -= begin.kept_pages;
  return end;
}

}  // namespace openremap
