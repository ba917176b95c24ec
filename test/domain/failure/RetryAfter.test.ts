/** Reads how long an upstream asks to wait, from headers, fields and messages. */
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
    assert.strictEqual(millis(RetryAfter.fromField("retryAfter", Duration.seconds(4))), 4000)
    for (const forever of [Infinity, Number.MAX_VALUE, "9".repeat(400), "99999999999h", Duration.infinity]) {
      assert.strictEqual(millis(RetryAfter.fromField("retry_after", forever)), 366 * 86_400_000)
    }
  })

  it("4.11 ignores other fields, other types and negative numbers", () => {
    assert.isUndefined(RetryAfter.fromField("after", 3))
    assert.isUndefined(RetryAfter.fromField("retry_after", true))
    assert.isUndefined(RetryAfter.fromField("retry_after", -3))
    assert.isUndefined(RetryAfter.fromField("retry_after", Number.NaN))
    assert.isUndefined(RetryAfter.fromField("retry_after", -Infinity))
    assert.isUndefined(RetryAfter.fromField("retry_after", "-3"))
    assert.isUndefined(RetryAfter.fromField("retry_after", undefined))
  })
})
