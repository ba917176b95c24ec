/** Tests which lines of an error are stack frames, and that other lines reach the model. */
import { assert, describe, it } from "@effect/vitest"
import { isFrame } from "#domain/classification/StackFrame"
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import { dropStacks } from "#domain/redaction/StackTraces"
import { reported } from "#src/mcp/remote/ToolError"

const frames = [
  "at handler (/srv/app/index.js:10:5)",
  "at async Promise.all (index 0)",
  "at path.join (node:path:10:5)",
  "at index (/srv/app/index.js:10:5)",
  "at line (file:///srv/line.mjs:3:1)",
  "at new Parser (file:///srv/parser.mjs:3:1)",
  "at Object.<anonymous> (/srv/app.js:1:1)",
  "at Array.map (<anonymous>)",
  "at Function.load [as _load] (node:internal/modules/cjs/loader:1104:12)",
  "at node:internal/process/task_queues:95:5",
  "at async file:///srv/app.mjs:7:3",
  "at /srv/app/index.js:10:5",
  "at C:\\srv\\app\\index.js:10:5",
  "at <anonymous>",
  "at com.example.Orders.find(Orders.java:42)",
  "at java.base/java.lang.Thread.run(Thread.java:829)",
  "at jdk.internal.reflect.NativeMethod.invoke0(Native Method)",
  "at Shop.Orders.Find(String id) in /src/Orders.cs:line 42",
  'File "/srv/app.py", line 3',
  'File "/srv/app.py", line 3, in <module>',
  "^^^^",
  "... 12 more"
]

const words = [
  "at line 1, column 5: unexpected token",
  "at line 1",
  "at line 1 (column 5)",
  "at line 1 (input.json:5)",
  "at column 5 (config.yaml:3:5)",
  "at position 17",
  "at offset 12 of the body",
  "at least 3 items are required",
  "at most one of a and b may be set",
  "at /items/0: expected a number",
  "at $.items[0].name",
  "at path (root)",
  "at the end of the month the account is closed",
  "at 10:30 the server restarts (see the notice)",
  'File "report.txt" not found',
  'File "report.txt", which line 3 names, is empty',
  "^ expected a comma",
  "~/notes.txt does not exist"
]

describe("stack frames", () => {
  for (const frame of frames) {
    it(`4.15 ${frame} is removed from the words of an error`, () => {
      assert.isTrue(isFrame(frame))
      assert.strictEqual(UpstreamWords.ofText(`It broke\n    ${frame}`), "It broke")
    })
  }

  for (const line of words) {
    it(`4.4 the model reads "${line}" if a tool reports it`, () => {
      assert.strictEqual(UpstreamWords.ofText(`Parse error\n  ${line}`), `Parse error ${line}`)
      const result = { isError: true, content: [{ type: "text", text: `Parse error\n${line}` }] }
      assert.strictEqual(reported(result, false)?.message, `Parse error ${line}`)
    })
  }

  for (const line of words.slice(0, 7)) {
    it(`4.15 the redactor keeps "${line}"`, () => {
      for (const text of [`Parse error ${line}`, `Parse error\n  ${line}`]) assert.strictEqual(dropStacks(text), text)
    })
  }
})
