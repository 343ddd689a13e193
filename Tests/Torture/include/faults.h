#pragma once
/* Nothing: faults.c is preloaded, and no code calls it by name. */
