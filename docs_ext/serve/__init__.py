"""The live server of MkDocs, made quick and truthful; another generator has its own."""
