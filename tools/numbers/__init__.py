"""The check of the numbers in sentences: each result is borne out by what the page shows, or the page is wrong."""
