/** Redacts secrets by patterns. `src/domain/redaction/Redaction.ts` has the rules. */
import type { Steps } from "#domain/json/Steps"
import * as Redaction from "#domain/redaction/Redaction"
import { Redactor } from "#services/Redactor"
import * as Layer from "effect/Layer"

/** The patterns of a redactor, and its policy for results. */
export interface Options {
  /** Patterns that are searched for before the built-in patterns. */
  readonly patterns?: ReadonlyArray<Redaction.SecretPattern>
  /**
   * How results are redacted: `secrets` (the default) removes secrets, `off` removes nothing, and a function is applied
   * after secrets are removed. The function must return the same value if it changes nothing, and must not throw.
   */
  readonly data?: "secrets" | "off" | ((value: unknown) => unknown)
}

let builtIn: Redaction.Finders | undefined
/** Returns the built-in patterns. They are prepared on first use, because preparing them takes some milliseconds. */
const builtInFinders = (): Redaction.Finders => (builtIn ??= Redaction.makeFinders())

/**
 * Provides a redactor with other patterns or another policy. Building it throws a SyntaxError for an invalid pattern.
 */
export const layerWith = ({ data = "secrets", patterns = [] }: Options): Layer.Layer<Redactor> =>
  Layer.sync(Redactor, () => {
    const finders = patterns.length === 0 ? builtInFinders() : Redaction.makeFinders(patterns)
    const secrets = Redaction.makeRedactor(finders)
    return {
      failure: (failure, input) => Redaction.redactFailure(finders, failure, input),
      text: (text) => Redaction.redactSecrets(finders, text, true),
      data:
        data === "secrets"
          ? secrets
          : data === "off"
            ? (value) => value
            : (value, shape) => data(secrets(value, shape)),
      ...(data === "off" ? {} : { dataInSteps: inSteps(finders, data) })
    }
  })

const inSteps = (finders: Redaction.Finders, data: Exclude<Options["data"], "off" | undefined>) =>
  function* (value: unknown): Steps<unknown> {
    const clean = yield* Redaction.redactInSteps(finders, value)
    return data === "secrets" ? clean : data(clean)
  }

/** The default redactor: all built-in patterns, and results without secrets. */
export const layer: Layer.Layer<Redactor> = layerWith({})
