#pragma once
/* Nothing is called by name: a program that links this room has its malloc(3), and its free(3) that wipes. */
