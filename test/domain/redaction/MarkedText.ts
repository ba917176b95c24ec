/** Tests of texts in which `⟦` and `⟧` enclose the secret. */
import * as Redaction from "#domain/redaction/Redaction"
import { assert, it } from "@effect/vitest"

const finders = Redaction.makeFinders()
const text = (marked: string): string => marked.replace(/[⟦⟧]/g, "")
const redacted = (marked: string): string => marked.replace(/⟦[^⟧]*⟧/g, "[redacted]")
const named = (marked: string): string => (marked.length < 90 ? marked : `${marked.slice(0, 80)}… (${marked.length})`)

/** Texts with secrets, by the place where the secret is removed. */
export interface MarkedTexts {
  /** Texts that lose the secret in failures and in results. */
  readonly everywhere?: ReadonlyArray<string>
  /** Texts that lose the secret in results. Failures lose more. */
  readonly results?: ReadonlyArray<string>
  /** Texts that lose the secret only in failures. */
  readonly failures?: ReadonlyArray<string>
  /** Texts without a mark that are kept everywhere. */
  readonly kept?: ReadonlyArray<string>
}

/** Checks that exactly the marked parts of the texts are removed. */
export const removes = ({ everywhere = [], failures = [], kept = [], results = [] }: MarkedTexts): void => {
  for (const marked of results)
    it(`4.15 in results: ${JSON.stringify(named(marked))}`, () =>
      assert.strictEqual(Redaction.redactSecrets(finders, text(marked), false), redacted(marked)))
  for (const marked of [...everywhere, ...failures, ...kept]) {
    const original = text(marked)
    it(`4.15 in failures: ${JSON.stringify(named(marked))}`, () =>
      assert.strictEqual(Redaction.redactText(finders, original), redacted(marked)))
    it(`4.15 in results: ${JSON.stringify(named(marked))}`, () =>
      assert.strictEqual(
        Redaction.redactSecrets(finders, original, false),
        everywhere.includes(marked) ? redacted(marked) : original
      ))
  }
}
