"""A small AT Protocol network for tests: directory, data servers, authorization servers, DNS."""
