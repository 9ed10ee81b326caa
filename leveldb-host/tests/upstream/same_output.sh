#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# same_output.sh <program> <program>: both must succeed and print the same text, which must not be empty.
set -e
one=$("$1")
two=$("$2")
[ -n "$one" ]
if [ "$one" != "$two" ]; then
  echo "$1:"
  echo "$one"
  echo "$2:"
  echo "$two"
  exit 1
fi
echo "$one" | wc -l
