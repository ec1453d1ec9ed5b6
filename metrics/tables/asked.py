"""What a query string asks of a table: `slice=A`, `where=A=V`, `option=N=V`, or an option by its own name."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.datastructures import MultiValueDict

from metrics.assignments import BadRequest, assignments
from metrics.tables.table import TableSpec

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The slice, the filter and the options of a request, as texts. Two that ask the same are equal."""

    slice_by: str | None = None
    where: Pairs = ()
    options: Pairs = ()

    @property
    def query(self) -> str:
        """The same request as a query string."""
        return urlencode(
            [
                *([("slice", self.slice_by)] if self.slice_by else []),
                *(("where", f"{name}={value}") for name, value in self.where),
                *self.options,
            ]
        )

    def option(self, name: str) -> str:
        """What was given for the option; empty when its default holds."""
        return dict(self.options).get(name, "")


def read_asked(query: MultiValueDict[str, str], spec: TableSpec, **defaults: str) -> Asked:
    """Blank fields count as not given: a form sends them all. `defaults` are options of the page itself."""
    named = {option.name: query.get(option.name, "") for option in spec.options}
    options = {
        **defaults,
        **{name: text for name, text in named.items() if text},
        **assignments(query.getlist("option"), "option"),
    }
    where = assignments(query.getlist("where"), "where")
    slice_by = query.get("slice") or None
    for text in (slice_by or "", *where, *where.values(), *options, *options.values()):
        if "\x00" in text:
            raise BadRequest("A zero byte is no part of a name or a value.")
    return Asked(slice_by, _pairs(where), _pairs(options))


def _pairs(mapping: Mapping[str, str]) -> Pairs:
    return tuple(sorted(mapping.items()))
