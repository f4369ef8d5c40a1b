"""The site: settings, URLs, access, and what every page and endpoint shares."""
