/* The namespace of everything that only JetBrains AIR gets: _meta.jetbrains.air, with its version. */
#ifndef HERALD_CLIENT_AIR_META_H
#define HERALD_CLIENT_AIR_META_H

#include "json/json.h"

/* In an open `_meta` object: opens {"jetbrains":{"air":{"version":1. Members of the namespace follow. */
static inline void air_meta_open(struct buf *b)
{
    json_key(b, "jetbrains");
    json_open_object(b);
    json_key(b, "air");
    json_open_object(b);
    json_member_int(b, "version", 1);
}

/* Closes both objects; `_meta` stays open. */
static inline void air_meta_close(struct buf *b)
{
    json_close_object(b);
    json_close_object(b);
}

#endif
