"""May this person? Every door begins here; a stranger gets the same answer as for what does not exist."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from annotate.actions.hands import hand_of
from annotate.models import Annotator, Membership, Person, Project, Unit

Role = Membership.Role
# Who sees figures sees other people's labels: an annotator alone does not.
ANNOTATE = frozenset({Role.ANNOTATOR, Role.ADMIN})
ADJUDICATE = frozenset({Role.ADJUDICATOR, Role.ADMIN})
RESEARCH = frozenset({Role.RESEARCHER, Role.ADMIN})
ADMINISTER = frozenset({Role.ADMIN})
ANY = frozenset(Role)


@dataclass(frozen=True, slots=True)
class Access:
    """A person in a project, with the roles they hold there."""

    person: Person
    project: Project
    roles: frozenset[str]

    def may(self, allowed: frozenset[Role]) -> bool:
        return bool(self.roles & allowed)

    def hand(self) -> Annotator:
        """The person as one who labels or decides."""
        return hand_of(self.project, self.person)


def roles_in(person: Person, project: Project) -> frozenset[str]:
    """The operator of the site (superuser) is an admin everywhere."""
    roles = frozenset(project.memberships.filter(person=person).values_list("role", flat=True))
    return roles | {Role.ADMIN.value} if person.is_superuser else roles


def enter(person: Person | AnonymousUser, slug: str, allowed: frozenset[Role] = ANY) -> Access:
    """The project, if the person holds one of the allowed roles there; else 404."""
    project = Project.objects.filter(slug=slug).first()
    if project is None or not isinstance(person, Person):
        raise Http404("No such project.")
    access = Access(person, project, roles_in(person, project))
    if not access.may(allowed):
        raise Http404("No such project.")
    return access


def unit_in(access: Access, public_id: str) -> Unit:
    """A unit of this project by its public id; else 404."""
    # Through the project, so that the unit shares its object and what that has read.
    units = access.project.units.select_related("response__item", "claim")
    unit = units.filter(public_id=public_id).first()
    if unit is None:
        raise Http404("No such unit.")
    return unit
