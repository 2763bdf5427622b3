"""What makes built pages a site: MkDocs' events, downloads, the live server, and a smaller first view."""

import os

# The theme announces its end, 5 May 2027, at every build. The page "How this site is made" says it once.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
