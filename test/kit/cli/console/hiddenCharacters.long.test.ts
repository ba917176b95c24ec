/** Runs commands on hostile logs and tool lists: no hidden character reaches the terminal, in text or in JSON [10.6]. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-hidden-"))
afterAll(() => rmSync(folder, { recursive: true }))

const hostile = "x\u202e\u009b2J\u001b[2J\u200b\u2060\ufeff\u2028\u061c\u{e0041}y"
const log = join(folder, "log.jsonl")
const call = (n: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [
      {
        id: `c${n}`,
        type: "function",
        function: { name: `read_${hostile}`, arguments: JSON.stringify({ [hostile]: hostile }) }
      }
    ]
  },
  { role: "tool", tool_call_id: `c${n}`, content: `Error: 404 ${hostile}` }
]
writeFileSync(
  log,
  `${JSON.stringify({ model: "m", messages: [{ role: "user", content: hostile }, ...[1, 2, 3, 4].flatMap(call)] })}\n`
)
const tools = join(folder, "tools.json")
writeFileSync(
  tools,
  JSON.stringify([
    {
      type: "function",
      function: {
        name: `get_${hostile}`,
        description: hostile,
        parameters: { type: "object", properties: { [hostile]: { type: "string", description: hostile } } }
      }
    }
  ])
)

describe("commands on hostile texts", () => {
  for (const args of [
    ["replay", log],
    ["replay", log, "--json"],
    ["explain", `${log}:1#2`],
    ["explain", `${log}:1#2`, "--json"],
    ["lint", tools],
    ["lint", tools, "--format", "json"],
    ["lint", tools, "--format", "sarif"],
    ["infer", log, "--json"]
  ]) {
    it(`10.6 ${args.map((arg) => arg.replace(folder, "")).join(" ")} prints no hidden character`, async () => {
      const { stderr, stdout } = await toolguard(args)
      assert.notStrictEqual(stdout + stderr, "")
      for (const text of [stdout, stderr]) {
        assert.notMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
      }
    })
  }
})
