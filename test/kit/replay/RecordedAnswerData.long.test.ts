/** Tests that the rules for recorded answers were not fitted to the recorded data: they contain no passage of its texts. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { answersIn } from "#domain/answers/WrappedAnswers"
import { sources } from "../../support/sources.ts"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"
import { readLabels, readTraffic } from "../../bench/labelFile.ts"

/** Reads the rules as plain text: comments and code, without the escapes of regular expressions. */
const rules = () =>
  [...sources("src/domain/**/*.ts", "kit/replay/*.ts", "src/checks/Recognisers.ts")].map(([path, text]) => ({
    path,
    text: text
      .replaceAll(String.raw`\b`, "")
      .replaceAll("\\", "")
      .toLowerCase()
  }))

interface LoggedConversation {
  readonly id: string
  readonly messages: ReadonlyArray<{
    readonly role: string
    readonly content?: unknown
    readonly tool_call_id?: string
  }>
}

/** Reads the answers of at most 600 characters to the calls whose label is not `ok`, without their wrappers. */
const messages = (): ReadonlyArray<string> => {
  const rows = Map.groupBy(
    readLabels(data).filter(({ label }) => label !== "ok"),
    ({ conversation }) => conversation
  )
  const found = new Set<string>()
  for (const { value } of readTraffic(data)) {
    const { id, messages: logged } = value as LoggedConversation
    for (const { callId } of rows.get(id) ?? []) {
      for (const { content, role, tool_call_id: answered } of logged) {
        if (role !== "tool" || answered !== callId || typeof content !== "string") continue
        for (const inner of answersIn(content)) {
          const text = typeof inner === "string" ? inner : JSON.stringify(inner)
          if (text.length <= 600) found.add(text.toLowerCase())
        }
      }
    }
  }
  return [...found]
}

const pieceLength = 40

/** Yields every substring of a given length. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start + pieceLength <= text.length; start++) yield text.slice(start, start + pieceLength)
}

describe("the rules for recorded answers", needs(recordedData), () => {
  it("3.4 contain no 40 consecutive characters of a labelled answer", () => {
    const texts = rules()
    assert.isAbove(texts.length, 100)
    const all = messages()
    assert.isAbove(all.length, 60)
    const pieces = new Set(all.flatMap((message) => [...piecesOf(message)]))
    const copied = texts.flatMap(({ path, text }) => {
      for (const piece of piecesOf(text)) if (pieces.has(piece)) return [`${piece} in ${path}`]
      return []
    })
    assert.deepStrictEqual(copied, [])
  })

  it("3.4 share no phrase of 24 characters or more with labelled answers, unless the tests' own answers contain it", () => {
    const all = messages()
    const own =
      readFileSync("test/vectors/answers-own.jsonl", "utf8") + readFileSync("test/vectors/errors-own.jsonl", "utf8")
    const others = own.toLowerCase()
    const shared = rules().flatMap(({ path, text }) =>
      [...text.matchAll(/[a-z][a-z' ,/-]{22,}[a-z]/g)]
        .map(([phrase]) => phrase)
        .filter((phrase) => all.some((message) => message.includes(phrase)) && !others.includes(phrase))
        .map((phrase) => `${phrase} in ${path}`)
    )
    assert.deepStrictEqual(shared, [])
  })
})
