/** Tests the policies that owners state for tools of remote servers. */
import { assert, describe, it } from "@effect/vitest"
import * as RemotePolicy from "#src/tool/RemotePolicy"

const messageOf = (policy: object, merged: object = policy) => {
  try {
    RemotePolicy.check("get_*", policy, merged)
    return "none"
  } catch (error) {
    return error instanceof RangeError ? error.message : `not a RangeError: ${String(error)}`
  }
}

const until = { path: "status", in: ["done"] }
const poll = { interval: "1 second", deadline: "5 minutes", until } as const

describe("a policy of a remote tool", () => {
  it("2.12 is accepted if its settings agree", () => {
    for (const policy of [
      {},
      { access: "read", poll, budget: 5, timeout: "3 seconds" },
      { poll: false },
      { poll: { ...poll, until: () => true } },
      { access: "write", idempotency: "derived", retry: { attempts: 2 } },
      { retry: { attempts: 3 } },
      { enforce: { share: 0.1 } },
      { approval: "auto", critical: true, enforce: "advise", id: "a/b", concurrency: 1, circuit: false }
    ])
      assert.strictEqual(messageOf(policy), "none", JSON.stringify(policy))
  })

  it("2.12 is refused with the setting and the remedy if a setting is unknown or has an unknown value", () => {
    assert.strictEqual(messageOf({ acces: "read" }), "get_*: `acces` is not a setting; did you mean `access`?")
    assert.match(messageOf({ zzz: 1 }), /^get_\*: `zzz` is not a setting; the settings are access, approval, /)
    assert.strictEqual(messageOf({ access: "readonly" }), "get_*: `access` must be one of read, write, destructive.")
    assert.strictEqual(
      messageOf({ enforce: "off" }),
      'get_*: `enforce` is "off"; write "enforce", "advise" or an object with `share`.'
    )
    assert.strictEqual(
      messageOf({ enforce: { share: 10 } }),
      "get_*: `enforce.share` is 10; write a number from 0 to 1, such as 0.1 for a tenth."
    )
    assert.strictEqual(messageOf({ idempotency: "key" }), "get_*: `idempotency` must be one of none, derived.")
    assert.strictEqual(
      messageOf({ poll: { ...poll, intervall: 1 } }),
      "get_*: `poll.intervall` is not a setting; did you mean `poll.interval`?"
    )
  })

  it("2.12 is refused before the tool is listed if its id has invalid characters or a wrong length, unless the id is the tool's name", () => {
    const rule =
      "the `id` of a tool has 1 to 128 letters, digits or the characters _ . : / -, such as production/search."
    for (const id of ["", "a b", "x\u202Ey", "x".repeat(129)])
      assert.strictEqual(messageOf({ id }), `get_*: ${rule}`, id)
    assert.strictEqual(messageOf({ id: "get_*" }), "none")
    assert.strictEqual(messageOf({ id: "x".repeat(128) }), "none")
  })

  it("7.2 is refused if its poll can never repeat a call, or can never end", () => {
    assert.match(
      messageOf({ poll: { ...poll, deadline: "500 millis" } }),
      /`poll\.deadline` is 500ms, below `poll\.interval`/
    )
    assert.match(messageOf({ poll: { ...poll, interval: 0 } }), /`poll\.interval` must be longer than zero/)
    assert.match(
      messageOf({ poll: { ...poll, until: { path: "", in: [1] } } }),
      /`poll\.until\.path` must be a dotted path/
    )
    assert.match(
      messageOf({ poll: { interval: 1, deadline: 2 } }),
      /`poll\.until` is missing; write a field and its values/
    )
    assert.match(messageOf({ poll: true }), /`poll` must be an object, or false/)
  })

  it("2.12 is refused if its settings contradict each other", () => {
    assert.match(messageOf({ access: "read", idempotency: "derived" }), /`access` is read, which changes nothing/)
    assert.match(messageOf({ poll, idempotency: "derived" }), /with `idempotency` derived identical calls run once/)
    assert.match(
      messageOf({ poll, repeats: "once" }),
      /`poll` repeats a call, but `repeats` is once; remove one of them/
    )
    assert.match(
      messageOf({ access: "read", loop: { repeats: 3 } }),
      /`loop.repeats` is for writes, but `access` is read/
    )
    assert.match(messageOf({ poll, loop: { repeats: 3 } }), /`poll` repeats .* so `loop.repeats` has no effect/)
    assert.match(
      messageOf({ budget: 1, retry: { attempts: 2 } }),
      /^get_\*: in its policy, `budget` is 1, below `retry/
    )
    assert.match(messageOf({ access: "read", repeats: "once" }), /`repeats` is about writes, but `access` is read/)
    assert.match(
      messageOf({ access: "write", retry: { attempts: 2 } }),
      /only with `idempotency`, because a retry may do it twice; add it, or remove `retry`/
    )
    assert.match(messageOf({ access: "write" }, { access: "write", retry: { attempts: 2 } }), /may do it twice/)
    assert.match(messageOf({ deadline: "1 second", timeout: "5 seconds" }), /`deadline` is 1s, below `timeout`/)
  })

  it("7.2 reads the end of a poll from the data of a result, by a condition or a function", () => {
    const dataOf = (result: unknown) => (result as { readonly inner: unknown }).inner
    const untilOf = (until: RemotePolicy.RemotePoll["until"]) => {
      const input = RemotePolicy.pollOf("t", { ...poll, until }, dataOf)
      return (result: unknown) => input !== undefined && input !== false && input.until(result)
    }
    const [byCondition, byFunction] = [untilOf(until), untilOf((data) => data === 3)]
    assert.deepStrictEqual([byCondition({ inner: { status: "done" } }), byCondition({ inner: {} })], [true, false])
    assert.deepStrictEqual([byFunction({ inner: 3 }), byFunction({ inner: 4 })], [true, false])
    assert.deepStrictEqual([RemotePolicy.pollOf("t", false), RemotePolicy.pollOf("t", undefined)], [false, undefined])
  })
})
