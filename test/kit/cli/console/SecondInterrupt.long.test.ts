/** Tests with a real process that the second signal ends a command, even during synchronous work. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"

/** At the first signal the handler of the command, as `runMain` adds it, starts endless synchronous work. */
const program = `
const { install } = await import("./kit/cli/console/SecondInterrupt.ts")
install()
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => { require("node:fs").writeSync(1, "interrupted\\n"); while (true); })
setInterval(() => {}, 1000)
console.log("ready")
`

describe("SecondInterrupt", () => {
  const pairs = [
    ["SIGINT", "SIGINT"],
    ["SIGTERM", "SIGTERM"],
    ["SIGTERM", "SIGINT"]
  ] as const
  it.for(pairs)(
    "13.7 %s, then %s, end the process during synchronous work",
    { timeout: 60_000 },
    async ([one, two]) => {
      const source = `const require = process.getBuiltinModule("node:module").createRequire(process.cwd() + "/"); ${program}`
      const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
        timeout: 50_000,
        killSignal: "SIGKILL"
      })
      const exit = once(child, "exit")
      await once(child.stdout, "data")
      child.kill(one)
      await once(child.stdout, "data")
      child.kill(two)
      assert.deepStrictEqual(await exit, [null, two])
    }
  )
})
