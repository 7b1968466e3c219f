/* What a client is told of the CLI's messages, streamed or whole: each text once. */
#include "script_fixture.h"

#define EVENT(members) "{\"type\":\"stream_event\",\"event\":{" members "}}\n"
#define START(id)      EVENT("\"type\":\"message_start\",\"message\":{\"id\":\"" id "\"}")
#define DELTA(type, key, text)                                                                               \
    EVENT("\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"" type "\",\"" key             \
          "\":\"" text "\"}")
#define TEXT(text) DELTA("text_delta", "text", text)
#define WHOLE(id, key, text)                                                                                 \
    "{\"type\":\"assistant\",\"message\":{\"id\":\"" id "\",\"content\":[{\"type\":\"" key "\",\"" key       \
    "\":\"" text "\"}]}}\n"

static void expect_told(const char *lines, const char *told)
{
    struct script_bench b = {0};
    script_run(&b, lines);
    assert_string_equal(b.told, told);
    assert_string_equal(b.stop, "end_turn");
}

static void test_streamed_is_told_once(void **state)
{
    (void)state;
    expect_told(START("m") TEXT("one ") TEXT("two") WHOLE("m", "text", "one two") DONE,
                "agent:one ;agent:two;");
}

static void test_whole_alone(void **state)
{
    (void)state;
    expect_told(WHOLE("m", "text", "one two") DONE, "agent:one two;");
}

static void test_lost_piece(void **state)
{
    (void)state;
    expect_told(START("m") TEXT("one ") WHOLE("m", "text", "one two") DONE, "agent:one ;agent:two;");
}

static void test_same_id(void **state)
{
    (void)state;
    expect_told(WHOLE("m", "text", "one") WHOLE("m", "text", "one") DONE, "agent:one;agent:one;");
}

static void test_no_id(void **state)
{
    (void)state;
    expect_told(TEXT("one") WHOLE("", "text", "one") WHOLE("", "text", "two") DONE, "agent:one;agent:two;");
}

static void test_thinking(void **state)
{
    (void)state;
    expect_told(START("m") DELTA("thinking_delta", "thinking", "hm") WHOLE("m", "thinking", "hm")
                    WHOLE("m", "thinking", "so") WHOLE("m", "text", "yes") DONE,
                "thought:hm;thought:so;agent:yes;");
}

/* A subagent's whole message is for a client that asked for it. */
static void test_subagent(void **state)
{
    (void)state;
    expect_told(
        "{\"type\":\"assistant\",\"parent_tool_use_id\":\"t\",\"message\":{\"id\":\"c\",\"content\":[{"
        "\"type\":\"text\",\"text\":\"child\"}]}}\n" WHOLE("m", "text", "main") DONE,
        "agent:main;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPT_TEST(test_streamed_is_told_once),
        SCRIPT_TEST(test_whole_alone),
        SCRIPT_TEST(test_lost_piece),
        SCRIPT_TEST(test_same_id),
        SCRIPT_TEST(test_no_id),
        SCRIPT_TEST(test_thinking),
        SCRIPT_TEST(test_subagent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
