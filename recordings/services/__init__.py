"""Every write to recordings and their index."""
