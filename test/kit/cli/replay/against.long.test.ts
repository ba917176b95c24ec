/** Runs `toolguard replay --against` as a process. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-against-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const log = "examples/traffic/monday.jsonl"
const next = "examples/diff/tools.json"
const module = "test/kit/cli/replay/replayTools.ts"

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe("toolguard replay --against", () => {
  it("13.1 prints the calls whose outcome differs first, in lines of at most 100 columns", async () => {
    const { code, stderr, stdout } = await toolguard(["replay", log, "--against", next])
    assert.deepStrictEqual([code, stderr], [0, ""])
    // the command to paste stays on one line
    const lines = stdout.split("\n").filter((line) => !line.startsWith("Report such calls only: toolguard "))
    assert.isAtMost(Math.max(...lines.map(({ length }) => length)), 100)
    assert.match(
      stdout,
      /^What changes with examples\/diff\/tools\.json in place of the log\n3 of 27 calls \(11\.1 %\)/
    )
    assert.match(stdout, /arguments refused +refund_order +reason +missing +1 +100 % +monday\.jsonl:4#2\n/)
    assert.match(stdout, /\n\n6 conversations, 6 turns, 27 calls/)
  })

  it("13.1 has the comparison in the JSON and on the page, and the same other findings as without it", async () => {
    const page = join(folder, "report.html")
    const { stdout } = await toolguard(["replay", log, "--against", next, "--json", "--html", page])
    const { comparison, ...report } = JSON.parse(stdout)
    assert.deepStrictEqual(report, JSON.parse((await toolguard(["replay", log, "--json"])).stdout))
    assert.deepStrictEqual(
      { ...comparison, causes: comparison.causes.length },
      { before: "the log", after: next, calls: 26, changed: 3, answered: 3, broken: 1, causes: 2 }
    )
    const markup = readFileSync(page, "utf8")
    assert.match(markup, /<h2 id="versions-title">\s*What changes between the versions <span class="count">3<\/span>/)
    assert.include(markup, "succeeds now")
  })

  it("13.1 fails if a condition on the comparison holds", async () => {
    const run = (conditions: string) => toolguard(["replay", log, "--against", next, "--fail-if", conditions])
    const failed = await run("changed>0.5%")
    assert.strictEqual(failed.code, 1)
    assert.include(failed.stderr, "The condition changed>0.5% holds: 3 of 27 (11.111 %).")
    assert.strictEqual((await run("changed>3,broken>1")).code, 0)
    assert.strictEqual((await run("broken>0")).code, 1)
  })

  it("13.1 compares two files of tools", async () => {
    const relaxed = file("relaxed.json", readFileSync(next, "utf8").replace('"reason"', '"note"'))
    const { code, stdout } = await toolguard(["replay", log, "--tools", next, "--against", relaxed, "--json"])
    assert.strictEqual(code, 0)
    const { after, before } = JSON.parse(stdout).comparison
    assert.deepStrictEqual([before, after], [next, relaxed])
  })

  it("13.1 states in one sentence why versions cannot be compared", async () => {
    const link = join(folder, "link.ts")
    symlinkSync(join(process.cwd(), module), link)
    const broken = file("broken.ts", "throw new Error('no database')\n")
    const text = file("text.json", '{"tools":')
    const other = file(
      "other.jsonl",
      readFileSync(log, "utf8").replaceAll(/search_orders|get_orders?|refund_order/g, "x")
    )
    copyFileSync(next, join(folder, "copy.json"))
    const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, code: number, message: RegExp]> = [
      [[log, "--tools", next, "--against", next], 2, /both name examples\/diff\/tools\.json, so nothing can differ\./],
      [[log, "--tools", module, "--against", link], 2, /both name .*link\.ts, so nothing can differ\./],
      [[log, "--against", broken], 1, /broken\.ts cannot be loaded: no database/],
      [[log, "--against", text], 1, /text\.json:1:\d+ is not valid JSON/],
      [[log, "--against", "absent.ts"], 1, /There is no file absent\.ts\./],
      [[log, "--against", ""], 2, /--against has no file name\./],
      [[other, "--against", next], 1, /The log has no call of a tool of examples\/diff\/tools\.json, so nothing was/],
      [[log, "--fail-if", "changed>0"], 2, /"changed>0" counts differences between two versions\./],
      [[log, "--against", next, "--fail-if", "change>0"], 2, /"change>0" is not a condition\.\n.*changed, broken/]
    ]
    for (const [args, code, message] of cases) {
      const ended = await toolguard(["replay", ...args])
      assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], args.join(" "))
      assert.match(ended.stderr, message)
      assert.isAtMost(ended.stderr.trim().split("\n").length, 2)
    }
  })
})
