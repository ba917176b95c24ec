/** What the guard promises, whatever a model sends and a tool answers: each promise by its name. */
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import type { Played } from "#kit/fuzz/play/Played"
import type { Subject } from "#kit/fuzz/cases/Subject"
import { leftAlone, noneTooFew, noneTooMany, remembered } from "./Attempts.ts"
import { typed, unpolluted } from "./Channel.ts"
import { classes, refusals } from "./Classes.ts"
import { agreed, honest, noSubstitute, once } from "./Effects.ts"
import type { Promised } from "./Promised.ts"
import { inTime, oneResult, oneShape } from "./Results.ts"
import { secrets } from "./Secrets.ts"

/** Each promise, as one sentence, and what looks after it. The first that is broken is told. */
const promises = {
  secrets: { means: "no secret, and nothing of the host, reaches a model or a person", kept: [secrets] },
  effects: {
    means: "a write is done at most once, never without the person it needs, and what is told of it is true",
    kept: [once, noSubstitute, agreed, honest]
  },
  results: { means: "n calls give n results", kept: [oneResult] },
  channel: { means: "nothing leaves the tool's typed channel", kept: [typed, unpolluted] },
  envelope: { means: "a model reads one shape, its errors at most 600 characters long", kept: [oneShape] },
  time: { means: "a call ends within its deadline", kept: [inTime] },
  attempts: {
    means: "the tool is run as often as it helps and is safe",
    kept: [noneTooMany, remembered, leftAlone, noneTooFew]
  },
  class: { means: "each fault is told as what it is", kept: [refusals, classes] }
} as const satisfies Record<string, { readonly means: string; readonly kept: ReadonlyArray<Promised> }>

/** The name of a promise. */
export type PromiseName = keyof typeof promises

/** A promise that was broken, and how. */
export interface Broken {
  readonly promise: PromiseName
  readonly detail: string
}

/** What a promise means, in one clause. */
export const meaningOf = (name: PromiseName): string => promises[name].means

/** The first promise that a case has broken. */
export const broken = (subject: Subject, fuzzCase: FuzzCase, played: Played): Broken | undefined => {
  for (const [name, { kept }] of Object.entries(promises)) {
    for (const check of kept) {
      const detail = check(subject, fuzzCase, played)
      if (detail !== undefined) return { promise: name as PromiseName, detail }
    }
  }
  return undefined
}
