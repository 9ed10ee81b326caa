#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stock_refuses.sh <ours> <stock>: both are open_database. Stock LevelDB must refuse a database with a value log and say
# why, before and after its manifest has segments, and leave it as it is.
set -e
ours=$1
stock=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for round in new again; do
  [ "$("$ours" "$folder/db")" = OK ]
  said=$("$stock" "$folder/db" || true)
  echo "$round: $said"
  case $said in
    *"with values in OpenRemap's value log does not match existing comparator"*) ;;
    *) exit 1 ;;
  esac
done
[ "$("$ours" "$folder/db")" = OK ]
