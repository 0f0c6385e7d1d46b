"""Communicators of mpi4py, whose ranks call commands together."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from ._errors import UsageError

__all__ = ["Ranks"]


class Ranks:
    """The ranks of a communicator of mpi4py, as one of them sees them."""

    def __init__(self, comm: Any) -> None:
        # A program with a communicator of mpi4py has loaded mpi4py.
        mpi: Any = sys.modules.get("mpi4py.MPI")
        if mpi is None or not isinstance(comm, mpi.Comm):
            raise UsageError(f"comm is a communicator of mpi4py, such as MPI.COMM_WORLD, and not of type {type(comm).__name__}")
        self._mpi, self._comm = mpi, comm
        self.handle()
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()

    def handle(self) -> int:
        """The value of its `MPI_Comm`. A host may have freed it since the last time."""
        mpi, comm = self._mpi, self._comm
        if not mpi.Is_initialized() or mpi.Is_finalized():
            raise UsageError("comm cannot be used: MPI has not started, or has ended")
        if comm == mpi.COMM_NULL:
            raise UsageError("comm is null: it was freed, or this process is none of its ranks")
        if comm.Is_inter():
            raise UsageError("comm connects two groups of ranks; Merge makes one of them")
        if hasattr(mpi, "_handleof"):
            return int(mpi._handleof(comm))
        # Before mpi4py 4.
        is_number = mpi._sizeof(comm) == ctypes.sizeof(ctypes.c_uint)
        kind = ctypes.c_uint if is_number else ctypes.c_size_t
        return int(kind.from_address(mpi._addressof(comm)).value)
