#include "provider/providers.h"

#include <stdlib.h>

#include "provider/environment.h"

static const char provider_id[] = "main";
static const char placeholder_token[] = "acp-proxy";

static const struct {
    const char *name;
    const char *switch_variable; /* turns the protocol on; NULL for the one that is on by itself */
    const char *url_variable;
    const char *url; /* where calls go when the variable says nothing */
} apis[] = {
    [PROVIDER_ANTHROPIC] = {"anthropic", NULL, "ANTHROPIC_BASE_URL", "https://api.anthropic.com"},
    [PROVIDER_BEDROCK] = {"bedrock", "CLAUDE_CODE_USE_BEDROCK", "ANTHROPIC_BEDROCK_BASE_URL",
                          "https://bedrock-runtime.amazonaws.com"},
    [PROVIDER_VERTEX] = {"vertex", "CLAUDE_CODE_USE_VERTEX", "ANTHROPIC_VERTEX_BASE_URL",
                         "https://aiplatform.googleapis.com"},
};

struct provider_route {
    struct arena mem;
    enum provider_api api;
    str base_url;
    str headers; /* "Name: value" lines */
    str project, region;
};

struct providers {
    struct provider_route *set;     /* by providers/set; goes first */
    struct provider_route *gateway; /* by authenticate */
};

/* ---- Addresses ------------------------------------------------------------------------------- */

/* host[:port] of an http or https address; absent when it is no such address. */
static str url_authority(str url)
{
    str s = str_trim(url);
    bool tls = s.n > 8 && str_eq_nocase(str_first(s, 8), STR("https://"));
    if (!tls && !(s.n > 7 && str_eq_nocase(str_first(s, 7), STR("http://")))) {
        return STR_ABSENT;
    }
    s = str_from(s, tls ? 8 : 7);
    for (size_t i = 0; i < s.n; i++) {
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f) {
            return STR_ABSENT;
        }
    }
    size_t end = 0;
    while (end < s.n && s.p[end] != '/' && s.p[end] != '?' && s.p[end] != '#' && s.p[end] != '\\') {
        end++;
    }
    s.n = end;
    size_t user = str_rfind(s, STR("@"));
    return user == SIZE_MAX ? s : str_from(s, user + 1);
}

/* Whether there is a host, and a port that is one where there is any. */
static bool has_host(str authority)
{
    size_t bracket = str_rfind(authority, STR("]"));
    size_t colon = str_find_byte(authority, ':', bracket == SIZE_MAX ? 0 : bracket);
    str host = str_first(authority, colon),
        port = colon == SIZE_MAX ? STR("") : str_from(authority, colon + 1);
    unsigned long number = 0;

    for (size_t i = 0; i < port.n; i++) {
        if (port.p[i] < '0' || port.p[i] > '9' || number > 65535) {
            return false;
        }
        number = number * 10 + (unsigned long)(port.p[i] - '0');
    }
    return host.n && number <= 65535 && (authority.p[0] != '[' || bracket != SIZE_MAX);
}

static bool url_valid(str url)
{
    str authority = url_authority(url);
    return authority.p && has_host(authority);
}

/* ---- Routes ---------------------------------------------------------------------------------- */

static bool one_line(str s)
{
    return str_find_byte(s, '\n', 0) == SIZE_MAX && str_find_byte(s, '\r', 0) == SIZE_MAX &&
           str_find_byte(s, '\0', 0) == SIZE_MAX;
}

/* A header that would not stay on its own line is left out: it could bring in others. */
static str header_lines(struct arena *a, json headers)
{
    AUTO_BUF(b);

    for (struct json_iter it = json_each(headers); json_is(headers, JSON_OBJECT) && json_next(&it);) {
        str name = json_iter_key(&it), value = json_str(it.value);
        if (!value.p || !name.n || json_iter_shadowed(&it) || !one_line(name) || !one_line(value)) {
            continue;
        }
        if (b.n) {
            buf_put_byte(&b, '\n');
        }
        buf_put_str(&b, name);
        buf_put_c(&b, ": ");
        buf_put_str(&b, value);
    }
    return buf_ok(&b) ? arena_str(a, buf_str(&b)) : STR_ABSENT;
}

