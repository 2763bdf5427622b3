"""What readers take along: each page as Markdown and as a notebook, the whole site as a zip, the package as a wheel."""
