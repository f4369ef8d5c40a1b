"""Who may see what: workspaces, their members, invitations, API keys and the audit trail."""
