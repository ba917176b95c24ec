/**
 * Tests that compaction shortens the oldest results of a conversation above its limit, except those of the last rounds.
 */
import * as Compaction from "#domain/transcript/Compaction"
import * as Transcript from "#domain/transcript/Transcript"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import {
  assistant,
  call,
  conversation,
  Plan,
  fromPlan,
  result,
  system,
  text,
  tool,
  user
} from "../../support/conversation.ts"

const rows = (n: number) => Array.from({ length: n }, (_, id) => ({ id, note: 'é 😀 "x"' }))
const envelope = (n: number, more: object = {}) =>
  JSON.stringify({ status: "success", data: { rows: rows(n) }, ...more })
const failed = JSON.stringify({ status: "error", error: { error_class: "permanent", message: "x".repeat(4_000) } })
const url = `artifact://${"a".repeat(32)}`

/** Compacts a conversation as the agent loop does, with the same link for every result, or without links. */
const compact = (prompt: Prompt.Prompt, options: Compaction.Options, isLinked = true) => {
  const planned = Compaction.planner(options).plan(prompt)
  return Compaction.replace(
    prompt,
    new Map(planned.map(({ callId, text }) => [callId, text(isLinked ? url : undefined)]))
  )
}

const tokens = (prompt: Prompt.Prompt, options: Partial<Compaction.Options> = {}) =>
  Compaction.planner({ maxTokens: 0, ...options }).tokens(prompt)

const resultsOf = (prompt: Prompt.Prompt) =>
  prompt.content.flatMap((message) =>
    message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []
  )

/** Returns the ids of the results that differ. */
const changed = (before: Prompt.Prompt, after: Prompt.Prompt): ReadonlyArray<string> =>
  resultsOf(after)
    .filter((part, index) => part !== resultsOf(before)[index])
    .map(({ id }) => id)

/** Returns a conversation with one round and one call for each size, whose result has that many rows. */
const rounds = (...sizes: ReadonlyArray<number>) =>
  conversation(
    user("Where are my orders?"),
    ...sizes.flatMap((size, n) => [assistant(text(`round ${n}`), call(`c${n}`)), tool(result(`c${n}`, envelope(size)))])
  )

