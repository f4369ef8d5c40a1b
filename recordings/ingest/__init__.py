"""Taking recordings in: received, scanned, and refused before a blob or a row exists."""
