"""The guideline in force, set from Markdown."""

import nh3
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt

from annotate.access import enter
from annotate.http import Request

# Markdown's own HTML stays text; what comes out passes an allow-list without images, styles or ids.
MARKDOWN = MarkdownIt("js-default", {"html": False, "linkify": False})
TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "s", "code", "pre", "blockquote"),
    *("ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td"),
}


def as_page(text: str) -> SafeString:
    """Markdown as HTML that may stand in a page."""
    html = nh3.clean(
        MARKDOWN.render(text),
        tags=TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"https", "http", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(html)  # noqa: S308  nh3 has just cleaned it


@never_cache
@require_safe
def guideline(request: Request, slug: str) -> HttpResponse:
    access = enter(request.user, slug)
    shown = access.project.guidelines.last()
    page = "annotate/guideline.html#text" if request.htmx else "annotate/guideline.html"
    text = as_page(shown.text) if shown else ""
    return render(request, page, {"access": access, "guideline": shown, "text": text})
