import * as PolicyOrigin from "#domain/tool/PolicyOrigin"
import type { PolicySources } from "#domain/tool/PolicySources"
import * as ToolDefinition from "#domain/tool/ToolDefinition"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { assert, describe, it } from "@effect/vitest"
import { define } from "../../pipeline/support.ts"

/** Returns the origin of each field of a read with these policies, as `origin` or `origin follows field`. */
const origins = ({ tool = {}, ...rest }: PolicySources, ...fields: ReadonlyArray<string>): ReadonlyArray<string> => {
  const definition = Object.entries(rest).reduce(
    // the names of the other sources are keys of `PolicySources`
    (made, [source, policy]) => ToolDefinition.withPolicy(made, source as keyof PolicySources, policy),
    compiledOf(define("search", tool)).definition
  )
  return fields.map((field) => {
    const { follows, origin } = PolicyOrigin.of(field, definition)
    return follows === undefined ? origin : `${origin} follows ${follows}`
  })
}

describe("the origin of a policy field", () => {
  it("2.12 is the source that sets the field, although a field that it could follow is set nearer", () => {
    const sources: PolicySources = {
      guard: { concurrency: 2 },
      toolbox: { timeout: "1 second", retry: { base: "1 second", attempts: 2 } },
      useSite: { deadline: "9 seconds", retry: { cap: "2 seconds" }, budget: 5 }
    }
    assert.deepStrictEqual(
      origins(sources, "timeout", "retry.base", "retry.attempts", "deadline", "concurrency", "budget", "critical"),
      ["toolbox", "toolbox", "toolbox", "use site", "guard", "use site", "default"]
    )
  })

  it("2.12 an unset field follows the nearest field that changes its value", () => {
    const timeout = { timeout: "20 seconds" } as const
    const attempts = { retry: { attempts: 9 } }
    assert.deepStrictEqual(
      [
        origins({ tool: timeout, useSite: attempts }, "deadline"),
        origins({ tool: attempts, useSite: timeout }, "deadline"),
        origins({ guard: attempts, toolbox: timeout }, "deadline", "timeout"),
        // of one source, the timeout is named first
        origins({ tool: { ...timeout, ...attempts } }, "deadline")
      ],
      [
        ["use site follows retry.attempts"],
        ["use site follows timeout"],
        ["toolbox follows timeout", "toolbox"],
        ["tool follows timeout"]
      ]
    )
  })

  it("2.12 an unset field follows no field that leaves its value as it is", () => {
    assert.deepStrictEqual(
      [
        // the deadline stays 30 seconds
        origins({ tool: { timeout: "1 second" } }, "deadline"),
        origins({ tool: { deadline: "1 minute" } }, "timeout"),
        origins({ tool: { budget: 4 } }, "retry.attempts"),
        // without jitter, the largest delays are as long as with it
        origins({ tool: { retry: { attempts: 9 } }, useSite: { retry: { jitter: "none" } } }, "deadline"),
        origins({ tool: { circuit: { minimum: 30 } }, useSite: { circuit: { share: 1 } } }, "circuit.window")
      ],
      [["default"], ["default"], ["default"], ["tool follows retry.attempts"], ["tool follows circuit.minimum"]]
    )
  })

  it("2.12 of a budget and attempts that contradict each other, the farther follows the nearer, although it is set", () => {
    const [attempts, budget] = [{ retry: { attempts: 6 } }, { budget: 2 }]
    assert.deepStrictEqual(
      [
        origins({ toolbox: attempts, useSite: budget }, "budget", "retry.attempts"),
        origins({ toolbox: budget, useSite: attempts }, "budget", "retry.attempts")
      ],
      [
        ["use site", "use site follows budget"],
        ["use site follows retry.attempts", "use site"]
      ]
    )
  })

  it("2.12 of a field outside the policy is the definition or the default", () => {
    const poll = { interval: 1, deadline: 2, until: () => true }
    const { definition } = compiledOf(define("search", { poll }))
    assert.deepStrictEqual(
      ["poll.interval", "access", "checks"].map((field) => PolicyOrigin.of(field, definition)),
      [{ origin: "tool" }, { origin: "tool" }, { origin: "default" }]
    )
  })
})
