/** Tests reading the wait that an upstream asks for from headers, fields and messages. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import * as RetryAfter from "#domain/failure/RetryAfter"

const now = Date.UTC(2025, 10, 20, 12, 0, 0)
const millis = (wait: Duration.Duration | undefined) => (wait === undefined ? undefined : Duration.toMillis(wait))

describe("RetryAfter.parse", () => {
  const cases: ReadonlyArray<readonly [what: string, value: string, expected: number | undefined]> = [
    ["seconds", "17", 17_000],
    ["zero", "0", 0],
    ["a fraction of a second", "0.5", 500],
    ["surrounding white space", " 3 ", 3000],
    ["an IMF-fixdate", "Thu, 20 Nov 2025 12:00:30 GMT", 30_000],
    ["an RFC 850 date", "Thursday, 20-Nov-25 12:01:00 GMT", 60_000],
    ["an asctime date", "Thu Nov 20 12:00:05 2025", 5000],
    ["an asctime date with a padded day", "Tue Dec  2 12:00:00 2025", 12 * 86_400_000],
    ["a past date", "Thu, 20 Nov 2025 11:00:00 GMT", 0],
    ["a leap second", "Thu, 20 Nov 2025 12:00:60 GMT", 60_000],
    ["a two-digit year of the last century", "Saturday, 20-Nov-99 12:00:00 GMT", 0],
    ["a negative number", "-5", undefined],
    ["a wait of more than 366 days as 366 days", "99999999", 366 * 86_400_000],
    ["a number beyond the range of doubles", "9".repeat(400), 366 * 86_400_000],
    ["a date 365 days ahead", "Fri, 20 Nov 2026 12:00:00 GMT", 365 * 86_400_000],
    ["a date more than 366 days ahead as 366 days", "Sat, 20 Nov 2027 12:00:00 GMT", 366 * 86_400_000],
    ["a date beyond the range of Date", "Fri, 31 Dec 99999 23:59:59 GMT", 366 * 86_400_000],
    ["delays joined by proxies", "5, 120 ,7", 120_000],
    ["a list with another value", "5, soon", undefined],
    ["a fraction without a leading digit", ".5", undefined],
    ["NaN", "NaN", undefined],
    ["a day that does not exist", "Sun, 30 Feb 2025 12:00:00 GMT", undefined],
    ["an hour that does not exist", "Thu, 20 Nov 2025 24:00:00 GMT", undefined],
    ["a minute that does not exist", "Thu, 20 Nov 2025 12:60:00 GMT", undefined],
    ["a second that does not exist", "Thu, 20 Nov 2025 12:00:61 GMT", undefined],
    ["a month that does not exist", "Thu, 20 Foo 2025 12:00:00 GMT", undefined],
    ["a two-digit year of this century", "Friday, 20-Nov-26 12:00:00 GMT", 365 * 86_400_000],
    ["a two-digit year 50 years ahead", "Thursday, 21-Nov-75 00:00:00 GMT", 366 * 86_400_000],
    ["a two-digit year more than 50 years ahead", "Thursday, 21-Nov-75 00:00:01 GMT", 0],
    ["another time zone", "Thu, 20 Nov 2025 12:00:30 CET", undefined],
    ["words", "soon", undefined],
    ["an empty text", "", undefined],
    ["an exponent", "1e3", undefined],
    ["infinity", "Infinity", undefined]
  ]
  for (const [what, value, expected] of cases) {
    it(`4.11 ${expected === undefined ? "ignores" : "reads"} ${what}: ${JSON.stringify(value)}`, () => {
      assert.strictEqual(millis(RetryAfter.parse(value, now)), expected)
    })
  }

  it("4.11 ignores a date if the current time is unknown", () => {
    assert.isUndefined(RetryAfter.parse("Thu, 20 Nov 2025 12:00:30 GMT"))
  })

  it("4.11 a two-digit year without a current time is in this century, and a day that does not exist gives no date", () => {
    assert.strictEqual(RetryAfter.httpDate("Saturday, 20-Nov-99 12:00:00 GMT"), Date.UTC(2099, 10, 20, 12))
    assert.isUndefined(RetryAfter.httpDate("Sunday, 30-Feb-25 12:00:00 GMT", now))
    assert.isUndefined(RetryAfter.httpDate("Sun, 30 Feb 2025 12:00:00 GMT", now))
  })

  it("4.11 agrees with the platform on leap years and their neighbours in eight centuries", () => {
    for (let year = 1600; year <= 2400; year++) {
      const february = `Mon, 29 Feb ${year} 00:00:00 GMT`
      const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
      assert.strictEqual(RetryAfter.httpDate(february), isLeap ? Date.UTC(year, 1, 29) : undefined, february)
      const march = new Date(Date.UTC(year, 2, 1)).toUTCString()
      assert.strictEqual(RetryAfter.httpDate(march), Date.UTC(year, 2, 1), march)
    }
  })

  it("4.11 agrees with the platform on every day of four years", () => {
    for (let day = 0; day < 1461; day++) {
      const time = Date.UTC(2023, 0, 1) + day * 86_400_000
      assert.strictEqual(RetryAfter.httpDate(new Date(time).toUTCString(), now), time)
    }
  })
})

describe("RetryAfter.fromHeaders", () => {
  const cases: ReadonlyArray<readonly [what: string, headers: RetryAfter.Headers, expected: number | undefined]> = [
    ["seconds, in any case of the name", { "Retry-After": "2" }, 2000],
    [
      "seconds before a reset",
      { "retry-after": "2", "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 60) },
      2000
    ],
    ["milliseconds before seconds", { "retry-after-ms": "150", "retry-after": "1" }, 150],
    [
      "milliseconds beyond the range of numbers",
      { "retry-after-ms": "9".repeat(400), "retry-after": "1" },
      366 * 86_400_000
    ],
    ["seconds if the milliseconds are not a number", { "retry-after-ms": "NaN", "retry-after": "1" }, 1000],
    ["seconds if the milliseconds are nonsense", { "retry-after-ms": "-1", "retry-after": "1" }, 1000],
    [
      "the epoch reset of an exhausted limit",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 60) },
      60_000
    ],
    ["an epoch in milliseconds", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now + 1500) }, 1500],
    [
      "no reset while something remains",
      { "x-ratelimit-remaining": "3", "x-ratelimit-reset": String(now / 1000 + 60) },
      undefined
    ],
    ["no reset without a remainder", { "x-ratelimit-reset": String(now / 1000 + 60) }, undefined],
    [
      "no small plain number, which may be seconds or a time",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "30" },
      undefined
    ],
    ["seconds of the standard header", { "ratelimit-remaining": "0", "ratelimit-reset": "30" }, 30_000],
    ["a span with units", { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
    [
      "the longest reset of several exhausted limits",
      {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "120ms",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "2s"
      },
      2000
    ],
    [
      "an RFC 3339 time",
      { "anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": "2025-11-20T12:00:10Z" },
      10_000
    ],
    [
      "an RFC 3339 time in another time zone",
      { "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2025-11-20T13:00:10+01:00" },
      10_000
    ],
    [
      "an RFC 3339 time with a fraction of a second, to the end of the fraction",
      { "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2025-11-20T12:00:10.9Z" },
      10_900
    ],
    [
      "an RFC 3339 time of the day before in a western time zone",
      { "ratelimit-remaining": "0", "ratelimit-reset": "2025-11-20t06:30:05.25-05:30" },
      5250
    ],
    ["an RFC 3339 leap second", { "ratelimit-remaining": "0", "ratelimit-reset": "2025-11-20T12:00:60.5Z" }, 60_500],
    ...[
      "2025-13-01T12:00:10Z",
      "2025-00-10T12:00:10Z",
      "2025-11-00T12:00:10Z",
      "2025-11-31T12:00:10Z",
      "2025-11-20T24:00:10Z",
      "2025-11-20T12:60:10Z",
      "2025-11-20T12:00:61Z"
    ].map(
      (reset) =>
        [
          `no time that does not exist: ${reset}`,
          { "ratelimit-remaining": "0", "ratelimit-reset": reset },
          undefined
        ] as const
    ),
    [
      "an RFC 3339 time in the last hour and minute of a day",
      { "ratelimit-remaining": "0", "ratelimit-reset": "2025-11-20T23:59:10Z" },
      43_150_000
    ],
    ["milliseconds with a fraction and surrounding white space", { "retry-after-ms": " 150.25 " }, 151],
    ["seconds if the milliseconds have text before them", { "retry-after-ms": "x150", "retry-after": "1" }, 1000],
    ["seconds if the milliseconds have text after them", { "retry-after-ms": "150x", "retry-after": "1" }, 1000],
    ...["", "0x10", "1e3"].map(
      (value) =>
        [
          `seconds if the milliseconds are ${JSON.stringify(value)}`,
          { "retry-after-ms": value, "retry-after": "1" },
          1000
        ] as const
    ),
    ["white space around a remainder and a reset", { "ratelimit-remaining": " 0 ", "ratelimit-reset": " 30 " }, 30_000],
    ["a fraction of a second", { "ratelimit-remaining": "0", "ratelimit-reset": "1.25" }, 1250],
    ["the span at the start of a reset", { "ratelimit-remaining": "0", "ratelimit-reset": "1m30" }, 60_000],
    ["seconds of less than a day", { "ratelimit-remaining": "0", "ratelimit-reset": "86399" }, 86_399_000],
    ["no number of seconds from a day on", { "ratelimit-remaining": "0", "ratelimit-reset": "86400" }, undefined],
    [
      "no epoch that is 366 days away",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 366 * 86_400) },
      undefined
    ],
    [
      "no epoch in milliseconds that is 366 days away",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now + 366 * 86_400_000) },
      undefined
    ],
    [
      "the longest reset, whatever the order, and alongside a reset without a time",
      {
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "2s",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "120ms",
        "x-ratelimit-remaining-images": "0",
        "x-ratelimit-reset-images": "soon"
      },
      2000
    ],
    ["no wait if none is stated", { "content-type": "text/plain" }, undefined]
  ]
  for (const [what, headers, expected] of cases) {
    it(`4.11 reads the headers: ${what}`, () => {
      assert.strictEqual(millis(RetryAfter.fromHeaders(headers, now)), expected)
    })
  }

  it("4.11 reads a date relative to the answer's own date if the current time is unknown", () => {
    const headers = { date: "Thu, 20 Nov 2025 12:00:00 GMT", "retry-after": "Thu, 20 Nov 2025 12:00:07 GMT" }
    assert.strictEqual(millis(RetryAfter.fromHeaders(headers)), 7000)
    assert.strictEqual(millis(RetryAfter.fromHeaders({ ...headers, date: ` ${headers.date} ` })), 7000)
    assert.isUndefined(RetryAfter.fromHeaders({ ...headers, date: undefined }))
    assert.isUndefined(RetryAfter.fromHeaders({ "retry-after": headers["retry-after"] }))
  })

  it("4.11 a wait is stated by a delay, a date or milliseconds, and by no other value", () => {
    const isStated = (headers: Readonly<Record<string, string>>) => RetryAfter.isStated((name) => headers[name])
    for (const headers of [
      { "retry-after": "3" },
      { "retry-after": "Thu, 20 Nov 2025 12:00:07 GMT" },
      { "retry-after-ms": "150" },
      { "retry-after": "soon", "retry-after-ms": "150" }
    ])
      assert.isTrue(isStated(headers), JSON.stringify(headers))
    for (const headers of [{}, { "retry-after": "soon" }, { "retry-after": "-1", "retry-after-ms": "soon" }])
      assert.isFalse(isStated(headers), JSON.stringify(headers))
  })
})

describe("RetryAfter.fromText", () => {
  const cases: ReadonlyArray<readonly [text: string, expected: number | undefined]> = [
    ["Please try again in 1.4s.", 1400],
    ["Please try again in 20ms.", 20],
    ["try again in 6m12.5s", 372_500],
    ["Please retry after 6 seconds.", 6000],
    ["Retry after 6", 6000],
    ["Please wait 2 minutes 30 seconds before trying again", 150_000],
    ["Request was throttled. Expected available in 35 seconds.", 35_000],
    ["Retry your request in 30 seconds: too many requests", 30_000],
    ["Please retry in 36.04s.", 36_040],
    ["Try again in 1 hour", 3_600_000],
    ["Try again in 20 milliseconds", 20],
    ["Retry after 6.25", 6250],
    ["Retry after 6 ; then stop", 6000],
    ["Retry after 6x.", undefined],
    ["You cannot retry after 3 failed attempts, at most 5.", undefined],
    ["You cannot retry after 3 failed attempts.", undefined],
    ["Retry after 99999999999 seconds", 366 * 86_400_000],
    ["Retry after 99999999999.", 366 * 86_400_000],
    ["Try again in 2 weeks", undefined],
    ["Please try again later.", undefined],
    ["waited 30 seconds", undefined],
    ["wait 30 meters", undefined]
  ]
  for (const [text, expected] of cases) {
    it(`4.11 ${expected === undefined ? "ignores" : "reads"} ${JSON.stringify(text)}`, () => {
      assert.strictEqual(millis(RetryAfter.fromText(text)), expected)
    })
  }
})

describe("RetryAfter.fromField", () => {
  it("4.11 takes the unit from the field's name or from the value", () => {
    assert.strictEqual(millis(RetryAfter.fromField("retry_after", 1.5)), 1500)
    assert.strictEqual(millis(RetryAfter.fromField("retryAfterMs", 250)), 250)
    assert.strictEqual(millis(RetryAfter.fromField("retry_after_ms", "250")), 250)
    assert.strictEqual(millis(RetryAfter.fromField("retryDelay", "36s")), 36_000)
    assert.strictEqual(millis(RetryAfter.fromField("retry_in", " 36s ")), 36_000)
    assert.strictEqual(millis(RetryAfter.fromField("retry_after", " 2.25 ")), 2250)
    assert.strictEqual(millis(RetryAfter.fromField("retry_after_sec", 3)), 3000)
    assert.strictEqual(millis(RetryAfter.fromField("retry-after-milliseconds", 3)), 3)
    assert.strictEqual(millis(RetryAfter.fromField("retryAfter", Duration.seconds(4))), 4000)
    for (const forever of [Infinity, Number.MAX_VALUE, "9".repeat(400), "99999999999h", Duration.infinity]) {
      assert.strictEqual(millis(RetryAfter.fromField("retry_after", forever)), 366 * 86_400_000)
    }
  })

  it("4.11 ignores other fields, other types and negative numbers", () => {
    assert.isUndefined(RetryAfter.fromField("after", 3))
    assert.isUndefined(RetryAfter.fromField("no_retry_after", 3))
    assert.isUndefined(RetryAfter.fromField("retry_after_attempts", 3))
    assert.isUndefined(RetryAfter.fromField("retry_after", "x3"))
    assert.isUndefined(RetryAfter.fromField("retry_after", "0x3"))
    assert.isUndefined(RetryAfter.fromField("retry_after", null))
    assert.isUndefined(RetryAfter.fromField("retry_after", true))
    assert.isUndefined(RetryAfter.fromField("retry_after", -3))
    assert.isUndefined(RetryAfter.fromField("retry_after", Number.NaN))
    assert.isUndefined(RetryAfter.fromField("retry_after", -Infinity))
    assert.isUndefined(RetryAfter.fromField("retry_after", "-3"))
    assert.isUndefined(RetryAfter.fromField("retry_after", undefined))
  })
})
