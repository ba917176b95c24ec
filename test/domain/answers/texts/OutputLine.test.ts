/** Tests what a line of a program's output is to an answer, and whether it begins with the mark of an error. */
import { assert, describe, it } from "@effect/vitest"
import { isMarked, kindOf } from "#domain/answers/texts/OutputLine"

type Line = readonly [line: string, isMarked: boolean]

const lines: Readonly<Record<string, ReadonlyArray<Line>>> = {
  error: [
    ["ERROR: mean squared 0.3", true],
    ['level=error msg=x err="abc"', true],
    ['x err="abc"', true],
    ['x error="abc"', true],
    ['x err="ab"', true],
    ["INFO x ERROR connection lost", false],
    ["INFO FATAL lost", false],
    [`${"x".repeat(170)} INFO not found`, false],
    ["// the user was not found", false],
    ["gzip: stdout: No space left on device", true],
    ["grep: a: No such file or directory", true],
    ["zipfile.BadZipFile: File is not a zip file", true],
    ["make: *** No rule to make target 'x'.  Stop.", true],
    ["hint: try again later", false],
    ["The user was not found", false],
    ["404 Not Found", true],
    ["Error", true],
    ["Error: no such user", true],
    ["Error: not found", true],
    ["Error: null pointer", true],
    ["Error: 404 Not Found", true],
    ["Error: 0x80070005 access is denied", true],
    ["  Error: x  ", true]
  ],
  detail: [
    ["  interface Foo", false],
    ["cat: x: No-space-left", false],
    ["    at find (/srv/a.js:1:2)", false],
    ["  more detail here", false],
    ["at line 3", false],
    ["│ at main", false],
    ["  │ at main", false],
    ["caused by: nothing", false],
    ['File "a.py", line 3', false],
    ["error: 5", false],
    ["error: 12 %", false],
    ["errors: 0", false],
    ["errors: none, warnings: 2", false],
    ["tests: 4, errors: 0", false]
  ],
  remark: [
    ["WARN disk is full", false],
    ["2025-01-01 WARNING disk is nearly full", false],
    ["DeprecationWarning: x is deprecated and not supported", false],
    ["ABC1234W the disk is not found", false],
    ["2025-01-01 INFO started", false],
    ["INFO x ERROR none, 0 errors", false],
    ["[Line 3 is 80KB, exceeds 50KB limit. Use offset=4 to continue]", false],
    ["[Output truncated]", false]
  ],
  success: [
    ["Order created", false],
    ["The order was created", false],
    ["The user was created but not found", false]
  ],
  other: [
    ["[ERROR] total 3", false],
    ["[error] 0 errors", true],
    ["[error] none", true],
    ["throw new Error('not found')", false],
    ["const x = 1", false],
    ["package main", false],
    ["package main;", false],
    ["package mains are here", false],
    ["interface Foo", false],
    ["2025-01-01 10:00:00 throw new Error(x)", false],
    ["zipfile.ZipFile: Class with methods", false],
    ["x│ at main", false],
    ["plain words here", false],
    [`${"y".repeat(400)} error: not found`, false],
    [`${"y ".repeat(195)}was not found`, false],
    ["error (noun): a mistake", false],
    ["42", false],
    ["---", false],
    ["[a] [b] [c] [d] [e] [f] [g] [h] [i] [j] [k] [l] [m] Error: x", false],
    ["[a] [b] [c] [d] [e] [f] [g] [h] [i] [j] [k] [l] [m] [n] [o] the end", false]
  ]
}

for (const [kind, table] of Object.entries(lines))
  describe(`lines of the kind ${kind}`, () => {
    for (const [line, mark] of table)
      it(`3.4 ${JSON.stringify(line).slice(-80)} is of this kind, ${mark ? "with" : "without"} a mark`, () => {
        assert.strictEqual(kindOf(line), kind)
        assert.strictEqual(isMarked(line), mark)
      })
  })
