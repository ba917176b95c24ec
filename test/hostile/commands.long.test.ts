/**
 * Tests commands on hostile files: each command ends with little CPU time and memory, and reports the parts that it
 * left out.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cases } from "./commands/inputs.ts"
import { bundled } from "../support/command.ts"
import { bounds, reading, run } from "./commands/measure.ts"

/** The text that a command prints, by command and input. */
const outputs: Readonly<Record<string, RegExp>> = {
  "replay a line of 200 MB": /longer than 64 MB/,
  "replay 250,000 distinct calls in a line": /takes too much memory\. It has more than 1000000 objects and lists\./,
  "replay 300,000 calls of one message": /has 300000 calls: only the first 20000 are read\./,
  "replay 60,000 answers of one message in reverse order": /has 60000 calls: only the first 20000 are read\./,
  "replay 1,000,000 tools without schemas": /Write one JSON value per line/,
  "replay 200,000 lone surrogates": /arguments_too_large/,
  "replay 3,000 conditions in allOf": /multiplies definitions without limit/,
  "replay 20,000 names of tools": /This conversation is left out: the log has more than 2000 different tools/,
  "replay 5,000 schemas of one tool": /has more than 2000 different tools/,
  "replay 1,000,000 invalid lines": /999,990 more/,
  "replay 1 GB of empty lines in gzip": /unpacks to more than 200 times its size/,
  // which limit is met first depends on how far the file is read ahead
  "replay 2 GB of zeros in gzip":
    /unpacks to more than 200 times its size|longer than 64 MB|A line has more than 1000 MB/,
  "lint 600 MB": /input\.json has more than 32 MB\./,
  "diff 600 MB": /input\.json has more than 32 MB\./,
  "openapi 600 MB": /input\.json has more than 32 MB\./,
  "openapi 9 MB of brackets": /more than 1000000 objects and lists/,
  "openapi 1,000 schemas of 50 references": /too large in total: the remaining schemas accept any value/,
  "openapi 20,000 paths of one schema": /20000 operations: only the first 2000 are read/,
  "lint 500,000 duplicates of a key": /more than 300000 values/,
  "lint OpenAPI: 20,000 paths of one schema":
    /input\.json has 20000 operations; at most 2000 are read\. Split the document\./,
  "lint OpenAPI: 2,000 paths of one schema": /There are more than 20000 findings\. Lint fewer tools at once/,
  "lint 20,000 tools": /has 20000 tools; at most 2000 are read\./,
  "lint `$ref` chain of 20,000": /0 errors/,
  "diff 90 levels": /parts below 64 levels are not compared|not proven/,
  "diff `$ref` chain of 20,000": /parameters\.q no longer accepts a string/,
  "diff 20,000 patternProperties": /^ ?Breaking .*parameters/,
  "diff 3,000 conditions in allOf": /this takes more than 200000 steps/,
  "diff nested repetition": /no longer|not proven/,
  "diff enum of 200,000": /more than 300000 values/
}

const folder = mkdtempSync(join(tmpdir(), "hostile-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("a hostile file", () => {
  it.each(Object.entries(outputs))(
    "13.1, 13.3, 13.4 %s ends within its limits and says why",
    async (name, sentence) => {
      const found = cases.find(({ command, input }) => `${command} ${input}` === name)
      assert.isDefined(found)
      const { args, files } = await found.make(folder)
      const { code, cpu, megabytes, output } = await run(bundled, args, folder)
      assert.isNotNull(code)
      assert.match(output.replace(/\s+/gu, " "), sentence)
      // what only reading the files takes is measured if it decides
      assert.isBelow(cpu < bounds.cpu ? cpu : cpu - (await reading(files, folder)), bounds.cpu)
      assert.isBelow(megabytes, bounds.megabytes)
    }
  )
})
