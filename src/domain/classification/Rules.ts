/** The table: every rule, in the order in which they are asked. The first that answers decides. */
import { exits, reasonPhrase, statuses, strerror } from "./Answer.ts"
import { container } from "#domain/classification/phrases/Container"
import { database } from "#domain/classification/phrases/Database"
import { overrides } from "#domain/classification/phrases/Override"
import { ofPhrases, type Rule } from "./Finding.ts"
import { git } from "#domain/classification/phrases/Git"
import { languages } from "#domain/classification/phrases/Language"
import { limits, limitStem } from "#domain/classification/phrases/Limit"
import { codes, effectTags, names, otherTags } from "./Lookup.ts"
import { existing, missing, unknownTools } from "#domain/classification/phrases/Existence"
import { transientFaults } from "#domain/classification/phrases/Transient"
import { refusals, states } from "#domain/classification/phrases/Refusal"
import { script } from "#domain/classification/phrases/Script"
import { shell } from "#domain/classification/phrases/Shell"
import { sentences, validators } from "#domain/classification/phrases/Validation"

const limit = ofPhrases(limits)

/** All rules, the surest first; weak rows at the end. */
export const rules: ReadonlyArray<Rule> = [
  effectTags("strong"),
  (evidence) => (limitStem.test(evidence.words) ? limit(evidence) : undefined), // in any status, by gateways' habit
  ofPhrases(overrides, "any", true),
  codes("strong"),
  statuses("strong"),
  reasonPhrase,

  // What known programs print.
  ofPhrases(git, "strong"),
  ofPhrases(container, "strong"),
  ofPhrases(shell, "strong"),
  ofPhrases(database, "strong"),
  ofPhrases(script, "strong"),
  strerror,
  exits("strong"),

  // Classes, behind the texts: `OSError` says less than the errno in its message.
  otherTags("strong"),
  names("strong"),

  // Words. What is permanent comes before what passes.
  ofPhrases(validators),
  ofPhrases(unknownTools),
  ofPhrases(refusals),
  ofPhrases(transientFaults),
  ofPhrases(existing),
  ofPhrases(states),
  ofPhrases(sentences),
  ofPhrases(missing),
  ofPhrases(languages),

  // What was known all the time, but might have meant many things.
  codes("weak"),
  statuses("weak"),
  effectTags("weak"),
  otherTags("weak"),
  names("weak"),
  ofPhrases(git),
  ofPhrases(container),
  ofPhrases(script),
  ofPhrases(database),
  exits("weak")
]
