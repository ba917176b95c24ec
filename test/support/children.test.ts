/** Processes end with the test that started them. */
import { assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once as emitted } from "node:events"
import { endOf, endWithTest, once } from "./children.ts"

const forever = () => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })

describe("a process of a test", () => {
  let left: ChildProcess | undefined

  it("may be left running by the test", () => {
    left = endWithTest(forever())
  })

  it("has been killed when the next test runs", async () => {
    if (left === undefined) return assert.fail("the test before this one did not run")
    if (left.exitCode === null && left.signalCode === null) await emitted(left, "exit")
    assert.strictEqual(left.signalCode, "SIGKILL")
  })

  it("gives its output and its exit code", async () => {
    const script = `console.log("out"); console.error("err"); process.exitCode = 3`
    assert.deepStrictEqual(await endOf(endWithTest(spawn(process.execPath, ["-e", script]))), {
      code: 3,
      stdout: "out\n",
      stderr: "err\n"
    })
  })

  it("is started once for all tests that ask for it", async () => {
    let starts = 0
    const started = once(() => Promise.resolve((starts += 1)))
    assert.deepStrictEqual([await started(), await started(), starts], [1, 1, 1])
  })
})
