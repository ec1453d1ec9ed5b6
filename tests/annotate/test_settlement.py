"""From two labels to gold: adjudicator and third annotator, and agreement that never moves."""

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.actions.adjudication import NotContested, OwnUnit, adjudicate
from annotate.actions.settlement import set_settlement
from annotate.frames import labels_frame
from annotate.models import Adjudication, Gold, Slot, Unit
from annotate.querysets import contested_for
from annotate.scales import BadValue
from tests.makers import RELEVANT, SUPPORT, hand, label_next, load_rows, response

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db, tmp_path):
    return load_rows(tmp_path, [response()])


def decide(unit, by, key=None, **labels):
    return adjudicate(
        unit=unit,
        by=by,
        labels=labels,
        key=key or uuid.uuid4(),
        at=timezone.now(),
        reason_code="oversight",
        reason="see passage 1",
    )


def disagree(study):
    label_next(hand("ann", study), correctness="correct")
    label_next(hand("bob", study), correctness="incorrect")
    return Unit.objects.get()


def gold():
    return {row.criterion.key: (row.value, row.origin) for row in Gold.objects.select_related("criterion")}


def test_equal_labels_are_gold_at_once(study):
    label_next(hand("ann", study), correctness="correct")
    assert (Unit.objects.get().state, gold()) == ("open", {})
    label_next(hand("bob", study), correctness="correct")
    assert (Unit.objects.get().state, gold()) == ("settled", {"correctness": ("correct", "unanimous")})


class TestAdjudicator:
    def test_decides_what_is_contested(self, study):
        unit = disagree(study)
        assert (unit.state, gold()) == ("contested", {"correctness": ("", "unresolved")})
        decide(unit, hand("cem", study, "adjudicator"), correctness="correct")
        unit.refresh_from_db()
        assert (unit.state, gold()) == ("settled", {"correctness": ("correct", "adjudicated")})

    def test_never_changes_the_labels_that_agreement_reads(self, study):
        unit = disagree(study)
        before = labels_frame(study)
        decide(unit, hand("cem", study, "adjudicator"), correctness="correct")
        assert labels_frame(study).equals(before)

    def test_who_labelled_a_unit_does_not_decide_it(self, study):
        unit = disagree(study)
        ann = hand("ann", study, "adjudicator")
        assert not contested_for(ann).exists()
        with pytest.raises(OwnUnit):
            decide(unit, ann, correctness="correct")

    def test_deciding_again_is_refused_and_repeating_is_not(self, study):
        unit, key = disagree(study), uuid.uuid4()
        cem, dee = hand("cem", study, "adjudicator"), hand("dee", study, "adjudicator")
        first = decide(unit, cem, key, correctness="correct")
        assert decide(unit, cem, key, correctness="incorrect") == first
        with pytest.raises(NotContested):
            decide(unit, dee, correctness="incorrect")
        with pytest.raises(IntegrityError), transaction.atomic():
            Adjudication.objects.create(unit=unit, by=dee, decided_at=timezone.now())

    def test_has_nothing_to_decide_before_both_have_labelled(self, study):
        label_next(hand("ann", study), correctness="correct")
        with pytest.raises(NotContested):
            decide(Unit.objects.get(), hand("cem", study, "adjudicator"), correctness="correct")

    def test_must_give_a_declared_value(self, study):
        with pytest.raises(BadValue):
            decide(disagree(study), hand("cem", study, "adjudicator"), correctness="maybe")

    def test_leaves_alone_what_the_annotators_agreed_on(self, db, tmp_path):
        study = load_rows(tmp_path, [response()], criteria=(RELEVANT, SUPPORT))
        label_next(hand("ann", study), relevant="yes", support="fully")
        label_next(hand("bob", study), relevant="yes", support="not")
        decide(Unit.objects.get(), hand("cem", study, "adjudicator"), relevant="no", support="partially")
        assert gold() == {"relevant": ("yes", "unanimous"), "support": ("partially", "adjudicated")}

    def test_who_opens_a_condition_answers_what_is_behind(self, db, tmp_path):
        study = load_rows(tmp_path, [response()], criteria=(RELEVANT, SUPPORT))
        label_next(hand("ann", study), relevant="yes", support="fully")
        label_next(hand("bob", study), relevant="no")
        cem = hand("cem", study, "adjudicator")
        with pytest.raises(BadValue, match="support: no value yet"):
            decide(Unit.objects.get(), cem, relevant="yes")
        decide(Unit.objects.get(), cem, relevant="no")
        assert gold() == {"relevant": ("no", "adjudicated")}


class TestThirdAnnotator:
    @pytest.fixture
    def study(self, study):
        set_settlement(project=study, settlement="third", by=None)
        return study

    def test_is_asked_only_where_two_disagree_and_makes_the_majority(self, study):
        assert disagree(study).state == "deciding"
        assert Unit.objects.get().slots.filter(purpose="deciding").count() == 1
        label_next(hand("cem", study), correctness="incorrect")
        assert (Unit.objects.get().state, gold()) == ("settled", {"correctness": ("incorrect", "majority")})

    def test_is_not_one_of_the_two(self, study):
        disagree(study)
        assert label_next(hand("ann", study), correctness="incorrect") is None

    def test_stays_out_of_agreement(self, study):
        disagree(study)
        before = labels_frame(study)
        label_next(hand("cem", study), correctness="incorrect")
        assert labels_frame(study).equals(before)

    def test_three_different_labels_go_to_an_adjudicator(self, db, tmp_path):
        study = load_rows(tmp_path, [response()], criteria=(RELEVANT, SUPPORT))
        set_settlement(project=study, settlement="third", by=None)
        for name, value in (("ann", "fully"), ("bob", "partially"), ("cem", "not")):
            label_next(hand(name, study), relevant="yes", support=value)
        assert Unit.objects.get().state == "contested"
        decide(Unit.objects.get(), hand("dee", study, "adjudicator"), support="partially")
        assert gold()["support"] == ("partially", "adjudicated")

    def test_gives_way_when_the_project_turns_to_adjudicators(self, study):
        disagree(study)
        set_settlement(project=study, settlement="adjudicator", by=None)
        assert Unit.objects.get().state == "contested"
        assert not Slot.objects.filter(purpose="deciding").exists()
