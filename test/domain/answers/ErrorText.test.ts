/** Tests which texts are only an error, and which only contain one. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { errorIn, errorInsteadOfJson, isStatus, readsAsFailure } from "#domain/answers/ErrorText"

describe("readsAsFailure", () => {
  for (const [given, expected] of [
    [["Endpoint does not exist"], true],
    [["Permission denied"], true],
    [["hello"], false],
    [["Permission denied, file created"], false],
    [["no results found"], false],
    [["There are no orders available"], false],
    [["user not found"], true],
    [["The user was not found"], true],
    [["no such file"], true],
    [["no orders"], false]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [message] = given
      assert.deepStrictEqual(asJson(readsAsFailure(message)), expected)
    })
})

describe("isStatus", () => {
  for (const [given, expected] of [
    [["503 Service Unavailable"], true],
    [["Forbidden"], true],
    [["forbidden."], true],
    [["Error: Forbidden"], true],
    [["Error: 404"], true],
    [["HTTP/1.1 404 Not Found"], true],
    [["404"], true],
    [["450 EUR"], false],
    [["512 rows"], false],
    [["501 Market Street"], false],
    [["hello"], false],
    [["200 OK"], false],
    [["404 Not Found, 500 times"], true],
    [["The page 404"], false],
    [["Not Found"], true],
    [["404 Not Found " + "x".repeat(106)], true],
    [["404 Not Found " + "x".repeat(107)], false]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [line] = given
      assert.deepStrictEqual(asJson(isStatus(line)), expected)
    })
})

describe("errorIn", () => {
  for (const [given, expected] of [
    [["Error: it broke"], "Error: it broke"],
    [["  ❌ Error: it broke "], "Error: it broke"],
    [["error: 0"], null],
    [["Error: none"], null],
    [["Error: 12 %"], null],
    [["Failed to retrieve the page"], "Failed to retrieve the page"],
    [["Permission denied"], "Permission denied"],
    [["Warning: it was not found"], null],
    [["警告: not found"], null],
    [["hello"], null],
    [[""], null],
    [["   "], null],
    [["503 Service Unavailable"], "503 Service Unavailable"],
    [["系统繁忙，请稍后再试"], "系统繁忙，请稍后再试"],
    [
      [
        "系统繁忙，请稍后再试。系统繁忙，请稍后再试。系统繁忙，请稍后再试。系统繁忙，请稍后再试。系统繁忙，请稍后再试。系统繁忙，请稍后再试。"
      ],
      null
    ],
    [["Invalid token given"], "Invalid token given"],
    [["invalid thing"], "invalid thing"],
    [["Invalid thing created"], null],
    [["You exceeded your current quota"], "You exceeded your current quota"],
    [["You exceeded your current quota. The Cats sleep"], null],
    [["You exceeded your current quota. Please wait"], "You exceeded your current quota. Please wait"],
    [["You exceeded your current quota and exited with code 1"], null],
    [["He wrote 'You exceeded your current quota' once"], null],
    [["The table of the token"], null],
    [["Unauthorized token for the API key"], "Unauthorized token for the API key"],
    [["user not found"], "user not found"],
    [["Error: it broke\n    at find (/srv/a.js:1:2)\n    at main (/srv/a.js:3:4)"], "Error: it broke"],
    [["Error: it broke\nat x\nat y"], "Error: it broke\nat x\nat y"],
    [["Error: it broke\nCats sleep"], null],
    [["Error: it broke\n- a\n- b"], "Error: it broke\n- a\n- b"],
    [["Error: it broke\nPlease retry"], "Error: it broke\nPlease retry"],
    [["ERROR:\nIt broke there"], "It broke there"],
    [["ERROR:\n  "], null],
    [["error!\nIt broke"], "It broke"],
    [["success: false\nIt broke"], "It broke"],
    [["# Search Failed\n\nError searching for chairs"], "Error searching for chairs"],
    [["# Search Failed\n\nCats sleep"], null],
    [["Search error\nthe thing failed"], "the thing failed"],
    [["Search failed\n"], null],
    [["Something bad:\nthe cause"], null],
    [["Error: bad:\nthe cause\nof it\nand all"], "Error: bad:\nthe cause\nof it\nand all"],
    [["Error: bad:\nthe cause\nof it\nand all\nmore"], null],
    [["Error: bad:\n12 rows"], "Error: bad:\n12 rows"],
    [["Error: bad:\n[x]"], null],
    [["404 Not Found\nnginx"], "404 Not Found"],
    [["404 Not Found\n500 Oops"], null],
    [["http 404 not found\nx"], "http 404 not found"],
    [["Error: 404 Not Found\nx"], "Error: 404 Not Found"],
    [["hello\n    at find (/srv/a.js:1:2)\n    at main (/srv/a.js:3:4)"], null],
    [["hello failed\n    at find (/srv/a.js:1:2)\n    at main (/srv/a.js:3:4)"], "hello failed"],
    [["TypeError: x is null\n    at find (/srv/a.js:1:2)\n    at main (/srv/a.js:3:4)"], "TypeError: x is null"],
    [["TypeError: x is null\n    at find (/srv/a.js:1:2)\n    at main (/srv/a.js:3:4)\na\nb\nc\nd\ne\nf"], null],
    [
      ["TypeError: x is null\n    at find (/srv/a.js:1:2)\n    at main (/srv/a.js:3:4)\na\nb\nc\nd\ne"],
      "TypeError: x is null"
    ],
    [["TypeError: x\n    at find (/srv/a.js:1:2)"], "TypeError: x\n    at find (/srv/a.js:1:2)"],
    [
      ['Traceback (most recent call last):\n  File "a.py", line 3\n  File "b.py", line 4\nValueError: bad value'],
      "ValueError: bad value"
    ],
    [
      ['Traceback (most recent call last):\n  File "a.py", line 3\n  File "b.py", line 4\nbye'],
      'Traceback (most recent call last):\n  File "a.py", line 3\n  File "b.py", line 4\nbye'
    ],
    [
      ["2 validation errors:\n```json\n[]\n```\n\nFix the errors and try again."],
      "2 validation errors:\nFix the errors and try again."
    ],
    [["x\ny\n\nFix the error and call it again, please now."], "x\nFix the error and call it again, please now."],
    [
      ["fatal: not a git repository\nStopping at filesystem boundary"],
      "fatal: not a git repository\nStopping at filesystem boundary"
    ],
    [
      ["ERROR: duplicate key value violates unique constraint\nDETAIL: x"],
      "ERROR: duplicate key value violates unique constraint\nDETAIL: x"
    ],
    [
      ["ERROR: duplicate key value violates unique constraint\n12 rows"],
      "ERROR: duplicate key value violates unique constraint\n12 rows"
    ],
    [["psql: error: connection refused\nIs it on"], "psql: error: connection refused\nIs it on"],
    [["Missing required parameter: shop"], "Missing required parameter: shop"],
    [["2025-01-01 ERROR x\n2025 INFO y"], null],
    [["Error: it broke" + " x".repeat(293)], null],
    [
      ["Error: " + "x".repeat(593)],
      "Error: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    ],
    [["Error: " + "x".repeat(594)], null],
    [
      ["Error: it broke" + "\n  detail".repeat(60)],
      "Error: it broke\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail\n  detail"
    ],
    [["Error: it broke" + "\n  detail".repeat(500)], null],
    [
      ["Invalid token " + "x".repeat(236)],
      "Invalid token xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    ],
    [["Invalid token " + "x".repeat(237)], null],
    [
      ["Search failed\nError: " + "x".repeat(700)],
      "Error: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    ],
    [
      ["Error: bad:\n" + "x".repeat(200)],
      "Error: bad:\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    ],
    [["Error: bad:\n" + "x".repeat(201)], null]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(errorIn(text)), expected)
    })
})

describe("errorInsteadOfJson", () => {
  for (const [given, expected] of [
    [["Error: it broke"], "Error: it broke"],
    [["out of memory"], "out of memory"],
    [["内存不足"], "内存不足"],
    [[" unauthorized access "], "unauthorized access"],
    [["permission denied"], "permission denied"],
    [["service unavailable"], "service unavailable"],
    [["hello"], null],
    [["user not found"], "user not found"],
    [["out of memory\nx"], null],
    [["out of memory. The Cats"], null],
    [["connection reset, file saved"], null],
    [
      ["out of memory " + "x".repeat(86)],
      "out of memory xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    ],
    [["out of memory " + "x".repeat(87)], null]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(errorInsteadOfJson(text)), expected)
    })
})
