"""The second pass, first half: items, passages, responses, claims and their units."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence

from annotate.actions.load.survey import ITEM_FIELDS, Survey
from annotate.importers.rows import PassageRow, Place, Problem, ResponseRow
from annotate.models import Claim, Item, Passage, PassageSet, Project, Response, System, Unit

Identity = tuple[str, str, str]
UnitIds = dict[tuple[str, str, str, str | None], int]
EMPTY: dict[str, object] = {"question": "", "history": [], "references": [], "attributes": {}}


class MaterialWriter:
    """Writes batches of rows that are new and compares the others with what is stored."""

    def __init__(self, project: Project, checked: Survey, problems: list[Problem]) -> None:
        self.project, self.checked, self.problems = project, checked, problems
        self.systems = dict(project.systems.values_list("key", "pk"))
        self.made: Counter[str] = Counter()
        self.n_known = 0
        self.new_units: set[int] = set()
        # Responses whose line leaves passages out: they get the item's only set, known at the end.
        self.unsaid: list[tuple[int, int, Place]] = []

    def write(self, rows: Sequence[ResponseRow]) -> UnitIds:
        """Write a batch; the unit ids of its responses and claims."""
        self.new_units = set()
        items = self._items(rows)
        self._systems(rows)
        sets = self._passage_sets(rows, items)
        responses = self._responses(rows, items, sets)
        return self._units(rows, responses)

    def _wrong(self, row: ResponseRow, field: str, message: str) -> None:
        self.problems.append(Problem(row.place, field, message))

    # --- items ---

    def _items(self, rows: Sequence[ResponseRow]) -> dict[str, Item]:
        keys = {row.item for row in rows}
        items = {item.key: item for item in Item.objects.filter(project=self.project, key__in=keys)}
        new = {}
        for row in rows:
            if row.item not in items:
                items[row.item] = new[row.item] = self._item(row)
            else:
                self._compare_item(row, items[row.item])
        Item.objects.bulk_create(new.values())
        self.made["items"] += len(new)
        return items

    def _item(self, row: ResponseRow) -> Item:
        late = self.checked.late.get(row.item, {})
        values = {
            name: EMPTY[name] if (value := _given(row, name, late.get(name))) is None else value
            for name in ITEM_FIELDS
        }
        return Item(project_id=self.project.pk, key=row.item, **values)

    def _compare_item(self, row: ResponseRow, item: Item) -> None:
        for name in ITEM_FIELDS:
            given = _given(row, name)
            if given is not None and given != getattr(item, name):
                self._wrong(
                    row, name, f"item {row.item!r} has another {name} elsewhere; give it one, or another id."
                )

    # --- systems ---

    def _systems(self, rows: Sequence[ResponseRow]) -> None:
        new = [
            System(project=self.project, key=key)
            for key in dict.fromkeys(row.system for row in rows)
            if key not in self.systems
        ]
        for system in System.objects.bulk_create(new):
            self.systems[system.key] = system.pk
        self.made["systems"] += len(new)

    # --- passages ---

    def _passage_sets(
        self, rows: Sequence[ResponseRow], items: dict[str, Item]
    ) -> dict[tuple[int, str], PassageSet]:
        sets = {
            (found.item_id, found.digest): found
            for found in PassageSet.objects.filter(item__in={items[row.item].pk for row in rows})
        }
        new: dict[tuple[int, str], Sequence[PassageRow]] = {}
        for row in rows:
            if row.passages and (key := (items[row.item].pk, passages_digest(row.passages))) not in sets:
                new[key] = row.passages
                sets[key] = PassageSet(item_id=key[0], digest=key[1])
        PassageSet.objects.bulk_create(sets[key] for key in new)
        passages = [
            _passage(sets[key].pk, position, passage)
            for key, listed in new.items()
            for position, passage in enumerate(listed)
        ]
        Passage.objects.bulk_create(passages)
        self.made["passages"] += len(passages)
        return sets

    # --- responses ---

    def _responses(
        self, rows: Sequence[ResponseRow], items: dict[str, Item], sets: dict[tuple[int, str], PassageSet]
    ) -> dict[Identity, Response]:
        known = {
            (found.item.key, found.system.key, found.context): found
            for found in Response.objects.filter(item__in={item.pk for item in items.values()})
            .select_related("item", "system")
            .prefetch_related("claims")
        }
        new: dict[Identity, tuple[ResponseRow, Response]] = {}
        for row in rows:
            wanted = sets[items[row.item].pk, passages_digest(row.passages)] if row.passages else None
            if row.identity in known:
                self.n_known += 1
                self._compare_response(
                    row, known[row.identity], wanted, list(known[row.identity].claims.all())
                )
            elif row.identity in new:
                self._wrong(
                    row,
                    "response",
                    f"stands on line {new[row.identity][0].place.line} too: one line for "
                    "each item, system and context.",
                )
            else:
                new[row.identity] = (
                    row,
                    Response(
                        item_id=items[row.item].pk,
                        system_id=self.systems[row.system],
                        context=row.context,
                        text=row.response,
                        passage_set_id=wanted.pk if wanted else None,
                    ),
                )
        Response.objects.bulk_create(response for _, response in new.values())
        self.unsaid += [
            (response.pk, response.item_id, row.place)
            for row, response in new.values()
            if row.passages is None
        ]
        self.made["responses"] += len(new)
        self._claims(new.values())
        return known | {identity: response for identity, (_, response) in new.items()}

    def _compare_response(
        self, row: ResponseRow, stored: Response, wanted: PassageSet | None, claims: list[Claim]
    ) -> None:
        name = f"the response of {row.system!r} to {row.item!r}"
        if row.response != stored.text:
            self._wrong(
                row,
                "response",
                f"{name} is loaded already with another text. Give it another item, system or context.",
            )
        elif row.passages is not None and (wanted.pk if wanted else None) != stored.passage_set_id:
            self._wrong(row, "passages", f"{name} is loaded already with other passages.")
        elif row.claims and [(c.key, c.text) for c in row.claims] != [(c.key, c.text) for c in claims]:
            self._wrong(row, "claims", f"{name} is loaded already with other claims.")

    def _claims(self, new: Iterable[tuple[ResponseRow, Response]]) -> None:
        claims = [
            Claim(
                response_id=response.pk,
                key=claim.key,
                position=n,
                text=claim.text,
                start=claim.start,
                end=claim.end,
                citations=list(claim.citations),
            )
            for row, response in new
            for n, claim in enumerate(row.claims)
        ]
        made = Claim.objects.bulk_create(claims)
        units = [Unit(project_id=self.project.pk, response_id=response.pk) for _, response in new]
        units += [
            Unit(project_id=self.project.pk, response_id=claim.response_id, claim_id=claim.pk)
            for claim in made
        ]
        self.new_units = {unit.pk for unit in Unit.objects.bulk_create(units)}
        self.made["claims"] += len(claims)
        self.made["units"] += len(units)

    def _units(self, rows: Sequence[ResponseRow], responses: dict[Identity, Response]) -> UnitIds:
        names = {responses[row.identity].pk: row.identity for row in rows}
        found = Unit.objects.filter(response__in=names).values_list("response", "claim__key", "pk")
        return {(*names[response], claim): unit for response, claim, unit in found}

    def finish(self) -> None:
        """Give responses that did not name passages those of their item."""
        for start in range(0, len(self.unsaid), 1000):
            part = self.unsaid[start : start + 1000]
            sets: dict[int, list[int]] = {}
            for item, pk in PassageSet.objects.filter(item__in={i for _, i, _ in part}).values_list(
                "item", "pk"
            ):
                sets.setdefault(item, []).append(pk)
            changed = []
            for response, item, place in part:
                choices = sets.get(item, [])
                if len(choices) > 1:
                    self.problems.append(
                        Problem(
                            place,
                            "passages",
                            "is missing, and the item's other lines have "
                            "different passages; name those that this response was given.",
                        )
                    )
                elif choices:
                    changed.append(Response(pk=response, passage_set_id=choices[0]))
            Response.objects.bulk_update(changed, ["passage_set"], batch_size=500)


def _given(row: ResponseRow, name: str, late: object = None) -> object:
    value = getattr(row, name)
    value = late if value is None else value
    return list(value) if isinstance(value, tuple) else value


def passages_digest(passages: Sequence[PassageRow]) -> str:
    """The same for the same passages in the same order."""
    content = [[p.key, p.title, p.text, p.context, p.relevant, p.cite_as] for p in passages]
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def _passage(passage_set_id: int, position: int, row: PassageRow) -> Passage:
    return Passage(
        passage_set_id=passage_set_id,
        key=row.key,
        position=position,
        title=row.title,
        text=row.text,
        context=row.context,
        relevant=row.relevant,
        cite_as=row.cite_as,
    )
