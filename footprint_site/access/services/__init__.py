"""Every write to the access tables."""
