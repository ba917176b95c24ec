/** Phrases about things that already exist or do not exist: tools, ids, paths, tables, fields, names. */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose } from "#domain/classification/codes/Diagnosis"

/** Phrases that report an unknown tool. */
export const unknownTools: ReadonlyArray<Phrase> = [
  phrase("missing:tool", diagnose("unknown_tool"), [
    /\bis not an? (?:valid|known|available|existing) (?:tool|function)\b/,
    /\b(?:unknown|no such|unrecognized|undefined|invalid|nonexistent|unavailable) (?:tool|function)(?: name| call)?\b(?! argument| parameter| id| input)/,
    /\b(?:tool|function) (?:name )?['"`]?[\w.:/-]{1,80}['"`]? (?:was |is )?(?:not found|does(?: not|n't) exist|is(?: not|n't) (?:available|registered|known|defined|recogni[sz]ed)|not (?:available|registered|known|recogni[sz]ed))\b/,
    /\bno (?:tool|function) (?:named|called|with (?:the )?name|by the name|found)\b/
  ])
]

/** Phrases that report that a thing already exists, or that another writer has changed it. */
export const existing: ReadonlyArray<Phrase> = [
  phrase("existing", diagnose("conflicting_value"), [
    /\bhas been modified (?:by|since)\b/,
    /\balready (?:exists?|taken|registered|(?:been |in )?used?|in use)\b/,
    /\balready (?:has|have|contains?|holds?) (?:an? |the |this )\w/,
    /\bduplicate (?:value|name|key|id|entry|record|item|column|field|email|username|request)s?\b/,
    /\bmust be unique\b/,
    /\bis not unique\b/,
    /\bensure it is unique\b/,
    /\bname (?:is )?(?:already )?taken\b/,
    /\bin conflict with\b/,
    /\bconflicts with\b/,
    /\bidempotency\b[^.\n]{0,60}\b(?:different|reused|conflict)\b/
  ])
]

/** Phrases that report that a thing does not exist. */
export const missing: ReadonlyArray<Phrase> = [
  phrase("missing:reference", diagnose("unknown_reference"), [
    /\bnot found\b/,
    /\bdo(?:es)?(?: not|n't) exists?\b/,
    /\bdid(?: not|n't) exist\b/,
    /\bnon-?existent\b/,
    /\bnonexisting\b/,
    /\bno such\b/,
    /\b(?:could not|couldn't|cannot|can't|can not|unable to|failed to|did not|didn't) (?:be )?(?:find|found|locate|located|look up|resolve)\b/,
    /\b(?:unknown|unrecogni[sz]ed|undefined|undeclared|unresolved) [a-z'"`]/,
    /\bis not (?:a )?(?:known|recogni[sz]ed|found|present|listed|part of|in the (?:list|database|sheet|table|index|collection|workspace|directory|repository))\b/,
    /\bno [\w' -]{2,60} (?:was |were |are |is )?(?:found|exists?|exist|matching|matches|matched|named|called|with (?:the )?(?:id|name|key|number|given)|available with|has id)\b/,
    /\bno (?:match(?:es|ing)?|results?|records?|entr(?:y|ies)|items?|data|rows?|documents?) (?:was |were |are |is )?(?:found|for|available|match)\b/,
    /\b(?:was|were) not (?:found|present|recogni[sz]ed)\b/,
    /\bdid not (?:match|appear|find|return)\b/,
    /\bnothing (?:was )?found\b/,
    /\bthere (?:is|are|was) no [a-z]/,
    /\bdoes not (?:have an?|contain|include|belong)\b/,
    /\bhas no (?:\w{1,20} )?(?:named|called|member|attribute|column|field|property|sheet|page)\b/,
    /\bnot in (?:the |this |your )?(?:list|database|index|catalogue?|collection|dataset|dictionary|inventory|store)\b/,
    /\bmissing or deleted\b/,
    /\bis not present in\b/,
    /\bdid you mean\b/,
    /\bno [a-z]{3,16}:? ['"`][^'"`\n]{1,80}['"`]/
  ]),
  phrase("missing:model", diagnose("unknown_reference"), [
    /^model: \S{2,100}$/,
    /\bmodel (?:identifier|id|name) is invalid\b/
  ])
]
