"""Pages: signing in, one's account, and the management of a workspace."""
