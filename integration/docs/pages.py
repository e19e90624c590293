"""What the pages are on the site: links to what lies beside docs/ are names of files there, and pictures are put in."""
import pathlib
import re

from mkdocs.exceptions import PluginError

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
OUTSIDE = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)]*)\)")
PICTURE = re.compile(r"<!-- picture: ([\w-]+) (.*?) -->")


def on_nav(nav, config, files):
    """Decisions are many, and in the order of their numbers: they are no list to be kept by hand."""
    from mkdocs.structure.nav import Section
    from mkdocs.structure.pages import Page

    pages = [file.page or Page(None, file, config) for file in files.documentation_pages() if file.src_uri.startswith("decisions/")]
    section = Section("Decisions", pages)
    for page in pages:
        page.parent = section
    nav.items.append(section)
    nav.pages.extend(pages)
    return nav


def on_page_markdown(markdown, page, config, files):
    here = (DOCS / page.file.src_uri).parent

    def outside(found):
        words, link = found.groups()
        target = (here / link.split("#")[0]).resolve()
        if target.is_relative_to(DOCS):
            return found.group()
        if not target.exists():
            raise PluginError(f"{page.file.src_uri}: {link}: there is no such file")
        name = target.relative_to(ROOT).as_posix()
        return words if words.strip("`") == name else f"{words} (`{name}`)"

    def picture(found):
        name, words = found.groups()
        there = pathlib.Path(config.docs_dir, "pictures", name + ".png").exists()
        return f"![{words}](pictures/{name}.png)" if there else ""

    return PICTURE.sub(picture, OUTSIDE.sub(outside, markdown))
