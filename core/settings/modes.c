#include "settings/modes.h"

static const struct mode_info rows[] = {
    [MODE_DEFAULT] = {"default", "Manual", "Ask before each change", "standard"},
    [MODE_ACCEPT_EDITS] = {"acceptEdits", "Accept edits", "Change files without asking", "standard"},
    [MODE_PLAN] = {"plan", "Plan", "Look and plan first, change nothing", "plan"},
    [MODE_AUTO] = {"auto", "Auto", "Let Claude decide what needs to be asked", "auto_review"},
    [MODE_BYPASS] = {"bypassPermissions", "Bypass permissions", "Allow everything without asking",
                     "full_access"},
    [MODE_DONT_ASK] = {"dontAsk", "Don't ask", "Deny what is not allowed already", NULL},
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
    return str_is(text, "manual") ? MODE_DEFAULT : mode_of_id(text);
}
