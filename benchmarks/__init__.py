"""Figures, measured: medians of runs in processes of their own. Nothing here is asserted by a test."""
