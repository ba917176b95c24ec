/** Finds strings that one alternative accepts and another may refuse. */
import type { Texts } from "./Alternative.ts"
import type { Draft, Reason } from "./Gap.ts"
import { lengths } from "./PatternSamples.ts"
import { textsIn } from "./Samples.ts"
import { matches } from "#kit/schema/Assertions"

/** Returns the strings of `a` that `b` may refuse, one draft for each reason. */
export const textDrafts = (a: Texts, b: Texts): ReadonlyArray<Draft> => {
  const own = [...a.patterns].map(lengths)
  const least = Math.max(a.least, ...own.map(({ least }) => least))
  const most = Math.min(a.most, ...own.map(({ most }) => most))
  const candidates = textsIn(a, [b.least - 1, b.most + 1])
  const lengthOf = (text: string): number => [...text].length
  const bound = (keyword: "minLength" | "maxLength", from: number, to: number): Reason => ({
    _tag: "Bound",
    keyword,
    from: Number.isFinite(from) ? from : undefined,
    to
  })
  return [
    ...(least < b.least
      ? [draft(bound("minLength", a.least, b.least), candidates, (text) => lengthOf(text) < b.least)]
      : []),
    ...(most > b.most
      ? [draft(bound("maxLength", a.most, b.most), candidates, (text) => lengthOf(text) > b.most)]
      : []),
    ...[...b.patterns]
      .filter((pattern) => !a.patterns.has(pattern))
      .map((pattern) => draft({ _tag: "Pattern", pattern }, candidates, (text) => !matches(pattern, text)))
  ]
}

const draft = (reason: Reason, candidates: ReadonlyArray<string>, proves: (text: string) => boolean): Draft => ({
  path: [],
  reason,
  candidates: candidates.filter(proves)
})
