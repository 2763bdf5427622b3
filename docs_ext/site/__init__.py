"""What happens to built pages: the policy, fewer and smaller files, cards, addresses."""

import docs_ext.theme  # noqa: F401  # silences its notice: mkdocs.yml calls a module of this folder first
