/** Runs the example of durable runs, in which one of two runners on PostgreSQL is killed. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { needs } from "../support/prerequisites.ts"
import { postgres } from "../support/servers.ts"

const example = (environment: Readonly<Record<string, string>>) =>
  spawnSync(process.execPath, ["examples/durable/main.ts"], {
    encoding: "utf8",
    timeout: 100_000,
    env: { ...process.env, ...environment }
  })

describe("the example of durable runs", needs(postgres), () => {
  it("12.3 moves the run of a killed runner to the other runner and makes each payment once", () => {
    const { status, stderr, stdout } = example({ DATABASE_URL: postgres.url })
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.deepStrictEqual(
      [...stdout.matchAll(/^(\w+) +paid (\d) time/gm)].map(([, name, times]) => `${name} ${times}`),
      ["Ann 1", "Bob 1", "Cid 1", "Dora 1", "Emil 1"]
    )
    const [, killed = "", other = ""] = /^Bob .* by (\d+), (\d+)$/m.exec(stdout) ?? []
    assert.include(stdout, `Process ${killed} has the run.`)
    assert.match(stdout, new RegExp(`^Emil .* by ${other}$`, "m"))
  })
})

describe("the example of durable runs without PostgreSQL", () => {
  it("12.3 reports what is missing and what to do", () => {
    const { status, stderr } = example({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" })
    assert.strictEqual(status, 2)
    assert.match(stderr, /This example needs PostgreSQL\. Cannot use PostgreSQL at 127\.0\.0\.1:1\/none/)
    assert.match(stderr, /docker run .* postgres/)
  })
})
