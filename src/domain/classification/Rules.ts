/** The classifier's table of rules. The first rule that returns a finding decides. */
import { exits, reasonPhrase, statuses, strerror } from "./StatusRules.ts"
import { chinese, chineseStem } from "#domain/classification/phrases/Chinese"
import { container } from "#domain/classification/phrases/Container"
import { database } from "#domain/classification/phrases/Database"
import { overrides } from "#domain/classification/phrases/Override"
import { limitsOfGrammar, ofGrammar, ofPhrases, type Rule } from "./Finding.ts"
import { git } from "#domain/classification/phrases/Git"
import { limits, limitStem, firstLimits } from "#domain/classification/phrases/Limit"
import { codes, effectTags, names, otherTags } from "./TokenRules.ts"
import { existing, missing, unknownTools } from "#domain/classification/phrases/Existence"
import { alphabets, alphabetStem, languages } from "#domain/classification/phrases/Language"
import { transientFaults } from "#domain/classification/phrases/Transient"
import { generalRefusals, refusals, states } from "#domain/classification/phrases/Refusal"
import { script } from "#domain/classification/phrases/Script"
import { shell } from "#domain/classification/phrases/Shell"
import { sentences, validators } from "#domain/classification/phrases/Validation"

const limit = ofPhrases(limits)
const inAlphabets = ofPhrases(alphabets)
const inChinese = ofPhrases(chinese)

/** The rules that read sentences. */
export const sentenceRules: ReadonlySet<Rule> = new Set([limitsOfGrammar, ofGrammar])

/** All rules, the most reliable first and the weak rows last. */
export const rules: ReadonlyArray<Rule> = [
  effectTags("strong"),
  // limits come with any status
  ofPhrases(firstLimits),
  limitsOfGrammar,
  (evidence) => (limitStem.test(evidence.words) ? limit(evidence) : undefined),
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

  // Sentences, after phrases whose words have other meanings in a sentence
  ofPhrases(validators),
  ofPhrases(unknownTools),
  ofPhrases(refusals),
  (evidence) => (chineseStem.test(evidence.words) ? inChinese(evidence) : undefined),
  ofGrammar,

  // General phrases, for a message without a sentence. Refusals come before transient faults.
  ofPhrases(generalRefusals),
  ofPhrases(transientFaults),
  ofPhrases(existing),
  ofPhrases(states),
  ofPhrases(sentences),
  ofPhrases(missing),
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