static struct provider_route *route_new(enum provider_api api, str base_url, json headers)
{
    struct provider_route *r = calloc(1, sizeof *r);

    if (r) {
        r->api = api;
        r->base_url = arena_str(&r->mem, base_url);
        r->headers = header_lines(&r->mem, headers);
        if (!arena_ok(&r->mem) || !r->headers.p) {
            provider_route_free(r);
            r = NULL;
        }
    }
    return r;
}

void provider_route_free(struct provider_route *route)
{
    if (route) {
        arena_free(&route->mem);
        free(route);
    }
}

void provider_error_free(struct provider_error *e)
{
    buf_free(&e->data);
}

static struct provider_route *refuse(struct provider_error *e, const char *message, const char *key,
                                     str value)
{
    e->message = message;
    if (key) {
        json_open_object(&e->data);
        json_member_str(&e->data, key, value);
        json_close_object(&e->data);
    }
    return NULL;
}

bool provider_id_known(str id)
{
    return str_is(id, provider_id);
}

static int api_of(str name)
{
    for (size_t i = 0; i < ARRAY_LEN(apis); i++) {
        if (str_is(name, apis[i].name)) {
            return (int)i;
        }
    }
    return -1;
}

static void put_supported(struct buf *b)
{
    json_key(b, "supported");
    json_open_array(b);
    for (size_t i = 0; i < ARRAY_LEN(apis); i++) {
        json_put_c(b, apis[i].name);
    }
    json_close_array(b);
}

struct provider_route *provider_route_check(const struct provider_params *params, struct provider_error *e)
{
    int api = api_of(params->api_type);
    json vertex = json_path(params->meta, "claudeCode", "vertex", NULL);
    str project = str_trim(json_str(json_get(vertex, "projectId")));
    str region = str_trim(json_str(json_get(vertex, "region")));

    if (!provider_id_known(params->provider_id)) {
        return refuse(e, "Unknown provider", "providerId", params->provider_id);
    }
    if (api < 0) {
        e->message = "Unsupported API type";
        json_open_object(&e->data);
        json_member_str(&e->data, "apiType", params->api_type);
        put_supported(&e->data);
        json_close_object(&e->data);
        return NULL;
    }
    if (!url_valid(params->base_url)) {
        return refuse(e, "baseUrl must be an http or https URL", "baseUrl", params->base_url);
    }
    if (api == PROVIDER_VERTEX && (!project.n || !region.n || !one_line(project) || !one_line(region))) {
        return refuse(e, "Vertex needs _meta.claudeCode.vertex.projectId and region", NULL, STR_ABSENT);
    }
    struct provider_route *r = route_new((enum provider_api)api, params->base_url, params->headers);
    if (r && api == PROVIDER_VERTEX) {
        r->project = arena_str(&r->mem, project);
        r->region = arena_str(&r->mem, region);
        if (!arena_ok(&r->mem)) {
            provider_route_free(r);
            r = NULL;
        }
    }
    return r;
}

/* ---- The state ------------------------------------------------------------------------------- */

struct providers *providers_new(void)
{
    return calloc(1, sizeof(struct providers));
}

void providers_free(struct providers *p)
{
    if (p) {
        provider_route_free(p->set);
        provider_route_free(p->gateway);
        free(p);
    }
}

void providers_set(struct providers *p, struct provider_route *route)
{
    provider_route_free(p->set);
    p->set = route;
}

bool provider_gateway_method(str method_id, enum provider_api *api)
{
    *api = str_is(method_id, "gateway-bedrock") ? PROVIDER_BEDROCK : PROVIDER_ANTHROPIC;
    return *api == PROVIDER_BEDROCK || str_is(method_id, "gateway");
}

static void set_gateway(struct providers *p, struct provider_route *route)
{
    provider_route_free(p->gateway);
    p->gateway = route;
}

bool providers_authenticate(struct providers *p, enum provider_api api, json meta, struct provider_error *e)
{
    json gateway = json_get(meta, "gateway");
    json url = json_get(gateway, "baseUrl");
    json headers = json_get(gateway, "headers");

    if (!json_present(gateway) || json_is(gateway, JSON_NULL)) {
        set_gateway(p, NULL);
        return true;
    }
    if (!json_is(url, JSON_STRING) || !url_valid(json_str(url))) {
        e->message = "The gateway's baseUrl must be an http or https URL";
        json_open_object(&e->data);
        json_member(&e->data, "baseUrl", url);
        json_close_object(&e->data);
        return false;
    }
    if (json_present(headers) && !json_is(headers, JSON_OBJECT)) {
        e->message = "The gateway's headers must be an object";
        return false;
    }
    struct provider_route *route = route_new(api, json_str(url), headers);
    if (!route) {
        return false;
    }
    set_gateway(p, route);
    return true;
}

