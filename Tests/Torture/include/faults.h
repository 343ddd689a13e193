#pragma once
/* Nothing: faults.c is preloaded, and called by nobody. */
