/** Checks how a page, the console and the approval terminal show every code point of Unicode to a person. */
import { foreign } from "#domain/text/Html"
import { plain } from "#kit/cli/console/Screen"
import * as EscalationTerminal from "#layers/EscalationTerminal"
import { Escalation } from "#services/Escalation"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Console, Effect, Layer, Terminal } from "effect"

/** True for a hidden character. The rule is independent of the sources, so that the test detects a change of the sources. */
const isHidden = (character: string): boolean =>
  character !== " " && /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]$/u.test(character)

/** All code points, including surrogates, in texts short enough not to be cut. */
const texts = Array.from({ length: 0x110000 / 128 }, (_, at) =>
  Array.from({ length: 128 }, (_, low) => String.fromCodePoint(at * 128 + low))
)

const numberOf = (character: string): string =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`

const markup: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;"
}

/** Returns the text that a terminal shows: the character, or its number in brackets. */
const inBrackets = (character: string): string => (isHidden(character) ? `[${numberOf(character)}]` : character)

/** Returns the text that a line of a terminal shows: white space as a space, and any other hidden character by its number. */
const onOneLine = (character: string): string => (/[ \t\n\v\f\r]/.test(character) ? " " : inBrackets(character))

/** Returns a text of at most `most` characters, with a mark at a cut. */
const cutAt = (most: number, text: string): string =>
  [...text].length <= most ? text : `${[...text].slice(0, most - 1).join("")}…`

const wasTerminal = process.stdin.isTTY
const setTerminal = (isTerminal: boolean) => {
  for (const stream of [process.stdin, process.stdout])
    Object.defineProperty(stream, "isTTY", { value: isTerminal, configurable: true, writable: true })
}

beforeEach(() => {
  setTerminal(true)
})
afterEach(() => {
  setTerminal(wasTerminal)
})

describe("hidden characters", () => {
  it("10.3 a page shows each hidden character by number, and every other character unchanged", () => {
    for (const text of texts) {
      const expected = text.map((character) =>
        isHidden(character)
          ? `<span class="hidden-character" title="a character that cannot be seen">${numberOf(character)}</span>`
          : (markup[character] ?? character)
      )
      const page = foreign(text.join("·")).markup
      if (page !== `<bdi>${expected.join("·")}</bdi>`) assert.strictEqual(page, `<bdi>${expected.join("·")}</bdi>`)
    }
  })

  it("10.3 the console shows each hidden character by number, except ASCII white space, which becomes a space", () => {
    for (const text of texts) {
      const expected = text.map(onOneLine).join("·")
      const line = plain(text.join("·"))
      if (line !== expected.trim()) assert.strictEqual(line, expected.trim())
    }
  })

  it.effect("10.3 the approval terminal shows each hidden character by number, and in arguments as an escape", () => {
    const questions: Array<string> = []
    const notes: Array<string> = []
    const terminal = Terminal.make({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      size: Effect.die(new Error("the test reads no size")),
      readInput: Effect.die(new Error("the test reads no single keys")),
      readLine: Effect.succeed("no"),
      display: (text) => Effect.sync(() => void questions.push(text))
    })
    const console = { ...globalThis.console, error: (text: string) => void notes.push(text) }
    return Effect.gen(function* () {
      const escalation = yield* Escalation
      for (const text of texts) {
        const sentence = text.join("·")
        const request = {
          level: "confirm" as const,
          reason: "approval" as const,
          tool: sentence,
          sentence,
          arguments: { sentence },
          binding: "binding",
          turn: undefined,
          traceId: "trace"
        }
        yield* escalation.ask(request)
        yield* escalation.inform(request)
        const question = questions.splice(0).join("")
        const note = notes.splice(0).join("")
        const line = cutAt(200, text.map(onOneLine).join("·").trim())
        const [tool, description, ...rest] = question.split("\n").slice(2)
        if (tool !== `  Tool: ${line}`) assert.strictEqual(tool, `  Tool: ${line}`)
        if (description !== `  Description: ${line}`) assert.strictEqual(description, `  Description: ${line}`)
        const args = rest.slice(1, -1).join("\n")
        assert.deepStrictEqual([rest[0], rest.at(-1)?.startsWith("Type yes")], ["  Arguments, complete:", true])
        const hidden = [...args].filter((character) => character !== "\n" && isHidden(character))
        if (hidden.length > 0) assert.deepStrictEqual(hidden, [])
        assert.deepStrictEqual(JSON.parse(args), { sentence })
        const lines = note.split("\n")
        const informed = [`  Tool: ${line}`, `  Description: ${line}`, "  Arguments, complete:"]
        if (lines.slice(1, 4).join("\n") !== informed.join("\n")) assert.deepStrictEqual(lines.slice(1, 4), informed)
      }
      assert.lengthOf(questions, 0)
    }).pipe(
      Effect.provide(EscalationTerminal.layer.pipe(Layer.provide(Layer.succeed(Terminal.Terminal, terminal)))),
      Effect.provideService(Console.Console, console)
    )
  })
})
