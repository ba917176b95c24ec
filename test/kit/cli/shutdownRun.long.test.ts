/** Stops processes of `toolguard run` with SIGTERM during a call. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { endOf, endWithTest } from "../../support/children.ts"
import { root } from "../../support/sources.ts"
import { startBank } from "./Bank.ts"
import { toolguard } from "./toolguard.ts"

// within the project, so that the backend finds the packages
const folder = mkdtempSync(join(root, "test/kit/cli/shutdown-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** A backend whose model pays two bills, one in each round, with a write that the bank delays. */
const backend = join(folder, "backend.ts")
writeFileSync(
  backend,
  `import { Effect, Schema } from "effect"
import { Backend, GuardedTool, Toolbox } from "effect-toolguard"
import * as ScriptedModel from "effect-toolguard/layers/ScriptedModel"
class Pay extends GuardedTool.Service<Pay>()("pay", {
  description: "Pays one bill. Writes.",
  access: "write",
  timeout: "5 minutes",
  parameters: Schema.Struct({ bill: Schema.String }),
  success: Schema.Struct({ paid: Schema.Int })
}) {}
const layer = Pay.layer(() =>
  Effect.promise(async () => ({ paid: Number(await (await fetch(process.env["BANK"] ?? "", { method: "POST" })).text()) }))
)
const clerk = ScriptedModel.layer((prompt) => {
  const at = prompt.content.filter(({ role }) => role === "assistant").length
  return at < 2 ? ScriptedModel.call("pay", { bill: "bill " + at }, "call_" + at) : "Both bills are paid."
})
export const backend = () =>
  Backend.make({ name: "bank", tools: Toolbox.make(Pay), layer, prompt: "Pay.", models: { clerk } })
`
)

/** Starts a run, stops it during its first payment, lets the payment end, and returns the process's exit and output. */
const stopped = async (flags: ReadonlyArray<string>, bank: Awaited<ReturnType<typeof startBank>>) => {
  const args = [join(root, "kit/cli/main.ts"), "run", backend, "--model", "clerk", "--no-bare", ...flags]
  const child = endWithTest(
    spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, BANK: bank.url, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"]
    })
  )
  const ended = endOf(child)
  const draining = new Promise<void>((resolve) =>
    child.stderr.on("data", (text) => (String(text).includes("Shutting down") ? resolve() : undefined))
  )
  await bank.first
  child.kill("SIGTERM")
  await draining
  bank.answer()
  return ended
}

describe("SIGTERM to toolguard run", { timeout: 60_000 }, () => {
  it("12.7 a saved run that is stopped during a call ends after the call, says how it is resumed, and pays each bill once", async () => {
    const bank = await startBank()
    const database = join(folder, "stores.db")
    const first = await stopped(["--save", "job", "-d", database], bank)
    assert.deepStrictEqual([first.code, bank.payments()], [130, 1])
    assert.include(first.stdout, "Interrupted: The run was interrupted.\n")
    assert.include(first.stdout, "The run is saved: resume it with --resume job\n")
    const resumed = await toolguard(["run", backend, "--model", "clerk", "--resume", "job", "-d", database, "--json"], {
      env: { BANK: bank.url }
    })
    assert.strictEqual(resumed.code, 0, resumed.stderr)
    assert.deepInclude(JSON.parse(resumed.stdout).guarded, { ended: "Answered", text: "Both bills are paid." })
    assert.strictEqual(bank.payments(), 2)
    bank.close()
  })

  it("12.7 a run that is not saved and is stopped during a call ends after the call as interrupted, and prints its bill", async () => {
    const bank = await startBank()
    const { code, stdout } = await stopped(["--json"], bank)
    assert.deepStrictEqual([code, bank.payments()], [130, 1])
    const { guarded, resume } = JSON.parse(stdout)
    assert.deepStrictEqual([guarded.ended, guarded.calls, guarded.attempts, resume], ["Interrupted", 1, 1, null])
    bank.close()
  })

  it("12.7 the JSON of a saved run has its id in `resume` while it can be resumed, and null after its end", async () => {
    const bank = await startBank()
    const kept = ["-d", join(folder, "json.db"), "--json"]
    const first = await stopped(["--save", "job", ...kept], bank)
    assert.strictEqual(JSON.parse(first.stdout).resume, "job")
    const args = ["run", backend, "--model", "clerk", "--resume", "job", ...kept]
    const resumed = await toolguard(args, { env: { BANK: bank.url } })
    const { guarded, resume } = JSON.parse(resumed.stdout)
    assert.deepStrictEqual([guarded.ended, resume], ["Answered", null])
    bank.close()
  })
})
