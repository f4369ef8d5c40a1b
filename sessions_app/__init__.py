"""Conversations, turns, memory entries, sessions and their incarnations."""
