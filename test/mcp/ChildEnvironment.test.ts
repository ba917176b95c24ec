/** Tests which variables server processes get. */
import * as ChildEnvironment from "#src/mcp/wire/ChildEnvironment"
import * as Stdio from "#src/mcp/wire/Stdio"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

const own = {
  PATH: "/bin",
  HOME: "/home/ann",
  USER: "ann",
  SHELL: "()  { evil; }",
  LANG: "C.UTF-8",
  TMPDIR: "/tmp",
  SYSTEMROOT: "C:\\Windows",
  APPDATA: "C:\\Users\\ann",
  TOOLGUARD_DATABASE: "postgres://guard:pw@db/guard",
  OPENAI_API_KEY: "sk-1",
  DATABASE_URL: "postgres://app:pw@db/app"
}

describe("the environment of a server process", () => {
  it("13.7 a server process gets only the common variables of its parent, and the variables that are named", () => {
    assert.deepStrictEqual(
      ChildEnvironment.make({ API_KEY: "a", LANG: "de" }, own, "linux"),
      Result.succeed({
        API_KEY: "a",
        HOME: "/home/ann",
        LANG: "de",
        PATH: "/bin",
        TMPDIR: "/tmp",
        USER: "ann"
      })
    )
    assert.deepStrictEqual(
      ChildEnvironment.make({}, own, "win32"),
      Result.succeed({ APPDATA: "C:\\Users\\ann", PATH: "/bin", SYSTEMROOT: "C:\\Windows" })
    )
  })

  it.effect(
    "13.7 a server for which a variable of the guard is named is not started, and the error names the variable",
    () =>
      Effect.gen(function* () {
        for (const name of ["TOOLGUARD_DATABASE", "toolguard_approvers"]) {
          const error = yield* Effect.flip(Stdio.make({ command: process.execPath, env: { [name]: "x" } }))
          assert.deepInclude(error, { reason: "not_started" })
          assert.include(error.message, `The variable ${name} belongs to the guard`)
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