describe("Compaction", () => {
  it("9.3 does not change a conversation within its limit", () => {
    const prompt = rounds(100, 100, 100)
    const planner = Compaction.planner({ maxTokens: tokens(prompt) })
    assert.deepStrictEqual(planner.plan(prompt), [])
    assert.strictEqual(Compaction.replace(prompt, new Map()), prompt)
  })

  it("9.3 shortens the oldest results first, until the conversation has three quarters of the limit", () => {
    const prompt = rounds(100, 100, 100, 100, 100)
    const each = tokens(prompt) / 5
    assert.deepStrictEqual(changed(prompt, compact(prompt, { maxTokens: each * 4.9 })), ["c0", "c1"])
    assert.deepStrictEqual(changed(prompt, compact(prompt, { maxTokens: each * 3 })), ["c0", "c1", "c2"])
    // the last two rounds stay unchanged even above the limit
    assert.deepStrictEqual(changed(prompt, compact(prompt, { maxTokens: 1 })), ["c0", "c1", "c2"])
    assert.deepStrictEqual(changed(prompt, compact(prompt, { maxTokens: 1, keepRounds: 4 })), ["c0"])
    assert.deepStrictEqual(changed(prompt, compact(prompt, { maxTokens: 1, keepRounds: 9 })), [])
    assert.lengthOf(changed(prompt, compact(prompt, { maxTokens: 1, keepRounds: 0 })), 5)
  })

  it("9.3 replaces data with a preview that has its size and link, and keeps the other fields", () => {
    const value = envelope(500, { used_fallback: "other", unchanged: true })
    const prompt = conversation(user("x"), assistant(call("a")), tool(result("a", value)))
    const after = JSON.parse(String(resultsOf(compact(prompt, { maxTokens: 1, keepRounds: 0 }))[0]?.result))
    assert.deepStrictEqual(Object.keys(after), ["status", "preview", "resource_url", "used_fallback", "unchanged"])
    assert.deepStrictEqual([after.status, after.resource_url, after.used_fallback], ["success", url, "other"])
    assert.strictEqual(after.preview.bytes, Buffer.byteLength(JSON.stringify({ rows: rows(500) })))
    assert.deepStrictEqual(after.preview.structure, { rows: "array of 500" })
    assert.deepStrictEqual(after.preview.first.rows[0], rows(1)[0])
    assert.strictEqual(after.preview.note, "Shortened to save room. Read it with read_result.")
    assert.isBelow(JSON.stringify(after).length, 900)
  })

  it("9.3 stores the result itself behind the link", () => {
    const plan = (value: unknown) =>
      Compaction.planner({ maxTokens: 1, keepRounds: 0 })
        .plan(conversation(user("x"), assistant(call("a")), tool(result("a", value))))
        .map(({ whole }) => whole)
    const data = { rows: rows(200) }
    assert.deepStrictEqual(plan(envelope(200)), [{ value: data }])
    assert.deepStrictEqual(plan(JSON.stringify({ status: "partial", data, error: { code: "more" } })), [
      { value: data }
    ])
    // results of other hosts are JSON, a text or a value
    assert.deepStrictEqual(plan(JSON.stringify(data)), [{ value: data }])
    assert.deepStrictEqual(plan("line\n".repeat(500)), [{ value: "line\n".repeat(500) }])
    assert.deepStrictEqual(plan(data), [{ value: data }])
  })

  it("9.3 shortens a preview, and keeps its link if it has one", () => {
    const preview = { bytes: 2_000_000, structure: { rows: "array of 9000" }, first: { rows: rows(200) }, note: "…" }
    const linked = JSON.stringify({ status: "success", preview, resource_url: "artifact://own" })
    const lost = JSON.stringify({ status: "success", preview })
    const prompt = conversation(
      user("x"),
      assistant(call("a"), call("b")),
      tool(result("a", linked), result("b", lost))
    )
    assert.deepStrictEqual(
      Compaction.planner({ maxTokens: 1, keepRounds: 0 })
        .plan(prompt)
        .map(({ whole }) => whole),
      [undefined, undefined]
    )
    const [a, b] = resultsOf(compact(prompt, { maxTokens: 1, keepRounds: 0 })).map((part) =>
      JSON.parse(String(part.result))
    )
    assert.deepStrictEqual([a.resource_url, a.preview.bytes], ["artifact://own", 2_000_000])
    assert.deepStrictEqual(a.preview.structure, { rows: "array of 9000" })
    assert.strictEqual(a.preview.note, "Shortened to save room. Read it with read_result.")
    assert.deepStrictEqual(
      [b.resource_url, b.preview.note],
      [undefined, "Shortened to save room. Call the tool again if you need it."]
    )
  })

  it("9.3 does not change errors or results that would not get shorter", () => {
    const prompt = conversation(
      user("x".repeat(10_000)),
      assistant(call("a"), call("b"), call("c")),
      tool(result("a", failed), result("b", envelope(2)), result("c", "short"))
    )
    assert.deepStrictEqual(changed(prompt, compact(prompt, { maxTokens: 1, keepRounds: 0 })), [])
  })

  it("9.3 does not change results of the provider or texts of users and models", () => {
    const own = Prompt.toolResultPart({
      id: "w",
      name: "web",
      isFailure: false,
      result: envelope(300),
      providerExecuted: true
    })
    const prompt = conversation(
      system("s".repeat(5_000)),
      user(envelope(300)),
      assistant(text("t".repeat(5_000)), call("a"), own),
      tool(result("a", envelope(300)))
    )
    const after = compact(prompt, { maxTokens: 1, keepRounds: 0 })
    assert.deepStrictEqual(changed(prompt, after), ["a"])
    for (const index of [0, 1, 2]) assert.strictEqual(after.content[index], prompt.content[index])
  })

  it("9.3, 5.6 removes the parts of a result, and replaces its files with notes", () => {
    const part = Prompt.toolResultPart({
      id: "a",
      name: "search",
      isFailure: false,
      result: envelope(3),
      modelOutput: [
        Prompt.textPart({ text: envelope(300) }),
        Prompt.filePart({ mediaType: "image/png", data: "iVBORw==" })
      ],
      providerExecuted: false
    })
    const prompt = conversation(user("x"), assistant(call("a")), tool(part))
    const [after] = resultsOf(compact(prompt, { maxTokens: 1, keepRounds: 0 }))
    assert.isUndefined(after?.modelOutput)
    assert.deepStrictEqual(JSON.parse(String(after?.result)).parts, [
      { type: "file", media_type: "image/png", bytes: 4 }
    ])
    assert.isBelow(tokens(compact(prompt, { maxTokens: 1, keepRounds: 0 })), tokens(prompt))
  })

  it("9.3 does not change values that cannot be serialised, such as deep nesting or a bigint", () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`
    const prompt = conversation(
      user("x"),
      assistant(call("a"), call("b"), call("c")),
      tool(result("a", deep), result("b", JSON.parse(deep)), result("c", { n: 1n }))
    )
    assert.deepStrictEqual(changed(prompt, compact(prompt, { maxTokens: 1, keepRounds: 0 })), [])
  })

  it("9.3 counts a quarter of the bytes as tokens, or calls the estimate once for each text", () => {
    assert.strictEqual(tokens(conversation(user("é".repeat(100)))), 50)
    const estimated: Array<string> = []
    const planner = Compaction.planner({
      maxTokens: 1_000_000,
      estimate: (text) => {
        estimated.push(text)
        return 7
      }
    })
    const prompt = rounds(1, 1)
    assert.strictEqual(planner.tokens(prompt), 7 * 9)
    assert.strictEqual(planner.tokens(Prompt.concat(prompt, [user("more")])), 7 * 10)
    assert.strictEqual(estimated.filter((text) => text === "more").length, 1)
    assert.lengthOf(estimated, 10)
  })

  it("9.3 a round of only the provider's calls is not one of the last rounds that stay", () => {
    const own = Prompt.toolCallPart({ id: "w", name: "web", params: {}, providerExecuted: true })
    const prompt = Prompt.concat(rounds(100, 100), [assistant(own), user("u"), assistant(text("done"))])
    assert.deepStrictEqual(changed(prompt, compact(prompt, { maxTokens: 1, keepRounds: 1 })), ["c0"])
  })

  it("9.3 replaces only the given results, and keeps options, approvals and other results", () => {
    const options = { toolguard: { read: "x" } }
    const response = Prompt.toolApprovalResponsePart({ approvalId: "p", approved: true })
    const untouched = tool(result("c"))
    const before = Prompt.toolMessage({ content: [response, { ...result("a"), options }, result("b")], options })
    const after = Compaction.replace(conversation(before, untouched), new Map([["a", "short"]]))
    assert.deepStrictEqual(after.content, [
      Prompt.toolMessage({ content: [response, { ...result("a", "short"), options }, result("b")], options }),
      untouched
    ])
    assert.strictEqual(after.content[1], untouched)
  })

  const Sized = Schema.Struct({
    plan: Plan,
    sizes: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))).check(Schema.isMaxLength(40)),
    maxTokens: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000 })),
    less: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000 })),
    keepRounds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })),
    isLinked: Schema.Boolean
  })

  /** Returns a valid conversation whose results are envelopes of the given sizes, texts and errors. */
  const sized = ({ plan, sizes }: typeof Sized.Type): Prompt.Prompt => {
    let n = 0
    return Prompt.fromMessages(
      fromPlan(plan).content.map((message) =>
        message.role === "tool"
          ? tool(
              ...message.content.map((part) => {
                const size = sizes[n++ % Math.max(1, sizes.length)] ?? 0
                if (part.type !== "tool-result") return part
                return result(
                  part.id,
                  size % 7 === 6 ? failed : size % 5 === 4 ? "x".repeat(size * 40) : envelope(size)
                )
              })
            )
          : message
      )
    )
  }

  it.prop(
    "9.3 keeps any conversation valid, changes only results, is idempotent, and shortens no less for a smaller limit",
    [Sized],
    ([given]) => {
      const { isLinked, keepRounds, less, maxTokens } = given
      const prompt = sized(given)
      const after = compact(prompt, { maxTokens, keepRounds }, isLinked)
      assert.deepStrictEqual(Transcript.validate(after), [])
      assert.isAtMost(tokens(after), tokens(prompt))
      assert.strictEqual(after.content.length, prompt.content.length)
      after.content.forEach((message, index) => {
        const before = prompt.content[index]
        if (message.role !== "tool" || before?.role !== "tool") assert.strictEqual(message, before)
        else {
          assert.deepStrictEqual(
            resultsOf(conversation(message)).map(({ id, isFailure, name }) => [id, name, isFailure]),
            resultsOf(conversation(before)).map(({ id, isFailure, name }) => [id, name, isFailure])
          )
        }
      })
      const again = compact(after, { maxTokens, keepRounds }, isLinked)
      assert.deepStrictEqual(again, after)
      const smaller = compact(prompt, { maxTokens: Math.max(0, maxTokens - less), keepRounds }, isLinked)
      const shortened = new Set(changed(prompt, smaller))
      for (const id of changed(prompt, after)) assert.isTrue(shortened.has(id))
    },
    { arbitrary: { runs: 300 } }
  )
})
