#pragma once

/* An argument of the command line, as the system gave it to this process; 0 is the program's name. NULL
   beyond the last one. */
const char *acct_argument(int index);
