/* Settings files that Claude ignores.
 *
 * One value that Claude does not accept takes a settings file away as a whole. In a terminal a dialog says
 * so; here nobody would. When a session starts and there are settings, the CLI is asked which files it
 * ignores. What Herald read from them before is taken back, and the person is told once, at the next prompt,
 * for each file by its name and the keys. */
#ifndef HERALD_SESSION_SETTINGS_CHECK_H
#define HERALD_SESSION_SETTINGS_CHECK_H

#include "settings/settings_faults.h"

struct session;

/* Where the settings of this session are. Borrowed from the session. */
struct settings_place session_settings_place(const struct session *s);
/* Brings the session's settings in line with what the CLI takes, then calls `go_on`, at once where nothing
 * has to be asked. Not called when the session or its CLI goes before. */
void session_check_settings(struct session *s, void (*go_on)(struct session *s));
/* Tells the person what is due. */
void session_warn_settings(struct session *s);

#endif
