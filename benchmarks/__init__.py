"""Ratios of CPU time, measured side by side in one process. Absolute times mean nothing on another machine."""
