"""The guest: what runs in WebAssembly under CPython, started by wasmill."""

from ._main import main

__all__ = ["main"]
