"""Recordings of agent runs: their epochs, pieces, presences and trails."""
