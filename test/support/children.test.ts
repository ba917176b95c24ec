/** Tests of processes that are started by tests. */
import { assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once as emitted } from "node:events"
import { endOf, endWithTest, once } from "./children.ts"

const forever = () => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })

describe("a process of a test", () => {
  let running: ChildProcess | undefined

  it("can still run when its test ends", () => {
    running = endWithTest(forever())
  })

  it("has been killed when the next test runs", async () => {
    if (running === undefined) return assert.fail("the test before this one did not run")
    if (running.exitCode === null && running.signalCode === null) await emitted(running, "exit")
    assert.strictEqual(running.signalCode, "SIGKILL")
  })

  it("returns its output and its exit code", async () => {
    const script = `console.log("out"); console.error("err"); process.exitCode = 3`
    assert.deepStrictEqual(await endOf(endWithTest(spawn(process.execPath, ["-e", script]))), {
      code: 3,
      stdout: "out\n",
      stderr: "err\n"
    })
  })

  it("is started once for all tests that use it", async () => {
    let starts = 0
    const started = once(() => Promise.resolve((starts += 1)))
    assert.deepStrictEqual([await started(), await started(), starts], [1, 1, 1])
  })
})
