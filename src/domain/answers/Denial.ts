/**
 * Recognises words with which a message says that an action was not done: `Payment failed`, `余额不足`, `konnte nicht
 * angelegt werden`.
 *
 * **Details**
 *
 * - *Outright*: the words say that something failed or was refused, wherever they are.
 * - *Possibly*: the words deny something, such as `not` and `already`. In a report of success they describe circumstances:
 *   `Order placed; it cannot be changed after noon`.
 */

/** Phrases that say that nothing went wrong. They are ignored. */
const harmless =
  /(?<!\p{L})(?:no|0|zero|without(?: any)?|sin|ohne|keine?|sem|sans|aucune?|senza|nessun)\s+(?:[a-z]+\s+)?(?:errors?|failures?|problems?|issues?|conflicts?|fehler|errores?|erros?|erreurs?|errori)(?!\p{L})|无错误|無錯誤|没有错误|エラーなし|エラーはありません/giu

/** Combines forms of whole words with signs of languages that do not separate words. */
const anyOf = (signs: RegExp, ...words: ReadonlyArray<RegExp>): RegExp =>
  new RegExp([signs.source, ...words.map(({ source }) => String.raw`(?<!\p{L})(?:${source})(?!\p{L})`)].join("|"), "iu")

const outright = anyOf(
  /失败|失敗|错误|錯誤|异常|異常|拒绝|拒絕|驳回|駁回|エラー|できません|できなかった|실패|오류|거부/u,
  // an attribute names a thing: `pay the failed invoice`
  /(?<!\b(?:the|an?|all|any|each|every|of|this|that|your) )(?:failed|rejected|declined|denied|refused)/u,
  /fails?|failures?|failing|errors?|exception|unsuccessful(?:ly)?|unable|aborted|disapproved/u,
  /(?:could|did|was|were|has|have|had|is) ?n[o'’]t (?:be )?(?:been )?(?:able|allow\w*|permitted|authori[sz]ed|complet\w*|process\w*|creat\w*|sav\w*|sen[dt]|updat\w*|delet\w*|remov\w*|add\w*|book\w*|plac\w*|pa(?:y|id)|confirm\w*|accept\w*|approv\w*|deliver\w*|execut\w*|appl\w*|appli\w*|perform\w*|done|found)/u,
  /could ?n[o'’]t/u,
  /fallid[oa]s?|falló|fallo|fallado|rechazad[oa]s?|denegad[oa]s?|imposible|no (?:se )?(?:pudo|ha podido|fue posible|puede)/u,
  /errore?s?|erros?|falh(?:a|ou|as)|recusad[oa]s?|rejeitad[oa]s?|negad[oa]s?|não (?:foi|é) possível/u,
  /erreurs?|échecs?|échoué(?:e|s)?|refusée?s?|rejetée?s?|impossible|n['’](?:a|ont|est) pas(?: pu)?/u,
  /fehler\p{L}*|fehlgeschlagen|gescheitert|konnten? [^.;]{0,60}nicht|konnten? nicht|abgelehnt\p{L}*|verweigert\p{L}*/u,
  /errori|fallit[oa]|rifiutat[oa]|respint[oa]|impossibile|non (?:è stato|è) possibile/u,
  /mislukt|fout|geweigerd|błąd|odrzucon\p{L}*|nie udało|hata|başarısız|reddedildi/u,
  /ошибк\p{L}*|не удалось|отказано|отклон[её]н\p{L}*/u
)

const possible = anyOf(
  /不足|无法|無法|不能|不可|不存在|不允许|不支持|不正确|未|没有|沒有|已存在|已关闭|超时|超時|过期|過期|限制|流控|无效|無効|ません|없|않/u,
  /not|never|cannot|can['’]t|n['’]t|isn['’]t|aren['’]t|wasn['’]t|doesn['’]t|won['’]t|nothing|none|neither/u,
  /\p{L}*n['’]t/u,
  /invalid|insufficient|missing|already|exceed(?:s|ed)?|expired|forbidden|unauthori[sz]ed|unavailable|unknown|unsupported|conflicts?|mismatch|timed? ?out|timeout/u,
  /out of (?:stock|range|memory|funds)|sold out|in use|too (?:many|large|long|big|late)|limit reached|over (?:budget|quota)|locked by|taken|required|blocked|suspended/u,
  /no|insuficientes?|inválid[oa]s?|ya existe|agotad[oa]s?|vencid[oa]s?|caducad[oa]s?/u,
  /não|nao|já existe|indisponíve(?:l|is)|esgotad[oa]s?|expirad[oa]s?/u,
  /pas|insuffisante?s?|invalides?|indisponibles?|expirée?s?|existe déjà|déjà/u,
  /nicht|kein\p{L}*|ungültig\p{L}*|gesperrt\p{L}*|bereits|unzureichend\p{L}*/u,
  /non|insufficienti?|scadut[oa]|già/u,
  /niet|geen|nie|не|нет|недостаточно|yok/u
)

/** The number of characters of a message that are read. */
const longestMessage = 2_000

/** Returns the clauses of a message. */
export const clausesOf = (message: string): ReadonlyArray<string> =>
  message
    .slice(0, longestMessage)
    .replaceAll(harmless, " ")
    .split(/[,;:!?()\n\u3001\u3002\uFF01\uFF0C\uFF1A\uFF1B\uFF1F]|\.(?!\d)|\u2013|\u2014/u)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "")

/** A permanent failure of SMTP: `550 5.1.1 User unknown`. */
const smtp = /^5\d\d 5\.\d{1,3}\.\d{1,3}\b/

/** True if a clause says that something failed or was refused. */
export const failsOutright = (clause: string): boolean => outright.test(clause) || smtp.test(clause)

/** True if a clause denies something. */
export const deniesPossibly = (clause: string): boolean => failsOutright(clause) || possible.test(clause)
