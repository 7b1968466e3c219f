#include "provider/auth.h"

#include "base/js_space.h"

/* ---- Methods ------------------------------------------------------------------------------------- */

enum { LOGIN_ARGS_MAX = 4 };

struct login_method {
    const char *id, *name, *description, *label;
    const char *args[LOGIN_ARGS_MAX];
    bool remote; /* offered on a remote machine; the others on a local one */
    bool claude; /* may sign in to a subscription: left out with --hide-claude-auth */
};

static const struct login_method login_methods[] = {
    {"claude-ai-login",
     "Claude Subscription",
     "Sign in with a Claude subscription in the browser",
     "Claude Login",
     {"--cli", "auth", "login", "--claudeai"},
     false,
     true},
    {"console-login",
     "Anthropic Console",
     "Sign in with an Anthropic Console account, billed by API usage",
     "Anthropic Console Login",
     {"--cli", "auth", "login", "--console"},
     false,
     false},
    {"claude-login",
     "Log in with Claude",
     "Open Claude Code in a terminal and run /login there",
     "Claude Login",
     {"--cli"},
     true,
     true},
};

static const struct {
    str id;
    const char *protocol;
    const char *description;
} gateway_methods[] = {
    {STR_INIT("gateway"), "anthropic", "Send requests to a gateway that speaks the Anthropic API"},
    {STR_INIT("gateway-bedrock"), "bedrock", "Send requests to a gateway that speaks the Amazon Bedrock API"},
};

bool auth_environment_is_remote(char *const *environment)
{
    static const str names[] = {
        STR_INIT("NO_BROWSER="), STR_INIT("SSH_CONNECTION="),     STR_INIT("SSH_CLIENT="),
        STR_INIT("SSH_TTY="),    STR_INIT("CLAUDE_CODE_REMOTE="),
    };
    for (; environment && *environment; environment++) {
        str variable = str_of(*environment);
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            if (variable.n > names[i].n && str_starts(variable, names[i])) {
                return true;
            }
        }
    }
    return false;
}

static void put_login_args(struct buf *b, const struct login_method *m)
{
    for (size_t i = 0; i < LOGIN_ARGS_MAX && m->args[i]; i++) {
        json_put_c(b, m->args[i]);
    }
}

static const char *method_key(const struct auth_options *o)
{
    return o->client->protocol_version >= 2 ? "methodId" : "id";
}

static void put_terminal_auth(struct buf *b, const struct login_method *m, const struct auth_options *o)
{
    json_key(b, "_meta");
    json_open_object(b);
    json_key(b, "terminal-auth");
    json_open_object(b);
    json_member_str(b, "command", o->command);
    json_key(b, "args");
    json_open_array(b);
    for (size_t i = 0; i < o->n_args; i++) {
        json_put_str(b, o->args[i]);
    }
    put_login_args(b, m);
    json_close_array(b);
    json_member_c(b, "label", m->label);
    json_close_object(b);
    json_close_object(b);
}

static void put_login_method(struct buf *b, const struct login_method *m, const struct auth_options *o)
{
    json_open_object(b);
    json_member_c(b, method_key(o), m->id);
    json_member_c(b, "name", m->name);
    json_member_c(b, "description", m->description);
    json_member_c(b, "type", "terminal");
    json_key(b, "args");
    json_open_array(b);
    put_login_args(b, m);
    json_close_array(b);
    if (o->client->terminal_auth_meta) {
        put_terminal_auth(b, m, o);
    }
    json_close_object(b);
}

static void put_gateway_method(struct buf *b, size_t i, const struct auth_options *o)
{
    json_open_object(b);
    json_member_str(b, method_key(o), gateway_methods[i].id);
    if (o->client->protocol_version >= 2) {
        json_member_c(b, "type", "agent");
    }
    json_member_c(b, "name", "Custom model gateway");
    json_member_c(b, "description", gateway_methods[i].description);
    json_key(b, "_meta");
    json_open_object(b);
    json_key(b, "gateway");
    json_open_object(b);
    json_member_c(b, "protocol", gateway_methods[i].protocol);
    json_close_object(b);
    json_close_object(b);
    json_close_object(b);
}

void auth_put_methods(struct buf *b, const struct auth_options *o)
{
    json_open_array(b);
    bool terminal = o->client->auth_terminal || o->client->terminal_auth_meta;
    for (size_t i = 0; terminal && i < ARRAY_LEN(login_methods); i++) {
        const struct login_method *m = &login_methods[i];
        if (m->remote == o->remote && !(m->claude && o->hide_claude)) {
            put_login_method(b, m, o);
        }
    }
    for (size_t i = 0; o->client->auth_gateway && i < ARRAY_LEN(gateway_methods); i++) {
        put_gateway_method(b, i, o);
    }
    json_close_array(b);
}

