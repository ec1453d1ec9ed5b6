"""Check what came in; nothing is saved here."""

from django import forms
from django.http import QueryDict

from metrics.assignments import BadRequest
from metrics.tables.asked import assignments

NOTHING_CHOSEN = "Choose at least one metric."


class StartForm(forms.Form):
    """Metrics to run, and the units to run them on. Whether they can run there is the action's to say."""

    key = forms.Field(required=False)
    where = forms.CharField(required=False, max_length=2000)

    data: QueryDict

    def keys(self) -> list[str]:
        return self.data.getlist("key")

    def clean_key(self) -> list[str]:
        if not self.keys():
            raise forms.ValidationError(NOTHING_CHOSEN)
        return self.keys()

    def clean_where(self) -> dict[str, str]:
        try:
            return assignments([self.cleaned_data["where"]], "only")
        except BadRequest as error:
            raise forms.ValidationError(str(error)) from None

    def sentence(self) -> str:
        """Everything that is wrong, in words."""
        return " ".join(str(error) for errors in self.errors.values() for error in errors)
