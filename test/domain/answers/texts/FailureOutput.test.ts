/** Tests which short texts consist of a failure and what belongs to it. */
import { assert, describe, it } from "@effect/vitest"
import { failureOutputIn } from "#domain/answers/texts/FailureOutput"

const E = "Error: connection refused"
const O = "Cats sleep here"
const lines: Readonly<Record<string, string>> = {
  E,
  O,
  D: "    at find (/srv/a.js:1:2)",
  R: "WARN disk is full",
  S: "Order created"
}

/** Returns lines by their letters: errors (E), details (D), remarks (R), successes (S) and others (O). */
const output = (letters: string): string => [...letters].map((letter) => lines[letter] ?? "").join("\n")

describe("the lines of an output", () => {
  for (const letters of [
    "EDD",
    "DE",
    "EO",
    "EOO",
    "EEOO",
    "EEEOOO",
    "OE",
    "OOE",
    "OEO",
    "ORE",
    "OERE",
    "RE",
    "RRE",
    "REEE",
    "ESE",
    "ESO",
    "ESSE",
    "ERO",
    "DEO",
    "DOE",
    "OEOE",
    "OEOEE",
    "ROE",
    "EESOE",
    "OED",
    "OEEOE"
  ])
    it(`3.4 ${letters} are a failure`, () =>
      assert.strictEqual(failureOutputIn(output(letters)), output(letters).trim()))

  for (const letters of [
    "EOOO",
    "EEOOO",
    "OOEO",
    "OER",
    "RRRE",
    "SE",
    "ES",
    "ER",
    "DOEO",
    "OO",
    "REO",
    "DREO",
    "OOED",
    "OOOE"
  ])
    it(`3.4 ${letters} are no failure`, () => assert.isUndefined(failureOutputIn(output(letters))))
})

