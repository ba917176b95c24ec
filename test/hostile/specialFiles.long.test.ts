/**
 * Tests commands on files that are not ordinary text: pipes, devices, folders, circular links and other encodings. A
 * command reads a pipe, or ends with exit code 1 and a message that names the file.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { run } from "../support/children.ts"
import { bundled } from "../support/command.ts"

const folder = mkdtempSync(join(tmpdir(), "special-"))
afterAll(() => rmSync(folder, { recursive: true }))

const list = '{"tools":[]}'
const file = (name: string, content: string | Buffer): void => writeFileSync(join(folder, name), content)
execFileSync("mkfifo", [join(folder, "pipe")])
mkdirSync(join(folder, "folder"))
symlinkSync("second", join(folder, "first"))
symlinkSync("first", join(folder, "second"))
file("list.json", list)
file("packed.json", gzipSync(list))
file("little.json", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(list, "utf16le")]))
file("big.json", Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(list, "utf16le").swap16()]))
file("zip.json", Buffer.from("PK\u0003\u0004".padEnd(100), "latin1"))

/** The commands that read a log, and those that read a list or a document. */
const ofLogs: ReadonlyArray<ReadonlyArray<string>> = [["replay"], ["infer"], ["golden", "record"]]
const ofLists: ReadonlyArray<ReadonlyArray<string>> = [["lint"], ["openapi", "import"], ["diff"]]
const all = [...ofLogs, ...ofLists]

const cases: ReadonlyArray<readonly [file: string, commands: ReadonlyArray<ReadonlyArray<string>>, sentence: RegExp]> =
  [
    ["pipe", all, /pipe is a pipe that no program writes to\.\s+Start the program that writes to it first\./u],
    ["folder", all, /folder is a folder\./u],
    ["first", all, /Cannot read first: ELOOP/u],
    ["/dev/zero", ofLogs, /\/dev\/zero cannot be read\. A line has more than 1000 MB: this is not a log\./u],
    ["/dev/zero", ofLists, /\/dev\/zero has more than 32 MB\./u],
    ["packed.json", ofLists, /packed\.json is compressed \(gzip\)\.\s+Unpack it first/u],
    ["little.json", all, /little\.json is UTF-16 text\.\s+Convert it to UTF-8\./u],
    ["big.json", all, /big\.json is UTF-16 text\.\s+Convert it to UTF-8\./u],
    ["zip.json", all, /zip\.json is a zip archive\.\s+Unpack it first/u]
  ]

describe("a file that is not ordinary text", () => {
  it.each(cases.flatMap(([file, commands, sentence]) => commands.map((command) => [command, file, sentence] as const)))(
    "13.3, 13.4 %j ends with a sentence about %s",
    async (command, file, sentence) => {
      const { code, stderr, stdout } = await run(process.execPath, [bundled, ...command, file], { cwd: folder })
      assert.match(stderr, sentence)
      assert.strictEqual(code, 1)
      assert.notMatch(stdout + stderr, /^\s+at /mu)
    }
  )

  it.each([
    ["lint", `cat list.json | "$0" "$1" lint -`, 0, /0 errors/u],
    ["lint", `"$0" "$1" lint <(sleep 0.2; cat list.json)`, 0, /0 errors/u],
    ["replay", `"$0" "$1" replay <(sleep 0.2; echo '{"messages":[{"role":"user"}]}')`, 0, /^1 conversation,/mu],
    ["replay", `"$0" "$1" replay <(sleep 0.2; echo '{"messages":[]}')`, 1, /The conversation has no messages/u]
  ])("13.3 %s reads the pipe of %s", async (_, script, expected, sentence) => {
    const { code, stderr, stdout } = await run("bash", ["-c", script, process.execPath, bundled], { cwd: folder })
    assert.match(stdout + stderr, sentence)
    assert.strictEqual(code, expected)
  })

  it("13.3 a command that waits for standard input ends when it is interrupted", async () => {
    const script = `timeout --signal INT 4 "$0" "$1" lint - < <(sleep 12)`
    const { stderr } = await run("bash", ["-c", script, process.execPath, bundled], { cwd: folder })
    assert.match(stderr, /Interrupted\./u)
  })
})
