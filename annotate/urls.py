"""The rooms of `annotate`."""

from django.urls import path

from annotate.views import adjudicate, desk, guideline, health, home, people, project, session, settings

urlpatterns = [
    path("", home.home, name="home"),
    path("p/<slug:slug>/", project.project, name="project"),
    path("p/<slug:slug>/desk/", desk.desk, name="desk"),
    path("p/<slug:slug>/adjudicate/", adjudicate.adjudicate_page, name="adjudicate"),
    path("p/<slug:slug>/guideline/", guideline.guideline, name="guideline"),
    path("p/<slug:slug>/people/", people.people, name="people"),
    path("p/<slug:slug>/settings/", settings.settings, name="settings"),
    path("p/<slug:slug>/settings/settlement/", settings.settlement, name="settings-settlement"),
    path("p/<slug:slug>/settings/scheme/", settings.scheme, name="settings-scheme"),
    path("p/<slug:slug>/settings/criterion/", settings.criterion, name="settings-criterion"),
    path("p/<slug:slug>/settings/guideline/", settings.guideline, name="settings-guideline"),
    path("accounts/sign-in/", session.sign_in, name="sign-in"),
    path("accounts/sign-out/", session.sign_out, name="sign-out"),
    path("accounts/password/", session.password, name="password"),
    path("health/", health.health, name="health"),
]
