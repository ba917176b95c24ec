/** Tests that a command that ends with an error has written its whole output, also if it is read slowly. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundled } from "../../../support/command.ts"
import { run } from "../../../support/children.ts"
import { read } from "../../../support/sources.ts"

const folder = mkdtempSync(join(tmpdir(), "slow-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("the output of a command", () => {
  it("13.1 reaches a slow reader before the command exits with 1", async () => {
    const log = read("examples/traffic/monday.jsonl")
    writeFileSync(join(folder, "log.jsonl"), log.repeat(300))
    const replay = `"$0" "$1" replay log.jsonl --json --fail-if "loops>=0"`
    const script = `${replay} > whole.json; echo $?; ${replay} | (sleep 2; cat) > piped.json; echo "\${PIPESTATUS[0]}"`
    const { stdout } = await run("bash", ["-c", script, process.execPath, bundled], { cwd: folder })
    assert.strictEqual(stdout, "1\n1\n")
    const [whole, piped] = ["whole.json", "piped.json"].map((name) => readFileSync(join(folder, name), "utf8"))
    assert.isAbove(whole?.length ?? 0, 100_000)
    assert.strictEqual(piped, whole)
  })
})
