#pragma once
/* libpq.so.5, loaded when the keyring is on PostgreSQL: linked, its libraries would be loaded at every start. */
#include <postgresql/libpq-fe.h>
#include <dlfcn.h>
