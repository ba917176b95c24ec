/** Starts the example of a live run from the command line. A browser test covers its page. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { freePort } from "../inbox/support.ts"
import { endWithTest } from "../support/children.ts"

/** Starts the example, and returns its process and its first output. */
const started = async (environment: Readonly<Record<string, string>>) => {
  const child: ChildProcess = endWithTest(
    spawn(process.execPath, ["examples/live/main.ts"], {
      env: { ...process.env, OPENAI_API_KEY: "", OPENAI_BASE_URL: "", ...environment },
      stdio: ["ignore", "pipe", "inherit"]
    })
  )
  const [first] = child.stdout === null ? [] : ((await once(child.stdout, "data")) as ReadonlyArray<Buffer>)
  return { child, printed: String(first) }
}

describe("the example of a live run", () => {
  it("11.2 serves its page, starts and interrupts a run, and exits on SIGTERM", async () => {
    const port = await Effect.runPromise(freePort)
    const { child, printed } = await started({ PORT: String(port), PACE: "1" })
    try {
      const url = `http://127.0.0.1:${port}`
      assert.match(printed, new RegExp(`^Watch a run: ${url}\\nDecide at ${url}/approvals with \\S+\\n`, "u"))
      for (const [path, type] of [
        ["/", "text/html"],
        ["/page.css", "text/css"],
        ["/page.js", "text/javascript"]
      ] as const) {
        const response = await fetch(url + path)
        assert.include(response.headers.get("content-type") ?? "", type)
        assert.include(response.headers.get("content-security-policy") ?? "", "default-src 'none'")
      }
      const response = await fetch(`${url}/runs`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ prompt: "Is there a cactus left?" })
      })
      assert.strictEqual(response.status, 201)
      const { events, id } = (await response.json()) as { readonly events: string; readonly id: string }
      const eventText = fetch(url + events).then((response) => response.text())
      await fetch(`${url}/runs/${id}`, { method: "DELETE" })
      assert.include(await eventText, '"_tag":"End"')
    } finally {
      child.kill("SIGTERM")
    }
    const [code] = (await once(child, "exit")) as ReadonlyArray<number | null>
    assert.include([0, 130, 143, null], code)
  })
})
