"""Tags and filters of templates that show recordings."""