/* ---- Status -------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
    [AUTH_UNKNOWN] = "none",      [AUTH_NONE] = "none",       [AUTH_GATEWAY] = "gateway",
    [AUTH_EXTERNAL] = "external", [AUTH_API_KEY] = "api_key", [AUTH_ACCOUNT] = "account",
};

static const struct {
    str provider, label;
} providers[] = {
    {STR_INIT("bedrock"), STR_INIT("AWS Bedrock")},
    {STR_INIT("vertex"), STR_INIT("Google Vertex AI")},
    {STR_INIT("foundry"), STR_INIT("Azure AI Foundry")},
    {STR_INIT("anthropicAws"), STR_INIT("Anthropic on AWS")},
    {STR_INIT("anthropicGoogleCloud"), STR_INIT("Anthropic on Google Cloud")},
    {STR_INIT("mantle"), STR_INIT("Mantle")},
};

/* Where an API key comes from, as it is shown; other sources are not. */
static const struct {
    str source, detail;
} key_sources[] = {
    {STR_INIT("apiKeyHelper"), STR_INIT("API key helper")},
    {STR_INIT("env"), STR_INIT("env")},
    {STR_INIT("ANTHROPIC_API_KEY"), STR_INIT("ANTHROPIC_API_KEY")},
    {STR_INIT("ANTHROPIC_AUTH_TOKEN"), STR_INIT("ANTHROPIC_AUTH_TOKEN")},
};

#define GATEWAY_LABEL STR("Custom model gateway")

void auth_status_free(struct auth_status *s)
{
    arena_free(&s->mem);
    *s = AUTH_STATUS_INIT;
}

/* What a probe and an account tell alike. */
struct auth_facts {
    str provider, key_source, subscription, email, organization;
};

static struct auth_facts read_facts(json v, const char *organization)
{
    return (struct auth_facts){
        .provider = json_text(json_get(v, "apiProvider")),
        .key_source = json_text(json_get(v, "apiKeySource")),
        .subscription = json_text(json_get(v, "subscriptionType")),
        .email = json_text(json_get(v, "email")),
        .organization = json_text(json_get(v, organization)),
    };
}

static bool is_first_party(str provider)
{
    return !provider.p || str_is(provider, "firstParty");
}

