"""What a test sets up, breaks and reads: the control API, faults and the record of requests."""
