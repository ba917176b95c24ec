/** Tests the assembly of conversations from requests. */
import { assert, describe, it } from "@effect/vitest"
import type { RecordedMessage, RecordedTool } from "#kit/traffic/Conversation"
import * as Assembler from "#kit/traffic/Assembler"
import { maxOpen } from "#kit/traffic/Window"
import { at, skipped } from "./lines.ts"

const user = (text: string): RecordedMessage => ({ role: "user", text })
const reply = (text: string): RecordedMessage => ({ role: "assistant", text, calls: [] })
const called = (...ids: ReadonlyArray<string>): RecordedMessage => ({
  role: "assistant",
  text: "",
  calls: ids.map((id) => ({ id, name: "x", arguments: `{"id":"${id}"}` }))
})
const answered = (callId: string): RecordedMessage => ({ role: "tool", callId, text: callId })

type LoggedRequest = readonly [messages: ReadonlyArray<RecordedMessage>, answer?: RecordedMessage | undefined]

const exchange = (
  line: number,
  [messages, answer]: LoggedRequest,
  rest: Partial<Assembler.Exchange> = {}
): Assembler.Exchange => ({
  key: "k",
  id: "c",
  place: at(line),
  model: undefined,
  tools: [],
  messages,
  answer,
  isIncremental: false,
  ...rest
})

/** Assembles requests, and returns the id and messages of each conversation. */
const conversationsOf = (...requests: ReadonlyArray<LoggedRequest>) => {
  const assembler = Assembler.make()
  const items = [...requests.flatMap((one, i) => assembler.take(exchange(i + 1, one))), ...assembler.end()]
  return items.map((item) => (item._tag === "Conversation" ? [item.id, item.messages] : item))
}

const one = [user("Go"), called("a"), answered("a"), called("b"), answered("b"), reply("Done.")]

