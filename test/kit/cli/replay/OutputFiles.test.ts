/** Tests which files a replay may write. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as OutputFiles from "#kit/cli/replay/OutputFiles"

const folder = mkdtempSync(join(tmpdir(), "replay-output-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string, text?: string): string => {
  const file = join(folder, name)
  if (text !== undefined) writeFileSync(file, text)
  return file
}
const log = at("log.jsonl", '{"messages":[]}')
const page = at("report.html", "<!DOCTYPE html>\n<html></html>")
const blank = at("blank.html", "")
const dangling = at("dangling.ts")
symlinkSync(at("nowhere.ts"), dangling)
const linked = at("linked.html")
symlinkSync(log, linked)
mkdirSync(at("folder"))
mkdirSync(at("folder.ts"))

/** Returns the exit code and the first sentence; `undefined` if the files may be written. */
const refusal = (html: string | undefined, proposals?: string) =>
  OutputFiles.check(html, proposals).pipe(
    Effect.match({
      onSuccess: () => undefined,
      onFailure: ({ exitCode, message }): unknown => [exitCode, message]
    })
  )

describe("the files that a replay writes", () => {
  it.effect("13.1 a page replaces an HTML page or an empty file, but not a log, a link to a log or a folder", () =>
    Effect.gen(function* () {
      for (const file of [page, blank, at("new.html"), "/dev/null"]) assert.isUndefined(yield* refusal(file), file)
      assert.deepStrictEqual(yield* refusal(log), [1, `The file ${log} exists and is not an HTML page.`])
      assert.deepStrictEqual(yield* refusal(linked), [1, `The file ${linked} exists and is not an HTML page.`])
      assert.deepStrictEqual(yield* refusal(at("folder")), [1, `${at("folder")} is a folder.`])
    })
  )

  it.effect("13.1 proposals replace nothing, not even an empty file or a link without a target", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* refusal(undefined, at("new.ts")))
      for (const file of [at("old.ts", ""), at("old.json", "{}"), dangling]) {
        assert.deepStrictEqual(yield* refusal(undefined, file), [1, `The file ${file} already exists.`])
      }
      assert.deepStrictEqual(yield* refusal(undefined, at("folder.ts")), [1, `${at("folder.ts")} is a folder.`])
    })
  )

  it.effect(
    "13.1 the ending of the file name decides if proposals are TypeScript or JSON Schema, and other endings are refused",
    () =>
      Effect.gen(function* () {
        for (const name of ["new.ts", "NEW.TS", "new.mts", "new.cts", "new.json", "NEW.JSON"])
          assert.isUndefined(yield* refusal(undefined, at(name)), name)
        for (const name of ["new.yaml", "new", "new.ts.bak", "json"]) {
          const [code, message] = (yield* refusal(undefined, at(name))) as readonly [number, string]
          assert.strictEqual(code, 2)
          assert.include(message, at(name))
        }
        assert.deepStrictEqual([OutputFiles.isJson("NEW.JSON"), OutputFiles.isJson("new.ts")], [true, false])
      })
  )

  it.effect.skipIf(!existsSync("/proc/self"))(
    "13.1 a folder that accepts no new files is refused, even if its permissions allow them",
    () =>
      Effect.gen(function* () {
        const refused = [1, "Cannot write /proc/new.ts: its folder accepts no new file."]
        assert.deepStrictEqual(yield* refusal(undefined, "/proc/new.ts"), refused)
      })
  )

  it.effect(
    "13.1 a missing folder, a file in place of a folder, an empty name, and one name for both files are refused",
    () =>
      Effect.gen(function* () {
        const lost = at("missing/report.html")
        assert.deepStrictEqual(yield* refusal(lost), [1, `The folder of ${lost} does not exist.`])
        const lostToo = at("missing/new.ts")
        assert.deepStrictEqual(yield* refusal(undefined, lostToo), [1, `The folder of ${lostToo} does not exist.`])
        assert.deepStrictEqual(yield* refusal(join(log, "report.html")), [1, `${log} is not a folder.`])
        assert.deepStrictEqual(yield* refusal(undefined, join(log, "new.ts")), [1, `${log} is not a folder.`])
        const deep = join(log, "folder", "new.ts")
        assert.deepStrictEqual(yield* refusal(undefined, deep), [1, `The folder of ${deep} does not exist.`])
        assert.deepStrictEqual(yield* refusal(""), [2, "--html has no file name."])
        assert.deepStrictEqual(yield* refusal(undefined, ""), [2, "--propose has no file name."])
        const both = at("both.ts")
        assert.deepStrictEqual(yield* refusal(both, join(folder, "folder", "..", "both.ts")), [
          2,
          `--html and --propose both name ${both}.`
        ])
      })
  )
})
