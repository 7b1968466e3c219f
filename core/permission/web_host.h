/* The host of a URL as a browser writes it, for a rule that lasts.
 *
 * A rule is made from the host, so it must be the very host that is going to be asked. A URL that a browser
 * would have to repair or rewrite (percent escapes, internationalized names, odd IPv4 forms, backslashes,
 * white space) has no host here: then no lasting choice is offered, which is always right. */
#ifndef HERALD_PERMISSION_WEB_HOST_H
#define HERALD_PERMISSION_WEB_HOST_H

#include "base/arena.h"

/* The lower-case host without user and port, an IPv6 address in brackets and its shortest form. Absent when
 * there is none, it is in doubt or memory is out. */
str web_host(struct arena *a, str url);

#endif
