"""What happens to built pages: search, reading times, the policy, a smaller first view, and the live server."""

import os

# The theme announces its end, 5 May 2027, at every build. The page "How this site is made" says it once.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
