# SPDX-License-Identifier: Apache-2.0
# Copy, Dataset Management, Write Zeroes and Flush, sent by nvme-cli.
. /scripts/lib.sh
data commands 16 >/tmp/a
put /tmp/a 16
nvme copy $disk --sdlba=64 --slbs=16 --blocks=15
get 64 16 | cmp - /tmp/a || fail "the copy differs from its source"
nvme dsm $disk --ad --slbs=64 --blocks=4
head -c $((4 * page)) /dev/zero >/tmp/expected
tail -c $((12 * page)) /tmp/a >>/tmp/expected
get 64 16 | cmp - /tmp/expected || fail "deallocated pages do not read as zeroes"
nvme write-zeroes $disk --start-block=68 --block-count=3 --deac
nvme write-zeroes $disk --start-block=72 --block-count=3
head -c $((12 * page)) /dev/zero >/tmp/expected
tail -c $((4 * page)) /tmp/a >>/tmp/expected
get 64 16 | cmp - /tmp/expected || fail "zeroed pages do not read as zeroes"
get 16 16 | cmp - /tmp/a || fail "the source has changed"
nvme flush $disk
blkdiscard -o $((80 * page)) -l $((8 * page)) $disk
# Refused commands change nothing.
if nvme write-zeroes $disk --start-block=$pages --block-count=0 2>/tmp/error; then
  fail "Write Zeroes past the end was accepted"
fi
grep -i 'out of range' /tmp/error
if nvme io-passthru $disk --opcode=0xff --namespace-id=1 2>/tmp/error; then fail "an unknown opcode was accepted"; fi
grep -i 'opcode' /tmp/error
quiet_kernel
