"""The site: markdown as it reads on any forge, in Sphinx, which checks every link and builds without a network."""

project = "hierdoc"
copyright = "the hierdoc authors"  # noqa: A001 - Sphinx's word
extensions = ["myst_parser"]
exclude_patterns = ["*.py"]

html_theme = "furo"
html_title = "hierdoc"
html_theme_options = {"navigation_with_keys": True}
html_show_sphinx = False
html_copy_source = False

myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # `...` stands for what an example leaves out
