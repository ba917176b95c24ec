/** Tests how compaction counts the tokens of a conversation, and how it shortens a single result. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as Compaction from "#domain/transcript/Compaction"
import { assistant, call, conversation, result, system, text, tool } from "../../support/conversation.ts"

const url = `artifact://${"a".repeat(32)}`
const rows = (n: number) => Array.from({ length: n }, (_, id) => ({ id, note: 'é 😀 "x"' }))
const envelope = (n: number, more: object = {}) =>
  JSON.stringify({ status: "success", data: { rows: rows(n) }, ...more })

/** Shortens every result that gets shorter, with the same link for each, or without links. */
const compact = (prompt: Prompt.Prompt, isLinked = true) => {
  const planned = Compaction.planner({ maxTokens: 1, keepRounds: 0 }).plan(prompt)
  return Compaction.replace(
    prompt,
    new Map(planned.map(({ callId, text }) => [callId, text(isLinked ? url : undefined)]))
  )
}

const tokens = (prompt: Prompt.Prompt) => Compaction.planner({ maxTokens: 0 }).tokens(prompt)

const resultsOf = (prompt: Prompt.Prompt) =>
  prompt.content.flatMap((message) =>
    message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []
  )

describe("shortened results", () => {
  it("9.3 reads only envelopes as envelopes, and stores any other result whole", () => {
    const data = { rows: rows(200) }
    for (const value of [
      { status: "error", error: "text", ...data },
      { status: "pending", data },
      { status: "success", ...data },
      { preview: { note: "mine" }, data },
      [data]
    ]) {
      const [planned] = Compaction.planner({ maxTokens: 1, keepRounds: 0 }).plan(
        conversation(assistant(call("a")), tool(result("a", value)))
      )
      assert.deepStrictEqual(planned?.whole, { value })
      assert.isUndefined(JSON.parse(planned!.text(url)).status)
    }
  })

  it("9.3 replaces a long structure of a preview with its kind", () => {
    const structure = Object.fromEntries(rows(20).map(({ id }) => [`field ${id}`, "text"]))
    const value = { status: "success", preview: { bytes: 9, structure, first: "x".repeat(2_000) } }
    const after = compact(conversation(assistant(call("a")), tool(result("a", value))))
    const { preview } = JSON.parse(String(resultsOf(after)[0]?.result))
    assert.deepStrictEqual([preview.bytes, preview.structure], [9, "object"])
  })

  it("9.3 counts images and addresses as 1,600 tokens, and other files as a quarter of their bytes", () => {
    const file = (mediaType: string, data: Prompt.FilePart["data"]) => Prompt.filePart({ mediaType, data })
    const sent = (part: Prompt.FilePart) => tokens(conversation(Prompt.userMessage({ content: [part] })))
    assert.strictEqual(sent(file("image/png", "AQID")), 1600)
    assert.strictEqual(sent(file("application/pdf", new URL("https://e.com/a.pdf"))), 1600)
    assert.strictEqual(sent(file("application/pdf", new Uint8Array(801))), 201)
    assert.strictEqual(sent(file("application/pdf", "x".repeat(800))), 150)
    const part = { ...result("a", "x"), modelOutput: [text("x".repeat(8)), file("image/png", "AQID")] }
    assert.strictEqual(tokens(conversation(tool(part))), 1600 + 7) // the text has a note on the image
  })

  it("9.3 counts texts, reasoning, names, arguments and results, but not approvals", () => {
    const request = Prompt.toolApprovalRequestPart({ approvalId: "p", toolCallId: "a" })
    const estimated: Array<string> = []
    const planner = Compaction.planner({ maxTokens: 1, estimate: (one) => estimated.push(one) })
    planner.tokens(
      conversation(
        system("s"),
        assistant(Prompt.reasoningPart({ text: "hm" }), text("t"), call("a"), request),
        tool(result("a", { n: 1 }), { ...result("b"), result: undefined })
      )
    )
    assert.deepStrictEqual(estimated, ["s", "hm", "t", "search", '{"q":"a"}', '{"n":1}', ""])
  })

  it("9.3, 5.6 replaces the files of a result with notes, after the notes that it has", () => {
    const file = Prompt.filePart({ mediaType: "image/png", data: "AQID", fileName: "a.png" })
    const note = { type: "file", media_type: "text/plain" }
    const shortenedParts = (value: unknown, modelOutput: ReadonlyArray<Prompt.TextPart | Prompt.FilePart>) => {
      const part = { ...result("a", value), modelOutput }
      const after = compact(conversation(assistant(call("a")), tool(part)))
      return JSON.parse(String(resultsOf(after)[0]?.result)).parts
    }
    const [added] = shortenedParts(envelope(100), [text("x"), file])
    assert.strictEqual(added.media_type, "image/png")
    assert.deepStrictEqual(shortenedParts(envelope(100, { parts: [note] }), [file]), [note, added])
    assert.deepStrictEqual(shortenedParts({ rows: rows(100) }, [file]), [added])
    assert.isUndefined(shortenedParts(envelope(100), [text("x".repeat(4000))]))
  })

  it("9.3 does not shorten a result again that was shortened before, with or without a link", () => {
    for (const isLinked of [true, false]) {
      const prompt = conversation(assistant(call("a")), tool(result("a", { rows: rows(500) })))
      const once = compact(prompt, isLinked)
      assert.notStrictEqual(once, prompt)
      const again = Compaction.planner({ maxTokens: 1, keepRounds: 0 }).plan(once)
      assert.deepStrictEqual(again, [])
      assert.strictEqual(JSON.parse(String(resultsOf(once)[0]?.result)).resource_url, isLinked ? url : undefined)
    }
  })
})
