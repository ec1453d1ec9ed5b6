"""The rooms of `metrics`."""

from django.urls import path

from metrics import api
from metrics.views import runs, tables

PROJECT = "p/<slug:slug>/"
API = "api/projects/"

urlpatterns = [
    path(PROJECT + "agreement/", tables.agreement_page, name="agreement"),
    path(PROJECT + "runs/", runs.runs, name="runs"),
    path(PROJECT + "runs/<int:pk>/", runs.run, name="run"),
    path(PROJECT + "runs/<int:pk>/cancel/", runs.cancel, name="cancel-run"),
    path(PROJECT + "runs/<int:pk>/resume/", runs.resume, name="resume-run"),
    path(PROJECT + "tables/", tables.tables, name="tables"),
    path(PROJECT + "tables/<slug:key>/", tables.table, name="table"),
    path(PROJECT + "tables/<slug:key>/export.<str:form>", tables.export, name="export-table"),
    path(API, api.projects, name="api-projects"),
    path(API + "<slug:slug>/tables/", api.tables, name="api-tables"),
    path(API + "<slug:slug>/tables/<slug:key>/", api.table, name="api-table"),
    path(API + "<slug:slug>/runs/", api.runs, name="api-runs"),
    path(API + "<slug:slug>/runs/<int:pk>/", api.run, name="api-run"),
    path(API + "<slug:slug>/runs/<int:pk>/cancel/", api.cancel, name="api-cancel-run"),
    path(API + "<slug:slug>/runs/<int:pk>/resume/", api.resume, name="api-resume-run"),
]
