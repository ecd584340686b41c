"""Compiled loops: numba compiles each once per machine, and later processes load the machine code without numba.

Importing numba and setting up its type system costs 0.7 s in every process, even with numba's own cache, and that cache
needs a writable package folder. llvmlite alone costs 0.1 s. So the optimised code is kept as an object file, under a
name that spells source, compiler and processor.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.kernels.keeping import is_kept, kept, source_of

_LOOPS = "steelyard.kernels.loops"
_SHARED = (
    "steelyard.kernels.characters",
    *(f"{_LOOPS}.{name}" for name in ("memory", "vectors", "tokens", "words", "counting")),
)
"""Modules whose functions the others call: a change in one of them makes every loop a new one."""

BYTES, INTEGERS, FLOATS, INTEGER = "uint8[::1]", "int64[::1]", "float64[::1]", "int64"
"""The arguments that most loops take."""

_DTYPES = {f"{name}[::1]": np.dtype(name) for name in ("uint8", "uint32", "int64", "float64")}

Machine = tuple[Any, str]
"""A target machine of llvmlite and a text that names compiler and processor."""


@dataclass(eq=False)
class Loop:
    """A compiled function of contiguous arrays and integers that returns an integer."""

    module: str
    name: str
    arguments: tuple[str, ...]
    """As numba spells them: `uint8[::1]` or `int64`."""
    _native: Callable[..., int] | None = field(default=None, repr=False)

    def __call__(self, *values: npt.NDArray[Any] | int) -> int:
        """Run the loop. An array of another type or with gaps is refused, because the loop could not notice."""
        native = self._native or self.load()
        result = ctypes.c_int64()
        unused = ctypes.c_void_p()
        flat: list[int | None] = [ctypes.addressof(result), ctypes.addressof(unused)]
        for kind, value in zip(self.arguments, values, strict=True):
            flat.extend(_flatten(kind, value))
        status = native(*flat)
        if status != 0:
            raise RuntimeError(f"the loop {self.name} ended with status {status}")
        return result.value

    def load(self) -> Callable[..., int]:
        """Make the loop ready to run, compiling it where no object file is at hand."""
        symbol, code = self._object_file()
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *_parameter_types(self.arguments))
        self._native = prototype(_linked(symbol, code))
        return self._native

    def is_kept(self) -> bool:
        """Return whether this machine has compiled the loop already."""
        return self._native is not None or is_kept(*self._kept_as())

    def _kept_as(self) -> tuple[str, list[bytes]]:
        sources = [source_of(module) for module in (self.module, *_SHARED)]
        machine = "\0".join((*self.arguments, _machine()[1])).encode()
        return f"{self.module.rpartition('.')[2]}-{self.name}", [machine, *sources]

    def _object_file(self) -> tuple[str, bytes]:
        content = kept(*self._kept_as(), self._compile)
        symbol, _, code = content.partition(b"\n")
        return symbol.decode(), code

    def _compile(self) -> bytes:
        symbol, code = _compile(getattr(import_module(self.module), self.name), self.arguments)
        return symbol.encode() + b"\n" + code


def _flatten(kind: str, value: npt.NDArray[Any] | int) -> tuple[int | None, ...]:
    """Return an argument as numba passes it: an array is its owner, parent, size, item size, address, shape, stride."""
    if isinstance(value, np.ndarray):
        if value.dtype != _DTYPES.get(kind) or value.ndim != 1 or not value.flags.c_contiguous:
            raise TypeError(f"expected a contiguous {kind}, found {value.dtype}, {value.ndim} dimensions")
        size, width = value.size, value.itemsize
        return None, None, size, width, value.ctypes.data, size, width
    if kind != "int64":
        raise TypeError(f"expected {kind}, found an integer")
    return (int(value),)


def _parameter_types(arguments: tuple[str, ...]) -> list[Any]:
    pointer, integer = ctypes.c_void_p, ctypes.c_ssize_t
    types: list[Any] = [pointer, pointer]
    for kind in arguments:
        array = [pointer, pointer, integer, integer, pointer, integer, integer]
        types.extend(array if kind.endswith("[::1]") else [ctypes.c_int64])
    return types


@cache
def _machine() -> Machine:
    import llvmlite  # noqa: PLC0415 - costs a start-up that small inputs never need
    from llvmlite import binding  # noqa: PLC0415 - the same

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    processor, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    target = binding.Target.from_default_triple()
    machine = target.create_target_machine(
        cpu=processor, features=features, opt=3, reloc="static", codemodel="jitdefault"
    )
    return machine, f"{llvmlite.__version__} {target.triple} {processor} {features}"


@cache
def _engine() -> Any:
    from llvmlite import binding  # noqa: PLC0415 - see above

    machine, _ = _machine()
    # The engine owns the machine that it is given, so it gets one of its own.
    own = binding.Target.from_triple(machine.triple).create_target_machine()
    return binding.create_mcjit_compiler(binding.parse_assembly(""), own)


def _linked(symbol: str, code: bytes) -> int:
    from llvmlite import binding  # noqa: PLC0415 - see above

    engine = _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address: int = engine.get_function_address(symbol)
    return address


def _compile(function: Callable[..., int], arguments: tuple[str, ...]) -> tuple[str, bytes]:
    import numba  # noqa: PLC0415 - half a second, and only where nothing is compiled yet
    from llvmlite import binding  # noqa: PLC0415 - see above

    options = import_module(f"{_LOOPS}.memory").OPTIONS
    signature = f"int64({', '.join(arguments)})"
    dispatcher = numba.njit(signature, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)  # type: ignore[call-overload]
    ((signature, compiled),) = dispatcher.overloads.items()
    module = binding.parse_assembly(dispatcher.inspect_llvm(signature))
    return compiled.fndesc.llvm_func_name, _machine()[0].emit_object(module)
