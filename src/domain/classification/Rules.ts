/** The table: every rule, in the order in which they are asked. The first that answers decides. */
import { exits, reasonPhrase, statuses, strerror } from "./Answer.ts"
import { container } from "./Container.ts"
import { database } from "./Database.ts"
import { early } from "./Early.ts"
import { ofPhrases, type Rule } from "./Finding.ts"
import { git } from "./Git.ts"
import { languages } from "./Language.ts"
import { limits, limitStem } from "./Limit.ts"
import { codes, effectTags, names, otherTags } from "./Lookup.ts"
import { existing, missing, tools } from "./Missing.ts"
import { passing } from "./Passing.ts"
import { refusals, states } from "./Refusal.ts"
import { script } from "./Script.ts"
import { shell } from "./Shell.ts"
import { sentences, validators } from "./Validation.ts"

const limit = ofPhrases(limits)

/** All rules, the surest first; weak rows at the end. */
export const rules: ReadonlyArray<Rule> = [
  effectTags("strong"),
  (evidence) => (limitStem.test(evidence.words) ? limit(evidence) : undefined), // in any status, by gateways' habit
  ofPhrases(early, "any", true),
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
  ofPhrases(tools),
  ofPhrases(refusals),
  ofPhrases(passing),
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
