#pragma once
/* Nothing is called by name: a program that links this room has its free(3) and realloc(3). */
