/**
 * Phrases of services in languages other than English and Chinese: a few common words for each class of failure. They
 * are matched after the general English phrases.
 */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose } from "#domain/classification/codes/Diagnosis"

/** Phrases of Spanish, Portuguese, French, German and Italian. */
export const languages: ReadonlyArray<Phrase> = [
  phrase("language:rate", diagnose("rate_limited"), [/demasiadas (?:solicitudes|peticiones)|muitas requisições/]),
  phrase("language:quota", diagnose("quota_exceeded"), [/cuota|quota dépassé|kontingent/]),
  phrase("language:memory", diagnose("out_of_memory"), [
    /mem[oó]ria (?:insuficiente|agotada|insufficiente)|mémoire (?:insuffisante|saturée)|nicht (?:genügend|genug) (?:arbeits)?speicher\b|arbeitsspeicher (?:ist )?voll/
  ]),
  phrase("language:disk", diagnose("disk_full"), [
    /disco (?:está )?(?:lleno|cheio|pieno)|espacio (?:insuficiente )?en (?:el )?disco|espaço (?:insuficiente )?(?:em|no) disco|disque (?:est )?plein|espace disque insuffisant|plus d'espace disque|(?:festplatte|datenträger) (?:ist )?voll|(?:kein|zu wenig|nicht genug|nicht genügend) (?:freier )?speicherplatz|spazio (?:insufficiente )?su(?:l)? disco/
  ]),
  phrase("language:transient", diagnose("temporary_failure"), [
    /inténtelo más tarde|tente novamente|réessayez|später erneut/
  ]),
  phrase("language:rights", diagnose("unauthorized"), [
    /no autorizado|não autorizado|non autorisé|accès refusé|zugriff verweigert|nicht berechtigt/
  ]),
  phrase("language:missing", diagnose("unknown_reference"), [
    /no (?:fue )?encontrad[oa]|no existe|n[ãa]o (?:foi )?encontrad[oa]|introuvable|n'existe pas|nicht gefunden|existiert nicht|non trovat[oa]/
  ]),
  phrase("language:argument", diagnose("invalid_request"), [
    /inv[áa]lid[oa]|obligatori[oa]|obrigat[óo]ri[oa]|invalide|obligatoire|ungültig|erforderlich|non valid[oa]/
  ])
]

/** Matches every text that a row of `alphabets` can match. The rows are skipped for an error that does not match it. */
export const alphabetStem = /[\u0400-\u04FF\u3040-\u30FF\u3400-\u9FFF]/

/** Phrases of Japanese and Russian. */
export const alphabets: ReadonlyArray<Phrase> = [
  phrase("alphabet:memory", diagnose("out_of_memory"), [/メモリー?(?:が)?不足|недостаточно памяти|нехватка памяти/]),
  phrase("alphabet:disk", diagnose("disk_full"), [
    /ディスク(?:の)?(?:空き)?(?:容量|領域)?(?:が)?(?:不足|いっぱい)|ディスクフル|места на диске|диск (?:заполнен|переполнен)/
  ]),
  phrase("alphabet:transient", diagnose("temporary_failure"), [/タイムアウト|попробуйте позже/]),
  phrase("alphabet:rights", diagnose("unauthorized"), [/доступ запрещ|権限がありません/]),
  phrase("alphabet:missing", diagnose("unknown_reference"), [/見つかりません|не найден/]),
  phrase("alphabet:argument", diagnose("invalid_request"), [/無効|неверн|недопустим/])
]
