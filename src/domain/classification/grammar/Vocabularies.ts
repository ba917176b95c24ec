/** The vocabularies of all languages. */
import { english } from "./English.ts"
import { chinese, japanese, korean } from "./EastAsian.ts"
import { french, italian, portuguese, spanish } from "./Romance.ts"
import { dutch, german } from "./Germanic.ts"
import { polish, russian } from "./Slavic.ts"
import type { Vocabulary } from "./Role.ts"

export const vocabularies: ReadonlyArray<Vocabulary> = [
  english,
  german,
  dutch,
  french,
  italian,
  portuguese,
  spanish,
  polish,
  russian,
  chinese,
  japanese,
  korean
]
