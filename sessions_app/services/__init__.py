"""Every write to sessions, conversations, turns and memory."""
