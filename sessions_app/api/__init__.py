"""The REST API of sessions, conversations, turns and memory."""
