"""Exactly the quota, never twice to one person, whoever presses "next" together."""

import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotate.actions.labels import AlreadySubmitted, SlotTaken, submit_annotation
from annotate.actions.slots import claim_next
from annotate.models import Annotation, Annotator, Slot, Unit
from annotate.scales import BadValue
from tests.makers import ATTRIBUTION, hand, label_next, load_rows, response

CLAIMS = [{"id": f"c{n}", "text": f"Claim {n}."} for n in range(4)]


def submit(slot, annotator, value="correct", key=None):
    return submit_annotation(
        unit=slot.unit,
        annotator=annotator,
        labels={"correctness": value},
        key=key or uuid.uuid4(),
        at=timezone.now(),
    )


def expire(slot):
    Slot.objects.filter(pk=slot.pk).update(lease_until=timezone.now() - timedelta(minutes=1))


@pytest.fixture
def study(db, tmp_path):
    return load_rows(tmp_path, [response(item=f"q{n}") for n in range(6)])


@pytest.mark.django_db
class TestOnePerson:
    def test_gets_the_same_slot_until_it_is_submitted(self, study):
        ann = hand("ann", study)
        slot = claim_next(annotator=ann)
        assert claim_next(annotator=ann) == slot
        submit(slot, ann)
        assert claim_next(annotator=ann) != slot

    def test_never_gets_a_unit_twice_and_comes_to_an_end(self, study):
        ann = hand("ann", study)
        units = []
        while annotation := label_next(ann, correctness="correct"):
            units.append(annotation.unit_id)
        assert len(units) == len(set(units)) == 6
        assert claim_next(annotator=ann) is None

    def test_labels_the_claims_of_a_response_one_after_the_other(self, db, tmp_path):
        rows = [response(item=f"q{n}", text="...", claims=CLAIMS) for n in range(5)]
        ann = hand("ann", load_rows(tmp_path, rows, criteria=(ATTRIBUTION,)))
        order = []
        while annotation := label_next(ann, attribution="attributable"):
            order.append((annotation.unit.response_id, annotation.unit.claim.position))
        assert [position for _, position in order] == [0, 1, 2, 3] * 5
        assert all(order[n][0] == order[n - n % 4][0] for n in range(20))

    def test_two_people_begin_at_different_places(self, db, tmp_path):
        study = load_rows(tmp_path, [response(item=f"q{n}") for n in range(60)])
        first = {claim_next(annotator=hand(name, study)).unit_id for name in ("ann", "bob", "cem", "dee")}
        assert len(first) >= 3


@pytest.mark.django_db
class TestLeases:
    def test_a_lease_that_ran_out_is_offered_to_others(self, db, tmp_path):
        study = load_rows(tmp_path, [response()], quota=1)
        ann, bob = hand("ann", study), hand("bob", study)
        slot = claim_next(annotator=ann)
        assert claim_next(annotator=bob) is None
        expire(slot)
        assert claim_next(annotator=bob) == slot

    def test_a_late_submit_is_taken_while_nobody_has_the_slot(self, study):
        ann = hand("ann", study)
        slot = claim_next(annotator=ann)
        expire(slot)
        assert submit(slot, ann).unit_id == slot.unit_id

    def test_a_late_submit_takes_the_other_open_slot_of_the_unit(self, db, tmp_path):
        study = load_rows(tmp_path, [response()])
        ann, bob = hand("ann", study), hand("bob", study)
        slot = claim_next(annotator=ann)
        expire(slot)
        # Bob takes over the expired slot as well as he can: open ones come first.
        Slot.objects.filter(pk=slot.pk).update(annotator=bob)
        submit(slot, ann)
        assert Counter(Slot.objects.values_list("state", "annotator__key")) == {
            ("leased", "bob"): 1,
            ("done", "ann"): 1,
        }

    def test_a_late_submit_is_refused_in_words_when_others_were_faster(self, db, tmp_path):
        study = load_rows(tmp_path, [response()], quota=1)
        ann, bob = hand("ann", study), hand("bob", study)
        slot = claim_next(annotator=ann)
        expire(slot)
        submit(claim_next(annotator=bob), bob)
        with pytest.raises(SlotTaken, match="ran out"):
            submit(slot, ann)
        assert Annotation.objects.count() == 1


