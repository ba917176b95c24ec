/**
 * Repairs and exports recorded conversations, whole and damaged. The exports satisfy the published schema of each
 * protocol and the rules that a schema cannot express, and no text of a user or a model is lost.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Transcript from "#domain/transcript/Transcript"
import { Damage, damage } from "../../support/conversation.ts"
import { recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"
import { type Recording, recordings } from "../../support/recordings.ts"
import { check, contentsOf, protocols } from "./exportChecks.ts"

const all: ReadonlyArray<Recording> = recordedData.absent === undefined ? recordings() : []

/** Returns a generator of pseudorandom numbers, which are the same in every run. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}

const kinds = Damage.fields.kind.literals

describe("repaired exports", needs(recordedData), () => {
  for (const protocol of protocols) {
    it(`9.4 of every recorded conversation are valid for ${protocol.name}`, () => {
      assert.isAbove(all.length, 600)
      for (const { id, messages } of all) check(protocol, Transcript.fromOpenAi(messages), id)
    })

    it(`9.4 of every recorded conversation, after random damage, are valid for ${protocol.name}`, () => {
      const next = numbers(7)
      for (const [index, { id, messages }] of all.entries()) {
        const prompt = Transcript.fromOpenAi(messages)
        const own = { kind: kinds[index % kinds.length] ?? "drop message", at: next(1000), to: next(40) }
        const more = Array.from({ length: 6 }, () => ({
          kind: kinds[next(kinds.length)] ?? "drop part",
          at: next(1000),
          to: next(40)
        }))
        check(protocol, damage(prompt, own), `${id} ${own.kind}`)
        check(protocol, more.reduce(damage, prompt), `${id} ${more.map(({ kind }) => kind).join(", ")}`)
      }
    })
  }
})

describe("the import of an export", needs(recordedData), () => {
  it("9.2 preserves the contents of a recorded conversation", () => {
    for (const { id, messages } of all) {
      const { prompt } = Transcript.repairForAnthropic(Transcript.fromOpenAi(messages))
      const history = Transcript.toAnthropic(prompt)
      const read = Transcript.fromAnthropic(history)
      assert.deepStrictEqual(contentsOf(read), contentsOf(prompt), id)
      assert.deepStrictEqual(Transcript.toAnthropic(read), history, id)
    }
  })
})
