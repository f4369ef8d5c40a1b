"""The REST API of recordings."""
