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