describe("failureOutputIn", () => {
  for (const text of [
    E,
    "error: bad gateway",
    "You do not have access",
    "Fatal: it broke. Then We left it",
    [E, "", O].join("\n"),
    ["404: Not Found", E].join("\n"),
    ["AB-1 [open] Error: x", E].join("\n"),
    ["- Error: a", "- Error: b"].join("\n"),
    ["Name: Error: a", "Place: failed", "Time: failed", "Kind: failed"].join("\n"),
    ["Error: a failed", "Place: failed", "Time: failed", "Kind: failed"].join("\n"),
    ["Name: a", "Place: Error: failed", "Time: failed"].join("\n"),
    ["404 | NotFound | Error: x", "405 | NotFound | Error: x", E, E].join("\n"),
    ["const x = 1", E, E].join("\n"),
    ["const x = 1", "// comment", E, E, E, E, E].join("\n"),
    ["const x = 1", E].join("\n"),
    "Error: meta=a content=[]",
    "Error: connection refused meta=None content=[]",
    "< HTTP/1.0 405 METHOD NOT ALLOWED\n< Allow: GET"
  ])
    it(`3.4 ${JSON.stringify(text).slice(0, 80)} is a failure`, () => assert.strictEqual(failureOutputIn(text), text))

  for (const [text, message] of [
    ["\u001B[31mError: connection refused\u001B[0m", "Error: connection refused"],
    ["\u001B[1;31mError: connection refused\u001B[0m ", "Error: connection refused"],
    ["{ status: false, message: 'no such key' }", "no such key"],
    [
      `{ status: false, message: '${"x ".repeat(400)}' }`,
      "x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x "
    ],
    ["<Error><Code>NoSuchKey</Code><Message>The key was not found</Message></Error>", "The key was not found"],
    ["{Error: not found}", "not found"],
    ["[2024-12-12 13:25:11] ERROR: Received unregistered task", "Received unregistered task"],
    ["result: {Error: not found", "not found"],
    ["result = {'a': 1, 'error': 'it was not found'}", "it was not found"],
    [`{Error: not found ${"x".repeat(600)}`, "not found xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
    ["{Error: not found\nx", "not found"],
    ['2025-09-16T20:01:46+01:00 {"level":"error","message":"history failed","app":"x"}', "history failed"],
    ['2025-09-16T20:01:46+01:00 {"level":"FATAL","msg":"history failed"}', "history failed"],
    ['2025-09-16T20:01:46+01:00 {"level":"critical","app":"x"}', '{"level":"critical","app":"x"}']
  ] as const)
    it(`3.4 ${JSON.stringify(text).slice(0, 80)} says: ${message}`, () =>
      assert.strictEqual(failureOutputIn(text), message))

  for (const text of [
    `Error: ${"x".repeat(2993)}`,
    `Error: ${"x".repeat(700)}`,
    Array(60).fill(E).join("\n"),
    `2025-09-16T20:01:46+01:00 {"level":"error","x":"${"y".repeat(700)}"}`
  ])
    it(`3.4 the message of ${JSON.stringify(text).slice(0, 60)}… has 600 characters`, () =>
      assert.strictEqual(failureOutputIn(text)?.length, 600))

  for (const text of [
    O,
    lines["R"] ?? "",
    lines["S"] ?? "",
    "The user was not found",
    "You do not have access. Cats sleep. Dogs bark. Cows eat.",
    "ERR! it broke. Then We left it. Cows eat",
    ["The user was not found", "The key was not found"].join("\n"),
    ["404: Not Found", "500: Internal Server Error"].join("\n"),
    ["AB-1 [open] Error: x", "AB-2 [open] Error: y"].join("\n"),
    ["- Error: a", "- Error: b", "- Error: c"].join("\n"),
    ["1. Error: a", "2. Error: b", "3. Error: c"].join("\n"),
    ["404 Not Found", "403 Forbidden", "500 Server Error"].join("\n"),
    ["Error: code, a, b", "x, not found, c", "y, failed, d"].join("\n"),
    ["code and text", "x, Error: not found, c", "y, failed, d"].join("\n"),
    ["x, Error: not found, c", "code and text", "y, failed, d"].join("\n"),
    ["AB-1: Error: a", "AB-2: Error: b", "AB-3: Error: c"].join("\n"),
    ["  bool ExitOnError = false", "  bool CrashOnError = false", "ccstr ErrorFile ="].join("\n"),
    ["Why is the Error: x?", "Why is the Error: y?", "Why is the Error: z?"].join("\n"),
    ["404 | NotFound | Error: x", "405 | NotFound | Error: x", "406 | NotFound | Error: x", E].join("\n"),
    ["404 | NotFound | Error: x", "405 | NotFound | Error: x", "406 | NotFound | Error: x"].join("\n"),
    ["const x = 1", "throw new Error('a')", E].join("\n"),
    ["const x = 1", "// comment", E, E, E, E].join("\n"),
    "# Errors\n\nError: 503 means that the service is away.",
    "usage: a\noptions: b\nError: x",
    "12 passed\nError: x failed",
    "**Heading**\nError: x was not found",
    "From: a\nTo: b\nError: x",
    "meta=None content=[] Error: x",
    `Error: ${"x".repeat(2994)}`,
    Array(61).fill(E).join("\n"),
    "",
    "---",
    "\n\n",
    "<html>Error: x was not found</html>",
    "<h1>Error: the page was not found</h1>",
    '{"a": "Error: was not found"}',
    '[1, 2, "not found"]',
    "[12 not found",
    "['not found']",
    "result: [1, 2]",
    "x: <a>Error: not found",
    '2025-09-16T20:01:46+01:00 {"level":"info","message":"history failed"}',
    '2025-09-16T20:01:46+01:00 {"level":"errors","message":"history failed"}',
    '2025-09-16T20:01:46+01:00 {"level":"no error","message":"history failed"}',
    "2025-09-16T20:01:46+01:00 {level: error}",
    '2025-09-16T20:01:46+01:00 {"message":"history failed"}'
  ])
    it(`3.4 ${JSON.stringify(text).slice(0, 80)} states no failure`, () => assert.isUndefined(failureOutputIn(text)))
})
