/** Redaction by patterns held in this process; see `src/domain/redaction/Redaction.ts` for the rules. */
import * as Redaction from "#domain/redaction/Redaction"
import { Redactor } from "#services/Redactor"
import * as Layer from "effect/Layer"

/** What a redactor looks for beside the built-in patterns, and what it does to results. */
export interface Options {
  /** Looked for before the built-in ones. */
  readonly patterns?: ReadonlyArray<Redaction.SecretPattern>
  /**
   * What results lose: `secrets` (default), nothing (`off`), or, after the secrets, what a function takes out. It gives
   * back the same value where it changes nothing, and does not throw.
   */
  readonly data?: "secrets" | "off" | ((value: unknown) => unknown)
}

let builtIn: Redaction.Finders | undefined
/** The built-in patterns take some milliseconds to prepare: once a process, when first needed. */
const builtInFinders = (): Redaction.Finders => (builtIn ??= Redaction.makeFinders())

/** A redactor with patterns or a policy of your own. Building it throws a SyntaxError for a pattern that is none. */
export const layerWith = ({ data = "secrets", patterns = [] }: Options): Layer.Layer<Redactor> =>
  Layer.sync(Redactor, () => {
    const finders = patterns.length === 0 ? builtInFinders() : Redaction.makeFinders(patterns)
    const secrets = Redaction.makeRedactor(finders)
    return {
      failure: (failure, input) => Redaction.redactFailure(finders, failure, input),
      text: (text) => Redaction.redactSecrets(finders, text, true),
      data:
        data === "secrets" ? secrets : data === "off" ? (value) => value : (value, shape) => data(secrets(value, shape))
    }
  })

/** The default redactor: all built-in patterns, secrets taken out of results. */
export const layer: Layer.Layer<Redactor> = layerWith({})
