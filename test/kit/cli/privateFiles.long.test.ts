/** Tests that only the owner can read files that commands write, even with umask 0. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commandLine, proxied } from "../../support/command.ts"
import { hello, hostile, start } from "../../support/McpClient.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-modes-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns a command that runs with umask 0. */
const unmasked = (command: ReadonlyArray<string>) => ["sh", "-c", 'umask 0; exec "$0" "$@"', ...command]

/** Runs a command in the folder. */
const run = (...args: ReadonlyArray<string>): string => {
  const [program = "", ...rest] = unmasked([process.execPath, ...commandLine(args, folder)])
  return execFileSync(program, rest, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
}

const modes = (path = folder): ReadonlyArray<string> =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const file = join(path, entry.name)
    const mode = `${file.slice(folder.length + 1)} ${(statSync(file).mode & 0o777).toString(8)}`
    return entry.isDirectory() ? [mode, ...modes(file)] : [mode]
  })

describe("the files that commands write", () => {
  it("13.8 with umask 0, only the owner can read databases, logs, exports, locks and reports", async () => {
    const at = (name: string) => join(folder, name)
    run("run", "--save", "r1", "--database", "guard.db", "--no-bare")
    run("runs", "export", "r1", "run.jsonl", "--database", "guard.db")
    const flags = ["--lock", at("tools.lock.json"), "--log", at("calls.jsonl"), "--database", at("proxy.db")]
    const client = start(unmasked(proxied(flags, hostile("behaves"))))
    await hello(client)
    await client.ask("tools/list")
    await client.call("act", { n: 1 })
    // the database is open, so SQLite keeps two more files next to it
    assert.includeMembers([...modes()], ["proxy.db 600", "proxy.db-wal 600", "proxy.db-shm 600"])
    await client.end()
    run("calls", "export", "exported.jsonl", "--database", "proxy.db")
    run("golden", "record", "calls.jsonl", "--dir", "expected/golden")
    writeFileSync(
      at("list.json"),
      JSON.stringify({ tools: [{ name: "get_a", description: "Gets.", inputSchema: { type: "object" } }] }),
      { mode: 0o600 }
    )
    run("diff", "list.json", "--lock", "diff.lock.json", "--write")
    run("replay", "calls.jsonl", "--html", "report.html")
    const found = modes()
    const named = ["guard.db", "run.jsonl", "tools.lock.json", "calls.jsonl", "exported.jsonl", "diff.lock.json"]
    for (const name of [...named, "report.html"]) assert.include(found, `${name} 600`)
    assert.include(found, "expected 700")
    assert.include(found, "expected/golden 700")
    assert.deepStrictEqual(
      found.filter((each) => !/ (?:600|700)$/u.test(each)),
      []
    )
  })
})
