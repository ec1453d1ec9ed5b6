from django.apps import AppConfig


class AnnotateConfig(AppConfig):
    name = "annotate"
    label = "annotate"

    def ready(self) -> None:
        from django.db.backends.signals import connection_created

        from annotate.checks import refuse_other_pragmas

        connection_created.connect(refuse_other_pragmas, dispatch_uid="annotate.refuse_other_pragmas")
