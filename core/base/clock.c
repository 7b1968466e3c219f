#include "base/clock.h"

#include <stdio.h>
#include <time.h>

#define DATE_MAX_MS INT64_C(8640000000000000)
#define DAY_MS      INT64_C(86400000)

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    if (clock_gettime(id, &t) != 0) {
        return 0;
    }
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_now_ms(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t clock_monotonic_ms(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

/* Days since 1970 of a day of the Gregorian calendar; `month` counts from 1. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2; /* years that begin on 1 March, so that a leap day is the last of its year */
    int64_t era = (year >= 0 ? year : year - 399) / 400, year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

void clock_iso8601_ms(char out[CLOCK_ISO_SIZE], int64_t ms)
{
    ms = ms > DATE_MAX_MS ? DATE_MAX_MS : ms < -DATE_MAX_MS ? -DATE_MAX_MS : ms;
    int64_t days = ms / DAY_MS, rest = ms % DAY_MS;
    if (rest < 0) {
        rest += DAY_MS;
        days--;
    }
    /* Counted from 1 March of the year 0, so that a leap day is the last of its year. The Gregorian
     * calendar repeats after 146097 days, that is 400 years. */
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month = (int)((5 * day_of_year + 2) / 153); /* 0 is March */
    int day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
    month = month < 10 ? month + 3 : month - 9;
    long year = (long)(year_of_era + era * 400 + (month <= 2));
    int n = snprintf(out, CLOCK_ISO_SIZE, year >= 0 && year <= 9999 ? "%04ld" : "%+07ld", year);
    snprintf(out + n, CLOCK_ISO_SIZE - (size_t)n, "-%02d-%02dT%02d:%02d:%02d.%03dZ", month, day,
             (int)(rest / 3600000), (int)(rest / 60000 % 60), (int)(rest / 1000 % 60), (int)(rest % 1000));
}

/* ---- Reading ---- */

/* Takes `digits` digits that stand behind `before` (a character, or 0) and are no more than `max`. */
static bool take_number(str *text, char before, size_t digits, int max, int *out)
{
    size_t skip = before ? 1 : 0;
    int n = 0;
    if (text->n < skip + digits || (before && text->p[0] != before)) {
        return false;
    }
    for (size_t i = skip; i < skip + digits; i++) {
        if (text->p[i] < '0' || text->p[i] > '9') {
            return false;
        }
        n = n * 10 + (text->p[i] - '0');
    }
    *text = str_from(*text, skip + digits);
    *out = n;
    return n <= max;
}

/* Takes the time of day behind the date, as milliseconds of that day in UTC. */
static bool take_time(str *text, int64_t *ms)
{
    int hour = 0, minute = 0, second = 0, zone_hour = 0, zone_minute = 0;
    int64_t scale = 100;
    if (!take_number(text, 'T', 2, 24, &hour) || !take_number(text, ':', 2, 59, &minute) ||
        (text->n && text->p[0] == ':' && !take_number(text, ':', 2, 59, &second))) {
        return false;
    }
    *ms = ((int64_t)hour * 60 + minute) * 60000 + (int64_t)second * 1000;
    if (text->n && text->p[0] == '.') {
        for (*text = str_from(*text, 1); text->n && text->p[0] >= '0' && text->p[0] <= '9'; scale /= 10) {
            *ms += scale * (text->p[0] - '0');
            *text = str_from(*text, 1);
        }
    }
    if (str_is(*text, "Z") || str_is(*text, "z")) {
        *text = str_from(*text, 1);
    } else if (text->n) {
        char sign = text->p[0];
        if ((sign != '+' && sign != '-') || !take_number(text, sign, 2, 23, &zone_hour) ||
            !take_number(text, ':', 2, 59, &zone_minute)) {
            return false;
        }
        int64_t zone = ((int64_t)zone_hour * 60 + zone_minute) * 60000;
        *ms += sign == '+' ? -zone : zone;
    }
    return true;
}

bool clock_parse_iso8601(str text, int64_t *ms)
{
    int year = 0, month = 0, day = 0;
    int64_t rest = 0;
    if (!take_number(&text, '\0', 4, 9999, &year) || !take_number(&text, '-', 2, 12, &month) ||
        !take_number(&text, '-', 2, 31, &day) || !month || !day || (text.n && !take_time(&text, &rest)) ||
        text.n) {
        return false;
    }
    *ms = days_of(year, month, day) * DAY_MS + rest;
    return true;
}

/* ---- For a person ---- */

void clock_put_local(struct buf *b, int64_t ms)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t seconds = (time_t)(ms / 1000 - (ms % 1000 < 0));
    struct tm at;
    char zone[32] = "";
    if (!localtime_r(&seconds, &at)) {
        return;
    }
    (void)strftime(zone, sizeof(zone), "%Z", &at);
    int hour = at.tm_hour % 12;
    buf_printf(b, "%s %d, %d:%02d %s", months[at.tm_mon], at.tm_mday, hour ? hour : 12, at.tm_min,
               at.tm_hour < 12 ? "AM" : "PM");
    /* A zone without a name of its own is called by its offset, "+03". */
    bool unnamed = zone[0] == '+' || zone[0] == '-';
    buf_printf(b, "%s%s", unnamed ? " GMT" : zone[0] ? " " : "", zone);
}
