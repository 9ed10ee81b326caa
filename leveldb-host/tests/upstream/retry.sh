#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# retry.sh <tries> <command...>: succeeds as soon as one try does. For upstream tests with races of their own.
tries=$1
shift
while [ "$tries" -gt 0 ]; do
  "$@" && exit 0
  tries=$((tries - 1))
done
exit 1
