/** The vocabularies of all languages. */
import { english } from "./English.ts"
import { chinese, japanese, korean } from "./EastAsian.ts"
import { french, italian, portuguese, spanish } from "./Romance.ts"
import { dutch, german } from "./Germanic.ts"
import { danish, swedish } from "./Nordic.ts"
import { czech, polish, russian, ukrainian } from "./Slavic.ts"
import { system } from "./SystemMessage.ts"
import { turkish } from "./Turkish.ts"
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
  ukrainian,
  czech,
  swedish,
  danish,
  turkish,
  chinese,
  japanese,
  korean,
  system
]
