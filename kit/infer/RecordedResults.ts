/**
 * Collects the results of each tool from recorded conversations, in bounded memory.
 *
 * Equal texts are kept once. If a tool has too many results, only the texts with the smallest hashes are kept. These
 * texts are a fair sample that does not depend on the order of the files.
 */
import * as Timeline from "#kit/traffic/Timeline"
import { hash } from "effect-toolguard/internal/domain/text/Hash"
import type { Conversation } from "#kit/traffic/Conversation"

/** One result text of a tool. */
export interface RecordedText {
  readonly text: string
  /** The number of times that the tool returned the text. */
  count: number
  /** The number of conversations in which the tool returned the text. */
  conversations: number
  lastConversation: number
}

/** The results of one tool. */
export interface RecordedResults {
  readonly tool: string
  /** The number of all results, including results that were not kept. */
  results: number
  conversations: number
  /** The number of results that the log marks as errors. Their texts are not kept. */
  errors: number
  /** The texts, in the order in which they were first seen. */
  readonly texts: ReadonlyMap<string, RecordedText>
}

interface CollectedResults extends RecordedResults {
  readonly texts: Map<string, RecordedText>
  characters: number
  /** Texts whose hash is not smaller than this limit are no longer kept. */
  limit: number
  lastConversation: number
}

/** The maximum number of texts to keep for one tool. */
const maxTexts = 4_000
/** The maximum total length of the kept texts of one tool, in characters. */
const maxCharacters = 16_000_000

/** Collects results, conversation by conversation. */
export class Recorder {
  readonly #tools = new Map<string, CollectedResults>()
  #conversations = 0
  #results = 0

  /** Returns the results so far, sorted by the name of the tool. */
  get tools(): ReadonlyArray<RecordedResults> {
    for (const of of this.#tools.values()) shrink(of)
    return [...this.#tools.values()].sort((a, b) => (a.tool < b.tool ? -1 : 1))
  }

  /** The number of results so far. */
  get results(): number {
    return this.#results
  }

  /** Adds the results of a conversation. */
  add(conversation: Conversation): void {
    this.#conversations += 1
    for (const { rounds } of Timeline.of(conversation)) {
      for (const { answer, call } of rounds.flatMap(({ calls }) => calls)) {
        if (answer !== undefined) this.#record(call.name, answer.text, answer.isError)
      }
    }
  }

  #record(tool: string, text: string, isError: boolean): void {
    const of = this.#tools.get(tool) ?? fresh(tool)
    this.#tools.set(tool, of)
    of.results += 1
    this.#results += 1
    if (of.lastConversation !== this.#conversations) of.conversations += 1
    of.lastConversation = this.#conversations
    if (isError) of.errors += 1
    else keep(of, text, this.#conversations)
  }
}

const fresh = (tool: string): CollectedResults => ({
  tool,
  results: 0,
  conversations: 0,
  errors: 0,
  texts: new Map(),
  characters: 0,
  limit: Infinity,
  lastConversation: -1
})

const keep = (of: CollectedResults, text: string, conversation: number): void => {
  const known = of.texts.get(text)
  if (known !== undefined) {
    known.count += 1
    if (known.lastConversation !== conversation) known.conversations += 1
    known.lastConversation = conversation
    return
  }
  if (hash(text) >= of.limit) return
  of.texts.set(text, { text, count: 1, conversations: 1, lastConversation: conversation })
  of.characters += text.length
  if (of.texts.size > 2 * maxTexts || of.characters > 2 * maxCharacters) shrink(of)
}

const shrink = (of: CollectedResults): void => {
  if (of.texts.size <= maxTexts && of.characters <= maxCharacters) return
  const sorted = [...of.texts.keys()].map((text) => ({ text, hash: hash(text) })).sort((a, b) => a.hash - b.hash)
  let room = maxCharacters
  const kept = sorted.findIndex(({ text }, index) => (room -= text.length) < 0 || index === maxTexts)
  for (const { text } of sorted.slice(kept)) of.texts.delete(text)
  of.limit = sorted[kept]?.hash ?? Infinity
  of.characters = [...of.texts.keys()].reduce((sum, text) => sum + text.length, 0)
}
