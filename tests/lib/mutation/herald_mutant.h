/*
 * Selects one mutant of a build that holds all of them; only in the copies that tests/mutation makes.
 *
 * HERALD_MUTANT in the environment is the number of the mutant (none: the program as it was written),
 * HERALD_MUTANT_TOUCHED a file in which the byte of each mutant that was reached becomes 1. Processes may
 * share the file, and it holds what was reached even when a process is killed.
 */
#ifndef HERALD_MUTANT_H
#define HERALD_MUTANT_H

extern int herald_mutant;
extern unsigned char *herald_mutant_touched;

#define HERALD_MUTANT(id) ((void)(herald_mutant_touched[id] = 1), herald_mutant == (id))

#endif