describe("Assembler", () => {
  it("13.1 merges requests that each send the history into one conversation", () => {
    assert.deepStrictEqual(
      conversationsOf([one.slice(0, 1), one[1]], [one.slice(0, 3), one[3]], [one.slice(0, 5), one[5]]),
      [["c", one]]
    )
  })

  it("13.1 continues a conversation whose history was shortened or whose instructions changed", () => {
    const summary = user("So far: a was called.")
    assert.deepStrictEqual(conversationsOf([one.slice(0, 3), one[3]], [[summary, ...one.slice(3, 5)], one[5]]), [
      ["c", one]
    ])
    const system = (text: string): RecordedMessage => ({ role: "system", text })
    assert.deepStrictEqual(
      conversationsOf(
        [[system("1 o'clock"), user("Go")], one[1]],
        [[system("2 o'clock"), ...one.slice(0, 3)], reply("Done.")]
      ),
      [["c", [system("1 o'clock"), ...one.slice(0, 3), reply("Done.")]]]
    )
  })

  it("13.1 starts a separate conversation for an edited message", () => {
    const other = [user("Go"), called("z"), answered("z")]
    assert.deepStrictEqual(
      conversationsOf(
        [one.slice(0, 1), one[1]],
        [other.slice(0, 1), other[1]],
        [one.slice(0, 3), one[3]],
        [other, reply("No.")]
      ),
      [
        ["c", one.slice(0, 4)],
        ["c#2", [...other, reply("No.")]]
      ]
    )
  })

  it("13.1 distinguishes calls without ids by their arguments", () => {
    const bare = (args: string): RecordedMessage => ({
      role: "assistant",
      text: "",
      calls: [{ id: "", name: "x", arguments: args }]
    })
    assert.deepStrictEqual(
      conversationsOf(
        [[user("Go")], bare("1")],
        [[user("Go"), bare("1"), answered("")], bare("2")],
        [[user("Go")], bare("3")]
      ),
      [
        ["c", [user("Go"), bare("1"), answered(""), bare("2")]],
        ["c#2", [user("Go"), bare("3")]]
      ]
    )
  })

  it("13.1 counts every call with a repeated id, even with equal arguments", () => {
    const loop = [user("Go"), called("a"), answered("a"), called("a"), answered("a"), called("a")]
    const requests = [1, 3, 5].map((i): LoggedRequest => [loop.slice(0, i), loop[i]])
    assert.deepStrictEqual(conversationsOf(...requests), [["c", loop]])
    assert.deepStrictEqual(conversationsOf(...requests.flatMap((one) => [one, one])), [["c", loop]])
    const assembler = Assembler.make()
    for (const [i] of [1, 2, 3].entries()) {
      assembler.take(exchange(i, [[i === 0 ? user("Go") : answered("a")], called("a")], { isIncremental: true }))
    }
    const [item] = assembler.end()
    assert.deepStrictEqual(item?._tag === "Conversation" && item.messages, loop)
  })

  it("13.1 ignores a late request, and a request whose history lacks its beginning", () => {
    assert.deepStrictEqual(
      conversationsOf([one.slice(0, 5), one[5]], [one.slice(0, 1), one[1]], [one.slice(2, 3), one[3]]),
      [["c", one]]
    )
  })

  it("13.1 merges a failed request with its retries", () => {
    assert.deepStrictEqual(conversationsOf([one.slice(0, 3)], [one.slice(0, 3)], [one.slice(0, 3), one[3]]), [
      ["c", one.slice(0, 4)]
    ])
    assert.deepStrictEqual(conversationsOf([[user("Go")]], [[user("Go")]]), [["c", [user("Go")]]])
    assert.deepStrictEqual(conversationsOf([[user("Go")]], [[user("Stop")]]).length, 2)
  })

  it("13.1 keeps the tools of all requests", () => {
    const assembler = Assembler.make()
    const tools = (...names: ReadonlyArray<string>): ReadonlyArray<RecordedTool> => names.map((name) => ({ name }))
    assembler.take(exchange(1, [one.slice(0, 1), one[1]], { tools: tools("a", "b") }))
    assembler.take(exchange(2, [one.slice(0, 3), one[3]], { tools: tools("b", "c") }))
    const [item] = assembler.end()
    assert.deepStrictEqual(item?._tag === "Conversation" && item.tools, tools("a", "b", "c"))
  })

  it("13.1 separates concurrent conversations with the same beginning and the same ids", () => {
    const run = (q: number) => {
      const call = (args: string): RecordedMessage => ({
        role: "assistant",
        text: "",
        calls: [{ id: "call_0", name: "x", arguments: args }]
      })
      return [
        user("Hi"),
        call(`{"q": ${q}}`),
        answered("call_0"),
        call(`{"r":${q}}`),
        answered("call_0"),
        reply("Done")
      ]
    }
    const runs = Array.from({ length: 50 }, (_, q) => run(q))
    const requests = [1, 3, 5].flatMap((i) => runs.map((one): LoggedRequest => [one.slice(0, i), one[i]]))
    const items = conversationsOf(...requests)
    assert.lengthOf(items, 50)
    assert.deepStrictEqual(
      items.map((item) => (Array.isArray(item) ? item[1] : item)),
      runs
    )
    const respaced = [user("Hi"), { ...run(7)[1]!, calls: [{ id: "call_0", name: "x", arguments: { q: 7 } }] }]
    assert.lengthOf(conversationsOf(requests[7]!, [[...respaced, answered("call_0")], reply("Done")]), 1)
  })

  it("13.1 holds 512 conversations with the same beginning before it closes the oldest", () => {
    const assembler = Assembler.make()
    const closed = Array.from({ length: 520 }, (_, i) =>
      assembler.take(exchange(i + 1, [[user("Hi")], called(`${i}`)], { id: `${i}` }))
    ).flat()
    assert.deepStrictEqual(
      closed.map((item) => item.place.line),
      [1, 2, 3, 4, 5, 6, 7, 8]
    )
    assert.lengthOf(assembler.end(), 512)
  })

  it("13.1 reports a conversation that continues after the limits closed it", () => {
    const assembler = Assembler.make()
    const items = Array.from({ length: maxOpen + 1 }, (_, i) =>
      assembler.take(exchange(i, [[user("Go")], called("a")], { key: `${i}`, id: `${i}` }))
    ).flat()
    assert.deepStrictEqual(
      items.map((item) => (item._tag === "Conversation" ? item.id : item)),
      ["0"]
    )
    const again = assembler.take(exchange(9_999, [one.slice(0, 3), one[3]], { key: "0", id: "0" }))
    assert.deepStrictEqual(
      again.map((item) => (item._tag === "Conversation" ? item.id : item)),
      [
        "1",
        skipped(
          9_999,
          'The conversation "0" continues here as a separate one: the open conversations exceeded a limit.'
        )
      ]
    )
  })

  it("13.1 appends 20,000 requests that send only new messages", () => {
    const assembler = Assembler.make()
    const count = 20_000
    for (let i = 0; i < count; i++) {
      const message = i === 0 ? user("Go") : answered(`${i - 1}`)
      assert.deepStrictEqual(assembler.take(exchange(i, [[message], called(`${i}`)], { isIncremental: true })), [])
    }
    const [item] = assembler.end()
    assert.lengthOf(item?._tag === "Conversation" ? item.messages : [], 2 * count)
  })
})
