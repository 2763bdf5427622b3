"""What `make` calls besides programs of others: setting up, and starting a new piece. Standard library only."""
