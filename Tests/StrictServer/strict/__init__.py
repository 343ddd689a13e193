"""A strict OAuth 2 authorization server and resource server, for tests only."""
