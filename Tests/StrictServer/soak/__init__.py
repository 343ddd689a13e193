"""A soak of one proxy: many requests through it, and a resource server that judges each of them."""
