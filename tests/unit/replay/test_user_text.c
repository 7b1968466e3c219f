/* What a person sees of a stored text. */
#include "unit.h"

#include "replay/user_text.h"

static void assert_text(const char *text, enum user_text_origin origin, const char *expected)
{
    AUTO_BUF(out);
    bool shown = user_text_put(&out, str_of(text), origin);
    assert_str(shown ? buf_str(&out) : STR_ABSENT, expected ? expected : "(absent)");
    assert_true(shown || !out.n);
}

static void assert_stored(const char *text, const char *expected)
{
    assert_text(text, USER_TEXT_STORED, expected);
}

#define REMINDER "<system-reminder>b</system-reminder>"

static void commands_are_shown_as_they_were_typed(void **state)
{
    (void)state;
    assert_stored("<command-name>/review</command-name>\n<command-args> the diff </command-args>",
                  "/review the diff");
    assert_stored("<command-message>x</command-message>\n<command-name>/x</command-name>\n"
                  "<command-args>a </command-args> b</command-args>",
                  "/x a </command-args> b");
    assert_stored("<command-name>/x</command-name>\n<command-args>what is " REMINDER "?</command-args>",
                  "/x what is " REMINDER "?");
    assert_stored("<command-name>/model opus</command-name>", NULL);
    assert_stored("<command-name>/x</command-name><local-command-stdout>y</local-command-stdout>", NULL);
    assert_stored("<local-command-stdout>a </local-command-stdout> b</local-command-stdout>", NULL);
    assert_stored("<command-name>no slash</command-name>", NULL);
    assert_stored("  \n", NULL);
}

static void blocks_at_the_ends_are_not_shown(void **state)
{
    (void)state;
    assert_stored(REMINDER "\nhello", "\nhello");
    assert_stored("hello\n" REMINDER "\n" REMINDER "\n", "hello\n\n\n");
    assert_stored(REMINDER "hello" REMINDER, "hello");
    assert_stored(REMINDER "\n", NULL);
    assert_stored("<command-name>/x</command-name>typed", "typed");
}

static void tags_in_a_sentence_are_shown(void **state)
{
    static const char *const texts[] = {
        "plain <context ref=1>",
        "what is " REMINDER " and <command-name>/x</command-name>?",
        "parse <local-command-stdout>a</local-command-stdout> for me",
        "a" REMINDER "c",
        "what is " REMINDER,
        REMINDER " is what?",
        "<system-reminder>open",
        "</system-reminder>",
        "a <system-reminder> <system-reminder> <",
        "\n",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        bool blank = i + 1 == ARRAY_LEN(texts);
        assert_stored(texts[i], blank ? NULL : texts[i]);
        assert_text(texts[i], USER_TEXT_TYPED, blank ? NULL : texts[i]);
        assert_text(texts[i], USER_TEXT_PART, blank ? NULL : texts[i]);
    }
}

static void a_prompt_keeps_its_tags(void **state)
{
    (void)state;
    assert_text(REMINDER, USER_TEXT_TYPED, REMINDER);
    assert_text("<command-name>/x</command-name>", USER_TEXT_TYPED, "<command-name>/x</command-name>");
    assert_text("what is this?\n" REMINDER, USER_TEXT_TYPED, "what is this?\n" REMINDER);
    assert_text(REMINDER ": what is it?", USER_TEXT_TYPED, REMINDER ": what is it?");
    /* What the CLI put beside it is pressed against the words, or a text of its own. */
    assert_text("<command-name>/x</command-name>typed" REMINDER, USER_TEXT_TYPED, "typed");
    assert_text(REMINDER, USER_TEXT_PART, NULL);
}

static void many_tags_take_little_time(void **state)
{
    static const char *const opens[] = {"<system-reminder>", "<command-args>", "<local-command-stdout>",
                                        "<command-args></command-args>"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(opens); i++) {
        AUTO_BUF(text);
        AUTO_BUF(out);
        buf_put_c(&text, "x ");
        for (size_t n = 0; n < 100000; n++) {
            buf_put_c(&text, opens[i]);
        }
        buf_put_c(&text, " y");
        assert_true(user_text_put(&out, buf_str(&text), USER_TEXT_STORED));
        assert_true(str_eq(buf_str(&out), buf_str(&text)));
    }
}

static void notices(void **state)
{
    struct task_notice n;
    size_t at = 0;
    str text = STR("<task-notification><task-id>t</task-id></task-notification>"
                   "<task-notification><task-id> u </task-id><status>completed</status><result><tool-use-id>x"
                   "</tool-use-id></result></task-notification><task-notification>");
    (void)state;
    assert_true(task_notice_next(text, &at, &n));
    assert_str(n.task, "u");
    assert_str(n.status, "completed");
    assert_str(n.call, "(absent)");
    assert_false(task_notice_next(text, &at, &n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_shown_as_they_were_typed),
        cmocka_unit_test(blocks_at_the_ends_are_not_shown),
        cmocka_unit_test(tags_in_a_sentence_are_shown),
        cmocka_unit_test(a_prompt_keeps_its_tags),
        cmocka_unit_test(many_tags_take_little_time),
        cmocka_unit_test(notices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
