"""What goes with Material for MkDocs, which gets its last repairs on 5 May 2027: take this folder out with it.

These are our templates, the patches of the theme's files, the inline scripts that the policy allows it, and what its
search reads. No page needs them. What calls them loses a line each: hooks.py, and in site/ policy, finish and cards;
so does copies/offline.py. RELEASING.md says how to leave the theme.
"""

import os

# The theme announces its end at every build. RELEASING.md says what to do then.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
