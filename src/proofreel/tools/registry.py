"""One idea: a part is named where it is written. Registries fill themselves from decorators, never from a list."""

import difflib
import importlib
import logging
import pkgutil
from collections.abc import Callable
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar, Generic, TypeVar

from proofreel.core.errors import UserError

T = TypeVar("T")


class UnknownNameError(UserError, LookupError):
    """No agent or tool of this name; the message is one line with close names."""


class Registry(Generic[T]):
    """Name -> part, for one package of ours and one entry point group for third parties.

    Modules of the package are imported once, at the first look-up. Skipped are modules that start with an underscore
    and ``engine`` (adapters to the engine, which are heavy and register there).
    An entry point may name a module (its decorators register) or the part itself.
    A module or plug-in that cannot be loaded registers nothing, is told in one warning line that names it, and stays
    in ``failed``; everything else works on.
    """

    _told: ClassVar[set[str]] = set()

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
                full = f"{self.package}.{module.name}"
                self._load(module.name, full, full, partial(importlib.import_module, full))
        for point in entry_points(group=self.group):
            self._load(point.name, point.value, _plug_in(point), point.load)

    def _load(self, name: str, place: str, called: str, load: Callable[[], object]) -> None:
        before = dict(self._parts)
        try:
            load()
        # A plug-in that ends the process at import is as broken as one that raises.
        except (Exception, SystemExit) as error:  # noqa: BLE001  one broken part must not take the others with it
            self._parts = before
            said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            self.failed[name] = f"{place}: {said}"
            line = f"{called} cannot be loaded and is left out ({said}); mend or remove it"
            if line not in Registry._told:  # one broken package may be named in several groups
                Registry._told.add(line)
                logging.getLogger("proofreel").warning("%s", line)

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


def _plug_in(point: EntryPoint) -> str:
    """A plug-in as people know it: its package and the module named there."""
    package = "" if point.dist is None else f"{point.dist.name} {point.dist.version} "
    return f"plug-in {package}({point.value})"


def _origin(part: object) -> str:
    run = getattr(part, "run", part)
    return f"{getattr(run, '__module__', '?')}.{getattr(run, '__qualname__', '?')}"
