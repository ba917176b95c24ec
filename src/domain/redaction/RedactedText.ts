/** Replaces the secrets in a text. */
import { mark } from "./HostPaths.ts"
import type { Steps } from "#domain/json/Steps"
import * as SecretFinder from "./SecretFinder.ts"

const replaceSpans = (text: string, spans: ReadonlyArray<SecretFinder.Span>): string => {
  let result = ""
  let from = 0
  for (const { end, start } of spans) {
    result += text.slice(from, start) + mark
    from = end
  }
  return result + text.slice(from)
}

/** Returns the text with each secret replaced by a mark. If `isWide`, the rules for failures apply. */
export const redactSecrets = (finders: SecretFinder.Finders, text: string, isWide: boolean): string => {
  const spans = SecretFinder.findAll(finders, text, isWide)
  return spans.length === 0 ? text : replaceSpans(text, spans)
}

/** Returns the same as `redactSecrets`, in steps. */
export function* redactSecretsInSteps(finders: SecretFinder.Finders, text: string, isWide: boolean): Steps<string> {
  const spans = yield* SecretFinder.findAllInSteps(finders, text, isWide)
  return spans.length === 0 ? text : replaceSpans(text, spans)
}
