"""One idea: a part is named where it is written. Registries fill themselves from decorators, never from a list."""

import difflib
import importlib
import pkgutil
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from proofreel.core.errors import UserError

T = TypeVar("T")


class UnknownNameError(UserError, LookupError):
    """No agent or tool of this name; the message is one line with close names."""


class Registry(Generic[T]):
    """Name -> part, for one package of ours and one entry point group for third parties.

    Modules of the package are imported once, at the first look-up. Skipped are modules that start with an underscore
    and ``engine`` (adapters to the engine, which are heavy and register there).
    An entry point may name a module (its decorators register) or the part itself.
    """

    def __init__(self, kind: str, package: str, group: str) -> None:
        self.kind = kind
        self.package = package
        self.group = group
        self.failed: dict[str, str] = {}
        self._parts: dict[str, T] = {}
        self._found = False

    def add(self, name: str, part: T) -> None:
        """Registers a part under its name.

        Raises:
            ValueError: the name is taken by another part.
        """
        taken = self._parts.get(name)
        if taken is not None and taken is not part and _origin(taken) != _origin(part):
            raise ValueError(
                f"{self.kind} {name!r} is defined twice: in {_origin(taken)} and in {_origin(part)}"
            )
        self._parts[name] = part

    def _discover(self) -> None:
        if self._found:
            return
        self._found = True
        home = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(home.__path__):
            if not module.name.startswith("_") and module.name != "engine":
                importlib.import_module(f"{self.package}.{module.name}")
        for point in entry_points(group=self.group):
            try:
                point.load()
            except Exception as error:  # noqa: BLE001  a broken plug-in must not take our own parts with it
                self.failed[point.name] = f"{point.value}: {type(error).__name__}: {error}"

    def all(self) -> dict[str, T]:
        """Every part by name, sorted."""
        self._discover()
        return dict(sorted(self._parts.items()))

    def get(self, name: str) -> T:
        """The part of this name.

        Raises:
            UnknownNameError: there is none; the message lists close names, or all of them.
        """
        self._discover()
        if name in self._parts:
            return self._parts[name]
        close = difflib.get_close_matches(name, self._parts, n=3, cutoff=0.5)
        hint = (
            f"did you mean {', '.join(close)}?" if close else f"there are: {', '.join(sorted(self._parts))}"
        )
        broken = f" (plug-in {name} failed to load: {self.failed[name]})" if name in self.failed else ""
        raise UnknownNameError(f"unknown {self.kind} {name!r}; {hint}{broken}")


def _origin(part: object) -> str:
    run = getattr(part, "run", part)
    return f"{getattr(run, '__module__', '?')}.{getattr(run, '__qualname__', '?')}"
