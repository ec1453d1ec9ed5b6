"""`table PROJECT KEY`: a table on the terminal or into a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.exporters.tables import WRITERS
from metrics.assignments import BadRequest, assignments
from metrics.management.commands.evaluate import project_named
from metrics.tables import TABLES, make_table


class Command(BaseCommand):
    help = "Compute a table and print it."
    requires_system_checks = ()  # they would load every page of the site first

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", nargs="?")
        parser.add_argument(
            "key", nargs="?", help="; ".join(f"{spec.key}: {spec.question}" for spec in TABLES)
        )
        parser.add_argument("--list", action="store_true", help="list the tables and their options")
        parser.add_argument("--format", choices=sorted(WRITERS), default="markdown")
        parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of the terminal")
        parser.add_argument("--slice", metavar="ATTRIBUTE", help="also by each value of it (or `system`)")
        parser.add_argument("--where", action="append", default=[], metavar="ATTRIBUTE=VALUE")
        parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")

    def handle(
        self,
        *_: Any,
        project: str | None,
        key: str | None,
        list: bool,
        format: str,
        out: Path | None,
        slice: str | None,
        where: "list[str]",
        option: "list[str]",
        **__: Any,
    ) -> None:
        if list:
            return self._list()
        if project is None or key is None:
            raise CommandError("Name a project and a table; `table --list` lists the tables.")
        try:
            table = make_table(
                project_named(project),
                key,
                slice_by=slice,
                where=assignments(where, "--where"),
                options=assignments(option, "--option"),
            )
        except BadRequest as error:
            raise CommandError(str(error)) from None
        text = WRITERS[format](table)
        if out is None:
            self.stdout.write(text, ending="")
            return None
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"Cannot write {out}: {error.strerror}.") from None
        return None

    def _list(self) -> None:
        for spec in TABLES:
            self.stdout.write(f"{spec.key:14} {spec.question}")
            for option in spec.options:
                choices = f" ({', '.join(option.choices)})" if option.choices else ""
                self.stdout.write(f"{'':16}--option {option.name}=...  {option.help}{choices}")
