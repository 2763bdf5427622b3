"""What `make` and the tests call: what checks a page before it is built, setting up, releases. No build needs it."""
