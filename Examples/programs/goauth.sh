#!/bin/sh
# For Go 1.24 and later: modules from servers of the accounts'. Once for a user:
go env -w GOAUTH='acct helper go' GOPRIVATE=packages.example