bool providers_logout(struct providers *p)
{
    bool was = providers_active(p);
    providers_set(p, NULL);
    set_gateway(p, NULL);
    return was;
}

static const struct provider_route *active(const struct providers *p)
{
    return !p ? NULL : p->set ? p->set : p->gateway;
}

bool providers_active(const struct providers *p)
{
    return active(p) != NULL;
}

bool providers_set_by_client(const struct providers *p)
{
    return p->set != NULL;
}

bool providers_gateway(const struct providers *p)
{
    return p->gateway != NULL;
}

/* ---- Telling --------------------------------------------------------------------------------- */

void providers_put_list(const struct providers *p, struct buf *b, const char *const *env)
{
    const struct provider_route *route = active(p);
    enum provider_api api = PROVIDER_ANTHROPIC;

    for (size_t i = ARRAY_LEN(apis); i-- > 0;) {
        if (apis[i].switch_variable && env_get(env, apis[i].switch_variable).p) {
            api = (enum provider_api)i;
        }
    }
    api = route ? route->api : api;
    str url = route ? route->base_url : env_get(env, apis[api].url_variable);
    json_open_object(b);
    json_key(b, "providers");
    json_open_array(b);
    json_open_object(b);
    json_member_c(b, "providerId", provider_id);
    put_supported(b);
    json_member_bool(b, "required", false);
    json_key(b, "current");
    json_open_object(b);
    json_member_c(b, "apiType", apis[api].name);
    json_member_str(b, "baseUrl", url.p ? url : str_of(apis[api].url));
    json_close_object(b);
    json_close_object(b);
    json_close_array(b);
    json_close_object(b);
}

static str vertex_url(const struct provider_route *r)
{
    str url = str_ends(r->base_url, STR("/")) ? str_first(r->base_url, r->base_url.n - 1) : r->base_url;
    return str_is(url, apis[PROVIDER_VERTEX].url) ? STR("") : r->base_url;
}

/* Every variable of every protocol is given, so that nothing that the CLI inherits or its settings say shines
 * through. */
void providers_each_env(const struct providers *p, provider_env_cb *cb, void *user)
{
    const struct provider_route *r = active(p);

    if (!r) {
        return;
    }
    bool anthropic = r->api == PROVIDER_ANTHROPIC, bedrock = r->api == PROVIDER_BEDROCK;
    bool vertex = r->api == PROVIDER_VERTEX;
    const struct {
        const char *name;
        str value;
    } pairs[] = {
        {"ANTHROPIC_BASE_URL", anthropic ? r->base_url : STR("")},
        {"ANTHROPIC_BEDROCK_BASE_URL", bedrock ? r->base_url : STR("")},
        {"ANTHROPIC_VERTEX_BASE_URL", vertex ? vertex_url(r) : STR("")},
        {"ANTHROPIC_VERTEX_PROJECT_ID", vertex ? r->project : STR("")},
        {"CLOUD_ML_REGION", vertex ? r->region : STR("")},
        {"AWS_REGION", STR("")},
        {"ANTHROPIC_API_KEY", STR("")},
        {"ANTHROPIC_AUTH_TOKEN", anthropic ? str_of(placeholder_token) : STR("")},
        {"CLAUDE_CODE_OAUTH_TOKEN", STR("")},
        {"CLAUDE_CODE_USE_BEDROCK", bedrock ? STR("1") : STR("0")},
        {"CLAUDE_CODE_USE_VERTEX", vertex ? STR("1") : STR("0")},
        {"ANTHROPIC_CUSTOM_HEADERS", r->headers},
    };
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        cb(user, pairs[i].name, pairs[i].value);
    }
    if (bedrock) {
        cb(user, "AWS_BEARER_TOKEN_BEDROCK", str_of(placeholder_token));
    }
}
