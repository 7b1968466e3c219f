/* Where the CLI sends its API calls, when the client says so: `providers/set` and gateway authentication.
 *
 * One object for the agent. Validation is apart from applying, since a change waits for running turns: a
 * request is checked into a provider_route at once and applied later. The route of providers/set outranks the
 * gateway's. */
#ifndef HERALD_PROVIDER_PROVIDERS_H
#define HERALD_PROVIDER_PROVIDERS_H

#include "json/json.h"

enum provider_api {
    PROVIDER_ANTHROPIC,
    PROVIDER_BEDROCK,
    PROVIDER_VERTEX,
};

struct provider_route;
struct providers;

/* The typed parameters of providers/set. */
struct provider_params {
    str provider_id;
    str api_type;
    str base_url;
    json headers; /* an object of strings, or missing */
    json meta;    /* an object, or missing */
};

/* A refusal: RPC_INVALID_PARAMS, `message`, and `data` (a JSON value; empty for none). Zero it before use. */
struct provider_error {
    const char *message;
    struct buf data;
};
void provider_error_free(struct provider_error *e);

struct providers *providers_new(void) WARN_UNUSED;
void providers_free(struct providers *p);

/* Checks providers/set. NULL with `e` filled when it is refused (message NULL: memory is out). */
struct provider_route *provider_route_check(const struct provider_params *params,
                                            struct provider_error *e) WARN_UNUSED;
void provider_route_free(struct provider_route *route);
/* Takes the route over; NULL (providers/disable) removes it. */
void providers_set(struct providers *p, struct provider_route *route);
/* The id that providers/disable must name to change anything. */
bool provider_id_known(str provider_id);

/* authenticate with a gateway method: `meta` is the request's `_meta`. Without a payload an earlier one is
 * forgotten. False with `e` filled when the payload is refused. */
bool providers_authenticate(struct providers *p, enum provider_api api, json meta,
                            struct provider_error *e) WARN_UNUSED;
/* "gateway" and "gateway-bedrock". False for any other method. */
bool provider_gateway_method(str method_id, enum provider_api *api);
/* Forgets both; true when a route was active before. */
bool providers_logout(struct providers *p);

/* A route is active: the CLI gets its environment from us. */
bool providers_active(const struct providers *p);
/* providers/set is in force. */
bool providers_set_by_client(const struct providers *p);
/* Gateway authentication is active. */
bool providers_gateway(const struct providers *p);

/* The result of providers/list; `env` ("NAME=value", ended by NULL) tells what the CLI would use by itself.
 */
void providers_put_list(const struct providers *p, struct buf *b, const char *const *env);
/* Calls back for each variable that the active route sets, in order; nothing without a route. */
typedef void provider_env_cb(void *user, const char *name, str value);
void providers_each_env(const struct providers *p, provider_env_cb *cb, void *user);

#endif
