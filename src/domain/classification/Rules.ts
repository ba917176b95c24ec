/** The classifier's table of rules. The first rule that returns a finding decides. */
import { exits, reasonPhrase, statuses, strerror } from "./StatusRules.ts"
import { chinese, chineseStem } from "#domain/classification/phrases/Chinese"
import { container } from "#domain/classification/phrases/Container"
import { database } from "#domain/classification/phrases/Database"
import { overrides } from "#domain/classification/phrases/Override"
import { ofPhrases, type Rule } from "./Finding.ts"
import { git } from "#domain/classification/phrases/Git"
import { alphabets, alphabetStem, languages } from "#domain/classification/phrases/Language"
import { limits, limitStem } from "#domain/classification/phrases/Limit"
import { codes, effectTags, names, otherTags } from "./TokenRules.ts"
import { existing, missing, unknownTools } from "#domain/classification/phrases/Existence"
import { transientFaults } from "#domain/classification/phrases/Transient"
import { refusals, states } from "#domain/classification/phrases/Refusal"
import { script } from "#domain/classification/phrases/Script"
import { shell } from "#domain/classification/phrases/Shell"
import { sentences, validators } from "#domain/classification/phrases/Validation"

const limit = ofPhrases(limits)
const inChinese = ofPhrases(chinese)
const inAlphabets = ofPhrases(alphabets)

/** All rules, the most reliable first and the weak rows last. */
export const rules: ReadonlyArray<Rule> = [
  effectTags("strong"),
  (evidence) => (limitStem.test(evidence.words) ? limit(evidence) : undefined), // limits come with any status
  ofPhrases(overrides),
  codes("strong"),
  statuses("strong"),
  reasonPhrase,

  // Messages of known programs
  ofPhrases(git, "strong"),
  ofPhrases(container, "strong"),
  ofPhrases(shell, "strong"),
  ofPhrases(database, "strong"),
  ofPhrases(script, "strong"),
  strerror,
  exits("strong"),

  // Classes come after the messages: `OSError` is less specific than the errno in its message.
  otherTags("strong"),
  names("strong"),

  // General phrases. Refusals come before transient faults.
  ofPhrases(validators),
  ofPhrases(unknownTools),
  ofPhrases(refusals),
  ofPhrases(transientFaults),
  ofPhrases(existing),
  ofPhrases(states),
  ofPhrases(sentences),
  ofPhrases(missing),
  (evidence) => (chineseStem.test(evidence.words) ? inChinese(evidence) : undefined),
  ofPhrases(languages),
  (evidence) => (alphabetStem.test(evidence.words) ? inAlphabets(evidence) : undefined),

  // Weak rows: each covers many causes.
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
