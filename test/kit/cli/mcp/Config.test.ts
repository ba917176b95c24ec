/** Tests the configuration files of the proxy. */
import { assert, describe, it } from "@effect/vitest"
import * as Config from "#kit/cli/mcp/Config"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Returns the tools of a configuration, or the message of the problem without its folder. */
const read = (tools: object) => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-config-"))
  const file = join(folder, "proxy.json")
  writeFileSync(file, JSON.stringify({ tools }))
  return Effect.runPromise(
    Effect.match(Config.read(file), {
      onFailure: ({ message }) => message.replace(`${folder}/`, ""),
      onSuccess: (config) => config.tools
    })
  ).finally(() => rmSync(folder, { recursive: true }))
}

const poll = { interval: "1 second", deadline: "5 minutes", until: { path: "status", in: ["done", "failed"] } } as const

describe("the configuration of the proxy", () => {
  it("7.2 states polls, access, idempotency, budgets and loops of tools", async () => {
    const tools: Config.Config["tools"] = {
      get_status: { access: "read", poll, budget: 4 },
      "get_*": { poll: false },
      add_item: { access: "write", idempotency: "derived", enforce: { share: 0.1 } },
      press_key: { repeats: "allowed", loop: { identical: 3, cycles: 4, sameFailure: 5, noProgress: 9, repeats: 20 } }
    }
    assert.deepStrictEqual(await read(tools), tools)
  })

  it("2.12 is refused with the place of an unknown, invalid or contradictory setting", async () => {
    const problems = [
      [{ act: { loop: { cycles: 11 } } }, /^proxy\.json: tools\.act\.loop\.cycles: /],
      [{ act: { loop: { repeat: 3 } } }, /^proxy\.json: tools\.act\.loop\.repeat: unknown field\.$/],
      [
        { act: { budget: 1, retry: { attempts: 2 } } },
        /^proxy\.json: tools\.act: in its policy, `budget` is 1, below `retry\.attempts`, which is 2/
      ],
      [
        { act: { access: "read", loop: { repeats: 3 } } },
        /tools\.act: `loop\.repeats` is for writes, but `access` is read/
      ],
      [{ act: { poll: { ...poll, every: 3 } } }, /^proxy\.json: tools\.act\.poll\.every: unknown field\.$/],
      [
        { act: { poll: { ...poll, interval: "soon" } } },
        /^proxy\.json: tools\.act\.poll\.interval: expected a duration/
      ],
      [{ act: { poll: { interval: "1 second", deadline: "1 minute" } } }, /^proxy\.json: tools\.act\.poll\.until: /],
      [{ act: { poll: { ...poll, until: { path: "", in: ["a"] } } } }, /tools\.act: `poll\.until\.path` must be/],
      [{ act: { poll: { ...poll, until: { path: "a", in: [] } } } }, /tools\.act: `poll\.until\.in` must be a list/],
      [
        { act: { poll: { ...poll, deadline: "500 millis" } } },
        /tools\.act: `poll\.deadline` is 500ms, below `poll\.int/
      ],
      [
        { act: { enforce: { share: 2 } } },
        /^proxy\.json: tools\.act: `enforce\.share` is 2; write a number from 0 to 1/
      ],
      [{ act: { enforce: { share: "0.1" } } }, /^proxy\.json: tools\.act\.enforce/],
      [{ act: { enforce: {} } }, /^proxy\.json: tools\.act\.enforce/],
      [{ act: { repeats: "never" } }, /^proxy\.json: tools\.act\.repeats: /],
      [{ act: { access: "read", repeats: "once" } }, /tools\.act: `repeats` is about writes, but `access` is read/],
      [{ act: { poll, idempotency: "derived" } }, /tools\.act: `poll` repeats a call, but with `idempotency` derived/],
      [
        { act: { access: "read", idempotency: "derived" } },
        /tools\.act: `idempotency` is derived, but `access` is read/
      ],
      [{ "a*": { access: "write" }, "*": { retry: { attempts: 2 } } }, /tools\.a\*: a write is retried only with `idem/]
    ] as const
    for (const [tools, problem] of problems) assert.match(String(await read(tools)), problem)
  })
})
