# SPDX-License-Identifier: Apache-2.0
# The vendor command REMAP through the kernel's passthrough remaps pages without a write to flash.
. /scripts/lib.sh
written() {
  nvme ocp smart-add-log $control | sed -n 's/.*Physical media units written -[ \t]*[0-9]* \([0-9]*\).*/\1/p'
}
data remap 32 >/tmp/a
data other 32 >/tmp/b
put /tmp/a 128
put /tmp/b 256
nvme flush $disk
before=$(written)
[ -n "$before" ] || fail "the OCP log has no figure of bytes written to flash"
remap 128 512 32
get 512 32 | cmp - /tmp/a || fail "the target does not read as the source"
get 128 32 | cmp - /tmp/a || fail "the source has changed"
expect "bytes that a remap wrote to flash" $(($(written) - before)) 0

# When one of the two is overwritten, the other keeps its data.
put /tmp/b 128
get 512 32 | cmp - /tmp/a || fail "the target changed when the source was written"
remap 256 640 32 $remap_move
get 640 32 | cmp - /tmp/b || fail "moved pages read as other data"
get 256 32 >/tmp/source
head -c $((32 * page)) /dev/zero | cmp - /tmp/source || fail "the source of a move still has data"

# The character device works as well, and errors have their own status codes.
nvme io-passthru /dev/ng0n1 --opcode=$remap_opcode --namespace-id=1 --cdw10=512 --cdw12=768 --cdw14=32
get 768 32 | cmp - /tmp/a || fail "pages remapped through the character device read as other data"
if remap 512 520 32 2>/tmp/error; then fail "overlapping ranges were accepted"; fi
grep -i '0x[0-9a-f]*701' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
if remap 256 300 4 2>/tmp/error; then fail "a remap of a source without data was accepted"; fi
grep -i '0x[0-9a-f]*702' /tmp/error || fail "refused for another reason: $(cat /tmp/error)"
get 512 32 | cmp - /tmp/a || fail "a refused remap has changed its source"
quiet_kernel
