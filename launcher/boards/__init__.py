# SPDX-License-Identifier: Apache-2.0
"""What `./openremap board` knows of boards: a folder for each, and the table of all of them."""

from __future__ import annotations

from launcher.boards.acorn import command as acorn
from launcher.boards.board import Board, BoardFailed, Options
from launcher.boards.cosmos import command as cosmos
from launcher.boards.ecpix5 import build as ecpix5

BOARDS: dict[str, Board] = {board.name: board for board in (acorn.BOARD, cosmos.BOARD, ecpix5.BOARD)}

__all__ = ["BOARDS", "Board", "BoardFailed", "Options"]
