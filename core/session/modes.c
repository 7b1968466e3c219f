#include "session/modes.h"

static const struct mode_info rows[] = {
    [MODE_DEFAULT] = {"default", "Manual", "Ask before each change", "standard"},
    [MODE_ACCEPT_EDITS] = {"acceptEdits", "Accept edits", "Change files without asking", "standard"},
    [MODE_PLAN] = {"plan", "Plan", "Look and plan first, change nothing", "plan"},
    [MODE_AUTO] = {"auto", "Auto", "Let Claude decide what needs to be asked", "auto_review"},
    [MODE_BYPASS] = {"bypassPermissions", "Bypass permissions", "Allow everything without asking",
                     "full_access"},
    [MODE_DONT_ASK] = {"dontAsk", "Don't ask", "Deny what is not allowed already", NULL},
};

static const struct {
    const char *text;
    enum mode mode;
} settings_words[] = {
    {"default", MODE_DEFAULT},
    {"manual", MODE_DEFAULT},
    {"acceptedits", MODE_ACCEPT_EDITS},
    {"plan", MODE_PLAN},
    {"auto", MODE_AUTO},
    {"dontask", MODE_DONT_ASK},
    {"bypass", MODE_BYPASS},
    {"bypasspermissions", MODE_BYPASS},
};

const struct mode_info *mode_info(enum mode mode)
{
    return &rows[mode < ARRAY_LEN(rows) ? mode : MODE_DEFAULT];
}

enum mode mode_of_id(str id)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (str_is(id, rows[i].id)) {
            return (enum mode)i;
        }
    }
    return MODE_NONE;
}

enum mode mode_of_setting(str text)
{
    str word = str_trim(text);

    for (size_t i = 0; i < ARRAY_LEN(settings_words); i++) {
        if (word.p && str_eq_nocase(word, str_of(settings_words[i].text))) {
            return settings_words[i].mode;
        }
    }
    return MODE_NONE;
}