static bool set_plain(struct auth_status *out, enum auth_kind kind, str label, str detail)
{
    *out = (struct auth_status){.kind = kind};
    out->label = arena_str(&out->mem, label);
    out->detail = arena_str(&out->mem, detail);
    if (!arena_ok(&out->mem)) {
        auth_status_free(out);
        return false;
    }
    return true;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "max" becomes "Claude Max": each word with a capital, and the product's name first unless it is there. */
static void put_plan_label(struct buf *b, str plan)
{
    const str product = STR("claude");
    bool named = str_eq_nocase(str_first(plan, product.n), product) &&
                 (plan.n == product.n || !is_word_byte(plan.p[product.n]));
    if (!named) {
        buf_put_c(b, "Claude ");
    }
    for (size_t i = 0; i < plan.n; i++) {
        char c = plan.p[i];
        bool starts_word = i == 0 || plan.p[i - 1] == ' ' || plan.p[i - 1] == '\t' || plan.p[i - 1] == '\n';
        if (starts_word && c >= 'a' && c <= 'z') {
            c = (char)(c - 'a' + 'A');
        }
        buf_put_byte(b, c);
    }
}

static bool set_account(struct auth_status *out, const struct auth_facts *f)
{
    AUTO_BUF(label);
    put_plan_label(&label, f->subscription);
    *out = (struct auth_status){.kind = AUTH_ACCOUNT};
    out->label = arena_buf(&out->mem, &label);
    out->plan = arena_str(&out->mem, f->subscription);
    out->email = arena_str(&out->mem, f->email);
    out->organization = arena_str(&out->mem, f->organization);
    if (!buf_ok(&label) || !arena_ok(&out->mem)) {
        auth_status_free(out);
        return false;
    }
    return true;
}

static bool set_external(struct auth_status *out, str provider)
{
    str label = provider;
    for (size_t i = 0; i < ARRAY_LEN(providers); i++) {
        if (str_eq(providers[i].provider, provider)) {
            label = providers[i].label;
        }
    }
    return set_plain(out, AUTH_EXTERNAL, label, STR_ABSENT);
}

static bool has_nocase(str s, str needle)
{
    for (size_t i = 0; i + needle.n <= s.n; i++) {
        if (str_eq_nocase((str){s.p + i, needle.n}, needle)) {
            return true;
        }
    }
    return false;
}

static bool set_api_key(struct auth_status *out, str source, str helper)
{
    if (str_is(source, "apiKeyHelper") && has_nocase(helper, STR("central")) &&
        has_nocase(helper, STR("proxy start"))) {
        return set_plain(out, AUTH_GATEWAY, STR("JetBrains Air Gateway"), STR_ABSENT);
    }
    str detail = STR_ABSENT;
    for (size_t i = 0; i < ARRAY_LEN(key_sources); i++) {
        if (str_eq(key_sources[i].source, source)) {
            detail = key_sources[i].detail;
        }
    }
    return set_plain(out, AUTH_API_KEY, STR("Anthropic API key"), detail);
}

/* False also when the facts tell nothing. */
static bool set_known(struct auth_status *out, const struct auth_facts *f, str helper)
{
    if (str_is(f->provider, "gateway")) {
        return set_plain(out, AUTH_GATEWAY, GATEWAY_LABEL, STR_ABSENT);
    }
    if (!is_first_party(f->provider)) {
        return set_external(out, f->provider);
    }
    if (f->key_source.p) {
        return set_api_key(out, f->key_source, helper);
    }
    return f->subscription.p && set_account(out, f);
}

bool auth_status_not_logged_in(struct auth_status *out)
{
    return set_plain(out, AUTH_NONE, STR("Not logged in"), STR_ABSENT);
}

bool auth_status_from_probe(struct auth_status *out, json probe, str api_key_helper)
{
    *out = AUTH_STATUS_INIT;
    json logged_in = json_get(probe, "loggedIn");
    if (!json_is_bool(logged_in)) {
        return false;
    }
    struct auth_facts f = read_facts(probe, "orgName");
    bool nobody =
        is_first_party(f.provider) && !f.key_source.p && (!json_is_true(logged_in) || !f.subscription.p);
    return nobody ? auth_status_not_logged_in(out) : set_known(out, &f, api_key_helper);
}

bool auth_status_from_account(struct auth_status *out, json account, str api_key_helper)
{
    *out = AUTH_STATUS_INIT;
    struct auth_facts f = read_facts(account, "organization");
    return set_known(out, &f, api_key_helper);
}

/* The host and port of a URL; absent when it has none. */
static str url_host(str url)
{
    size_t scheme = url.p ? str_find(url, STR("://"), 0) : SIZE_MAX;
    if (scheme == SIZE_MAX) {
        return STR_ABSENT;
    }
    str host = str_from(url, scheme + 3);
    for (size_t i = 0; i < host.n; i++) {
        if (strchr("/?#\\", host.p[i])) { /* also a NUL */
            host.n = i;
        }
    }
    size_t at = str_rfind(host, STR("@")); /* never show credentials */
    host = at == SIZE_MAX ? host : str_from(host, at + 1);
    return host.n ? host : STR_ABSENT;
}

bool auth_status_from_gateway(struct auth_status *out, str base_url)
{
    return set_plain(out, AUTH_GATEWAY, GATEWAY_LABEL, url_host(space_trim(base_url)));
}

/* ---- What was sent last --------------------------------------------------------------------------- */

/* Equal, where absent equals only absent. */
static bool same(str a, str b)
{
    return str_present(a) == str_present(b) && str_eq(a, b);
}

static bool same_status(const struct auth_status *a, const struct auth_status *b)
{
    return a->kind == b->kind && same(a->label, b->label) && same(a->detail, b->detail) &&
           same(a->email, b->email) && same(a->organization, b->organization) && same(a->plan, b->plan);
}

static bool same_identity(const struct auth_status *a, const struct auth_status *b)
{
    return a->kind == b->kind && (a->kind != AUTH_API_KEY || same(a->detail, b->detail)) &&
           (a->kind != AUTH_ACCOUNT || same(a->email, b->email));
}

static void keep(struct auth_status *s, str *place, str before)
{
    if (!place->p) {
        *place = arena_str(&s->mem, before);
    }
}

bool auth_status_update(struct auth_status *last, struct auth_status *next, bool merge)
{
    if (next->kind == AUTH_UNKNOWN) {
        return false;
    }
    if (merge && same_identity(last, next)) {
        keep(next, &next->detail, last->detail);
        keep(next, &next->email, last->email);
        keep(next, &next->organization, last->organization);
        keep(next, &next->plan, last->plan);
    }
    if (!arena_ok(&next->mem) || same_status(last, next)) {
        auth_status_free(next);
        return false;
    }
    auth_status_free(last);
    *last = *next;
    *next = AUTH_STATUS_INIT;
    return true;
}

void auth_put_status(struct buf *b, const struct auth_status *s)
{
    json_open_object(b);
    json_key(b, "authStatus");
    json_open_object(b);
    json_member_c(b, "kind", kind_names[s->kind]);
    json_member_str(b, "label", s->label);
    json_member_str(b, "detail", s->detail);
    if (s->kind == AUTH_ACCOUNT) {
        json_key(b, "account");
        json_open_object(b);
        json_member_str(b, "plan", s->plan);
        json_member_str(b, "email", s->email);
        json_member_str(b, "organization", s->organization);
        json_close_object(b);
    }
    json_close_object(b);
    json_close_object(b);
}

/* ---- The guard ------------------------------------------------------------------------------------ */

enum auth_guard auth_guard(json account)
{
    if (!json_is(account, JSON_OBJECT)) {
        return AUTH_GUARD_NO_ACCOUNT;
    }
    struct auth_facts f = read_facts(account, "organization");
    bool key = str_is(f.key_source, "ANTHROPIC_API_KEY") || str_is(f.key_source, "apiKeyHelper") ||
               str_is(f.key_source, "/login managed key");
    if (key || !is_first_party(f.provider) || json_text(json_get(account, "tokenSource")).p) {
        return AUTH_GUARD_ALLOW;
    }
    return f.subscription.p ? AUTH_GUARD_SUBSCRIPTION : AUTH_GUARD_NO_CREDENTIAL;
}
