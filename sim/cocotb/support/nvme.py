# SPDX-License-Identifier: Apache-2.0
"""NVMe status fields as the units pass them on, {DNR, M, CRD, SCT, SC}.

Which errors get Do Not Retry is decided here independently of the RTL.
"""

from __future__ import annotations

from sim.cocotb.support.orm_formats import VendorStatus
from sim.cocotb.support.orm_nvme import Status as Code
from sim.cocotb.support.orm_nvme import StatusFlag, StatusType


class Status:
    """DNR where the same command would fail the same way again."""

    SUCCESS = int(Code.SUCCESS)
    ABORT_SQ_DELETION = int(Code.ABORT_SQ_DELETION)
    DATA_TRANSFER_ERROR = int(Code.DATA_TRANSFER_ERROR)
    UNRECOVERED_READ_ERROR = int(Code.UNRECOVERED_READ)
    INTERNAL_ERROR = int(Code.INTERNAL_ERROR)
    NAMESPACE_NOT_READY = int(Code.NAMESPACE_NOT_READY)
    FORMAT_IN_PROGRESS = int(Code.FORMAT_IN_PROGRESS)
    WRITE_FAULT = int(Code.WRITE_FAULT)
    UNRECOVERED_READ_ERROR = int(Code.UNRECOVERED_READ)
    INVALID_FIELD = int(Code.INVALID_FIELD | StatusFlag.DO_NOT_RETRY)
    INVALID_NAMESPACE = int(Code.INVALID_NAMESPACE | StatusFlag.DO_NOT_RETRY)
    INVALID_PRP_OFFSET = int(Code.INVALID_PRP_OFFSET | StatusFlag.DO_NOT_RETRY)
    WRITE_PROTECTED = int(Code.WRITE_PROTECTED | StatusFlag.DO_NOT_RETRY)
    LBA_OUT_OF_RANGE = int(Code.LBA_OUT_OF_RANGE | StatusFlag.DO_NOT_RETRY)
    COPY_SIZE_LIMIT = int(Code.COPY_SIZE_LIMIT | StatusFlag.DO_NOT_RETRY)
    REMAP_SHARER_LIMIT = int(StatusType.VENDOR << 8 | VendorStatus.REMAP_SHARER_LIMIT | StatusFlag.DO_NOT_RETRY)
