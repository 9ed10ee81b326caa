# SPDX-License-Identifier: Apache-2.0
#
# Vivado's commands for tclsh: each call is written down, and does no more than the scripts of a project can notice.
# Its own variables are named stub_.
#
# Usage: tclsh stubs.tcl CATALOGUE SCRIPT... The catalogue sets stub_ips(VLNV without version) to a list of pins and a
# list of interfaces, and stub_modules(NAME) to the same.
#
# What is recorded goes to standard output: a line for each call, its words separated by the character 31.

proc record {args} { puts [join [string map [list "\n" " "] $args] "\x1f"] }

lassign $argv catalogue
source $catalogue
array set stub_cells {}

proc unknown {name args} { error "no such command of Vivado: $name" }

# --- objects: a kind and a name. What does not exist is an empty list, as in Vivado.
proc known_pin {name index} {
  global stub_cells stub_ips
  lassign [split $name /] cell pin
  if {![info exists stub_cells($cell)]} { return 0 }
  return [expr {$pin in [lindex $stub_ips($stub_cells($cell)) $index]}]
}
proc get_bd_pins {name} { return [expr {[known_pin $name 0] ? "pin:$name" : ""}] }
proc get_bd_intf_pins {name} { return [expr {[known_pin $name 1] ? "interface:$name" : ""}] }
proc get_bd_cells {name} {
  global stub_cells
  return [expr {[info exists stub_cells($name)] ? "cell:$name" : ""}]
}
proc get_bd_ports {name} { return "port:$name" }
proc get_bd_intf_ports {name} { return "interface port:$name" }
proc get_bd_addr_segs {name} { return "segment:$name" }
proc get_bd_addr_spaces {name} { return "space:$name" }
proc get_ipdefs {pattern} {
  global stub_ips
  set name [string range $pattern 0 end-2]
  return [expr {[info exists stub_ips($name)] ? [list "$name:1.9" "$name:1.10"] : {}}]
}
foreach command {get_ports get_clocks get_pins get_cells} {
  proc $command {args} [string map [list KIND [string range $command 4 end-1]] {
    if {[lindex $args 0] eq "-of_objects"} { return "KIND of [lindex $args 1]" }
    return "KIND:[lindex $args end]"
  }]
}
proc current_project {} { return "project:" }
proc current_design {} { return "design:" }
proc create_ip {args} {
  global stub_ips
  array set given $args
  if {![info exists stub_ips($given(-vendor):$given(-library):$given(-name))]} { error "no IP $given(-name)" }
  record create_ip $given(-module_name) $given(-vendor):$given(-library):$given(-name)
}
proc get_ips {name} { return "ip:$name" }
proc get_filesets {name} { return "fileset:$name" }
proc get_runs {name} { return "run:$name" }
proc get_files {args} { return "file:[lindex $args end]" }
proc make_wrapper {args} { record make_wrapper {*}$args; return "wrapper.v" }

# --- the block design
proc create_bd_cell {args} {
  global stub_cells stub_ips stub_modules
  set name [lindex $args end]
  if {[info exists stub_cells($name)]} { error "cell $name exists" }
  array set given [lrange $args 0 end-1]
  if {$given(-type) eq "ip"} {
    set stub_cells($name) [join [lrange [split $given(-vlnv) :] 0 2] :]
    if {[lindex [split $given(-vlnv) :] 3] ne "1.10"} { error "not the newest version: $given(-vlnv)" }
  } else {
    if {![info exists stub_modules($given(-reference))]} { error "no module $given(-reference)" }
    set stub_cells($name) $given(-reference)
    set stub_ips($given(-reference)) $stub_modules($given(-reference))
  }
  record create_bd_cell $name $stub_cells($name)
  return "cell:$name"
}
proc set_property {args} {
  if {[lindex $args 0] eq "-dict"} {
    foreach {name value} [lindex $args 1] { record set_property $name $value {*}[lrange $args 2 end] }
  } else {
    record set_property {*}$args
  }
}
foreach command {
  create_bd_design current_bd_design create_bd_port create_bd_intf_port connect_bd_net connect_bd_intf_net
  create_bd_addr_seg regenerate_bd_layout validate_bd_design save_bd_design
  create_project update_ip_catalog add_files update_compile_order launch_runs wait_on_run open_run
  report_timing_summary report_utilization report_cdc report_drc write_bitstream write_hw_platform
  create_clock create_generated_clock set_clock_uncertainty set_clock_latency set_input_delay set_output_delay
  set_false_path set_max_delay reset_property generate_target write_cfgmem
} {
  proc $command {args} [string map [list COMMAND $command] { record COMMAND {*}$args; return "" }]
}

foreach script [lrange $argv 1 end] {
  if {[catch {source $script} message]} {
    puts stderr "[file tail $script]: $message"
    exit 1
  }
}