@pytest.mark.django_db
class TestSubmit:
    def test_repeating_it_returns_what_the_first_stored(self, study):
        ann, key = hand("ann", study), uuid.uuid4()
        slot = claim_next(annotator=ann)
        first = submit(slot, ann, "correct", key)
        again = submit(slot, ann, "incorrect", key)
        assert again == first
        assert first.labels.get().value == "correct"
        assert study.events.filter(verb="submit_annotation").count() == 1

    def test_a_second_one_with_another_key_is_refused(self, study):
        ann = hand("ann", study)
        slot = claim_next(annotator=ann)
        submit(slot, ann)
        with pytest.raises(AlreadySubmitted):
            submit(slot, ann, "incorrect")

    def test_a_bad_value_stores_nothing_and_keeps_the_lease(self, study):
        ann = hand("ann", study)
        slot = claim_next(annotator=ann)
        with pytest.raises(BadValue):
            submit(slot, ann, "perhaps")
        slot.refresh_from_db()
        assert (slot.state, Annotation.objects.count()) == ("leased", 0)

    def test_the_database_itself_holds_the_promises(self, study):
        unit, ann = Unit.objects.first(), hand("ann", study)
        one, two = unit.slots.all()
        Slot.objects.filter(pk=one.pk).update(annotator=ann, state="done")
        for broken in (
            lambda: Slot.objects.filter(pk=two.pk).update(annotator=ann, state="done"),
            lambda: Slot.objects.create(project=study, unit=unit, number=1, rank=0),
            lambda: Slot.objects.filter(pk=two.pk).update(state="done"),
            lambda: Unit.objects.create(project=study, response=unit.response),
            lambda: Unit.objects.filter(pk=unit.pk).update(inclusion_probability=0),
        ):
            with pytest.raises(IntegrityError), transaction.atomic():
                broken()


def everyone(work, names):
    """Run `work(name)` for all at the same moment, each on a connection of its own."""
    barrier = Barrier(len(names))

    def one(name):
        try:
            barrier.wait()
            return work(name)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(names)) as pool:
        return list(pool.map(one, names))


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_twelve_people_share_forty_units(self, tmp_path):
        study = load_rows(tmp_path, [response(item=f"q{n}") for n in range(40)])
        names = [f"person{n}" for n in range(12)]
        hands = {name: hand(name, study).pk for name in names}

        def label_all(name):
            annotator, done = Annotator.objects.get(pk=hands[name]), 0
            while label_next(annotator, correctness="correct"):
                done += 1
            return done

        assert sum(everyone(label_all, names)) == 80
        per_unit = Counter(Annotation.objects.values_list("unit", flat=True))
        assert set(per_unit.values()) == {2}
        assert Annotation.objects.values("unit", "annotator").distinct().count() == 80
        assert set(Unit.objects.values_list("state", flat=True)) == {"settled"}

    def test_ten_equal_submits_at_once_are_one(self, tmp_path):
        study = load_rows(tmp_path, [response()])
        ann, key = hand("ann", study), uuid.uuid4()
        slot = claim_next(annotator=ann)
        stored = everyone(lambda _: submit(slot, ann, key=key).pk, range(10))
        assert len(set(stored)) == Annotation.objects.count() == 1

    def test_two_tabs_of_one_person_hold_one_slot(self, tmp_path):
        study = load_rows(tmp_path, [response(item=f"q{n}") for n in range(10)])
        ann = hand("ann", study)
        assert len(set(everyone(lambda _: claim_next(annotator=ann).pk, range(6)))) == 1

    @pytest.mark.parametrize("_", range(5))
    def test_the_last_two_labels_at_once_settle_the_unit(self, tmp_path, _):
        study = load_rows(tmp_path, [response()])
        slots = {
            name: (claim_next(annotator=hand(name, study)), hand(name, study)) for name in ("ann", "bob")
        }
        everyone(
            lambda name: submit(*slots[name], value={"ann": "correct", "bob": "incorrect"}[name]),
            ["ann", "bob"],
        )
        assert Unit.objects.get().state == "contested"


def test_the_line_of_slots_is_walked_by_its_index(study, django_assert_max_num_queries):
    """However many units there are, the next is one step away."""
    ann = hand("ann", study)
    label_next(ann, correctness="correct")
    with django_assert_max_num_queries(10):
        claim_next(annotator=ann)
    if connection.vendor == "sqlite":
        slots = Slot.objects.filter(project=study, state="open", rank__gte=5).order_by("rank", "number")[:1]
        assert "slot_in_line" in slots.explain()
        assert "TEMP B-TREE" not in slots.explain()
