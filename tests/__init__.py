"""The tests of Footprint."""
