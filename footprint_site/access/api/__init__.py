"""The REST API's doors, and what a key may ask about itself."""
