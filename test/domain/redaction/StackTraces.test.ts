import { dropStacks } from "#domain/redaction/StackTraces"
import { assert, describe, it } from "@effect/vitest"

const drops: ReadonlyArray<readonly [name: string, text: string, left: string]> = [
  [
    "JavaScript",
    "TypeError: x is not a function\n    at Object.run (/srv/a.js:1:2)\n    at async Promise.all (index 0)\n    at node:internal/x:95:5\n    at new Foo (<anonymous>)",
    "TypeError: x is not a function"
  ],
  [
    "JavaScript on one line",
    "TypeError: x at foo (/srv/a.ts:12:5) at processTicks (node:internal/q:95:5)",
    "TypeError: x"
  ],
  [
    "JavaScript in JSON",
    String.raw`{"stack":"Error: x\n    at foo (/srv/a.ts:12:5)\n    at /srv/b.ts:1:1"}`,
    `{"stack":"Error: x"}`
  ],
  [
    "Python",
    'before\nTraceback (most recent call last):\n  File "/srv/a.py", line 3, in <module>\n    foo()\n    ^^^^^\nValueError: bad value',
    "before\nValueError: bad value"
  ],
  [
    "Python on one line",
    'Traceback (most recent call last): File "/srv/a.py", line 3, in foo x() ValueError: bad value',
    "ValueError: bad value"
  ],
  [
    "Java",
    "java.lang.IllegalStateException: x\n\tat com.foo.Bar.baz(Bar.java:12)\n\tat com.foo.Main.main(Main.java)\nCaused by: java.io.IOException: disk\n\t... 3 more",
    "java.lang.IllegalStateException: x\nCaused by: java.io.IOException: disk"
  ],
  [
    ".NET",
    "System.Exception: x\n   at App.Program.Main(String[] args) in C:\\app\\Program.cs:line 5",
    "System.Exception: x"
  ],
  ["Go", "panic: x\n\ngoroutine 1 [running]:\n\t/srv/main.go:10 +0x1d", "panic: x"],
  [
    "Go with arguments",
    "panic: x\n\ngoroutine 1 [running]:\nmain.handler(0xc0000b2000, 0x3)\n\t/srv/main.go:10 +0x1d\nmain.(*Server).run({0x1, 0x2}, ...)\n\t/srv/s.go:3 +0x2\ncreated by main.main in goroutine 1\nexit status 2",
    "panic: x"
  ],
  [
    "Elixir",
    "** (RuntimeError) boom\n    (app 0.1.0) lib/app/server.ex:12: App.Server.handle_call/3\n    (stdlib 3.17) gen_server.erl:721: :gen_server.try_handle_call/4",
    "** (RuntimeError) boom"
  ],
  [
    "a Python exception group",
    '  + Exception Group Traceback (most recent call last):\n  |   File "/srv/a.py", line 3, in <module>\n  |     raise ExceptionGroup("x", [])\n  | ExceptionGroup: x (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File "/srv/b.py", line 1, in f\n    |     g()\n    | ValueError: bad\n    +------------------------------------',
    "ExceptionGroup: x (1 sub-exception)\nValueError: bad"
  ],
  [
    "HTML",
    "<pre>Error: boom<br> &nbsp; &nbsp;at /srv/app.js:5:9<br> &nbsp; &nbsp;at Layer.handle [as handle_request] (/srv/node_modules/x.js:95:5)<br /></pre>",
    "<pre>Error: boom<br /></pre>"
  ],
  ["Ruby", "undefined method `x'\n\tfrom /srv/a.rb:3:in `foo'", "undefined method `x'"],
  ["PHP", "PHP Fatal error: x\nStack trace:\n#0 /srv/a.php(3): foo()\n#1 {main}", "PHP Fatal error: x"]
]
const keeps: ReadonlyArray<string> = [
  "Order placed at the shop (Main Street 3)",
  "call main.run(...) or f(0, 1)",
  "| a | b |\n| 1 | 2 |",
  "config at /etc/app/app.conf:3 is broken",
  "Retry at 10:30\nat the latest",
  "We met\nat noon (today)\n  at the shop (Main Street 3)",
  "Issue #1 is open\nand #2 is not",
  "File not found, see line 3",
  "stack overflow of orders"
]

describe("StackTraces", () => {
  for (const [name, text, left] of drops) {
    it(`4.15 drops the frames of ${name}`, () => assert.strictEqual(dropStacks(text), left))
  }
  for (const text of keeps) {
    it(`4.15 keeps: ${text.replace(/\n/g, " ")}`, () => assert.strictEqual(dropStacks(text), text))
  }
})
