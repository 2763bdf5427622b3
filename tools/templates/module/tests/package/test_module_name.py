"""Fill in: what is compared with what, and bad input."""
