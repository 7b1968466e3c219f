/* The launcher mode of our own executable: `herald --launch-cli PARENT-PID EXECUTABLE ARG…`.
 *
 * Between fork and exec it makes sure that the CLI cannot outlive Herald (parent-death signal SIGTERM on
 * Linux), inherits nothing but its own three pipes and starts with default signal dispositions; then it
 * becomes the CLI. */
#ifndef HERALD_CLI_LAUNCHER_H
#define HERALD_CLI_LAUNCHER_H

#define LAUNCHER_FLAG "--launch-cli"
/* How the line begins by which the launcher says on stderr why it could not become the CLI. */
#define LAUNCHER_COMPLAINT "herald: cannot launch: "

/* Does not return on success. On failure writes a line to stderr and returns the exit code: 127 when the
 * executable is not there, 126 when it cannot be run, 125 otherwise. `argv` starts with LAUNCHER_FLAG and
 * ends with NULL. */
int launcher_main(int argc, char **argv);

#endif
