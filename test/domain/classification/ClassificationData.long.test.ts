/** Tests the classifier's accuracy on recorded messages, and that its sources do not copy these messages. */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { readErrorFile } from "../../bench/errorFile.ts"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"
import { meetsTargets, own } from "./classifierTargets.ts"

const recorded = join(data, "errors.jsonl")

/** Returns the sources of the domain in lower case, without the escapes of regular expressions. */
const sources = () =>
  readdirSync("src/domain", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => ({
      path,
      text: readFileSync(join("src/domain", path), "utf8")
        .replaceAll(String.raw`\b`, "")
        .replaceAll("\\", "")
        .toLowerCase()
    }))

const pieces = (message: string, length: number): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, message.length - length + 1) }, (_, start) => message.slice(start, start + length))

describe("the classifier on recorded messages", needs(recordedData), () => {
  it("3.1 meets its targets on the recorded messages", () => meetsTargets(recorded))

  it("3.1 the sources contain no recorded message of 16 or more characters, nor 40 consecutive characters of one", () => {
    const texts = sources()
    assert.isAbove(texts.length, 30)
    const copied = readErrorFile(recorded).flatMap(({ error, id }) => {
      const message = String(error["message"]).toLowerCase()
      const parts = message.length < 40 ? (message.length < 16 ? [] : [message]) : pieces(message, 40)
      return texts.filter(({ text }) => parts.some((part) => text.includes(part))).map(({ path }) => `${id} in ${path}`)
    })
    assert.deepStrictEqual(copied, [])
  })

  it("3.1 the sources contain no phrase of 24 or more characters that occurs only in recorded messages", () => {
    const messages = readErrorFile(recorded).map(({ error }) => String(error["message"]).toLowerCase())
    const others = readFileSync(own, "utf8").toLowerCase()
    const shared = sources().flatMap(({ path, text }) =>
      [...text.matchAll(/[a-z][a-z' ,/-]{22,}[a-z]/g)]
        .map(([phrase]) => phrase)
        .filter((phrase) => messages.some((message) => message.includes(phrase)) && !others.includes(phrase))
        .map((phrase) => `${phrase} in ${path}`)
    )
    assert.deepStrictEqual(shared, [])
  })
})
