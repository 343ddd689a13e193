"""A backend-for-frontend that keeps tokens and hands over sealed sessions, as strict as its clients should be."""
